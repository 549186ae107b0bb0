//! Sets of processing units.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A set of processing units, by the operating system's numbers.
///
/// It is read from hwloc's masks (32-bit words, highest first) and lists, and written as a list. Numbers are below 2^20.
///
/// ```
/// use fusain_topology::CpuSet;
/// let set: CpuSet = "0x00000001,0x0000000f".parse().unwrap();
/// assert_eq!(set.to_string(), "0-3,32");
/// assert_eq!("0-3,32".parse::<CpuSet>().unwrap(), set);
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Words"))]
pub struct CpuSet {
    /// The words, lowest first. The last one is not 0.
    words: Vec<u64>,
}

/// A set as it may be read: text from other sources may end in words of 0.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "CpuSet")]
struct Words {
    words: Vec<u64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Words> for CpuSet {
    type Error = String;

    fn try_from(Words { words }: Words) -> Result<Self, String> {
        let set = Self::of(words);
        if set.words.len() > PUS_MAX / 64 {
            return Err(format!("a set of {} words, where processing units end at {PUS_MAX}", set.words.len()));
        }
        Ok(set)
    }
}

impl CpuSet {
    /// The set of these words, of which the last ones may be 0.
    fn of(mut words: Vec<u64>) -> Self {
        let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        words.truncate(used);
        Self { words }
    }

    /// Adds a processing unit.
    ///
    /// # Panics
    /// If its number is 2^20 or more: the set has a bit for each number below it.
    pub fn insert(&mut self, pu: usize) {
        assert!(pu < PUS_MAX, "no machine has a processing unit {pu}; a set takes those below {PUS_MAX}");
        if self.words.len() <= pu / 64 {
            self.words.resize(pu / 64 + 1, 0);
        }
        self.words[pu / 64] |= 1 << (pu % 64);
    }

    /// Adds all units from `first` to `last`, word by word: a short list may name a million units many times.
    fn insert_range(&mut self, first: usize, last: usize) {
        if self.words.len() <= last / 64 {
            self.words.resize(last / 64 + 1, 0);
        }
        let (from, to) = (u64::MAX << (first % 64), u64::MAX >> (63 - last % 64));
        match &mut self.words[first / 64..=last / 64] {
            [only] => *only |= from & to,
            [front, middle @ .., back] => {
                *front |= from;
                middle.fill(u64::MAX);
                *back |= to;
            }
            [] => {}
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of processing units.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has this processing unit.
    pub fn contains(&self, pu: usize) -> bool {
        self.words.get(pu / 64).is_some_and(|word| word >> (pu % 64) & 1 == 1)
    }

    /// Whether all processing units of this set are in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len() && self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Whether the two sets have a processing unit in common.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// The lowest processing unit.
    pub fn first(&self) -> Option<usize> {
        let at = self.words.iter().position(|word| *word != 0)?;
        Some(at * 64 + self.words[at].trailing_zeros() as usize)
    }

    /// Adds the units of `other`.
    pub(crate) fn join(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// The processing units that both sets have.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::of(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// The processing units that at least one of the sets has.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.join(other);
        both
    }

    /// The processing units, in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(|(at, &word)| {
            // Removes the lowest bit repeatedly.
            let rest = std::iter::successors(Some(word), |word| Some(word & (word - 1)).filter(|rest| *rest != 0));
            rest.map(move |word| at * 64 + word.trailing_zeros() as usize)
        })
    }

    /// The words of the set: 64 units for each word, the lowest first.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}

impl FromIterator<usize> for CpuSet {
    fn from_iter<I: IntoIterator<Item = usize>>(pus: I) -> Self {
        let mut set = Self::default();
        pus.into_iter().for_each(|pu| set.insert(pu));
        set
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pus = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = pus.next() {
            let mut last = first;
            while pus.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

impl fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuSet({self})")
    }
}

impl FromStr for CpuSet {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = if text.starts_with("0x") { from_mask(text) } else { from_list(text) };
        parsed.ok_or_else(|| Error::CpuSet { text: text.to_owned() })
    }
}

/// The limit of numbers. A larger one is a typing error, not a reason to use up all memory.
pub(crate) const PUS_MAX: usize = 1 << 20;

fn from_mask(text: &str) -> Option<CpuSet> {
    let mut set = CpuSet::default();
    for (at, word) in text.split(',').rev().enumerate() {
        if at >= PUS_MAX / 32 {
            return None;
        }
        // Between other words, hwloc writes a word of zeros as an empty word.
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let word = if digits.is_empty() { 0 } else { u32::from_str_radix(unsigned(digits)?, 16).ok()? };
        (0..32).filter(|bit| word >> bit & 1 == 1).for_each(|bit| set.insert(at * 32 + bit));
    }
    Some(set)
}

/// Refuses a number with the sign that Rust's parsers accept.
fn unsigned(digits: &str) -> Option<&str> {
    (!digits.starts_with('+')).then_some(digits)
}

fn from_list(text: &str) -> Option<CpuSet> {
    let mut set = CpuSet::default();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (unsigned(first)?.parse().ok()?, unsigned(last)?.parse().ok()?);
        if first > last || last >= PUS_MAX {
            return None;
        }
        set.insert_range(first, last);
    }
    Some(set)
}
