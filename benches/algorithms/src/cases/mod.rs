//! The basic algorithms on random data: rows of [`crate::suite`] with inputs chosen here.
//!
//! A [`Case`] is an algorithm, an element type and a length.

use std::fmt;

pub use crate::suite::{Group, Number, Ordered, Runtimes};

use crate::data;
use crate::suite::{self, Check, Computed, Stage, copies, copy, map, order, reduce, scan, search};
use fusain_harness::Side;

/// A basic algorithm, by its name in fusain.
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
    Filter,
}

impl Algorithm {
    /// All algorithms, in the order of the table.
    pub const ALL: [Algorithm; 22] = [
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
        Algorithm::Filter,
    ];

    /// The name in tables, on the command line and in `peer_find`.
    pub fn name(self) -> &'static str {
        // A table instead of a match: LLVM would unroll `named` over all arms of a match, which takes minutes.
        NAMES[self as usize]
    }

    /// All names, in the order of the table.
    pub fn names() -> &'static [&'static str] {
        &NAMES
    }

    /// The algorithm with this name.
    pub fn named(name: &str) -> Option<Algorithm> {
        NAMES.iter().position(|known| *known == name).map(|at| Algorithm::ALL[at])
    }
}

/// The names, in the order of the variants.
const NAMES: [&str; 22] = [
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
    "filter",
];

/// The input of one case.
#[derive(Debug)]
pub struct Case<T> {
    algorithm: Algorithm,
    input: suite::Case<T>,
}

impl<T: Number> Case<T> {
    /// `algorithm` on `n` random elements. For a merge, `n` is the total length of both inputs.
    pub fn new(algorithm: Algorithm, n: usize) -> Self {
        let mut source: Vec<T> = data::random(n * copies(n));
        if matches!(algorithm, Algorithm::Merge | Algorithm::InplaceMerge) {
            for copy in source.chunks_exact_mut(n.max(1)) {
                let (a, b) = copy.split_at_mut(n / 2);
                a.sort_by(T::order);
                b.sort_by(T::order);
            }
        }
        if algorithm == Algorithm::Filter {
            // Integers of which half are kept, in an order that the branch predictor cannot learn.
            source.iter_mut().enumerate().for_each(|(index, x)| *x = T::nth(index % n.max(1)));
            data::rng().shuffle(&mut source);
        }
        Case { algorithm, input: suite::Case::of(source, n) }
    }

    /// All sides that exist; `forced` adds our forced parallel side at every size.
    pub fn sides<'a>(&'a self, on: Runtimes<'a>, forced: bool) -> Vec<(Group, Side<'a>)> {
        let mut stage = Stage::new(&self.input, on, None, forced);
        let s = &mut stage;
        match self.algorithm {
            Algorithm::Min => reduce::min(s),
            Algorithm::Max => reduce::max(s),
            Algorithm::Minmax => reduce::minmax(s),
            Algorithm::Merge => order::merge(s),
            Algorithm::InplaceMerge => order::inplace_merge(s),
            Algorithm::Sort => order::sort(s),
            Algorithm::SortUnstable => order::sort_unstable(s),
            Algorithm::ForEach => map::for_each(s, 1),
            Algorithm::Map => map::transform(s, "affine", T::affine),
            Algorithm::MapInPlace => map::affine_in_place(s),
            Algorithm::Reduce => reduce::reduce(s),
            Algorithm::MapReduce => reduce::transform_reduce(s),
            Algorithm::InclusiveScan => scan::inclusive_scan(s),
            Algorithm::ExclusiveScan => scan::exclusive_scan(s),
            Algorithm::TransformInclusiveScan => scan::transform_inclusive_scan(s),
            Algorithm::Position => search::find(s),
            // No element exceeds the bound, so all elements are examined.
            Algorithm::Any => search::any_above(s, T::HIGHEST),
            Algorithm::All => search::all(s, "all_upto", |x, bound| x <= bound, T::HIGHEST),
            Algorithm::None => search::none_above(s, T::HIGHEST),
            Algorithm::Count => reduce::count(s),
            Algorithm::CountIf => reduce::count_matching(s, "count_above", |x| *x > T::MIDDLE, T::MIDDLE),
            Algorithm::Filter => copy::copy_if(s),
        }
        stage.into_sides()
    }

    /// Runs `side` once on fresh input and returns all that it computed.
    pub fn result_of(&self, side: &mut Side<'_>) -> Computed {
        self.check().result_of(&self.input, side)
    }

    fn check(&self) -> Check {
        match self.algorithm {
            Algorithm::InplaceMerge
            | Algorithm::Sort
            | Algorithm::SortUnstable
            | Algorithm::ForEach
            | Algorithm::MapInPlace => Check::InPlace,
            Algorithm::Merge
            | Algorithm::Map
            | Algorithm::InclusiveScan
            | Algorithm::ExclusiveScan
            | Algorithm::TransformInclusiveScan => Check::Written,
            Algorithm::Filter => Check::Kept,
            _ => Check::Answer,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
