//! The predicate of a filter: whether an element stays depends on it alone, or on it and the element before.

/// Decides whether an element stays.
pub(crate) trait Predicate<T>: Sync {
    /// Whether the answer depends on the element before. If so, the very first element stays without being tested.
    const LOOKS_BACK: bool;

    /// Whether element `i` of those from `v` stays.
    ///
    /// # Safety
    ///
    /// The element is there, and so is the element before if this [looks back](Predicate::LOOKS_BACK).
    unsafe fn keeps(&self, v: *const T, i: usize) -> bool;
}

/// Elements that satisfy a predicate stay.
pub(crate) struct If<P>(pub(crate) P);

impl<T, P: Fn(&T) -> bool + Sync> Predicate<T> for If<P> {
    const LOOKS_BACK: bool = false;

    #[inline(always)]
    unsafe fn keeps(&self, v: *const T, i: usize) -> bool {
        // SAFETY: guaranteed by the caller.
        self.0(unsafe { &*v.wrapping_add(i) })
    }
}

/// An element stays unless it is the same as the element before.
pub(crate) struct Unlike<F>(pub(crate) F);

impl<T, F: Fn(&T, &T) -> bool + Sync> Predicate<T> for Unlike<F> {
    const LOOKS_BACK: bool = true;

    #[inline(always)]
    unsafe fn keeps(&self, v: *const T, i: usize) -> bool {
        // SAFETY: guaranteed by the caller.
        let x = unsafe { &*v.wrapping_add(i) };
        // SAFETY: guaranteed by the caller.
        !self.0(x, unsafe { &*v.wrapping_add(i - 1) })
    }
}

/// The answers are known already: one flag for each element.
pub(crate) struct Said<'f>(pub(crate) &'f [bool]);

impl<T> Predicate<T> for Said<'_> {
    const LOOKS_BACK: bool = false;

    #[inline(always)]
    unsafe fn keeps(&self, _v: *const T, i: usize) -> bool {
        self.0[i]
    }
}
