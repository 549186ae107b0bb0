//! The suite of pSTL-Bench (Laso, Krupitza and Hunold, ICPP 2024) in Rust: its 36 algorithms on its inputs, in every library that has
//! them.
//!
//! [`rows`] is the one table from which the comparison of all algorithms, the scaling report and the criterion groups
//! are made. A family has a file; there, a row is one function that names its sides one after the other: ours, the best code for
//! one core, the libraries of Rust, the C++ peers. Sums of integers wrap around; floats are ordered by `total_cmp` in Rust
//! and by `<` in C++. A side that a library does not offer is not there.
//!
//! What differs from the released suite: its random places are drawn from a sequence that is even over few draws
//! (see `case.rs`); a long sequence that is sorted, merged or partitioned is shuffled once and copied fresh for each call, so that
//! all sides get the same; and the C++ peers of mismatch get the execution policy, which it forgets.

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

/// What the result of a call is, and how much of it is the same for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// What it answers.
    Answer,
    /// What it answers, and writes elsewhere.
    Written,
    /// What it makes of its input.
    InPlace,
    /// That, where both parts may be in any order.
    Partitioned,
    /// That, where only the first half is in order.
    FirstHalf,
}

impl<T: Number> Row<T> {
    fn new(name: &'static str, input: Input, check: Check, sides: fn(&mut Stage<'_, T>)) -> Self {
        Row { name, input, check, is_variant: false, sides }
    }

    /// As a variant of the row before, which does not count among the 36.
    fn variant(self) -> Self {
        Row { is_variant: true, ..self }
    }

    /// The name in C++, without `std::`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it is another input of an algorithm that has a row already.
    pub fn is_variant(&self) -> bool {
        self.is_variant
    }

    /// The greatest length it is made for, as a logarithm: its elements shall differ, and a call shall end.
    pub fn log2_max(&self) -> u32 {
        const VARIANT: u32 = 16;
        if self.is_variant { VARIANT.min(T::LOG2_MAX) } else { T::LOG2_MAX }
    }

    /// Its sequences.
    pub fn input(&self) -> Input {
        self.input
    }

    /// Bytes a call of length `n` reads and writes, for throughput.
    pub fn bytes(&self, n: usize) -> usize {
        self.input.elements(n) * size_of::<T>()
    }

    /// Bytes that its sequences of `n` elements keep.
    pub fn bytes_kept(&self, n: usize) -> usize {
        self.input.elements_kept(n) * size_of::<T>()
    }

    /// Its sequences of `n` elements.
    ///
    /// # Panics
    ///
    /// If there are fewer than two: some of the algorithms need a pair.
    pub fn case(&self, n: usize) -> Case<T> {
        assert!(n >= 2, "some of the algorithms need a pair");
        Case::new(self.input, n)
    }

    /// All sides there are.
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

    /// Runs `side` once on fresh input and gives all it computed: its answer, and what it wrote.
    pub fn result_of(&self, case: &Case<T>, side: &mut Side<'_>) -> (f64, Vec<f64>) {
        self.check.result_of(case, side)
    }
}

impl Check {
    /// Runs `side` once on fresh input and gives all it computed: its answer, and what it wrote.
    pub fn result_of<T: Number>(self, case: &Case<T>, side: &mut Side<'_>) -> (f64, Vec<f64>) {
        case.reset();
        let answer = side.answer();
        let sort = |v: &mut [T]| v.sort_by(T::order);
        let written = match self {
            Check::Answer => Vec::new(),
            Check::Written => case.written(),
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

/// All rows, in the order of the alphabet, a variant after its algorithm.
pub fn rows<T: Number>() -> Vec<Row<T>> {
    let families =
        [copy::rows, compare::rows, map::rows, order::rows, reduce::rows, scan::rows, search::rows, sets::rows];
    let mut rows: Vec<Row<T>> = families.into_iter().flat_map(|family| family()).collect();
    rows.sort_by_key(|row| row.name);
    rows
}

/// Shows every row for elements of that name at length `n`: its name, the bytes a call reads and writes, and its sides.
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

/// What [`visit`] calls.
pub type Visitor<'v> = dyn FnMut(&str, usize, Vec<(Group, Side<'_>)>) + 'v;

/// The names of all rows.
pub fn names() -> Vec<&'static str> {
    rows::<f64>().iter().map(Row::name).collect()
}

/// The name, if there is such a row: for the command line.
///
/// # Errors
///
/// Where there is none; says which there are.
pub fn known_name(name: &str) -> Result<String, String> {
    let names = names();
    let known = names.contains(&name);
    known.then(|| name.to_owned()).ok_or_else(|| format!("no such algorithm; there are {}", names.join(", ")))
}

/// Whether an element is even.
#[inline]
fn even<T: Number>(x: &T) -> bool {
    // SAFETY: what the rows apply it to are elements of an `Input`: the integers from 1 on, as many as memory holds of them and
    // at most `i32::MAX`.
    unsafe { x.is_even() }
}
