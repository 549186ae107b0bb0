//! Growing vectors.

/// The first allocation of a growing vector, in bytes. It takes the place of the five allocations that growing from four numbers on would make.
const FIRST_BYTES: usize = 1 << 10;

/// Appends `x`.
#[inline(always)]
pub(crate) fn push<T>(vector: &mut Vec<T>, x: T) {
    reserve(vector, 1);
    vector.push(x);
}

/// Appends all of `more`.
#[inline(always)]
pub(crate) fn extend<T>(vector: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    reserve(vector, 1);
    vector.extend(more);
}

/// Reserves room for `more` elements.
#[inline(always)]
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) {
    if vector.capacity() - vector.len() < more {
        grow(vector, more);
    }
}

#[cold]
fn grow<T>(vector: &mut Vec<T>, more: usize) {
    let first = FIRST_BYTES.checked_div(size_of::<T>()).unwrap_or(0);
    vector.reserve(vector.len().max(first).max(more));
}
