//! Calls every algorithm with [hostile](fusain_testkit::hostile) arguments: orders that are not total, panics anywhere, elements with traps.
//!
//! By default some of the cases run, in seconds; `FUSAIN_HOSTILE=all` runs all of them, as `cargo xtask asan` does. A new algorithm has to be
//! called here: `cargo xtask tidy` looks for a call of each, by the list that the table of all algorithms is checked against.
//!
//! A call is compiled for each kind of elements, which takes longer than running all its cases. So each kind is used only with calls that may treat it in a special way:
//!
//! | elements | called with them |
//! |---|---|
//! | `u32`, on the heap | everything |
//! | light, zero-sized | all calls but those that compare by traits or keys, which are thin layers above calls that compare by closures |
//! | aligned to 256 | of these, the calls that make, move or drop elements, and so have to find room for them |
//! | `f64` | calls that make elements: sums of floats are grouped, and filters have a kernel for each size; all other calls treat it as `u32` |
//! | not `Sync` | calls that accept them: sorts and the like by closures, and calls that move elements |

mod copying;
mod in_place;
mod ordering;
mod read_only;
mod uninit;

use std::io::Write;

use fusain_algorithms::{Par, par};
use fusain_testkit::hostile::elements::{Element, Heap, NotSync, Nothing, Pair, Wide};
use fusain_testkit::hostile::{Case, Hostile, Suite};

/// The operations on one kind of elements, under one policy.
pub(crate) struct Calls<'c> {
    pub(crate) suite: &'c mut Suite,
    pub(crate) par: Par<'c>,
    pub(crate) kind: &'static str,
}

impl Calls<'_> {
    /// Runs the cases of the operation of this name. It is a function pointer, so that the code that counts and catches is compiled once, not for each operation.
    pub(crate) fn check(&mut self, name: &'static str, operation: fn(Par<'_>, Case)) {
        let par = self.par;
        self.suite.check(self.kind, name, &|case| operation(par, case));
    }
}

/// Calls that compare by closures or not at all, for elements that need only be `Send`.
fn all_of_not_sync<T: Hostile>(calls: &mut Calls<'_>) {
    ordering::by_closure::<T>(calls);
    in_place::all::<T>(calls);
}

/// Calls that make elements, or keep some.
fn all_that_makes<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    copying::all::<T>(calls);
    uninit::all::<T>(calls);
}

/// Calls that make, move or drop elements, without those that only look at them.
fn all_but_looks<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    all_of_not_sync::<T>(calls);
    ordering::shared_by_closure::<T>(calls);
    all_that_makes::<T>(calls);
}

/// Calls that compare by closures or not at all.
fn all_but_layers<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    all_but_looks::<T>(calls);
    read_only::by_closure::<T>(calls);
}

/// All calls.
fn all<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    all_but_layers::<T>(calls);
    ordering::by_key::<T>(calls);
    copying::by_key::<T>(calls);
    read_only::by_key::<T>(calls);
    ordering::by_trait::<T>(calls);
    ordering::shared_by_trait::<T>(calls);
    copying::by_trait::<T>(calls);
    read_only::by_trait::<T>(calls);
}

#[test]
fn all_are_sound_for_hostile_callers() {
    let is_whole = std::env::var("FUSAIN_HOSTILE").is_ok_and(|what| what == "all");
    let (cases, panics) = Suite::run(is_whole, |suite, pool| {
        let par = par().on(pool).always().grain(suite.setting().grain);
        let mut each = |kind, operations: fn(&mut Calls<'_>)| operations(&mut Calls { suite, par, kind });
        each("u32", |calls| {
            all::<u32>(calls);
            in_place::of_numbers(calls);
        });
        each("f64", all_that_makes::<f64>);
        each("light elements", all_but_layers::<Element<Pair>>);
        each("elements on the heap", all::<Element<Heap>>);
        each("elements without a size", all_but_layers::<Element<Nothing>>);
        each("elements aligned to 256", all_but_looks::<Element<Wide>>);
        each("elements that are not Sync", all_of_not_sync::<Element<NotSync>>);
    });
    // Written past the test harness, which would not show it.
    let _ = writeln!(std::io::stderr(), "hostile: {cases} cases, {panics} of them ended by a panic");
}
