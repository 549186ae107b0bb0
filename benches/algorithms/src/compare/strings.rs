//! `compare strings`: sorting the words of a text, where comparisons follow pointers and many elements are equal.

use std::fmt::Write as _;
use std::time::Instant;

use fastrand::Rng;
use fusain::algorithms::par;
use rayon::prelude::*;

use crate::cases::Runtimes;
use crate::data;
use crate::peers::rayon_pool;
use fusain_harness::{Options, Progress, Report, Samples, Side, cell_ns, cell_ratio, in_turn, settle, table};

const LENGTHS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
/// From this length on, ours must beat std.
const LARGE: usize = 100_000;

/// The texts: name, and number of different words.
const TEXTS: [(&str, usize); 2] = [("text", 50_000), ("text of few words", 64)];

/// A vocabulary in which frequent words are short, as in a natural language.
fn vocabulary(words: usize, rng: &mut Rng) -> Vec<String> {
    let letters = |rank: usize| 1 + rank.ilog2() as usize * 3 / 4;
    let mut vocabulary: Vec<String> = Vec::with_capacity(words);
    for rank in 1..=words {
        let shortest = letters(rank);
        vocabulary.push((0..rng.usize(shortest..=shortest + 3)).map(|_| rng.lowercase()).collect());
    }
    vocabulary
}

/// A text of `words` words; the word of rank `r` has a probability proportional to 1/r (Zipf, 1935).
fn text(words: usize, different: usize) -> String {
    let mut rng = data::rng();
    let vocabulary = vocabulary(different, &mut rng);
    let mut text = String::new();
    let log = (different as f64).ln();
    for _ in 0..words {
        // The inverse of the continuous distribution with the density 1/r on 1..=different.
        let rank = (rng.f64() * log).exp() as usize;
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{} ", vocabulary[rank.clamp(1, different) - 1]);
    }
    text
}

/// One way to sort: its name and its call.
type Sort<T> = (&'static str, fn(&mut [T], Runtimes<'_>));

/// std, rayon and ours with the stable sort, then the same with the unstable sort.
type Sorts<T> = [Sort<T>; 6];

fn whole<T: Ord + Send>() -> Sorts<T> {
    [
        ("std", |v, _| v.sort()),
        ("rayon", |v, on| on.rayon.install(|| v.par_sort())),
        ("ours", |v, on| par().on(on.pool).sort(v)),
        ("std unstable", |v, _| v.sort_unstable()),
        ("rayon unstable", |v, on| on.rayon.install(|| v.par_sort_unstable())),
        ("ours unstable", |v, on| par().on(on.pool).sort_unstable(v)),
    ]
}

/// Ours with a key borrowed from the element, for which the others have no function.
fn by_key() -> Sorts<(String, u32)> {
    let mut sorts = by_closure();
    sorts[2].1 = |v, on| par().on(on.pool).sort_by_borrowed_key(v, |pair| &pair.0);
    sorts[5].1 = |v, on| par().on(on.pool).sort_unstable_by_borrowed_key(v, |pair| &pair.0);
    sorts
}

/// All sides compare in a closure.
fn by_closure() -> Sorts<(String, u32)> {
    [
        ("std", |v, _| v.sort_by(|a, b| a.0.cmp(&b.0))),
        ("rayon", |v, on| on.rayon.install(|| v.par_sort_by(|a, b| a.0.cmp(&b.0)))),
        ("ours", |v, on| par().on(on.pool).sort_by(v, |a, b| a.0.cmp(&b.0))),
        ("std unstable", |v, _| v.sort_unstable_by(|a, b| a.0.cmp(&b.0))),
        ("rayon unstable", |v, on| on.rayon.install(|| v.par_sort_unstable_by(|a, b| a.0.cmp(&b.0)))),
        ("ours unstable", |v, on| par().on(on.pool).sort_unstable_by(v, |a, b| a.0.cmp(&b.0))),
    ]
}

/// The times of all sides for one input.
struct Row {
    label: String,
    words: usize,
    is_by_closure: bool,
    samples: Vec<Samples>,
}

impl Row {
    fn ns(&self, at: usize) -> f64 {
        self.samples[at].median()
    }

    /// The time of std divided by ours, with the stable or the unstable sort.
    fn ahead(&self, unstable: bool) -> f64 {
        let first = if unstable { 3 } else { 0 };
        self.ns(first) / self.ns(first + 2)
    }

    fn over_rayon(&self, unstable: bool) -> f64 {
        let first = if unstable { 3 } else { 0 };
        self.ns(first + 2) / self.ns(first + 1)
    }
}

