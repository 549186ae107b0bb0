//! A fault to plant: a split that loses its part.

use fusain_pool::Algorithm;

/// An algorithm whose thieves get nothing: each part that is split off for them is dropped.
///
/// A test that drives an algorithm through any splits must fail on this. Otherwise it does not notice what becomes of the parts.
#[derive(Debug)]
pub struct Losing<'a, A>(pub &'a A);

impl<A: Algorithm> Algorithm for Losing<'_, A> {
    type Local = A::Local;

    fn wants_help(&self) -> bool {
        self.0.wants_help()
    }

    fn has_local_work(&self, local: &A::Local) -> bool {
        self.0.has_local_work(local)
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.0.unit_len(grain)
    }

    fn do_unit(&self, local: &mut A::Local, grain: usize) {
        self.0.do_unit(local, grain);
    }

    fn commit(&self, local: &mut A::Local) {
        self.0.commit(local);
    }

    fn split(&self, victim: &mut A::Local) -> Option<A::Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut A::Local, delay: usize) -> Option<A::Local> {
        drop(self.0.split_late(victim, delay));
        None
    }
}
