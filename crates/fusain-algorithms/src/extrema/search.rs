//! `min`, `max`, `minmax`: the smallest and the largest element, with their places.
//!
//! Idea: a state keeps the best value of its part, and the block of the input that it came from. Candidates of different
//! states are compared when they commit; of equal ones the first or last is kept, as the call promises. Numbers are compared
//! a vector at a time, and the index is looked up in the block at the end. For other types the state keeps a reference or key, and its index.
//! PaSTeL's `min_element` (Saule & Videau 2008, section 4.1); C++'s `std::minmax_element`.
//! Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use crossbeam_utils::CachePadded;
use fusain_pool::{Algorithm, kept};

use super::block::{BLOCK, BLOCK_OF_BITS, WIDEST, best, best_by_bits, ends_by_bits, place_of_bits};
use crate::element::bit_order::BitOrder;
use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::memory::prefetch::{ahead_of, fetch};
use crate::memory::streams::{UnitLen, window};
use crate::platform::simd::{Body, WORTH, widest, widest_of};
use crate::policy::{Par, Plan, Team};
use crate::search::{first_in, last_in};

/// Values of at most this many bytes use the vectors that every machine has: for narrow values the compiler makes slower code with wider vectors
/// (`compare algorithms`, rows `min_element`).
const NARROW: usize = 4;

/// Units of fewer elements are not searched in blocks. Each block has up to 128 lanes to fold into one value, and those comparisons are too many if `less` is expensive.
const SHORT: usize = 512;

/// Fewer elements than this run in sequence, whatever compares them.
const FEW_COMPARED: usize = 32;

/// A part of at most this many bytes is not prefetched. If it is in a cache, it is in the nearest one, where a prefetch costs time and saves none.
const NEAR: usize = 1 << 15;

/// For at most this many numbers, indices are carried along: without wide vectors, finding the value first and then its index would take longer.
const FEW: usize = WORTH - 1;

/// The search for the smallest value that `get` makes of an element (`MIN`), the largest (`MAX`), or both.
///
/// It finds the first smallest and the first largest element. If both are asked for, it finds the last largest, as C++ does.
pub(crate) struct Extrema<'a, T, V, G, L, const MIN: bool, const MAX: bool> {
    all: &'a [T],
    get: G,
    less: L,
    /// Whether values are numbers, which are compared a vector at a time.
    numbers: bool,
    /// The order of the bits, if values are ordered by them. Invariant: 1. if so, elements are numbers, and a value is laid out as its element.
    bit_order: Option<BitOrder>,
    units: UnitLen,
    found: CachePadded<Mutex<Found<V>>>,
    elements: PhantomData<fn(&'a T) -> V>,
}

/// The best values of a part. A value is `None` if it was not asked for or nothing has been searched yet.
pub(crate) struct Found<V> {
    min: Option<Candidate<V>>,
    max: Option<Candidate<V>>,
}

/// A value, and where the block of the input that it came from begins.
struct Candidate<V> {
    value: V,
    /// One more than the index where the block begins, so that an `Option` of this needs no extra space.
    after: NonZeroUsize,
}

impl<V> Candidate<V> {
    #[inline(always)]
    fn new(value: V, from: usize) -> Self {
        // `from` is the index of an element, so it is below `usize::MAX`, and the sum is exact.
        Candidate { value, after: NonZeroUsize::MIN.saturating_add(from) }
    }

    #[inline(always)]
    fn from(&self) -> usize {
        self.after.get() - 1
    }
}

/// The range that is left to search, and what has been found. With values of up to 8 bytes it shares one cache line with the word that tells a thief that it is there.
pub(crate) struct Local<V> {
    left: Range<usize>,
    found: Found<V>,
}

const _: () = assert!(size_of::<Local<u64>>() <= 48);

