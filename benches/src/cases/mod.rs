//! The first family of algorithms as everybody has them: one case, many sides, the same data.
//!
//! A [`Case`] is an algorithm, an element type and a length. Its sides are made by one file each: `ours`, the best
//! sequential code (`sequential`), `rayon`, and the C++ peers (`cxx`); a side that its library does not offer is
//! `None`. Sorts, merges and extrema order floats by `total_cmp`, in Rust, and by `<` in C++; sums of `i32` wrap around.

mod cxx;
mod number;
mod ours;
mod rayon;
mod sequential;

use std::cell::RefCell;
use std::fmt;

use fusain::algorithms::{Par, par};
use fusain::pool::Pool;

pub use number::Number;
pub use ours::Ordered;

use crate::data;
use crate::harness::{Scratch, Side};
use crate::peers::{Backend, Cxx};

/// An algorithm of the first family, by our name of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Algorithm {
    Min,
    Max,
    Minmax,
    Merge,
    InplaceMerge,
    Sort,
    SortUnstable,
    ForEach,
    Map,
    MapInPlace,
    Reduce,
    MapReduce,
    InclusiveScan,
    ExclusiveScan,
    TransformInclusiveScan,
    Position,
    Any,
    All,
    None,
    Count,
    CountIf,
}

impl Algorithm {
    /// All of them, in the order of the table.
    pub const ALL: [Algorithm; 21] = [
        Algorithm::Min,
        Algorithm::Max,
        Algorithm::Minmax,
        Algorithm::Merge,
        Algorithm::InplaceMerge,
        Algorithm::Sort,
        Algorithm::SortUnstable,
        Algorithm::ForEach,
        Algorithm::Map,
        Algorithm::MapInPlace,
        Algorithm::Reduce,
        Algorithm::MapReduce,
        Algorithm::InclusiveScan,
        Algorithm::ExclusiveScan,
        Algorithm::TransformInclusiveScan,
        Algorithm::Position,
        Algorithm::Any,
        Algorithm::All,
        Algorithm::None,
        Algorithm::Count,
        Algorithm::CountIf,
    ];

    /// The name in tables, on the command line and in `peer_find`.
    pub fn name(self) -> &'static str {
        // A table and no match: LLVM unrolls `named` over all of a match's arms and thinks about it for minutes.
        NAMES[self as usize]
    }

    /// All names, in the order of the table.
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Algorithm> {
        NAMES.iter().position(|known| *known == name).map(|at| Algorithm::ALL[at])
    }
}

/// In the order of the variants.
const NAMES: [&str; 21] = [
    "min",
    "max",
    "minmax",
    "merge",
    "inplace_merge",
    "sort",
    "sort_unstable",
    "for_each",
    "map",
    "map_in_place",
    "reduce",
    "map_reduce",
    "inclusive_scan",
    "exclusive_scan",
    "transform_inclusive_scan",
    "position",
    "any",
    "all",
    "none",
    "count",
    "count_if",
];

/// Who takes part.
#[derive(Clone, Copy, Debug)]
pub struct Runtimes<'a> {
    /// Our workers.
    pub pool: &'a Pool,
    /// rayon's.
    pub rayon: &'a ::rayon::ThreadPool,
    /// The C++ peers, where they could be built.
    pub cxx: Option<&'a Cxx>,
}

/// What a side is compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Ours, as the model decides.
    Ours,
    /// Ours, parallel whatever the model says.
    Forced,
    /// Code for one core; there may be several, and the best counts.
    Sequential,
    /// A parallel library.
    Peer,
}

/// The input of one case.
#[derive(Debug)]
pub struct Case<T> {
    algorithm: Algorithm,
    /// Random; sorted for the merges, the first half and the second each for itself.
    data: Vec<T>,
    /// The same for algorithms that work in place, as many copies as a batch may need.
    scratch: Scratch<T>,
    /// What is written elsewhere.
    out: RefCell<Vec<T>>,
    /// What `position` and `count` look for, two thirds on; what predicates compare with.
    needle: T,
}

/// Elements in the copies of a short in-place input: 256 KiB of f64, which stay in the second cache with their source.
const SCRATCH_ELEMENTS: usize = 1 << 14;

