//! Counts the words of all text files below a folder, with our iterators or, for comparison, with rayon's.
//!
//! `cargo run --release --example words -- [--rayon] [FOLDER]`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::ensure;
use walkdir::WalkDir;

/// How often each word occurs.
type Counts = HashMap<String, usize>;

/// Adds the words of a text.
fn add(mut counts: Counts, text: &str) -> Counts {
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
        match counts.get_mut(word) {
            Some(count) => *count += 1,
            None => _ = counts.insert(word.to_owned(), 1),
        }
    }
    counts
}

/// Adds the counts of the smaller map to the larger one.
fn merged(a: Counts, b: Counts) -> Counts {
    let (mut more, fewer) = if a.len() < b.len() { (b, a) } else { (a, b) };
    for (word, count) in fewer {
        *more.entry(word).or_default() += count;
    }
    more
}

/// The same code for both preludes. A file that is not text is skipped.
macro_rules! words {
    ($files:expr) => {
        $files
            .par_iter()
            .filter_map(|file| fs::read_to_string(file).ok())
            .fold(Counts::new, |counts, text| add(counts, &text))
            .reduce(Counts::new, merged)
    };
}

fn with_ours(files: &[PathBuf]) -> Counts {
    use fusain::prelude::*;
    words!(files)
}

fn with_rayon(files: &[PathBuf]) -> Counts {
    use rayon::prelude::*;
    words!(files)
}

fn main() -> anyhow::Result<()> {
    let (flags, folders): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    ensure!(flags.iter().all(|flag| flag == "--rayon"), "usage: words [--rayon] [FOLDER]");
    let folder = folders.first().map_or(concat!(env!("CARGO_MANIFEST_DIR"), "/.."), String::as_str);
    let entries = WalkDir::new(folder).into_iter().filter_entry(|entry| entry.file_name() != "target");
    let files: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| entry.into_path())
        .collect();
    let start = Instant::now();
    let counts = if flags.is_empty() { with_ours(&files) } else { with_rayon(&files) };
    let took = start.elapsed();
    let mut words: Vec<(&String, &usize)> = counts.iter().collect();
    words.sort_by_key(|(word, count)| (std::cmp::Reverse(**count), *word));
    for (word, count) in words.iter().take(10) {
        println!("{count:>8} {word}");
    }
    println!(
        "{} words, {} of them different, in {} files: {took:?}",
        counts.values().sum::<usize>(),
        words.len(),
        files.len()
    );
    Ok(())
}