impl<'a, T, V, G, L, const MIN: bool, const MAX: bool> Algorithm for Extrema<'a, T, V, G, L, MIN, MAX>
where
    T: Sync,
    V: Send,
    G: Fn(&'a T) -> V + Sync,
    L: Fn(&V, &V) -> bool + Sync,
{
    type Local = Local<V>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.left.is_empty()
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.units.stretched(grain)
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let at = local.left.start;
        let end = at.saturating_add(grain.max(1)).min(local.left.end);
        local.left.start = end;
        let part = &self.all[at..end];
        // A unit has few elements if they are expensive.
        let in_blocks = self.numbers && part.len() >= SHORT;
        let found = if self.is_narrow() {
            self.look_at(at, part, in_blocks)
        } else {
            widest(Look { search: self, at, part, in_blocks })
        };
        self.keep(&mut local.found, found);
    }

    /// Publishes once for each state, when its work is done: no other worker needs the result earlier, and workers whose states are split do not contend for the lock.
    fn commit(&self, local: &mut Self::Local) {
        if self.has_local_work(local) {
            return;
        }
        let mut best = local.found.take();
        while let Some(other) = self.leave(&mut best) {
            self.keep(&mut best, other);
        }
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        let left = &mut victim.left;
        let middle = left.start + kept(left.len(), delay)?;
        Some(root(middle..std::mem::replace(&mut left.end, middle)))
    }
}

/// A part to be searched with the widest vectors. What was found before is not passed in. It would be written in pieces just before it is read as a whole, which stalls
/// a processor.
struct Look<'s, 'a, T, S> {
    search: &'s S,
    at: usize,
    part: &'a [T],
    in_blocks: bool,
}

