//! What the workers of a rank give to another rank.

/// Parts of what the workers have, for the rank that has asked first: about half of it all.
///
/// Each worker that comes by [begins](Self::begin), splits, and [adds](Self::add). It is closed when all workers have added, when one that has begun [comes
/// again](Self::comes_again), since then each that is at work has ended a unit, or when the job is [done](Self::close). What is closed and complete is given away at once, and a new offer
/// begins. `W` names a worker, `P` is a part.
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
    /// Whether workers shall still begin.
    pub fn is_open(&self) -> bool {
        !self.is_closed
    }

    /// A worker comes by: if it has given already the offer is closed. What all have given, if that is complete.
    pub fn comes_again(&mut self, worker: &W) -> Option<Vec<P>> {
        self.is_closed |= self.givers.contains(worker);
        self.complete()
    }

    /// A worker that comes by for the first time is going to split.
    pub fn begin(&mut self, worker: W) {
        self.givers.push(worker);
        self.splitting += 1;
    }

    /// One that has begun gives this, of so many workers. What all have given, if that is complete.
    pub fn add(&mut self, parts: impl IntoIterator<Item = P>, workers: usize) -> Option<Vec<P>> {
        self.splitting -= 1;
        self.parts.extend(parts);
        self.is_closed |= self.givers.len() >= workers;
        self.complete()
    }

    /// Nobody comes by any more. What all have given, if anybody has begun.
    pub fn close(&mut self) -> Option<Vec<P>> {
        self.is_closed = !self.givers.is_empty();
        self.complete()
    }

    fn complete(&mut self) -> Option<Vec<P>> {
        (self.is_closed && self.splitting == 0).then(|| std::mem::take(self).parts)
    }
}
