//! Every algorithm, called by the [hostile](fusain_testkit::hostile): orders that are none, panics anywhere, elements with traps.
//!
//! Some cases by default, in seconds; `FUSAIN_HOSTILE=all` runs all of them, as `cargo xtask asan` does. A new algorithm has to be
//! called here: `cargo xtask tidy` looks for a call of each, by the list that the table of all algorithms is held to.

mod looks;
mod makes;
mod moves;
mod orders;
mod rooms;

use std::io::Write;

use fusain_algorithms::{Par, par};
use fusain_testkit::hostile::elements::{Element, Heap, Nothing, Pair, Shy, Wide};
use fusain_testkit::hostile::{Hostile, Suite};

/// The operations on one kind of elements, under one policy.
pub(crate) struct Calls<'c> {
    pub(crate) suite: &'c mut Suite,
    pub(crate) par: Par<'c>,
    pub(crate) kind: &'static str,
}

impl Calls<'_> {
    /// The cases of the operation of this name.
    pub(crate) fn check(&mut self, name: &'static str, operation: impl Fn(Par<'_>, fusain_testkit::hostile::Case)) {
        let par = self.par;
        self.suite.check(self.kind, name, |case| operation(par, case));
    }
}

/// What asks nothing of elements but that they may be sent.
fn all_of_shy<T: Hostile + Ord>(calls: &mut Calls<'_>) {
    orders::by_closure::<T>(calls);
    orders::by_trait::<T>(calls);
    moves::all::<T>(calls);
}

/// What closures compare, and all else that needs no comparison.
fn all_but_traits<T: Hostile + Sync>(calls: &mut Calls<'_>) {
    orders::by_closure::<T>(calls);
    orders::shared_by_closure::<T>(calls);
    moves::all::<T>(calls);
    makes::all::<T>(calls);
    rooms::all::<T>(calls);
    looks::by_closure::<T>(calls);
}

/// Everything.
fn all<T: Hostile + Ord + Sync>(calls: &mut Calls<'_>) {
    all_but_traits::<T>(calls);
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
        each("f64", all_but_traits::<f64>);
        each("light elements", all::<Element<Pair>>);
        each("elements on the heap", all::<Element<Heap>>);
        each("elements without a size", all::<Element<Nothing>>);
        each("elements aligned to 256", all::<Element<Wide>>);
        each("elements that are not Sync", all_of_shy::<Element<Shy>>);
    });
    // Past the harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "hostile: {cases} cases, {panics} of them ended by a panic");
}
