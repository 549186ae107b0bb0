//! The callbacks an algorithm is made of.

/// A parallel algorithm: one shared value (`self`), one state per worker ([`Algorithm::Local`]), and callbacks.
///
/// You have to write four methods: [`has_local_work`](Algorithm::has_local_work), [`do_unit`](Algorithm::do_unit), [`commit`](Algorithm::commit) and
/// [`split`](Algorithm::split). A fifth, [`wants_help`](Algorithm::wants_help), has a default. These five are the callbacks of PaSTeL. Three more methods are optional:
/// [`unit_len`](Algorithm::unit_len), [`split_late`](Algorithm::split_late) and [`rejoin`](Algorithm::rejoin).
///
/// A worker that holds a state runs
///
/// ```text
/// while has_local_work(local) {
///     do_unit(local, grain)
///     if other workers ask for work {      // one relaxed load of the worker's own cache line
///         commit(local)
///         for each thief { split(local) }  // hand each a part of what is left
///     }
/// }
/// commit(local)
/// ```
///
/// Every state that [`split`](Algorithm::split) returns goes through the same loop on another worker. The call returns when every state has
/// been committed for the last time. The loop is compiled once for all algorithms; it calls the callbacks through a table.
/// What a unit does is inlined and vectorised like a sequential loop.
///
/// The states partition the work: each piece of it is in exactly one state at any time. So the callbacks need no synchronisation, except
/// where [`commit`](Algorithm::commit) publishes results in `self`.
///
/// In PaSTeL (Saule & Videau, RenPar'18, 2008) `wants_help`, `has_local_work`, `do_unit`, `commit` and `split` are called `TravailGlobal`, `TravailLocal`,
/// `FaireUniteTravailLocal`, `CommitLocalDansGlobal` and `Vol`.
///
/// # Example
///
/// The smallest element of a slice, from one worker or many:
///
/// ```
/// # use fusain_pool as fusain;
/// use std::sync::Mutex;
/// use fusain::{Algorithm, Pool};
///
/// struct Min<'a> {
///     best: Mutex<Option<i32>>,
///     data: &'a [i32],
/// }
///
/// struct Local { range: std::ops::Range<usize>, best: Option<i32> }
///
/// impl Algorithm for Min<'_> {
///     type Local = Local;
///     fn has_local_work(&self, local: &Local) -> bool { !local.range.is_empty() }
///     fn do_unit(&self, local: &mut Local, grain: usize) {
///         let end = local.range.end.min(local.range.start + grain);
///         local.best = local.best.into_iter().chain(self.data[local.range.start..end].iter().copied()).min();
///         local.range.start = end;
///     }
///     fn commit(&self, local: &mut Local) {
///         let mut best = self.best.lock().unwrap();
///         *best = best.into_iter().chain(local.best).min();
///     }
///     fn split(&self, victim: &mut Local) -> Option<Local> {
///         let middle = victim.range.start + victim.range.len() / 2;
///         let range = middle..victim.range.end;
///         if range.is_empty() { return None; }
///         victim.range.end = middle;
///         Some(Local { range, best: None })
///     }
/// }
///
/// let data: Vec<i32> = (0..10_000).map(|i| (i * 7919) % 10_007 - 5_000).collect();
/// let min = Min { best: Mutex::new(None), data: &data };
/// Pool::global().run(&min, Local { range: 0..data.len(), best: None });
/// assert_eq!(*min.best.lock().unwrap(), data.iter().copied().min());
/// ```
pub trait Algorithm: Sync {
    /// One worker's part of the work, with what it has found in it so far.
    ///
    /// A part that is split off may move to another thread. The worker that finishes it drops it, or the thread that made the call does.
    type Local: Send;

    /// Whether other workers can still help. Once this is false, idle workers stop asking and busy ones stop splitting.
    ///
    /// This is a hint. A search that has found its answer returns `false`, so that no worker is interrupted for nothing.
    #[doc(alias = "has_global_work")]
    #[doc(alias = "TravailGlobal")]
    fn wants_help(&self) -> bool {
        true
    }

    /// Whether [`do_unit`](Algorithm::do_unit) has anything left to do on this state.
    fn has_local_work(&self, local: &Self::Local) -> bool;