impl<'a, T, V, G, L, const MIN: bool, const MAX: bool> Body for Look<'_, 'a, T, Extrema<'a, T, V, G, L, MIN, MAX>>
where
    G: Fn(&'a T) -> V,
    L: Fn(&V, &V) -> bool,
{
    type Output = Found<V>;

    #[inline(always)]
    fn run(self) -> Found<V> {
        self.search.look_at(self.at, self.part, self.in_blocks)
    }
}

fn root<V>(left: Range<usize>) -> Local<V> {
    Local { left, found: Found::nothing() }
}

impl<V> Found<V> {
    fn nothing() -> Self {
        Found { min: None, max: None }
    }

    fn is_nothing(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    fn take(&mut self) -> Self {
        std::mem::replace(self, Found::nothing())
    }
}

impl<'a, T, V, G, L, const MIN: bool, const MAX: bool> Extrema<'a, T, V, G, L, MIN, MAX>
where
    G: Fn(&'a T) -> V,
    L: Fn(&V, &V) -> bool,
{
    #[inline]
    pub(super) fn new(all: &'a [T], get: G, less: L, numbers: bool) -> Self {
        Extrema {
            all,
            get,
            less,
            numbers,
            bit_order: None,
            units: UnitLen::GRAIN,
            found: CachePadded::new(Mutex::new(Found::nothing())),
            elements: PhantomData,
        }
    }

    /// Sets the order of the bits, if values are ordered by them.
    ///
    /// # Safety
    ///
    /// If it is `Some`, elements are numbers, and what `get` makes of an element is laid out as the element and has the same bits.
    #[inline]
    pub(super) unsafe fn by_bits(self, bit_order: Option<BitOrder>) -> Self {
        Extrema { bit_order, ..self }
    }

    /// Sets the length of units and of the windows that are read as streams, if values are ordered by their bits.
    #[inline]
    fn with_grain(self, grain: Option<usize>) -> Self {
        let has_streams = self.bit_order.is_some() && size_of::<T>() <= WIDEST;
        let units = if has_streams { UnitLen::of(self.all, grain) } else { UnitLen::GRAIN };
        Extrema { units, ..self }
    }

    pub(super) fn root(&self) -> Local<V> {
        root(0..self.all.len())
    }

    #[inline]
    fn sequential(&self) -> Option<(usize, usize)> {
        if const { may_be_primitive::<V>() } && self.numbers && self.all.len() <= FEW {
            return self.among_few();
        }
        self.places(if self.is_narrow() {
            self.look_at(0, self.all, self.numbers)
        } else {
            widest_of(self.all.len(), Look { search: self, at: 0, part: self.all, in_blocks: self.numbers })
        })
    }

    /// The places of the extrema, for numbers that are compared one after the other.
    #[inline(always)]
    fn among_few(&self) -> Option<(usize, usize)> {
        let min = if MIN { self.best_at(|new, old| (self.less)(new, old))? } else { 0 };
        let max = match (MAX, MIN) {
            (false, _) => 0,
            (true, false) => self.best_at(|new, old| (self.less)(old, new))?,
            // Beside the smallest it is the last among equals.
            (true, true) => self.best_at(|new, old| !(self.less)(new, old))?,
        };
        Some((min, max))
    }

    /// The index of the best element by `better`, which says whether a new value is to replace an old one.
    #[inline(always)]
    fn best_at(&self, better: impl Fn(&V, &V) -> bool) -> Option<usize> {
        let mut elements = self.all.iter().map(&self.get).enumerate();
        let first = elements.next()?;
        Some(elements.fold(first, |old, new| if better(&new.1, &old.1) { new } else { old }).0)
    }

    pub(super) fn finish(self) -> Option<(usize, usize)> {
        let found = self.lock().take();
        self.places(found)
    }

    /// Stores `best` as the shared result, if there is none yet. Otherwise takes the shared result out and returns it, to be compared with `best` first.
    ///
    /// The comparison is made without the lock: it is the caller's code, which may take any time, call an algorithm, or panic.
    fn leave(&self, best: &mut Found<V>) -> Option<Found<V>> {
        let mut found = self.lock();
        if found.is_nothing() {
            *found = best.take();
            return None;
        }
        Some(found.take())
    }

    fn lock(&self) -> MutexGuard<'_, Found<V>> {
        // Nothing panics with the lock held.
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether wide vectors are of no use.
    #[inline(always)]
    fn is_narrow(&self) -> bool {
        self.bit_order.is_none() && size_of::<V>() <= NARROW
    }

    /// The number of elements in a block.
    fn block_len(&self) -> usize {
        match (self.bit_order, self.numbers) {
            (Some(_), _) if self.units.is_long() => window::<T>(),
            (Some(_), _) => BLOCK_OF_BITS,
            (None, true) => BLOCK,
            (None, false) => 1,
        }
    }

    /// The best of `part`, which starts at `at`.
    #[inline(always)]
    fn look_at(&self, at: usize, part: &'a [T], in_blocks: bool) -> Found<V> {
        let mut found = Found::nothing();
        if const { may_be_primitive::<T>() && size_of::<T>() <= WIDEST }
            && let Some(bit_order) = self.bit_order
            && self.units.is_long()
        {
            for (k, block) in part.chunks(window::<T>()).enumerate() {
                let from = at + k * window::<T>();
                // SAFETY: invariant 1, and elements are no longer than that.
                let (min, max) = unsafe { ends_by_bits::<_, _, MIN, MAX>(block, bit_order) };
                if MIN {
                    self.keep_min(&mut found.min, Candidate::new(min, from));
                }
                if MAX {
                    self.keep_max(&mut found.max, Candidate::new(max, from));
                }
            }
        } else if const { may_be_primitive::<T>() }
            && let Some(bit_order) = self.bit_order
        {
            let ahead = if size_of_val(part) > NEAR { ahead_of(part.as_chunks::<BLOCK_OF_BITS>().0) } else { &[] };
            for (k, block) in part.chunks(BLOCK_OF_BITS).enumerate() {
                ahead.get(k).into_iter().for_each(fetch);
                let from = at + k * BLOCK_OF_BITS;
                if MIN {
                    // SAFETY: invariant 1.
                    let value = unsafe { best_by_bits::<_, _, false>(block, bit_order) };
                    self.keep_min(&mut found.min, Candidate::new(value, from));
                }
                if MAX {
                    // SAFETY: invariant 1.
                    let value = unsafe { best_by_bits::<_, _, true>(block, bit_order) };
                    self.keep_max(&mut found.max, Candidate::new(value, from));
                }
            }
        } else if const { may_be_primitive::<V>() } && in_blocks {
            for (k, block) in part.chunks(BLOCK).enumerate() {
                let from = at + k * BLOCK;
                if MIN {
                    let value = best(block, &self.get, |new, old| (self.less)(new, old));
                    self.keep_min(&mut found.min, Candidate::new(value, from));
                }
                if MAX {
                    let value = best(block, &self.get, |new, old| (self.less)(old, new));
                    self.keep_max(&mut found.max, Candidate::new(value, from));
                }
            }
        } else {
            for (i, x) in part.iter().enumerate() {
                let from = at + i;
                if MIN {
                    self.keep_min(&mut found.min, Candidate::new((self.get)(x), from));
                }
                if MAX {
                    self.keep_max(&mut found.max, Candidate::new((self.get)(x), from));
                }
            }
        }
        found
    }

    /// Keeps the better values of two parts.
    #[inline(always)]
    fn keep(&self, old: &mut Found<V>, new: Found<V>) {
        if let Some(min) = new.min {
            self.keep_min(&mut old.min, min);
        }
        if let Some(max) = new.max {
            self.keep_max(&mut old.max, max);
        }
    }

    /// Keeps the smaller value, the first among equals.
    #[inline(always)]
    fn keep_min(&self, old: &mut Option<Candidate<V>>, new: Candidate<V>) {
        let better = match old {
            None => true,
            Some(old) if new.from() > old.from() => (self.less)(&new.value, &old.value),
            Some(old) => !(self.less)(&old.value, &new.value),
        };
        if better {
            *old = Some(new);
        }
    }

    /// Keeps the larger value; among equals the first, or the last where the smallest is looked for as well.
    #[inline(always)]
    fn keep_max(&self, old: &mut Option<Candidate<V>>, new: Candidate<V>) {
        let better = match old {
            None => true,
            Some(old) if (new.from() > old.from()) != MIN => (self.less)(&old.value, &new.value),
            Some(old) => !(self.less)(&new.value, &old.value),
        };
        if better {
            *old = Some(new);
        }
    }

    /// The indices of the smallest and the largest; 0 for what was not asked for.
    #[inline]
    fn places(&self, found: Found<V>) -> Option<(usize, usize)> {
        match (found.min, found.max) {
            (None, None) => None,
            (min, max) => Some((
                min.map_or(0, |min| self.place::<false>(&min, |x, min| !(self.less)(min, x))),
                // Beside the smallest it is the last among equals.
                max.map_or(0, |max| match MIN {
                    true => self.place::<true>(&max, |x, max| !(self.less)(x, max)),
                    false => self.place::<false>(&max, |x, max| !(self.less)(x, max)),
                }),
            )),
        }
    }

    /// The index of the first element, or if `LAST` the last, that is `as_good` as the candidate in its block.
    #[inline(always)]
    fn place<const LAST: bool>(&self, candidate: &Candidate<V>, as_good: impl Fn(&V, &V) -> bool) -> usize {
        let (from, value) = (candidate.from(), &candidate.value);
        // The candidate's block may have been shorter, as it ended with its part. The elements behind that end do no harm: an equal value there that counts would have
        // made another candidate the best.
        let block = &self.all[from..self.all.len().min(from.saturating_add(self.block_len()))];
        if let [_] = block {
            return from;
        }
        // If elements are expensive, they have been compared one by one. Then the first element is the candidate, and `get` is called for no other.
        if !LAST && self.bit_order.is_none() && as_good(&(self.get)(&block[0]), value) {
            return from;
        }
        let wanted = |x, _| as_good(&(self.get)(x), value);
        let numbers = is_primitive::<T>();
        let index = match self.bit_order {
            // SAFETY: invariant 1.
            Some(_) if const { may_be_primitive::<T>() } => unsafe { place_of_bits::<_, _, LAST>(block, value) },
            _ if LAST => last_in(block, block, numbers, wanted),
            _ => first_in(block, block, numbers, wanted),
        };
        // An inconsistent order may contradict its own result. Then any element will do.
        from + index.unwrap_or(0)
    }
}

/// Finds the extrema as `policy` says.
#[inline]
pub(super) fn extrema<'a, T, V, G, L, const MIN: bool, const MAX: bool>(
    policy: &Par<'_>,
    search: Extrema<'a, T, V, G, L, MIN, MAX>,
) -> Option<(usize, usize)>
where
    T: Sync,
    V: Send,
    G: Fn(&'a T) -> V + Sync,
    L: Fn(&V, &V) -> bool + Sync,
{
    let search = search.with_grain(policy.fixed_grain());
    let len = search.all.len();
    let plan = match search.bit_order {
        Some(_) => policy.plan_numbers::<(T, V, G, L)>(len),
        None if len < FEW_COMPARED => policy.plan_plain::<(T, V, G, L)>(len),
        // A closure may be expensive.
        None => policy.plan::<(T, V, G, L)>(len),
    };
    match plan {
        Plan::Sequential(watch) => watch.time(|| search.sequential()),
        Plan::Parallel(team) => parallel(team, search),
    }
}

#[inline(never)]
fn parallel<'a, T, V, G, L, const MIN: bool, const MAX: bool>(
    team: Team<'_>,
    search: Extrema<'a, T, V, G, L, MIN, MAX>,
) -> Option<(usize, usize)>
where
    T: Sync,
    V: Send,
    G: Fn(&'a T) -> V + Sync,
    L: Fn(&V, &V) -> bool + Sync,
{
    team.run(&search, search.root());
    search.finish()
}
