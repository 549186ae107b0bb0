//! Makes machines from a line of text, as hwloc does from `HWLOC_SYNTHETIC`.

mod indexes;

use crate::kind::is_instruction_cache;
use crate::machine::Extras;
use crate::{CpuSet, Error, Kind, Machine, Object, Result};

const PUS_MAX: usize = 1 << 14;
const OBJECTS_MAX: usize = 1 << 16;
const DEPTH_MAX: usize = 128;

/// A kind, and the number of its objects in each object of the level above.
type Level = (Kind, usize);

impl Machine {
    /// Makes a machine from a description in the format of hwloc's `HWLOC_SYNTHETIC`, as `lstopo --of synthetic` writes it: kinds, each with
    /// its number of objects in one object of the kind before.
    ///
    /// Kinds have hwloc's names; a kind cannot be left out. Without a `PU` part, each object of the last kind has one processing unit.
    /// Instruction caches are no level: the objects in them count as objects of the level around them.
    ///
    /// `[NUMANode]` is memory that is attached to the object before it. As in a machine read from XML, it is a level below the largest object
    /// with these processing units, but not below the machine. A second node there is no level. If no memory is named, there is no such level,
    /// whereas hwloc adds one.
    ///
    /// Of the attributes in parentheses, only `indexes=` of `PU` is used: the operating system's numbers of the processing units, as a list
    /// (`0,2,1,3`) or as steps (`2*2:1*2`). As in hwloc, objects are then ordered by their lowest numbers. All other attributes are skipped:
    /// sizes of memory and caches, and numbers of other objects.
    ///
    /// # Errors
    /// [`Error::Synthetic`], also for more than 16,384 processing units, 65,536 objects, or 128 levels. [`Error::Indexes`] for numbers that do
    /// not give each processing unit one number, or are over 16,383, and for steps that are named after kinds (`numa:core`).
    ///
    /// ```
    /// use fusain_topology::{Kind, Machine};
    /// let machine = Machine::synthetic("Package:2 NUMANode:1 L3:1 L2:4 core:2 pu:1").unwrap();
    /// assert_eq!(machine.count(Kind::Core), 16);
    /// let machine = Machine::synthetic("[NUMANode(memory=16GB)] Package:2 L1dCache:2(size=32KB) L1iCache:1 Core:1 PU:2(indexes=2*4:1*2)").unwrap();
    /// assert_eq!(machine.nth(Kind::Core, 1).unwrap().to_string(), "1,5");
    /// ```
    pub fn synthetic(description: &str) -> Result<Self> {
        read(description).and_then(|root| Self::from_parts(root, Extras::default()))
    }
}

/// Reads a description. hwloc accepts a level without a kind; here it is refused, since a level without a name is of no use.
fn read(description: &str) -> Result<Object> {
    let whole = || Error::Synthetic { part: description.to_owned() };
    let mut told = Told::default();
    for part in parts(description).ok_or_else(whole)? {
        told.add(&part).ok_or_else(|| Error::Synthetic { part: part.as_written() })?;
    }
    let Told { mut levels, memory, multiple, indexes } = told;
    match levels.last() {
        None if multiple == 1 => return Err(whole()),
        Some((Kind::Pu, _)) => {}
        _ => levels.push((Kind::Pu, multiple)),
    }
    // Checked before the memory nodes, each of which takes a pass over the levels.
    if !is_conceivable(&levels) {
        return Err(whole());
    }
    hang(&memory, &mut levels);
    if !is_conceivable(&levels) {
        return Err(whole());
    }
    let units = levels.iter().map(|(_, count)| count).product();
    let numbers = indexes.map_or_else(|| Ok((0..units).collect()), |text| indexes::numbers(&text, units))?;
    Ok(build(Kind::Machine, &levels, &mut numbers.into_iter()))
}

/// A word of a description, and the text in parentheses in it.
#[derive(Default)]
struct Part {
    word: String,
    attributes: String,
}

/// Splits a description into parts. `None` if a parenthesis has no partner, since everything after it would be taken for an attribute.
fn parts(description: &str) -> Option<Vec<Part>> {
    let mut parts = vec![Part::default()];
    let mut depth = 0_usize;
    for character in description.chars() {
        let part = parts.last_mut()?;
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            space if depth == 0 && space.is_whitespace() => parts.push(Part::default()),
            other if depth == 0 => part.word.push(other),
            other => part.attributes.push(other),
        }
    }
    // The word may be missing, as for the machine's attributes.
    parts.retain(|part| !part.word.is_empty() || part.indexes().is_some());
    (depth == 0).then_some(parts)
}

