//! Every algorithm, called by the [hostile](fusain_testkit::hostile): orders that are none, panics anywhere, elements with traps.
//!
//! Some cases by default, in seconds; `FUSAIN_HOSTILE=all` runs all of them, as `cargo xtask asan` does. A new algorithm has to be
//! called here: `cargo xtask tidy` looks for a call of each, by the list that the table of all algorithms is held to.
//!
//! A call is compiled for each kind of elements, which takes longer than all its cases. So each kind meets the calls that may treat it in their own way:
//!
//! | elements | called with them |
//! |---|---|
//! | `u32`, on the heap | everything |
//! | light, without a size | all but what compares by traits or keys, which are thin layers above what compares by closures |
//! | aligned to 256 | of that, what makes, moves or drops elements, and so has to find room for them |
//! | `f64` | what makes elements: sums of floats are grouped, and filters have a kernel for each size; all else treats it as `u32` |
//! | not `Sync` | what takes them: sorts and the like by closures, and what moves elements |

mod looks;
mod makes;
mod moves;
mod orders;
mod rooms;

use std::io::Write;

use fusain_algorithms::{Par, par};
use fusain_testkit::hostile::elements::{Element, Heap, Nothing, Pair, Shy, Wide};
use fusain_testkit::hostile::{Case, Hostile, Suite};

/// The operations on one kind of elements, under one policy.
pub(crate) struct Calls<'c> {
    pub(crate) suite: &'c mut Suite,
    pub(crate) par: Par<'c>,
    pub(crate) kind: &'static str,
}

impl Calls<'_> {
    /// The cases of the operation of this name. A pointer, so that what counts and catches is compiled once, not for each operation.
    pub(crate) fn check(&mut self, name: &'static str, operation: fn(Par<'_>, Case)) {
        let par = self.par;
        self.suite.check(self.kind, name, &|case| operation(par, case));
    }
}

/// What closures compare, and all else that needs no comparison, of elements of which nothing is asked but that they may be sent.
fn all_of_shy<T: Hostile>(calls: &mut Calls<'_>) {
    orders::by_closure::<T>(calls);
    moves::all::<T>(calls);
}

/// What makes elements, or keeps some.
fn all_that_makes<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    makes::all::<T>(calls);
    rooms::all::<T>(calls);
}

/// What makes, moves or drops elements; not what only looks at them.
fn all_but_looks<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    all_of_shy::<T>(calls);
    orders::shared_by_closure::<T>(calls);
    all_that_makes::<T>(calls);
}

/// What closures compare, and all else that needs no comparison.
fn all_but_layers<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    all_but_looks::<T>(calls);
    looks::by_closure::<T>(calls);
}

/// Everything.
fn all<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    all_but_layers::<T>(calls);
    orders::by_key::<T>(calls);
    makes::by_key::<T>(calls);
    looks::by_key::<T>(calls);
    orders::by_trait::<T>(calls);
    orders::shared_by_trait::<T>(calls);
    makes::by_trait::<T>(calls);
    looks::by_trait::<T>(calls);
}

#[test]
fn all_are_sound_for_hostile_callers() {
    let is_whole = std::env::var("FUSAIN_HOSTILE").is_ok_and(|what| what == "all");
    let (cases, panics) = Suite::run(is_whole, |suite, pool| {
        let par = par().on(pool).always().grain(suite.setting().grain);
        let mut each = |kind, operations: fn(&mut Calls<'_>)| operations(&mut Calls { suite, par, kind });
        each("u32", |calls| {
            all::<u32>(calls);
            moves::of_numbers(calls);
        });
        each("f64", all_that_makes::<f64>);
        each("light elements", all_but_layers::<Element<Pair>>);
        each("elements on the heap", all::<Element<Heap>>);
        each("elements without a size", all_but_layers::<Element<Nothing>>);
        each("elements aligned to 256", all_but_looks::<Element<Wide>>);
        each("elements that are not Sync", all_of_shy::<Element<Shy>>);
    });
    // Past the harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "hostile: {cases} cases, {panics} of them ended by a panic");
}
