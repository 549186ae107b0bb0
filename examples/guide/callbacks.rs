//! The guide's third exercise: the first byte of a text that is not ASCII, by five callbacks.
//!
//! `cargo run --release --example guide-callbacks`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain::{Algorithm, Pool};

/// The text, and the best index so far: the length of the text if none is known.
struct FirstForeign<'a> {
    text: &'a [u8],
    best: AtomicUsize,
}

impl Algorithm for FirstForeign<'_> {
    /// The indices that no worker has looked at.
    type Local = Range<usize>;

    fn has_local_work(&self, left: &Range<usize>) -> bool {
        // Relaxed: an old value only costs a needless unit.
        left.start < left.end.min(self.best.load(Ordering::Relaxed))
    }

    fn do_unit(&self, left: &mut Range<usize>, grain: usize) {
        let end = left.end.min(left.start + grain);
        if let Some(found) = self.text[left.start..end].iter().position(|byte| !byte.is_ascii()) {
            // Relaxed: the pool orders this before the end of the call, where it is read.
            self.best.fetch_min(left.start + found, Ordering::Relaxed);
        }
        left.start = end;
    }

    /// What a unit finds is shared at once, so nothing is left to publish.
    fn commit(&self, _left: &mut Range<usize>) {}

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        let middle = victim.start + victim.len() / 2;
        let back = middle..std::mem::replace(&mut victim.end, middle);
        (!back.is_empty()).then_some(back)
    }
}

fn first_foreign(text: &[u8]) -> Option<usize> {
    let search = FirstForeign { text, best: AtomicUsize::new(text.len()) };
    Pool::global().run(&search, 0..text.len());
    Some(search.best.into_inner()).filter(|&index| index < text.len())
}

fn main() {
    let mut text = "plain English ".repeat(100_000).into_bytes();
    assert_eq!(first_foreign(&text), None);
    text.extend("déjà vu".bytes());
    let found = first_foreign(&text);
    println!("the first byte that is not ASCII: {found:?}");
    assert_eq!(found, Some(1_400_001));
}
