//! Large states, on the heap.
//!
//! A call has places for the states of sixteen workers in its caller's frame ([`part`](crate::part)). With an array of 32 KiB in each, half a MiB of stack would be taken by each call
//! within another. So the parts of such calls are boxes, which are also handed over faster. Small states stay as they are, and nothing more is compiled for them.

use crate::Algorithm;
use crate::call::{Brief, Outcome};
use crate::handle::Handle;
use crate::run;

/// States of more bytes are on the heap: 16 KiB of places.
const LARGE: usize = 1024;

/// Runs `algorithm` from `local` on the pool of `handle`; returns what it has shown.
#[inline]
pub(crate) fn run<A: Algorithm + ?Sized>(handle: &Handle<'_>, algorithm: &A, local: A::Local, brief: Brief) -> Outcome {
    if const { size_of::<A::Local>() > LARGE } {
        run::run(handle, &Boxed(algorithm), Box::new(local), brief)
    } else {
        run::run(handle, algorithm, local, brief)
    }
}

/// An algorithm whose states are on the heap.
struct Boxed<'a, A: ?Sized>(&'a A);

impl<A: Algorithm + ?Sized> Algorithm for Boxed<'_, A> {
    type Local = Box<A::Local>;

    fn wants_help(&self) -> bool {
        self.0.wants_help()
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        self.0.has_local_work(local)
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.0.unit_len(grain)
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        self.0.do_unit(local, grain);
    }

    fn commit(&self, local: &mut Self::Local) {
        self.0.commit(local);
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.0.split(victim).map(Box::new)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        self.0.split_late(victim, delay).map(Box::new)
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        self.0.rejoin(local, *rest).map(Box::new)
    }
}
