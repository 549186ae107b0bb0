//! The suite of pSTL-Bench (Laso, Krupitza and Hunold, ICPP 2024) in Rust: its 36 algorithms on its inputs, in every library that has them.
//!
//! [`rows`] is the only table: the comparison of all algorithms, the scaling report and the criterion groups are made from it. Each family
//! has a file, in which a row is one function. It names its sides one after the other: ours, the best code for one core, the libraries of
//! Rust, the C++ peers. Sums of integers wrap around; floats are ordered by `total_cmp` in Rust and by `<` in C++. A row has no side for a
//! library that does not offer the algorithm.
//!
//! The differences from the released suite:
//!
//! * Random positions are drawn from a sequence that is even over few draws (see `case.rs`).
//! * A long sequence that is sorted, merged or partitioned is shuffled once and copied afresh for each call, so that all sides get the
//!   same.
//! * The C++ peers of mismatch get the execution policy, which the suite forgets.

mod agree;
mod case;
mod compare;
pub(crate) mod copy;
pub(crate) mod map;
mod number;
pub(crate) mod order;
mod ordered;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod search;
mod sets;
mod stage;

use std::fmt;

pub use agree::{Computed, ensure_agree};
pub use case::{Case, Input, Order, Second, copies};
pub use number::Number;
pub use ordered::Ordered;
pub use stage::{Group, Others, Runtimes, Stage};

use fusain_harness::Side;

/// One algorithm of the suite, for elements `T`.
pub struct Row<T> {
    name: &'static str,
    input: Input,
    check: Check,
    is_variant: bool,
    sides: fn(&mut Stage<'_, T>),
}

impl<T> fmt::Debug for Row<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("name", &self.name).field("input", &self.input).finish_non_exhaustive()
    }
}

/// What a call computes, and which part of it must be equal for all sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The answer.
    Answer,
    /// The answer and the output.
    Written,
    /// The answer, and as many elements of the output. What lies behind them is not specified.
    Kept,
    /// The sequence that is modified in place.
    InPlace,
    /// The modified sequence, whose two parts may each be in any order.
    Partitioned,
    /// The modified sequence, of which only the first half is in order.
    FirstHalf,
}

impl<T: Number> Row<T> {
    fn new(name: &'static str, input: Input, check: Check, sides: fn(&mut Stage<'_, T>)) -> Self {
        Row { name, input, check, is_variant: false, sides }
    }

    /// Marks the row as a variant of the previous row; it does not count among the 36.
    fn variant(self) -> Self {
        Row { is_variant: true, ..self }
    }

    /// The name in C++, without `std::`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it is an algorithm that already has a row, with another input.
    pub fn is_variant(&self) -> bool {
        self.is_variant
    }

    /// The greatest permitted length, as a binary logarithm: up to it, the elements differ and a call ends in reasonable time.
    pub fn log2_max(&self) -> u32 {
        const VARIANT: u32 = 16;
        if self.is_variant { VARIANT.min(T::LOG2_MAX) } else { T::LOG2_MAX }
    }

    /// The sequences of the row.
    pub fn input(&self) -> Input {
        self.input
    }

    /// The number of bytes that a call of length `n` reads and writes, for the throughput.
    pub fn bytes(&self, n: usize) -> usize {
        self.input.elements(n) * size_of::<T>()
    }

    /// The number of bytes that the sequences of `n` elements occupy.
    pub fn bytes_kept(&self, n: usize) -> usize {
        self.input.elements_kept(n) * size_of::<T>()
    }

    /// The sequences of the row with `n` elements.
    ///
    /// # Panics
    ///
    /// If `n` is less than two: some of the algorithms need a pair.
    pub fn case(&self, n: usize) -> Case<T> {
        assert!(n >= 2, "some of the algorithms need a pair");
        Case::new(self.input, n)
    }

    /// All sides that exist.
    pub fn sides<'a>(
        &self,
        case: &'a Case<T>,
        on: Runtimes<'a>,
        others: Option<&'a Others>,
        forced: bool,
    ) -> Vec<(Group, Side<'a>)> {
        let mut stage = Stage::new(case, on, others, forced);
        (self.sides)(&mut stage);
        stage.into_sides()
    }

    /// Runs `side` once on fresh input and returns all that it computed.
    pub fn result_of(&self, case: &Case<T>, side: &mut Side<'_>) -> Computed {
        self.check.result_of(case, side)
    }
}

impl Check {
    /// Runs `side` once on fresh input and returns all that it computed.
    pub fn result_of<T: Number>(self, case: &Case<T>, side: &mut Side<'_>) -> Computed {
        case.reset();
        let answer = side.answer();
        let sort = |v: &mut [T]| v.sort_by(T::order);
        let written = match self {
            Check::Answer => Vec::new(),
            Check::Written => case.written(),
            Check::Kept => {
                let mut kept = case.written();
                kept.truncate(answer as usize);
                kept
            }
            Check::InPlace => case.worked_on(),
            Check::Partitioned => {
                let mut v = case.worked_on();
                let (low, high) = v.split_at_mut(answer as usize);
                sort(low);
                sort(high);
                v
            }
            Check::FirstHalf => {
                let mut v = case.worked_on();
                sort(&mut v[case.middle()..]);
                v
            }
        };
        (answer, written.into_iter().map(T::number).collect())
    }
}

/// All rows in alphabetical order, each variant after its algorithm.
pub fn rows<T: Number>() -> Vec<Row<T>> {
    let families =
        [copy::rows, compare::rows, map::rows, order::rows, reduce::rows, scan::rows, search::rows, sets::rows];
    let mut rows: Vec<Row<T>> = families.into_iter().flat_map(|family| family()).collect();
    rows.sort_by_key(|row| row.name);
    rows
}

/// Passes every row for the element type with this name at length `n` to `visitor`: its name, the bytes that a call reads and writes, and
/// its sides.
///
/// # Panics
///
/// If `n` is less than two.
pub fn visit(element: &str, n: usize, on: Runtimes<'_>, others: &Others, visitor: &mut Visitor<'_>) {
    fn visit<T: Number>(n: usize, on: Runtimes<'_>, others: &Others, visitor: &mut Visitor<'_>) {
        for row in rows::<T>().into_iter().filter(|row| n <= 1 << row.log2_max()) {
            let case = row.case(n);
            visitor(row.name, row.bytes(n), row.sides(&case, on, Some(others), false));
        }
    }
    match element {
        "i32" => visit::<i32>(n, on, others, visitor),
        "f32" => visit::<f32>(n, on, others, visitor),
        _ => visit::<f64>(n, on, others, visitor),
    }
}

/// The function that [`visit`] calls.
pub type Visitor<'v> = dyn FnMut(&str, usize, Vec<(Group, Side<'_>)>) + 'v;

/// The names of all rows.
pub fn names() -> Vec<&'static str> {
    rows::<f64>().iter().map(Row::name).collect()
}

/// Returns the name if there is such a row; a parser for the command line.
///
/// # Errors
///
/// If there is no such row; the message lists the names.
pub fn known_name(name: &str) -> Result<String, String> {
    let names = names();
    let known = names.contains(&name);
    known.then(|| name.to_owned()).ok_or_else(|| format!("no such algorithm; there are {}", names.join(", ")))
}

/// Whether an element is even.
#[inline]
fn even<T: Number>(x: &T) -> bool {
    // SAFETY: the rows apply it only to elements of an `Input`, which are the integers from 1 on. They are at most `i32::MAX`, for memory
    // holds no more elements.
    unsafe { x.is_even() }
}