impl Part {
    fn as_written(&self) -> String {
        if self.word.is_empty() { format!("({})", self.attributes) } else { self.word.clone() }
    }

    fn indexes(&self) -> Option<&str> {
        self.attributes.split_whitespace().find_map(|attribute| attribute.strip_prefix("indexes="))
    }
}

/// The content of a description's parts, read one after the other.
struct Told {
    levels: Vec<Level>,
    /// The number of levels above each NUMA node in brackets.
    memory: Vec<usize>,
    /// The number of instruction caches in one object of the last level. The next level lies in them.
    multiple: usize,
    /// The numbers of the processing units.
    indexes: Option<String>,
}

impl Default for Told {
    fn default() -> Self {
        Self { levels: Vec::new(), memory: Vec::new(), multiple: 1, indexes: None }
    }
}

impl Told {
    /// Adds a part; returns `None` if it is not valid.
    fn add(&mut self, part: &Part) -> Option<()> {
        // Nothing can lie in a hardware thread.
        if self.levels.last().is_some_and(|(above, _)| *above == Kind::Pu) {
            return None;
        }
        let bracketed = part.word.strip_prefix('[').map(|word| word.strip_suffix(']'));
        let word = bracketed.unwrap_or(Some(&part.word))?;
        let (name, count) = word.split_once(':').unwrap_or((word, "1"));
        let count: usize = count.parse().ok().filter(|&count| count > 0)?;
        if is_instruction_cache(name) && bracketed.is_none() {
            self.multiple = self.multiple.saturating_mul(count);
            return Some(());
        }
        match name.parse().ok()? {
            // The memory of one of several instruction caches, which are no level.
            Kind::NumaNode if bracketed.is_some() && count == 1 && self.multiple > 1 => {}
            Kind::NumaNode if bracketed.is_some() && count == 1 => self.memory.push(self.levels.len()),
            _ if bracketed.is_some() => return None,
            Kind::Machine if count == 1 && self.levels.is_empty() && self.multiple == 1 => {}
            Kind::Machine => return None,
            kind => {
                self.levels.push((kind, self.multiple.saturating_mul(count)));
                self.multiple = 1;
                self.indexes = part.indexes().filter(|_| kind == Kind::Pu).map(str::to_owned);
            }
        }
        Some(())
    }
}

/// Makes levels of NUMA nodes in brackets. hwloc attaches each to the largest object below the machine that has its processing units.
fn hang(memory: &[usize], levels: &mut Vec<Level>) {
    let mut holders: Vec<usize> = Vec::new();
    for &above in memory {
        let mut highest = above;
        while highest > 0 && levels[highest - 1].1 == 1 {
            highest -= 1;
        }
        let holder = highest.saturating_sub(1);
        let is_machine = highest == 0 && levels[0].1 > 1;
        // The levels with the same processing units. One of them may already be memory.
        let alike = levels[holder + 1..].iter().take_while(|(_, count)| *count == 1);
        let has_memory = std::iter::once(&levels[holder]).chain(alike).any(|(kind, _)| *kind == Kind::NumaNode);
        if !is_machine && !has_memory && levels[holder].0 != Kind::Pu && !holders.contains(&holder) {
            holders.push(holder);
        }
    }
    // From the bottom up, so that the indices of the levels above stay valid.
    holders.sort_unstable();
    holders.into_iter().rev().for_each(|holder| levels.insert(holder + 1, (Kind::NumaNode, 1)));
}

/// Checks the limits. More units or objects than any machine has are a typing error, not a reason to use up all memory: each object has a bit
/// for every unit, and trees are walked by recursion.
fn is_conceivable(levels: &[Level]) -> bool {
    let (mut objects, mut of_level) = (0, 1_usize);
    let is_possible = |(_, count): &Level| {
        of_level = of_level.saturating_mul(*count);
        objects = of_level.saturating_add(objects);
        of_level <= PUS_MAX && objects <= OBJECTS_MAX
    };
    levels.len() <= DEPTH_MAX && levels.iter().all(is_possible)
}

fn build(kind: Kind, below: &[Level], numbers: &mut impl Iterator<Item = usize>) -> Object {
    let Some((&(child, count), deeper)) = below.split_first() else {
        return Object::new(kind, numbers.by_ref().take(1).collect(), Vec::new());
    };
    let mut children: Vec<_> = (0..count).map(|_| build(child, deeper, numbers)).collect();
    children.sort_by_key(|child| child.cpuset.first());
    let mut cpuset = CpuSet::default();
    children.iter().for_each(|child| cpuset.join(&child.cpuset));
    Object::new(kind, cpuset, children)
}
