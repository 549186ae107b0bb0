//! Vectors that grow.

/// What a vector gets room for at first, in bytes: one allocation instead of the five that growing from four numbers on takes.
const FIRST_BYTES: usize = 1 << 10;

/// Appends `x`.
#[inline(always)]
pub(crate) fn push<T>(vector: &mut Vec<T>, x: T) {
    make_room(vector);
    vector.push(x);
}

/// Appends all of `more`.
#[inline(always)]
pub(crate) fn extend<T>(vector: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    make_room(vector);
    vector.extend(more);
}

/// Has room for one more.
#[inline(always)]
fn make_room<T>(vector: &mut Vec<T>) {
    if vector.len() == vector.capacity() {
        grow(vector);
    }
}

#[cold]
fn grow<T>(vector: &mut Vec<T>) {
    let first = FIRST_BYTES.checked_div(size_of::<T>()).unwrap_or(0);
    vector.reserve(vector.len().max(first).max(1));
}
