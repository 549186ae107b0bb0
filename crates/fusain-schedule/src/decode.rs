//! Reads a schedule from bytes, and checks every word.

use crate::binary::{
    BLOCK_WORDS, DEPENDENCIES, HEADER_WORDS, Header, MAGIC, MISSING, OPERATION_WORDS, Record, VERSION, block, wide,
};
use crate::compile::check::Limits;
use crate::{Error, Result};

/// Returns the words as bytes. On a little-endian machine this is a memcpy.
pub(crate) fn to_bytes(words: &[u32]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        bytemuck::cast_slice(words).to_vec()
    } else {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Returns the words of a schedule that calls at most `functions` functions.
pub(crate) fn from_bytes(bytes: &[u8], functions: usize) -> Result<Vec<u32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return malformed(words.len(), format!("{} bytes are not a whole number of words", bytes.len()));
    }
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    validate(&words, functions)?;
    Ok(words)
}

fn malformed<T>(word: usize, why: impl Into<String>) -> Result<T> {
    Err(Error::Malformed { word, why: why.into() })
}

/// The position of [`validate`] in the words.
struct Walk<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u32]> {
        let taken = self.at.checked_add(count).and_then(|end| self.words.get(self.at..end));
        let Some(taken) = taken else { return malformed(self.at, format!("{count} more words should follow")) };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<&'a [u32; N]> {
        self.take(N).map(|words| words.try_into().expect("it is as long as was asked"))
    }
}

/// Validates the words in one pass. Time O(words), memory one word for each operation and each dependency.
fn validate(words: &[u32], functions: usize) -> Result<()> {
    let mut walk = Walk { words, at: 0 };
    let start: &[u32; HEADER_WORDS] = walk.array()?;
    if start[0] != MAGIC {
        return malformed(0, "it does not begin with FSCH");
    }
    if start[1] != VERSION {
        return malformed(1, format!("its version is {}, this is {VERSION}", start[1]));
    }
    let header = Header::read(start);
    if header.words as usize != words.len() {
        return malformed(2, format!("it says it has {} words and has {}", header.words, words.len()));
    }
    if header.rank >= header.size {
        return Err(Error::NoSuchRank { rank: header.rank.into(), size: header.size.into() });
    }
    if header.functions as usize > functions {
        return malformed(8, format!("it calls up to {} functions and is given {functions}", header.functions));
    }
    if header.memories == 0 {
        return malformed(7, "the scratchpad is missing");
    }
    let words_of_memories = walk.take((header.memories as usize).saturating_mul(2))?;
    let memories: Vec<u64> = words_of_memories.as_chunks().0.iter().map(|&[low, high]| wide(low, high)).collect();
    let limits = Limits::new(header.size, header.functions as usize, &memories)?;
    let mut counts = Counts::default();
    // An operation takes at least this number of words, so a count that is too large is found before memory is allocated for it.
    if header.operations as usize > words.len() / OPERATION_WORDS {
        return malformed(5, "there is no room for so many operations");
    }
    let mut places = Vec::with_capacity(header.operations as usize);
    let mut numbered = vec![false; header.operations as usize];
    for index in 0..header.operations {
        let at = walk.at;
        places.push(at);
        let fixed: &[u32; OPERATION_WORDS] = walk.array()?;
        let record = Record::read(fixed);
        let Some(action) = record.action() else { return malformed(at, "the operation has an unknown code") };
        match numbered.get_mut(record.number as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return malformed(at + 1, "the operation's number is taken or too large"),
        }
        if fixed[DEPENDENCIES] != fixed[MISSING] {
            return malformed(at + MISSING, "the schedule is not at rest");
        }
        if (fixed[DEPENDENCIES] == 0) != (index < header.independent) {
            return malformed(at + DEPENDENCIES, "independent operations come first, and no others");
        }
        counts.messages += u32::from(record.is_message());
        let mut blocks = |count: u32| -> Result<Vec<_>> {
            let words = walk.take(BLOCK_WORDS.saturating_mul(count as usize))?;
            Ok(words.as_chunks().0.iter().map(block).collect())
        };
        let (target, source) = (blocks(record.targets)?, blocks(record.sources)?);
        limits.check(record.number as usize, action, &target, &source)?;
        let dependents = walk.take(record.on_end as usize)?.iter().chain(walk.take(record.on_start as usize)?);
        for &dependent in dependents {
            if dependent as usize <= at {
                return malformed(at, "a dependency leads backwards");
            }
            counts.edges.push(dependent);
        }
    }
    if walk.at != words.len() {
        return malformed(walk.at, "words are left over");
    }
    if counts.messages != header.messages {
        return malformed(9, format!("it says it has {} messages and has {}", header.messages, counts.messages));
    }
    counts.check_edges(words, &places)
}

#[derive(Default)]
struct Counts {
    messages: u32,
    /// The places that the edges lead to.
    edges: Vec<u32>,
}

impl Counts {
    /// Checks that as many edges lead to each operation as it has dependencies, and that no edge leads elsewhere.
    fn check_edges(mut self, words: &[u32], places: &[usize]) -> Result<()> {
        self.edges.sort_unstable();
        let mut rest = &self.edges[..];
        for &place in places {
            let here = rest.partition_point(|&edge| edge as usize <= place);
            let dependencies = words[place + DEPENDENCIES] as usize;
            if here != dependencies || rest[..here].iter().any(|&edge| edge as usize != place) {
                return malformed(place + DEPENDENCIES, format!("{dependencies} dependencies, but {here} lead to it"));
            }
            rest = &rest[here..];
        }
        match rest.first() {
            Some(&edge) => malformed(edge as usize, "a dependency leads to no operation"),
            None => Ok(()),
        }
    }
}
