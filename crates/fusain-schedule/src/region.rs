//! Typed handles to memory of a schedule.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use fusain_comm::Plain;

use crate::{Block, ElementType};

/// A number that [operators](crate::Operator) work on.
pub trait Element: Plain + private::Sealed + 'static {
    /// The element's type in the schedule.
    const TYPE: ElementType;
}

mod private {
    pub trait Sealed {}
}

/// Maps twelve types to twelve names, which a generic implementation could not do.
macro_rules! elements {
    ($($type:ty => $name:ident),*) => {
        $(impl private::Sealed for $type {}
        impl Element for $type {
            const TYPE: ElementType = ElementType::$name;
        })*
    };
}

elements! {
    i8 => I8, i16 => I16, i32 => I32, i64 => I64, i128 => I128,
    u8 => U8, u16 => U16, u32 => U32, u64 => U64, u128 => U128,
    f32 => F32, f64 => F64
}

/// Some elements of a buffer or of the scratchpad of a [`ScheduleBuilder`](crate::ScheduleBuilder).
///
/// Operations take one region or several: anything that is `AsRef<[Region<T>]>`, such as a region, an array, or a `Vec`.
pub struct Region<T> {
    memory: u32,
    /// The offset in bytes.
    offset: u64,
    /// The number of elements.
    count: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Region<T> {
    /// A region of `count` elements, which fill the block.
    pub(crate) fn new(block: Block, count: usize) -> Self {
        Self { memory: block.memory, offset: block.offset, count, element: PhantomData }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether the region has no elements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// A part of the region; the range counts elements.
    ///
    /// # Panics
    /// If the range is not within the region.
    #[must_use]
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Self {
        let after = |at: usize| at.checked_add(1).expect("no element of a region is behind usize::MAX");
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => after(before),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => after(last),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.count,
        };
        assert!(start <= end && end <= self.count, "{start}..{end} is not within a region of {} elements", self.count);
        let offset = self.offset.saturating_add(bytes::<T>(start));
        Self { offset, count: end - start, ..*self }
    }

    /// The bytes that the region stands for.
    pub fn block(&self) -> Block {
        Block { memory: self.memory, offset: self.offset, bytes: bytes::<T>(self.count) }
    }
}

/// The number of bytes of `count` elements, saturated. The largest number is more than a memory may have, so compiling refuses it.
pub(crate) fn bytes<T>(count: usize) -> u64 {
    (count as u64).saturating_mul(size_of::<T>() as u64)
}

impl<T> Clone for Region<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Region<T> {}

impl<T> AsRef<[Self]> for Region<T> {
    fn as_ref(&self) -> &[Self] {
        std::slice::from_ref(self)
    }
}

impl<T> fmt::Debug for Region<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Region")
            .field("memory", &self.memory)
            .field("offset", &self.offset)
            .field("count", &self.count)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_count_elements() {
        let region = Region::<u32>::new(Block { memory: 2, offset: 16, bytes: 40 }, 10);
        assert_eq!(region.len(), 10);
        assert_eq!(region.slice(2..5).slice(1..).block(), Block { memory: 2, offset: 28, bytes: 8 });
        assert!(region.slice(10..).is_empty());
    }

    #[test]
    #[should_panic(expected = "not within")]
    fn slices_do_not_grow() {
        let _ = Region::<u32>::new(Block { memory: 0, offset: 0, bytes: 40 }, 10).slice(..=10);
    }

    #[test]
    #[should_panic(expected = "no element of a region")]
    fn slices_do_not_end_behind_the_last_number() {
        let _ = Region::<u32>::new(Block { memory: 0, offset: 0, bytes: 40 }, 10).slice(..=usize::MAX);
    }

    #[test]
    #[should_panic(expected = "no element of a region")]
    fn slices_do_not_begin_behind_the_last_number() {
        let range = (Bound::Excluded(usize::MAX), Bound::Unbounded);
        let _ = Region::<u32>::new(Block { memory: 0, offset: 0, bytes: 40 }, 10).slice(range);
    }
}
