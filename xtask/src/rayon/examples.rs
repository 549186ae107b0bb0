//! Runs the examples in rayon's documents against `fusain::prelude`.
//!
//! They become examples in documents of the package that [`iterators`] makes. They show what rayon's users write, and what they expect the compiler to
//! infer.

use std::fmt::Write;
use std::fs;

use anyhow::Context;
use walkdir::{DirEntry, WalkDir};

use super::{iterators, sources};
use crate::steps::Outcome;
use crate::workspace;

/// Examples that contain one of these names are left out, and so are examples with the [names](iterators::NAMES_LEFT_OUT) that are left out of the tests.
const LEFT_OUT: &[(&str, &str)] = &[("current_num_threads", "it has another name here")];

/// Runs the examples.
pub(super) fn step() -> anyhow::Result<Outcome> {
    let (rayon, folder) = iterators::make()?;
    let mut modules = String::new();
    // In this module a macro generates the examples.
    let is_read = |entry: &DirEntry| entry.file_name() != "compile_fail";
    for entry in WalkDir::new(rayon.join("src")).sort_by_file_name().into_iter().filter_entry(is_read) {
        let entry = entry?;
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let examples = examples(&fs::read_to_string(path)?);
        if examples.is_empty() {
            continue;
        }
        let name = path.strip_prefix(rayon.join("src"))?.with_extension("").display().to_string().replace('/', "_");
        sources::write(&folder.join("src/examples").join(&name).with_extension("md"), examples)?;
        writeln!(modules, "#[doc = include_str!(\"examples/{name}.md\")]\nmod examples_of_{name} {{}}")?;
    }
    let library = folder.join("src/lib.rs");
    let text = fs::read_to_string(&library).with_context(|| format!("cannot read {}", library.display()))?;
    sources::write(&library, text + &modules)?;
    let manifest = folder.join("Cargo.toml").display().to_string();
    let arguments = ["test", "--manifest-path", &manifest, "--doc", "--quiet"];
    workspace::cargo(arguments).env("CARGO_TARGET_DIR", workspace::target()).run()?;
    for (name, reason) in left_out() {
        println!("left out: examples with {name}: {reason}");
    }
    Ok(Outcome::Passed)
}

fn left_out() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    iterators::NAMES_LEFT_OUT.iter().chain(LEFT_OUT)
}

/// The examples in the documents of a source file, without the text between them.
fn examples(source: &str) -> String {
    let mut all = String::new();
    let mut example: Option<String> = None;
    for line in source.lines() {
        let line = line.trim_start();
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            example = None;
            continue;
        };
        let text = text.strip_prefix(' ').unwrap_or(text);
        let is_fence = text.trim_start().starts_with("```");
        match &mut example {
            None if is_fence => example = Some(format!("{text}\n")),
            None => {}
            Some(begun) => {
                begun.push_str(text);
                begun.push('\n');
                if is_fence {
                    let whole = example.take().unwrap_or_default();
                    let is_left_out = left_out().any(|(name, _)| whole.contains(name));
                    all.push_str(if is_left_out { "" } else { &whole });
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_what_stands_between_fences() {
        let source = "/// Text.\n///\n/// ```\n/// let a = 1;\n/// ```\nfn f() {}\n//! ```text\n//! by_uniform_blocks\n//! ```\n";
        assert_eq!(examples(source), "```\nlet a = 1;\n```\n");
    }
}