impl<T: Number + Ordered> Case<T> {
    /// `algorithm` on `n` random elements; of a merge, `n` is the length of both inputs together.
    pub fn new(algorithm: Algorithm, n: usize) -> Self {
        let copies = (SCRATCH_ELEMENTS / n.max(1)).max(1);
        let mut source: Vec<T> = data::random(n * copies);
        if matches!(algorithm, Algorithm::Merge | Algorithm::InplaceMerge) {
            for copy in source.chunks_exact_mut(n.max(1)) {
                let (a, b) = copy.split_at_mut(n / 2);
                a.sort_by(T::order);
                b.sort_by(T::order);
            }
        }
        let data = source[..n].to_vec();
        let needle = match algorithm {
            // Never reached, so that all elements are looked at.
            Algorithm::Any | Algorithm::All | Algorithm::None => T::HIGHEST,
            Algorithm::CountIf => T::MIDDLE,
            _ => data.get(n * 2 / 3).copied().unwrap_or_default(),
        };
        Case { algorithm, data, scratch: Scratch::new(source, n), out: RefCell::new(vec![T::default(); n]), needle }
    }

    /// Both inputs of a merge.
    fn halves(&self) -> (&[T], &[T]) {
        self.data.split_at(self.data.len() / 2)
    }

    /// Where the second half begins.
    fn middle(&self) -> usize {
        self.data.len() / 2
    }

    /// All sides there are; `forced` adds ours at any size.
    pub fn sides<'a>(&'a self, on: Runtimes<'a>, forced: bool) -> Vec<(Group, Side<'a>)> {
        let auto = par().on(on.pool);
        let always = |par: Par<'a>| par.always();
        let mut sides = vec![(Group::Ours, ours::side("ours", self, auto))];
        if forced {
            sides.push((Group::Forced, ours::side("ours forced", self, always(auto))));
        }
        sides.extend(sequential::sides(self).into_iter().map(|side| (Group::Sequential, side)));
        sides.push((Group::Sequential, ours::side("ours sequential", self, auto.sequential())));
        sides.extend(rayon::side(self, on.rayon).map(|side| (Group::Peer, side)));
        if let Some(cxx) = on.cxx {
            sides.extend(
                Backend::ALL
                    .into_iter()
                    .filter_map(|backend| cxx::side(self, cxx, backend))
                    .map(|side| (Group::Peer, side)),
            );
        }
        sides
    }

    /// Whether the result is what is written: to the output, or over the input.
    fn writes(&self) -> bool {
        !matches!(
            self.algorithm,
            Algorithm::Min
                | Algorithm::Max
                | Algorithm::Minmax
                | Algorithm::Reduce
                | Algorithm::MapReduce
                | Algorithm::Position
                | Algorithm::Any
                | Algorithm::All
                | Algorithm::None
                | Algorithm::Count
                | Algorithm::CountIf
        )
    }

    /// Runs `side` once on fresh input and gives all it computed: its answer, and what it wrote.
    pub fn result_of(&self, side: &mut Side<'_>) -> (f64, Vec<f64>) {
        self.out.borrow_mut().fill(T::default());
        self.scratch.restore_first();
        let answer = side.answer();
        if !self.writes() {
            return (answer, Vec::new());
        }
        let written = if self.works_in_place() { self.scratch.first() } else { self.out.borrow().clone() };
        (answer, written.into_iter().map(T::number).collect())
    }

    fn works_in_place(&self) -> bool {
        matches!(
            self.algorithm,
            Algorithm::InplaceMerge
                | Algorithm::Sort
                | Algorithm::SortUnstable
                | Algorithm::ForEach
                | Algorithm::MapInPlace
        )
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::rayon_pool;

    /// Sums of floats depend a little on the order of additions.
    fn is_close(a: f64, b: f64) -> bool {
        a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
    }

    fn all_sides_agree_on<T: Number + Ordered>(on: Runtimes<'_>) {
        for algorithm in Algorithm::ALL {
            for n in [16, 1000, 20_000] {
                let case = Case::<T>::new(algorithm, n);
                let mut sides = case.sides(on, true);
                let results: Vec<_> = sides.iter_mut().map(|(_, side)| case.result_of(side)).collect();
                let expected = sides.iter().position(|(group, _)| *group == Group::Sequential).unwrap();
                for ((_, side), result) in sides.iter().zip(&results) {
                    let (answer, written) = &results[expected];
                    let label = format!("{algorithm} of {n} {}: {}", T::NAME, side.name());
                    assert!(is_close(*answer, result.0), "{label}: {} instead of {answer}", result.0);
                    assert_eq!(written.len(), result.1.len(), "{label}");
                    let differs = written.iter().zip(&result.1).position(|(a, b)| !is_close(*a, *b));
                    assert_eq!(differs, None, "{label}");
                }
            }
        }
    }

    /// One test for both types: the C++ runtimes are set up once a process.
    #[test]
    fn all_sides_agree() {
        let pool = Pool::builder().threads(2).build().unwrap();
        let rayon = rayon_pool(2).unwrap();
        let cxx = Cxx::load(2).ok();
        let on = Runtimes { pool: &pool, rayon: &rayon, cxx: cxx.as_ref() };
        all_sides_agree_on::<i32>(on);
        all_sides_agree_on::<f64>(on);
    }
}
