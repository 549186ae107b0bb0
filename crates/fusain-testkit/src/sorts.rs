//! The conformance suite of sorts: adopt it with a [`Sorter`] and a call of [`check`].
//!
//! ```
//! use fusain_testkit::sorts::{Sorter, check};
//! use std::cmp::Ordering;
//!
//! struct Std;
//!
//! impl Sorter for Std {
//!     const STABLE: bool = true;
//!     fn sort_by<T: Send>(&self, v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
//!         v.sort_by(compare);
//!     }
//! }
//!
//! check(&Std);
//! ```

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::{Census, Counted};

/// Something that sorts.
pub trait Sorter {
    /// Whether equal elements keep their order.
    const STABLE: bool;

    /// Sorts `v` by `compare`.
    fn sort_by<T: Send>(&self, v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync);
}

/// Lengths around every threshold a sort may have, up to a few thousand.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 7, 16, 33, 64, 129, 255, 600, 1_000, 2_049, 5_000];

/// Runs the whole suite.
///
/// # Panics
///
/// If the sorter fails it.
pub fn check<S: Sorter>(sorter: &S) {
    patterns(sorter);
    stability(sorter);
    kinds(sorter);
    interior_mutability(sorter);
    panics(sorter);
    inconsistent(sorter);
}

/// Numbers that look random and are the same each time (splitmix64).
pub fn noise(n: usize, seed: u64) -> impl Iterator<Item = u64> {
    (0..n as u64).map(move |i| {
        let mut z = (i + 1).wrapping_add(seed << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// Inputs that are easy for sorts, and inputs that are not.
fn inputs(n: usize) -> Vec<(&'static str, Vec<u32>)> {
    let random: Vec<u32> = noise(n, n as u64).map(|x| x as u32).collect();
    let up: Vec<u32> = (0..n as u32).collect();
    let few = random.iter().map(|x| x % 4).collect();
    let saw = up.iter().map(|x| x % 37).collect();
    let mut nearly = up.clone();
    if n > 2 {
        nearly.swap(0, n - 1);
        nearly.swap(n / 3, n / 2);
    }
    let mut organ: Vec<u32> = up.clone();
    organ[n / 2..].reverse();
    vec![
        ("down", up.iter().rev().copied().collect()),
        ("equal", vec![7; n]),
        ("up", up),
        ("random", random),
        ("few values", few),
        ("saw", saw),
        ("nearly sorted", nearly),
        ("organ pipe", organ),
    ]
}

fn patterns<S: Sorter>(sorter: &S) {
    for n in LENGTHS {
        for (name, input) in inputs(n) {
            let mut expected = input.clone();
            expected.sort();
            let mut v = input.clone();
            sorter.sort_by(&mut v, u32::cmp);
            assert_eq!(v, expected, "{name}, {n} elements, ascending");
            expected.reverse();
            let mut v = input;
            sorter.sort_by(&mut v, |a, b| b.cmp(a));
            assert_eq!(v, expected, "{name}, {n} elements, descending");
        }
    }
}

fn stability<S: Sorter>(sorter: &S) {
    for n in LENGTHS {
        for modulus in [2, 10, 1_000] {
            let mut v: Vec<(u64, usize)> = noise(n, 7).map(|x| x % modulus).zip(0..).collect();
            sorter.sort_by(&mut v, |a, b| a.0.cmp(&b.0));
            if S::STABLE {
                assert!(v.is_sorted(), "stable, {n} elements of {modulus} kinds");
            }
            assert!(v.is_sorted_by_key(|x| x.0));
            v.sort_by_key(|x| x.1);
            assert!(v.iter().map(|x| x.1).eq(0..n), "each element once");
        }
    }
}

fn kinds<S: Sorter>(sorter: &S) {
    for n in [0, 1, 2, 700, 2_100] {
        let mut nothing = vec![(); n];
        sorter.sort_by(&mut nothing, |_, _| Ordering::Equal);
        assert_eq!(nothing.len(), n);

        let mut strings: Vec<String> = noise(n, 1).map(|x| x.to_string()).collect();
        let mut expected = strings.clone();
        expected.sort();
        sorter.sort_by(&mut strings, String::cmp);
        assert_eq!(strings, expected);

        let mut boxes: Vec<Box<u64>> = noise(n, 2).map(Box::new).collect();
        sorter.sort_by(&mut boxes, Ord::cmp);
        assert!(boxes.is_sorted());

        let mut floats: Vec<f64> = noise(n, 3).map(f64::from_bits).collect();
        sorter.sort_by(&mut floats, f64::total_cmp);
        assert!(floats.is_sorted_by(|a, b| a.total_cmp(b).is_le()));

        let mut pages: Vec<[u64; 512]> = noise(n, 4).map(|x| [x; 512]).collect();
        sorter.sort_by(&mut pages, |a, b| a[0].cmp(&b[511]));
        assert!(pages.is_sorted() && pages.iter().all(|page| page.iter().all(|x| *x == page[0])));

        let census = Census::new();
        let mut counted: Vec<_> = noise(n, 5).map(|x| census.element(x as u32)).collect();
        sorter.sort_by(&mut counted, |a, b| a.key.cmp(&b.key));
        assert!(counted.is_sorted_by_key(|x| x.key));
        assert_eq!(census.alive(), n as isize);
        drop(counted);
        assert_eq!(census.alive(), 0);
    }
}

/// Comparators may change what they compare, if that is safe; no change may be lost.
fn interior_mutability<S: Sorter>(sorter: &S) {
    for n in [2, 40, 3_000] {
        let compared = AtomicUsize::new(0);
        let mut v: Vec<(u64, Cell<usize>)> = noise(n, 6).map(|x| (x, Cell::new(0))).collect();
        sorter.sort_by(&mut v, |a, b| {
            compared.fetch_add(1, Relaxed);
            a.1.set(a.1.get() + 1);
            b.1.set(b.1.get() + 1);
            a.0.cmp(&b.0)
        });
        assert!(v.is_sorted_by_key(|x| x.0));
        let seen: usize = v.iter().map(|x| x.1.get()).sum();
        assert_eq!(seen, 2 * compared.into_inner(), "every comparison has left its mark on both");
    }
}

/// Whichever comparison panics, all elements are there afterwards, each once.
fn panics<S: Sorter>(sorter: &S) {
    for n in [2, 20, 150, 1_500] {
        let total = AtomicUsize::new(0);
        let mut v: Vec<u64> = noise(n, 8).collect();
        sorter.sort_by(&mut v, |a, b| {
            total.fetch_add(1, Relaxed);
            a.cmp(b)
        });
        let total = total.into_inner();
        for fatal in (0..24).map(|k| total * k / 24).chain([total - 1]) {
            let census = Census::new();
            let mut v: Vec<_> = noise(n, 8).zip(0..).map(|(x, i)| (x, census.element(i))).collect();
            let asked = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                sorter.sort_by(&mut v, |a, b| {
                    // A panic that the test raises itself should not be reported: `resume_unwind` skips the hook.
                    if asked.fetch_add(1, Relaxed) == fatal {
                        std::panic::resume_unwind(Box::new("planned"));
                    }
                    a.0.cmp(&b.0)
                });
            }));
            if let Err(payload) = result {
                assert_eq!(payload.downcast_ref(), Some(&"planned"), "the panic itself comes out");
            }
            each_once(v, &census, &format!("panic at comparison {fatal} of {total}"));
        }
    }
}

/// A comparator that is not a total order may make the sort panic, but no element may be lost.
fn inconsistent<S: Sorter>(sorter: &S) {
    type Order = fn(u64, u64, usize) -> Ordering;
    let orders: [(&str, Order); 5] = [
        ("chance", |_, _, i| if i.wrapping_mul(0x9E37_79B9) & 64 == 0 { Ordering::Less } else { Ordering::Greater }),
        ("always less", |_, _, _| Ordering::Less),
        ("always greater", |_, _, _| Ordering::Greater),
        ("rock, paper, scissors", |a, b, _| (a % 3).cmp(&((b + 1) % 3))),
        ("sign changes", |a, b, i| if i % 5 == 0 { b.cmp(&a) } else { a.cmp(&b) }),
    ];
    for n in [2, 33, 500, 3_000] {
        for (name, order) in orders {
            let census = Census::new();
            let mut v: Vec<_> = noise(n, 9).zip(0..).map(|(x, i)| (x, census.element(i))).collect();
            let asked = AtomicUsize::new(0);
            // std may panic here, and so may we.
            let _ = catch_unwind(AssertUnwindSafe(|| {
                sorter.sort_by(&mut v, |a, b| order(a.0, b.0, asked.fetch_add(1, Relaxed)));
            }));
            each_once(v, &census, &format!("order: {name}"));
        }
    }
}

/// All elements are there, each once, and can be dropped.
fn each_once(v: Vec<(u64, Counted)>, census: &Census, what: &str) {
    assert_eq!(census.alive(), v.len() as isize, "{what}");
    let mut keys: Vec<u32> = v.iter().map(|x| x.1.key).collect();
    keys.sort();
    assert!(keys.iter().copied().eq(0..v.len() as u32), "each of {} elements once, {what}", v.len());
    drop(v);
    assert_eq!(census.alive(), 0, "{what}");
}
