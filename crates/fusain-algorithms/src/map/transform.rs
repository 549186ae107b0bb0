//! `map`: a function of every element, into new memory or in place.
//!
//! Idea: a part of the input and the slots for its results are split together. Results go straight into the slots of
//! the final vector, so nothing is moved afterwards. C++'s `std::transform`.
//! Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use fusain_pool::Algorithm;

use crate::execution::remaining::Remaining;
use crate::memory::output::{Output, Window, collect, fill_alone};
use crate::platform::simd::{Body, widest, widest_of};
use crate::policy::{Par, Plan, Team, Watch};

pub(crate) struct Map<'v, 'w, T, U, F> {
    f: F,
    elements: PhantomData<fn(&'v T) -> &'w [U]>,
}

/// What is left of the input, and the slots for its results.
pub(crate) struct Local<'v, 'w, T, U> {
    input: Remaining<'v, T>,
    output: Window<'w, U>,
}

impl<'v, 'w, T: Sync, U: Send, F: Fn(&'v T) -> U + Sync> Algorithm for Map<'v, 'w, T, U, F> {
    type Local = Local<'v, 'w, T, U>;

    fn has_local_work(&self, local: &Self::Local) -> bool {
        !local.input.is_empty()
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        let (_, part) = local.input.take(grain);
        widest(FillPart { window: &mut local.output, part, f: &self.f });
    }

    fn commit(&self, local: &mut Self::Local) {
        local.output.publish();
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.split_late(victim, 0)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        let input = victim.input.split_late(delay)?;
        let output = victim.output.split_off_back(input.rest.len());
        Some(Local { input, output })
    }
}

/// Fills a window with what `f` makes of each element.
struct FillPart<'a, 'v, 'w, T, U, F> {
    window: &'a mut Window<'w, U>,
    part: &'v [T],
    f: F,
}

impl<'v, T, U, F: Fn(&'v T) -> U> Body for FillPart<'_, 'v, '_, T, U, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.window.fill(self.part, self.f);
    }
}

/// # Mapping
///
/// A function makes a new vector out of the elements, or replaces each of them.
impl Par<'_> {
    /// Returns a vector of `f(x)` for every element `x`. Results may borrow from the elements.
    ///
    /// O(n) work, no memory but the result. If `f` panics, the results made so far are dropped and the panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().map(&[1, 2, 3], |x| x * x), [1, 4, 9]);
    ///
    /// let lines = [String::from("pool of workers"), String::from("unit of work")];
    /// assert_eq!(fusain::par().map(&lines, |line| line.split(' ').next()), [Some("pool"), Some("unit")]);
    /// ```
    #[doc(alias = "collect")]
    #[doc(alias = "transform")]
    #[inline]
    pub fn map<'v, T: Sync, U: Send, F: Fn(&'v T) -> U + Sync>(&self, v: &'v [T], f: F) -> Vec<U> {
        match self.plan::<Map<'_, '_, T, U, F>>(v.len()) {
            Plan::Sequential(watch) if watch.looks_up() => {
                collect(v.len(), |room| map_looking(self, watch, v, Output::new(room), f))
            }
            Plan::Sequential(watch) => watch.time(|| v.iter().map(f).collect()),
            Plan::Parallel(team) => collect(v.len(), |room| map_into(team, v, Output::new(room), f)),
        }
    }

    /// Writes `f(x)` of every element into `room` and returns it, initialised.
    ///
    /// Otherwise like [`map`](Par::map); what `room` held before is not dropped.
    ///
    /// # Panics
    ///
    /// If `room` and `v` differ in length.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().map_into(&[1, 2, 3], &mut room, |x| x + 1), [2, 3, 4]);
    /// ```
    #[inline]
    pub fn map_into<'v, 'r, T: Sync, U: Send, F: Fn(&'v T) -> U + Sync>(
        &self,
        v: &'v [T],
        room: &'r mut [MaybeUninit<U>],
        f: F,
    ) -> &'r mut [U] {
        assert_eq!(v.len(), room.len(), "the room must have a slot for every element");
        match self.plan::<(Map<'_, '_, T, U, F>, F)>(v.len()) {
            Plan::Sequential(watch) if watch.looks_up() => map_looking(self, watch, v, Output::new(room), f),
            Plan::Sequential(watch) => {
                watch.time(|| fill_alone(room, |window| widest_of(v.len(), FillPart { window, part: v, f })))
            }
            Plan::Parallel(team) => map_into(team, v, Output::new(room).far(self.is_far::<U>(v.len())), f),
        }
    }

    /// Replaces every element `x` by `f(x)`.
    ///
    /// O(n) work, no extra memory. If `f` or a `drop` panics, some elements are replaced and some are not, but none is lost.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().map_in_place(&mut v, |x| x * 10);
    /// assert_eq!(v, [10, 20, 30]);
    /// ```
    #[inline]
    pub fn map_in_place<T: Send, F: Fn(&T) -> T + Sync>(&self, v: &mut [T], f: F) {
        self.for_each_mut(v, |x| *x = f(x));
    }
}

#[inline(never)]
fn map_into<'v, 'r, T: Sync, U: Send, F: Fn(&'v T) -> U + Sync>(
    team: Team<'_>,
    v: &'v [T],
    output: Output<'r, U>,
    f: F,
) -> &'r mut [U] {
    let (map, root) = Map::new(v, &output, f);
    team.run(&map, root);
    output.finish()
}

#[cold]
#[inline(never)]
fn map_looking<'v, 'r, T: Sync, U: Send, F: Fn(&'v T) -> U + Sync>(
    policy: &Par<'_>,
    watch: Watch,
    v: &'v [T],
    output: Output<'r, U>,
    f: F,
) -> &'r mut [U] {
    let (map, root) = Map::new(v, &output, f);
    policy.run_looking(watch, &map, root);
    output.finish()
}

impl<'v, 'w, T, U, F: Fn(&'v T) -> U> Map<'v, 'w, T, U, F> {
    /// The algorithm and its root state. Called only once for an output.
    pub(super) fn new(v: &'v [T], output: &'w Output<'_, U>, f: F) -> (Self, Local<'v, 'w, T, U>) {
        // SAFETY: called once.
        let window = unsafe { output.window() };
        (Map { f, elements: PhantomData }, Local { input: Remaining::new(v), output: window })
    }
}
