//! Temporary memory for a call to work in.
//!
//! When memory of some hundred kilobytes is freed, it usually goes back to the system. Then the next call pays a page fault for each page, which on a virtual machine may take
//! as long as sorting the numbers in the page. With [huge pages](crate::memory::huge_pages) the faults still take as long as some passes of a sort. So a thread keeps the
//! blocks that its last calls worked in: at most [`KEPT`] blocks, of together at most [`KEPT_BYTES`]. With more memory than that the faults are a small part of the time,
//! as all the work is done in memory that no cache holds.
//!
//! With debug assertions nothing is kept, so that AddressSanitizer and valgrind know the bounds of each block.

use crate::memory::huge_pages::prepare;
use crate::platform::LINE;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, take};

/// The number of blocks that a thread keeps: a sort works in up to three.
const KEPT: usize = 4;

/// The maximum size in bytes of all blocks that a thread keeps: about as much as glibc keeps of what a program has freed.
const KEPT_BYTES: usize = 1 << 26;

/// The unit of memory: a cache line.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "only its size counts")] [u8; LINE]);

/// A block of memory. Only the capacity of the vector is used; its length stays 0.
type Block = Vec<Line>;

/// The blocks that a thread keeps. An empty block stands for none.
type Cache = [Block; KEPT];

/// Takes the smallest block that has at least `lines` lines.
fn reuse(cache: &mut Cache, lines: usize) -> Option<Block> {
    cache.iter_mut().filter(|block| block.capacity() >= lines).min_by_key(|block| block.capacity()).map(take)
}

/// Keeps `block` in place of the smallest one, unless that is larger. Frees others, as far as all together are larger than [`KEPT_BYTES`].
fn keep(cache: &mut Cache, block: Block) {
    let most = KEPT_BYTES / LINE;
    cache.sort_unstable_by_key(Block::capacity);
    if (cache[0].capacity()..=most).contains(&block.capacity()) {
        let mut left = most - block.capacity();
        cache[0] = block;
        for other in cache[1..].iter_mut().rev() {
            match left.checked_sub(other.capacity()) {
                Some(rest) => left = rest,
                None => *other = Block::new(),
            }
        }
    }
}

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new([const { Block::new() }; KEPT]) };
}

/// Room for elements. Elements that are left in it are never dropped.
pub(crate) struct Scratch<T> {
    block: Block,
    len: usize,
    elements: PhantomData<T>,
}

impl<T> Scratch<T> {
    /// Room for `len` elements, which will all be written.
    pub(crate) fn new(len: usize) -> Self {
        // A line is aligned well enough for most types. So a power of two of bytes needs no extra line.
        let beyond = align_of::<T>().saturating_sub(LINE);
        let bytes = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(beyond));
        // If the size overflows, `Vec` refuses this capacity, with the same panic as for a vector of that length.
        let lines = bytes.map_or(usize::MAX, |bytes| bytes.div_ceil(LINE));
        let block = CACHE.try_with(|cache| reuse(&mut cache.borrow_mut(), lines)).ok().flatten();
        let is_fresh = block.is_none();
        let block = block.unwrap_or_else(|| Block::with_capacity(lines));
        let mut scratch = Self { block, len, elements: PhantomData };
        if is_fresh {
            prepare(scratch.room());
        }
        scratch
    }

    /// The room. What was written before is still there.
    pub(crate) fn room(&mut self) -> &mut [MaybeUninit<T>] {
        let start = self.block.as_mut_ptr().cast::<u8>();
        let start = start.wrapping_add(start.align_offset(align_of::<T>())).cast();
        // SAFETY: the block has as many bytes from the first place that is aligned for `T`, as computed in `new`; slots may hold any bytes.
        unsafe { std::slice::from_raw_parts_mut(start, self.len) }
    }

    /// The elements that the room is filled with.
    ///
    /// # Safety
    /// All of it has been written.
    pub(crate) unsafe fn filled(&mut self) -> &mut [T] {
        let room = self.room();
        // SAFETY: guaranteed by the caller.
        unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), room.len()) }
    }
}

impl<T> Drop for Scratch<T> {
    fn drop(&mut self) {
        if !cfg!(debug_assertions) {
            let block = take(&mut self.block);
            // At the end of a thread the cache may no longer exist.
            let _ = CACHE.try_with(|cache| keep(&mut cache.borrow_mut(), block));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_kept_and_reused() {
        let mut cache: Cache = Default::default();
        let mut keep = |lines: usize| {
            keep(&mut cache, Block::with_capacity(lines));
            let mut kept: Vec<usize> = cache.iter().map(Block::capacity).collect();
            kept.sort_unstable();
            kept
        };
        for lines in [7, 5, 9] {
            keep(lines);
        }
        assert_eq!(keep(3), [3, 5, 7, 9]);
        assert_eq!(keep(6), [5, 6, 7, 9], "in place of the least");
        assert_eq!(keep(2), [5, 6, 7, 9], "there are better ones");
        assert_eq!(keep(KEPT_BYTES / LINE + 1), [5, 6, 7, 9], "too large");
        let most = KEPT_BYTES / LINE;
        let mut full: Cache = [most / 2, most / 4, 3, most / 4 - 3].map(Block::with_capacity);
        super::keep(&mut full, Block::with_capacity(most / 4));
        let mut kept = full.map(|block| block.capacity());
        kept.sort_unstable();
        assert_eq!(kept, [0, most / 4, most / 4, most / 2], "not more than may be kept");
        assert_eq!(reuse(&mut cache, 6).map(|block| block.capacity()), Some(6), "the least that will do");
        assert_eq!(reuse(&mut cache, 10).map(|block| block.capacity()), None);
        assert_eq!(reuse(&mut cache, 6).map(|block| block.capacity()), Some(7));
    }

    #[test]
    fn room_is_aligned_and_as_long_as_asked() {
        #[repr(align(256))]
        struct Wide(#[expect(dead_code, reason = "only its size counts")] [u8; 256]);
        fn check<T>(len: usize) {
            let mut scratch = Scratch::<T>::new(len);
            assert_eq!(scratch.room().len(), len);
            assert!(scratch.room().as_ptr().is_aligned());
            let bytes = size_of_val(scratch.room());
            // SAFETY: slots may hold any bytes.
            unsafe { scratch.room().as_mut_ptr().cast::<u8>().write_bytes(0xAA, bytes) };
        }
        for len in [0, 1, 3, 100, 100_000] {
            check::<u8>(len);
            check::<u128>(len);
            check::<Wide>(len);
            check::<()>(len);
        }
        let too_long = std::panic::catch_unwind(|| drop(Scratch::<u64>::new(usize::MAX / 4)));
        assert!(too_long.is_err(), "as a vector of that capacity");
    }
}
