//! Elements made from one value or by a function: over old elements, into new memory, into a vector.
//!
//! C++'s `std::fill`, `std::generate`, `std::uninitialized_fill`, `std::uninitialized_value_construct`, and pSTL-Bench's parallel
//! allocator (Laso, Krupitza & Hunold, ICPP 2024, section 4.2), as `first_touch_vec`.
//! Work O(n), span O(log n) splits, no extra memory.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use crate::element::primitive::{is_primitive, may_be_primitive};
use crate::execution::each_range::{each_range, fill_room};
use crate::execution::ranges::Parts;
use crate::memory::output::{Window, collect};
use crate::platform::simd::{Body, widest};
use crate::policy::Par;

/// Types that name the call sites: each site has its own measured times.
struct Filled<T>(PhantomData<T>);
struct Into<T>(PhantomData<T>);
struct IntoWith<T, F>(PhantomData<(T, F)>);
struct Made<T, F>(PhantomData<(T, F)>);

/// Fills a part with clones of `value`.
struct FillPart<'a, T> {
    part: &'a mut [T],
    value: &'a T,
}

impl<T: Clone> Body for FillPart<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.part.fill(self.value.clone());
    }
}

/// Fills a window with what `f` makes of each index of a range.
struct MakePart<'a, 'w, T, F> {
    window: &'a mut Window<'w, T>,
    range: Range<usize>,
    f: &'a F,
}

impl<T, F: Fn(usize) -> T> Body for MakePart<'_, '_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let MakePart { window, range, f } = self;
        window.fill_by(range.len(), |i| f(range.start + i));
    }
}

/// The byte that a number consists of, if all its bytes are the same, as those of zero are.
///
/// Memory is then set by `memset`, which on many machines does not read it first.
#[inline]
fn only_byte<T>(value: &T) -> Option<u8> {
    if !is_primitive::<T>() {
        return None;
    }
    // SAFETY: every byte of a number is initialised.
    let bytes = unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) };
    let first = *bytes.first()?;
    bytes.iter().all(|byte| *byte == first).then_some(first)
}

/// The length in bytes from which on `memset` writes cache lines without reading them first, on common machines: more than the last-level cache holds. Two workers that set
/// 128 MiB in pieces of this length are faster than with shorter pieces (`compare algorithms --only fill`).
const LONG_BYTES: usize = 1 << 25;