    /// How many elements [`do_unit`](Algorithm::do_unit) processes when it is called with `grain` and enough are left.
    ///
    /// The run loop calls `do_unit` with this number in place of `grain`, so `unit_len(unit_len(grain))` must equal `unit_len(grain)`. It divides the time of a unit by this
    /// number to learn what an element costs. Override it if units have a greatest length, or come in blocks.
    fn unit_len(&self, grain: usize) -> usize {
        grain
    }

    /// Does one unit of work: about `grain` elements, and at least one. It must not wait for another state. A call whose units do nothing, while
    /// [`has_local_work`](Algorithm::has_local_work) says that there is something left, never ends.
    ///
    /// The run loop chooses `grain`: a unit is long enough that checking for requests costs next to nothing, and short enough that no other worker
    /// waits long for an answer.
    fn do_unit(&self, local: &mut Self::Local, grain: usize);

    /// Publishes what this state has found so far.
    ///
    /// It is called before a state that has been worked on is split, and once more when the state's work is done. It must be correct for any number of calls: either it takes what
    /// it publishes out of `local`, or publishing it twice changes nothing, as with the minimum above.
    fn commit(&self, local: &mut Self::Local);

    /// Splits off a part of `victim`, usually half of what is left. Returns `None` where nothing is worth splitting, and leaves `victim` as it was.
    ///
    /// A call whose first state cannot be split yet tries again after its first unit, and then at growing distances.
    ///
    /// The worker that owns `victim` calls this, between two of its units. No other thread touches the state.
    #[doc(alias = "steal")]
    #[doc(alias = "Vol")]
    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local>;

    /// Like [`split`](Algorithm::split), for a part so short that the time of the hand-over counts: in that time the victim does `delay` elements.
    ///
    /// The victim should keep more than half, so that both workers end at the same time, or all, if too little is left; [`kept`] computes how many elements. `delay` is 0
    /// if it is not known what an element costs. The default ignores `delay` and calls `split`. For a state that is a range:
    ///
    /// ```
    /// # use std::ops::Range;
    /// fn split_late(victim: &mut Range<usize>, delay: usize) -> Option<Range<usize>> {
    ///     let middle = victim.start + fusain::kept(victim.len(), delay)?;
    ///     let stolen = middle..victim.end;
    ///     victim.end = middle;
    ///     Some(stolen)
    /// }
    /// # use fusain_pool as fusain;
    /// # let mut all = 0..1_000;
    /// # assert_eq!((split_late(&mut all, 100), all), (Some(600..1_000), 0..600));
    /// ```
    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        let _ = delay;
        self.split(victim)
    }

    /// Lets `local`, whose work is done, go on with `rest`, a part that no worker has begun. It was split off `local`, or earlier off the state from which `local` was split.
    /// Returns `Some(rest)` to decline, as the default does: then `local` is committed, and `rest` runs as a state of its own.
    ///
    /// Override it where a state gathers a result that is expensive to combine with others: a state that goes on has one result, and not two. More may have been split off
    /// `local` after `rest`, so where the order counts, check that `rest` follows directly. For a state that is a range with its sum:
    ///
    /// ```
    /// # use std::ops::Range;
    /// struct Local {
    ///     left: Range<usize>,
    ///     sum: f64,
    /// }
    /// fn rejoin(local: &mut Local, rest: Local) -> Option<Local> {
    ///     if local.left.end != rest.left.start {
    ///         return Some(rest);
    ///     }
    ///     local.left = rest.left;
    ///     None
    /// }
    /// # let mut local = Local { left: 2..2, sum: 1.0 };
    /// # assert!(rejoin(&mut local, Local { left: 3..9, sum: 0.0 }).is_some());
    /// # assert!(rejoin(&mut local, Local { left: 2..3, sum: 0.0 }).is_none() && local.left == (2..3) && local.sum == 1.0);
    /// ```
    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        let _ = local;
        Some(rest)
    }
}

/// How many of `len` elements the victim should keep in [`Algorithm::split_late`]: half of them and `delay`.
///
/// `None` if there are fewer than two, or fewer than four times `delay`: the other worker would then get fewer than `delay` elements, and the victim does as many during the hand-over.
///
/// ```
/// # use fusain_pool as fusain;
/// use fusain::kept;
///
/// assert_eq!(kept(1_000, 0), Some(500));
/// assert_eq!(kept(1_000, 100), Some(600));
/// assert_eq!(kept(300, 100), None);
/// ```
#[must_use]
pub const fn kept(len: usize, delay: usize) -> Option<usize> {
    if len < 2 || len / 4 < delay { None } else { Some(len.div_ceil(2) + delay) }
}
