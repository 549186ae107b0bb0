//! The user's algorithm with one more glance a unit: does anybody outside of this process ask for work?

use fusain_pool::Algorithm;
use std::panic::resume_unwind;

use crate::codec;
use crate::distributed::Distributed;
use crate::error::Error;
use crate::station::Station;

/// What a worker leaves the run with when the run has failed; caught where the pool was called.
pub(crate) struct Ended(pub(crate) Error);

/// `inner`, watched by `station`.
pub(crate) struct Watched<'a, A> {
    pub(crate) inner: &'a A,
    pub(crate) station: &'a Station,
}

impl<A: Distributed> Algorithm for Watched<'_, A> {
    type Local = A::Local;

    fn has_global_work(&self) -> bool {
        self.inner.has_global_work()
    }

    #[inline(always)]
    fn has_local_work(&self, local: &A::Local) -> bool {
        self.inner.has_local_work(local)
    }

    #[inline(always)]
    fn do_unit(&self, local: &mut A::Local, grain: usize) {
        self.inner.do_unit(local, grain);
        if self.station.is_asked() {
            self.answer(local);
        }
    }

    fn commit(&self, local: &mut A::Local) {
        self.inner.commit(local);
    }

    fn steal(&self, victim: &mut A::Local) -> Option<A::Local> {
        self.inner.steal(victim)
    }
}

impl<A: Distributed> Watched<'_, A> {
    /// Between two units of `local`: splits it for a rank that has asked.
    #[cold]
    #[inline(never)]
    fn answer(&self, local: &mut A::Local) {
        match self.station.takes_offer() {
            Ok(false) => {}
            // Stops all workers of the call, whatever they have left. No message: nothing went wrong here.
            Err(error) => resume_unwind(Box::new(Ended(error))),
            Ok(true) => {
                let stolen = if self.inner.has_local_work(local) && self.inner.has_global_work() {
                    self.inner.commit(local);
                    self.inner.steal(local)
                } else {
                    None
                };
                let payload = stolen.map(|state| codec::encode(&state)).transpose();
                match payload {
                    Ok(payload) => self.station.offer(payload),
                    Err(error) => resume_unwind(Box::new(Ended(self.station.fail_with(error)))),
                }
            }
        }
    }
}
