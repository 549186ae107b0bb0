//! Copies of numbers, byte by byte.

use std::mem::MaybeUninit;

use crate::element::primitive::is_primitive;
use crate::platform::{self, Fence};

/// Whether copies go through the caches.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Through,
    Around,
}

/// Copies numbers over all of `to`, which is as long as `from`.
///
/// # Panics
///
/// If the lengths differ, or if `T` is no [primitive](is_primitive).
#[inline]
pub(crate) fn copy<T>(to: &mut [MaybeUninit<T>], from: &[T], way: Way) {
    match way {
        Way::Through => platform::copy(room_bytes(to), number_bytes(from)),
        Way::Around => {
            let _fence = Fence;
            // SAFETY: the fence is dropped at the end of this block.
            unsafe { copy_around(to, from) };
        }
    }
}

/// Copies numbers over all of `to`, which is as long as `from`, around the caches.
///
/// # Safety
///
/// This thread drops a [`Fence`] before any thread, itself included, uses `to`.
///
/// # Panics
///
/// As [`copy`] does.
#[inline]
pub(crate) unsafe fn copy_around<T>(to: &mut [MaybeUninit<T>], from: &[T]) {
    // SAFETY: guaranteed by the caller.
    unsafe { platform::copy_around(room_bytes(to), number_bytes(from)) };
}

#[inline(always)]
fn number_bytes<T>(numbers: &[T]) -> &[u8] {
    assert!(is_primitive::<T>(), "every byte of an element is initialised");
    // SAFETY: every byte of a number is initialised; the memory is that of the same borrow.
    unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

#[inline(always)]
fn room_bytes<T>(room: &mut [MaybeUninit<T>]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: bytes that need not be initialised; the memory is that of the same borrow.
    unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), size_of_val(room)) }
}

/// Like [`copy`], over slots that hold numbers already.
#[inline]
pub(crate) fn overwrite<T>(to: &mut [T], from: &[T], way: Way) {
    // SAFETY: numbers are written over all of it, so it is initialised as before.
    let to = unsafe { &mut *(std::ptr::from_mut(to) as *mut [MaybeUninit<T>]) };
    copy(to, from, way);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_copied_either_way() {
        let from: Vec<u16> = (0..8000).collect();
        for way in [Way::Through, Way::Around] {
            for len in [0, 1, 63, 200, 4001, 7999] {
                let mut to = vec![u16::MAX; 8000];
                overwrite(&mut to[1..=len], &from[..len], way);
                assert!(to[1..=len] == from[..len] && to[len + 1..].iter().all(|x| *x == u16::MAX), "{len}");
            }
        }
    }
}
