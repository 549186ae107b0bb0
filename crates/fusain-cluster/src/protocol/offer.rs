//! The parts of work that the workers of a rank give to another rank.

/// Parts of the workers' states for the rank that asked first: about half of the rank's work.
///
/// Each worker that polls [begins](Self::begin), splits, and [adds](Self::add). The offer is closed when all workers have added, when a worker that has begun
/// [comes again](Self::comes_again), since each busy worker has ended a unit by then, or when the job is [done](Self::close). An offer that is closed and
/// complete is given away at once, and a new offer begins. `W` identifies a worker, `P` is a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Offer<W, P> {
    givers: Vec<W>,
    /// Givers that have not added their parts yet.
    splitting: usize,
    is_closed: bool,
    parts: Vec<P>,
}

impl<W, P> Default for Offer<W, P> {
    fn default() -> Self {
        Self { givers: Vec::new(), splitting: 0, is_closed: false, parts: Vec::new() }
    }
}

impl<W: PartialEq, P> Offer<W, P> {
    /// Whether further workers may begin.
    pub fn is_open(&self) -> bool {
        !self.is_closed
    }

    /// A worker polls. If it has begun before, the offer is closed. Returns all parts if the offer is now complete.
    pub fn comes_again(&mut self, worker: &W) -> Option<Vec<P>> {
        self.is_closed |= self.givers.contains(worker);
        self.complete()
    }

    /// A worker that polls for the first time is going to split.
    pub fn begin(&mut self, worker: W) {
        self.givers.push(worker);
        self.splitting += 1;
    }

    /// A worker that has begun adds its parts. `workers` is the number of workers of the rank. Returns all parts if the offer is now complete.
    pub fn add(&mut self, parts: impl IntoIterator<Item = P>, workers: usize) -> Option<Vec<P>> {
        self.splitting -= 1;
        self.parts.extend(parts);
        self.is_closed |= self.givers.len() >= workers;
        self.complete()
    }

    /// No worker will poll any more. Returns all parts if any worker has begun and the offer is complete.
    pub fn close(&mut self) -> Option<Vec<P>> {
        self.is_closed = !self.givers.is_empty();
        self.complete()
    }

    fn complete(&mut self) -> Option<Vec<P>> {
        (self.is_closed && self.splitting == 0).then(|| std::mem::take(self).parts)
    }
}