/// Samples all sides in turn. Each call sorts a fresh copy in the order of the text.
fn measured<T: Clone>(label: String, source: &[T], sorts: &Sorts<T>, on: Runtimes<'_>, smoke: bool) -> Row {
    /// The minimum number of elements sorted in one sample, in as many calls as necessary, so that waking the workers is a small part of
    /// it.
    const ELEMENTS: usize = 50_000;
    let batch = if smoke { 1 } else { (ELEMENTS / source.len()).max(1) };
    let rounds = match source.len() {
        _ if smoke => 1,
        n if n > 500_000 => 3,
        n if n > 50_000 => 9,
        _ => 15,
    };
    let mut sides: Vec<Side<'_>> = sorts
        .iter()
        .map(|&(name, sort)| {
            let clock = move |calls: usize| {
                let mut copies: Vec<Vec<T>> = (0..calls).map(|_| source.to_vec()).collect();
                let start = Instant::now();
                copies.iter_mut().for_each(|copy| sort(copy, on));
                start.elapsed().as_nanos() as f64
            };
            Side::timed(name, batch, clock)
        })
        .collect();
    let samples = in_turn(sorts.iter().map(|(name, _)| *name), rounds, |at| {
        settle();
        // Not counted: it wakes the threads. A long call needs no such warm-up.
        if source.len() < LARGE {
            sides[at].time_ns(batch);
        }
        [sides[at].time_ns(batch) / batch as f64]
    });
    Row { label, words: source.len(), is_by_closure: false, samples }
}

/// Panics unless all sides agree: the stable ones on all elements, the unstable ones on the words.
fn check<T: Clone + PartialEq, K: PartialEq>(source: &[T], sorts: &Sorts<T>, on: Runtimes<'_>, key: impl Fn(&T) -> K) {
    let sorted = |at: usize| {
        let mut copy = source.to_vec();
        (sorts[at].1)(&mut copy, on);
        copy
    };
    let expected = sorted(0);
    for (at, (name, _)) in sorts.iter().enumerate() {
        let found = sorted(at);
        assert!(at >= 3 || found == expected, "{name}");
        assert!(found.iter().map(&key).eq(expected.iter().map(&key)), "{name}");
    }
}

pub(super) fn run(options: &Options) -> anyhow::Result<()> {
    let pool = options.pool()?;
    let rayon = rayon_pool(options.threads)?;
    let on = Runtimes { pool: &pool, rayon: &rayon, cxx: None };
    let lengths = if options.smoke { &LENGTHS[..1] } else { &LENGTHS[..] };
    let mut rows = Vec::new();
    let progress = Progress::new(TEXTS.len() * lengths.len() * 4);
    for (name, different) in TEXTS {
        for &length in lengths {
            let text = text(length, different);
            let words: Vec<&str> = text.split_whitespace().collect();
            let strings: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            let pairs: Vec<(String, u32)> = strings.iter().cloned().zip(0..).collect();
            if length == LENGTHS[0] {
                check(&words, &whole(), on, |word| *word);
                check(&strings, &whole(), on, String::clone);
                check(&pairs, &by_key(), on, |pair| pair.0.clone());
                check(&pairs, &by_closure(), on, |pair| pair.0.clone());
            }
            let label = |element: &str| {
                progress.step(&format!("{name}, {element}, {length}"));
                format!("{name}: {length} {element}")
            };
            rows.push(measured(label("&str"), &words, &whole(), on, options.smoke));
            rows.push(measured(label("String"), &strings, &whole(), on, options.smoke));
            rows.push(measured(label("(String, u32) by key"), &pairs, &by_key(), on, options.smoke));
            let row = measured(label("(String, u32) by closure"), &pairs, &by_closure(), on, options.smoke);
            rows.push(Row { is_by_closure: true, ..row });
        }
    }
    drop(progress);
    print_tables(&rows);

    let mut report = Report::new("strings");
    rows.iter().for_each(|row| report.keep(&row.label, &row.samples));
    let large = |unstable, is_by_closure| {
        let large = rows.iter().filter(|row| row.words >= LARGE && row.is_by_closure == is_by_closure);
        large.map(|row| row.ahead(unstable)).reduce(f64::min).unwrap_or(f64::NAN)
    };
    let over_rayon = rows.iter().flat_map(|row| [row.over_rayon(false), row.over_rayon(true)]);
    report.key("stable", large(false, false));
    report.key("unstable", large(true, false));
    report.key("stable_by_closure", large(false, true));
    report.key("unstable_by_closure", large(true, true));
    report.key("worst_over_rayon", over_rayon.reduce(f64::max).unwrap_or(f64::NAN));
    report.finish(options)
}

fn print_tables(rows: &[Row]) {
    for unstable in [false, true] {
        let title = if unstable { "unstable" } else { "stable" };
        let first = if unstable { 3 } else { 0 };
        let mut table = table(&[title, "std", "rayon", "ours", "std / ours", "ours / rayon"]);
        for row in rows {
            let mut cells = vec![row.label.clone()];
            cells.extend((first..first + 3).map(|at| cell_ns(row.ns(at))));
            cells.extend([cell_ratio(row.ahead(unstable)), cell_ratio(row.over_rayon(unstable))]);
            table.add_row(cells);
        }
        println!("{table}");
    }
    let different: Vec<String> = TEXTS.iter().map(|(name, words)| format!("{name}: {words}")).collect();
    println!("different words at most: {}", different.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_in_every_run_and_frequent_words_repeat() {
        let once = text(5_000, 50_000);
        assert_eq!(once, text(5_000, 50_000));
        let words: Vec<&str> = once.split_whitespace().collect();
        assert_eq!(words.len(), 5_000);
        let mut different = words.clone();
        different.sort_unstable();
        different.dedup();
        assert!((1_000..4_000).contains(&different.len()), "{}", different.len());
    }
}
