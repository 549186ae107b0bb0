//! A compiled schedule.

use std::fmt;
use std::sync::Arc;

use fusain_comm::Plain;

use crate::binary::{HEADER_WORDS, Header, wide};
use crate::function::Functions;
use crate::{Block, Graph, Region, Result, compile, decode};

/// A compiled schedule of one rank: checked, immutable, cheap to clone. See [`binary`](crate::binary) for its form.
///
/// ```
/// use fusain_schedule::{Functions, Schedule, ScheduleBuilder};
/// let mut builder = ScheduleBuilder::new(0, 1);
/// let (a, b) = (builder.buffer::<u8>(3), builder.scratch::<u8>(3));
/// builder.copy(b, a);
/// let schedule = builder.compile()?;
///
/// let bytes = schedule.to_bytes();
/// assert_eq!(&bytes[..4], b"FSCH");
/// assert_eq!(Schedule::from_bytes(&bytes, &Functions::default())?.to_bytes(), bytes);
/// assert!(Schedule::from_bytes(&bytes[4..], &Functions::default()).is_err());
/// # Ok::<_, fusain_schedule::Error>(())
/// ```
#[derive(Clone)]
pub struct Schedule {
    /// The words are valid: they come from the compiler, or were validated.
    words: Arc<[u32]>,
    functions: Functions,
}

impl Schedule {
    pub(crate) fn new(words: Vec<u32>, functions: Functions) -> Self {
        Self { words: words.into(), functions }
    }

    /// The binary form as bytes, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        decode::to_bytes(&self.words)
    }

    /// Decodes a schedule from bytes, after checking them. `functions` are the functions that it may call.
    ///
    /// Takes one pass over the bytes and O(bytes) memory. Whatever the bytes are, the result is an error or a schedule that touches nothing
    /// outside its memories. Its functions may be called with slices of any length. A run takes the memory that
    /// [`memory_bytes`](Self::memory_bytes) returns, and memory for its messages under way, each of which is at most as long as all
    /// memories together.
    ///
    /// # Errors
    /// [`Error::Malformed`](crate::Error::Malformed), or the errors of [`ScheduleBuilder::compile`](crate::ScheduleBuilder::compile) for an
    /// operation. Races are not checked; they can only give wrong data.
    pub fn from_bytes(bytes: &[u8], functions: &Functions) -> Result<Self> {
        let words = decode::from_bytes(bytes, functions.len())?;
        Ok(Self { words: words.into(), functions: functions.clone() })
    }

    /// The functions that the schedule calls, for [`from_bytes`](Self::from_bytes).
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The rank that the schedule is for.
    pub fn rank(&self) -> usize {
        self.header().rank as usize
    }

    /// The number of ranks that the schedule is for.
    pub fn size(&self) -> usize {
        self.header().size as usize
    }

    /// The number of operations.
    pub fn operations(&self) -> usize {
        self.header().operations as usize
    }

    /// The number of bytes of each memory: the scratchpad, then the buffers.
    pub fn memory_bytes(&self) -> impl Iterator<Item = u64> + '_ {
        let end = self.header().first_operation();
        self.words[HEADER_WORDS..end].as_chunks().0.iter().map(|&[low, high]| wide(low, high))
    }

    /// A buffer as a region. Buffers are numbered from 1 on, in the order of declaration. Use it for schedules that came as bytes. `None`
    /// if there is no such buffer, its length is not a whole number of elements, or the elements are zero-sized.
    pub fn buffer<T: Plain>(&self, buffer: u32) -> Option<Region<T>> {
        let bytes = self.memory_bytes().nth(buffer as usize).filter(|_| buffer > 0)?;
        let element_bytes = size_of::<T>() as u64;
        let is_whole = bytes.checked_rem(element_bytes) == Some(0);
        let count = usize::try_from(bytes.checked_div(element_bytes)?).ok()?;
        is_whole.then(|| Region::new(Block { memory: buffer, offset: 0, bytes }, count))
    }

    pub(crate) fn header(&self) -> Header {
        let start = self.words.first_chunk().expect("a valid schedule has a header");
        Header::read(start)
    }

    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}

impl Graph {
    /// Checks the graph and compiles it, as [`ScheduleBuilder::compile`](crate::ScheduleBuilder::compile) does. The schedule may call no
    /// functions.
    ///
    /// # Errors
    /// As [`ScheduleBuilder::compile`](crate::ScheduleBuilder::compile).
    pub fn compile(&self) -> Result<Schedule> {
        Ok(Schedule::new(compile::compile(self, 0)?, Functions::default()))
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule").field(&self.header()).finish()
    }
}
