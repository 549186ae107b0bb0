//! Which elements stay: the question that a filter asks about an element, or about it and the one before.

/// Says of an element whether it stays.
pub(crate) trait Judge<T>: Sync {
    /// Whether the answer depends on the element before. The first element of all then stays unasked.
    const LOOKS_BACK: bool;

    /// Whether element `i` of those from `v` stays.
    ///
    /// # Safety
    ///
    /// The element is there, and so is the one before if this [looks back](Judge::LOOKS_BACK).
    unsafe fn stays(&self, v: *const T, i: usize) -> bool;
}

/// Elements that satisfy a predicate stay.
pub(crate) struct If<P>(pub(crate) P);

impl<T, P: Fn(&T) -> bool + Sync> Judge<T> for If<P> {
    const LOOKS_BACK: bool = false;

    #[inline(always)]
    unsafe fn stays(&self, v: *const T, i: usize) -> bool {
        // SAFETY: the caller's.
        self.0(unsafe { &*v.wrapping_add(i) })
    }
}

/// Elements that are not the same as the one before stay.
pub(crate) struct Unlike<F>(pub(crate) F);

impl<T, F: Fn(&T, &T) -> bool + Sync> Judge<T> for Unlike<F> {
    const LOOKS_BACK: bool = true;

    #[inline(always)]
    unsafe fn stays(&self, v: *const T, i: usize) -> bool {
        // SAFETY: the caller's.
        let x = unsafe { &*v.wrapping_add(i) };
        // SAFETY: the caller's.
        !self.0(x, unsafe { &*v.wrapping_add(i - 1) })
    }
}

/// The answers are known already: one flag for each element.
pub(crate) struct Said<'f>(pub(crate) &'f [bool]);

impl<T> Judge<T> for Said<'_> {
    const LOOKS_BACK: bool = false;

    #[inline(always)]
    unsafe fn stays(&self, _v: *const T, i: usize) -> bool {
        self.0[i]
    }
}