/// # Filling
///
/// Elements are made from one value, or by a function.
impl Par<'_> {
    /// Replaces every element by a clone of `value`.
    ///
    /// O(n) work, no extra memory; n clones of `value`, one more than [`slice::fill`] makes. If a `clone` or a `drop` panics, the panic propagates; some
    /// elements are then replaced and some are not, but none is lost, as with [`slice::fill`]. To fill the first `n` elements pass `&mut
    /// v[..n]`.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().fill(&mut v, 7);
    /// assert_eq!(v, [7, 7, 7]);
    /// ```
    #[doc(alias = "fill_n")]
    #[inline]
    pub fn fill<T: Clone + Send + Sync>(&self, v: &mut [T], value: T) {
        let byte = only_byte(&value);
        let is_long = byte.is_some() && size_of_val(v) >= 2 * LONG_BYTES && self.fixed_grain().is_none();
        let policy = if is_long { self.grain(LONG_BYTES / size_of::<T>()) } else { *self };
        if byte.is_none() && self.is_far::<T>(v.len()) {
            return over_numbers(self, v, || value.clone());
        }
        let v = Parts::new(v);
        each_range::<Filled<T>>(&policy, v.len(), move |range| {
            // SAFETY: ranges do not overlap.
            let part = unsafe { v.part(range) };
            if let Some(byte) = byte {
                // SAFETY: the memory of the part; `value` is a number that consists of this byte.
                unsafe { part.as_mut_ptr().write_bytes(byte, part.len()) };
            } else if const { may_be_primitive::<T>() } && is_primitive::<T>() {
                widest(FillPart { part, value: &value });
            } else {
                FillPart { part, value: &value }.run();
            }
        });
    }

    /// Replaces every element by what `f` returns. `f` is called once for each, in no particular order.
    ///
    /// O(n) work, no extra memory. If `f` or a `drop` panics, the panic propagates; some elements are then replaced and some are not, but
    /// none is lost, as with [`slice::fill_with`]. Where an element depends on its index, use
    /// [`for_each_mut_indexed`](Par::for_each_mut_indexed).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let mut v = [1, 2, 3];
    /// fusain::par().fill_with(&mut v, Default::default);
    /// assert_eq!(v, [0, 0, 0]);
    /// ```
    #[doc(alias = "generate")]
    #[doc(alias = "generate_n")]
    #[inline]
    pub fn fill_with<T: Send, F: Fn() -> T + Sync>(&self, v: &mut [T], f: F) {
        if self.is_far::<T>(v.len()) {
            return over_numbers(self, v, f);
        }
        self.for_each_mut(v, |x| *x = f());
    }

    /// Writes clones of `value` into `room` and returns it, initialised.
    ///
    /// O(n) work, no extra memory; what `room` held before is not dropped. If a `clone` panics, clones made so far are dropped and the
    /// panic propagates.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().fill_into(&mut room, &7), [7, 7, 7]);
    /// ```
    #[doc(alias = "uninitialized_fill")]
    #[doc(alias = "uninitialized_fill_n")]
    #[inline]
    pub fn fill_into<'r, T: Clone + Send + Sync>(&self, room: &'r mut [MaybeUninit<T>], value: &T) -> &'r mut [T] {
        make::<Into<T>, T>(self, room, |_| value.clone())
    }

    /// Writes `f(i)` into slot `i` of `room` and returns it, initialised.
    ///
    /// Otherwise like [`fill_into`](Par::fill_into); `f` is called in no particular order.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// use std::mem::MaybeUninit;
    ///
    /// let mut room = [const { MaybeUninit::uninit() }; 3];
    /// assert_eq!(fusain::par().fill_with_into(&mut room, |i| i * i), [0, 1, 4]);
    /// ```
    #[doc(alias = "uninitialized_default_construct")]
    #[doc(alias = "uninitialized_default_construct_n")]
    #[doc(alias = "uninitialized_value_construct")]
    #[doc(alias = "uninitialized_value_construct_n")]
    #[inline]
    pub fn fill_with_into<'r, T: Send, F>(&self, room: &'r mut [MaybeUninit<T>], f: F) -> &'r mut [T]
    where
        F: Fn(usize) -> T + Sync,
    {
        make::<IntoWith<T, F>, T>(self, room, f)
    }

    /// Returns a vector of `f(i)` for every `i` below `len`. The worker that fills a page of the vector also touches it first.
    ///
    /// The operating system places a page of memory near the core that touches it first. On a machine with several NUMA nodes (memories that
    /// belong to some of the cores), a vector that one thread fills lies on one node. This vector lies where its parts were made. Later calls
    /// split it at the same places, so most parts are near the worker that gets them. All calls of this crate that return a vector fill it
    /// this way.
    ///
    /// O(n) work, no memory but the result. If `f` panics, elements made so far are dropped and the panic propagates.
    ///
    /// # Panics
    ///
    /// If the vector would have more than `isize::MAX` bytes.
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// assert_eq!(fusain::par().first_touch_vec(4, |i| i * i), [0, 1, 4, 9]);
    /// ```
    #[doc(alias = "collect")]
    #[doc(alias = "generate")]
    #[doc(alias = "from_fn")]
    #[inline]
    pub fn first_touch_vec<T: Send, F: Fn(usize) -> T + Sync>(&self, len: usize, f: F) -> Vec<T> {
        collect(len, |room| make::<Made<T, F>, T>(&self.in_fresh_memory(), room, f))
    }
}

/// Replaces the numbers of `v` by what `f` returns.
#[inline]
fn over_numbers<T: Send, F: Fn() -> T + Sync>(policy: &Par<'_>, v: &mut [T], f: F) {
    assert!(is_primitive::<T>(), "there is nothing to drop");
    // SAFETY: only numbers are written there, so all slots are initialised at any time.
    let room = unsafe { &mut *(std::ptr::from_mut(v) as *mut [MaybeUninit<T>]) };
    make::<Filled<(T, F)>, T>(policy, room, |_| f());
}

#[inline]
fn make<'r, K: ?Sized, T: Send>(
    policy: &Par<'_>,
    room: &'r mut [MaybeUninit<T>],
    f: impl Fn(usize) -> T + Sync,
) -> &'r mut [T] {
    fill_room::<K, T>(policy, room, move |range, window| widest(MakePart { window, range, f: &f }))
}

/// Returns a vector of `f(i)` for every `i` below `len`. The worker that fills a page of the vector also touches it first.
///
/// The same as [`Par::first_touch_vec`] with the default options: O(n) work, no memory but the result.
///
/// # Panics
///
/// If the vector would have more than `isize::MAX` bytes.
///
/// ```
/// # use fusain_algorithms as fusain;
/// assert_eq!(fusain::first_touch_vec(3, |i| i as f64), [0.0, 1.0, 2.0]);
/// ```
#[inline]
pub fn first_touch_vec<T: Send, F: Fn(usize) -> T + Sync>(len: usize, f: F) -> Vec<T> {
    crate::policy::par().first_touch_vec(len, f)
}
