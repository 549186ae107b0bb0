//! The memories of a run: its scratchpad, and the vectors that the user has put in.

use std::any::Any;
use std::ops::Range;

use fusain_comm::Plain;

use crate::{Block, Error, Result};

/// A vector without its element type.
trait Memory: Any + Send {
    fn bytes(&self) -> &[u8];
    fn bytes_mut(&mut self) -> &mut [u8];
}

impl<T: Plain> Memory for Vec<T> {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(self)
    }
}

/// Target and source of an operation, or the memories that contain them.
pub(super) enum Pair<'a> {
    Apart(&'a mut [u8], &'a [u8]),
    Same(&'a mut [u8]),
}

impl<'a> Pair<'a> {
    #[inline]
    pub(super) fn reborrow(&mut self) -> Pair<'_> {
        match self {
            Self::Apart(target, source) => Pair::Apart(target, source),
            Self::Same(both) => Pair::Same(both),
        }
    }

    /// Parts of equal length that are either the same or apart, as the blocks of every valid schedule are.
    #[inline]
    pub(super) fn at(self, to: Range<usize>, from: Range<usize>) -> Self {
        match self {
            Self::Apart(target, source) => Self::Apart(&mut target[to], &source[from]),
            Self::Same(both) if to == from => Self::Same(&mut both[to]),
            Self::Same(both) => {
                // Without a test which of them comes first, which would be a branch that no processor can predict.
                let parts = both.get_disjoint_mut([to, from]);
                let [to, from] = parts.expect("blocks of a valid schedule are the same or apart");
                Self::Apart(to, from)
            }
        }
    }
}

pub(super) struct Memories(Vec<Box<dyn Memory>>);

impl Memories {
    /// A scratchpad of `scratch_bytes` bytes, and `buffers` buffers that are missing.
    pub(super) fn new(scratch_bytes: u64, buffers: usize) -> Result<Self> {
        // Aligned to 16 bytes, the largest alignment of any number type.
        let too_large = || Error::OutOfMemory { bytes: scratch_bytes };
        let count = usize::try_from(scratch_bytes.div_ceil(16)).map_err(|_| too_large())?;
        let mut scratch: Vec<u128> = Vec::new();
        scratch.try_reserve_exact(count).map_err(|_| too_large())?;
        scratch.resize(count, 0);
        let mut memories: Vec<Box<dyn Memory>> = vec![Box::new(scratch)];
        memories.resize_with(buffers + 1, || Box::new(Vec::<u8>::new()));
        Ok(Self(memories))
    }

    pub(super) fn put<T: Plain>(&mut self, memory: u32, vector: Vec<T>) {
        self.0[memory as usize] = Box::new(vector);
    }

    pub(super) fn take<T: Plain>(&mut self, memory: u32) -> Option<Vec<T>> {
        let memory = &mut self.0[memory as usize];
        let vector: &mut dyn Any = memory.as_mut();
        vector.downcast_mut::<Vec<T>>().map(std::mem::take)
    }

    /// The number of bytes of a buffer; 0 if it is missing.
    pub(super) fn len(&self, memory: u32) -> u64 {
        self.0[memory as usize].bytes().len() as u64
    }

    #[inline]
    pub(super) fn read(&self, block: &Block) -> &[u8] {
        &self.0[block.memory as usize].bytes()[range(block)]
    }

    #[inline]
    pub(super) fn write(&mut self, block: &Block) -> &mut [u8] {
        &mut self.0[block.memory as usize].bytes_mut()[range(block)]
    }

    #[inline]
    pub(super) fn pair(&mut self, target: &Block, source: &Block) -> Pair<'_> {
        self.both(target.memory as usize, source.memory as usize).at(range(target), range(source))
    }

    /// Two memories, which may be the same.
    #[inline]
    pub(super) fn both(&mut self, target: usize, source: usize) -> Pair<'_> {
        if target == source {
            return Pair::Same(self.0[target].bytes_mut());
        }
        let memories = self.0.get_disjoint_mut([target, source]);
        let [target, source] = memories.expect("a valid schedule names memories that are there");
        Pair::Apart(target.bytes_mut(), source.bytes())
    }
}

#[inline]
fn range(block: &Block) -> Range<usize> {
    block.offset as usize..(block.offset + block.bytes) as usize
}
