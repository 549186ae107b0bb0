//! The conformance suite of sorts, on pools.

use std::cmp::Ordering;

use crate::support::pool;
use fusain_algorithms::{Par, par};
use fusain_testkit::sorts::{Sorter, check};

struct Stable(Par<'static>);

impl Sorter for Stable {
    const STABLE: bool = true;

    fn sort_by<T: Send>(&self, v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
        self.0.sort_by(v, compare);
    }
}

struct Unstable(Par<'static>);

impl Sorter for Unstable {
    const STABLE: bool = false;

    fn sort_by<T: Send>(&self, v: &mut [T], compare: impl Fn(&T, &T) -> Ordering + Sync) {
        self.0.sort_unstable_by(v, compare);
    }
}

#[test]
fn stable_on_two() {
    check(&Stable(par().on(pool(2)).always()));
}

#[test]
fn stable_on_four_with_small_leaves() {
    check(&Stable(par().on(pool(4)).grain(20).always()));
}

#[test]
fn unstable_on_three() {
    check(&Unstable(par().on(pool(3)).always()));
}

#[test]
fn stable_as_the_model_says() {
    check(&Stable(par()));
}
