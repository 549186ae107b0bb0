//! Makes machines from a line of text, as hwloc does from `HWLOC_SYNTHETIC`.

use crate::machine::Extras;
use crate::{CpuSet, Error, Kind, Machine, Object, Result};

impl Machine {
    /// Makes a machine from a description in the format of hwloc's `HWLOC_SYNTHETIC`: kinds, and how many of each there are in one of the
    /// kind before.
    ///
    /// # Errors
    /// [`Error::Synthetic`], also for more than 16,384 processing units, 65,536 objects, or 128 levels.
    ///
    /// ```
    /// use fusain_topology::{Kind, Machine};
    /// let machine = Machine::synthetic("Package:2 NUMANode:1 L3:1 L2:4 core:2 pu:1").unwrap();
    /// assert_eq!(machine.count(Kind::Core), 16);
    /// ```
    pub fn synthetic(description: &str) -> Result<Self> {
        read(description).and_then(|root| Self::from_parts(root, Extras::default()))
    }
}

/// Reads `kind:count kind:count ...`; a kind left out is taken as hwloc does not: it is refused, since a level without a
/// name is of no use here. Attributes in parentheses are skipped. Without a `PU` part, the last kind gets one each.
fn read(description: &str) -> Result<Object> {
    let mut levels = Vec::new();
    let whole = || Error::Synthetic { part: description.to_owned() };
    for part in without_attributes(description).ok_or_else(whole)?.split_whitespace() {
        let wrong = || Error::Synthetic { part: part.to_owned() };
        // hwloc writes memory attached to a level as [NUMANode]; here it is a level of its own.
        let part_text = part.trim_start_matches('[').trim_end_matches(']');
        let (kind, count) = part_text.split_once(':').unwrap_or((part_text, "1"));
        let kind: Kind = kind.parse().map_err(|()| wrong())?;
        let count: usize = count.parse().ok().filter(|&count| count > 0).ok_or_else(wrong)?;
        match kind {
            Kind::Machine if count == 1 && levels.is_empty() => {}
            Kind::Machine => return Err(wrong()),
            // It is a hardware thread, in which there is nothing.
            _ if levels.last().is_some_and(|(above, _)| *above == Kind::Pu) => return Err(wrong()),
            _ => levels.push((kind, count)),
        }
    }
    match levels.last() {
        None => return Err(whole()),
        Some((Kind::Pu, _)) => {}
        Some(_) => levels.push((Kind::Pu, 1)),
    }
    if !is_conceivable(&levels) {
        return Err(whole());
    }
    Ok(build(Kind::Machine, &levels, &mut 0))
}

/// More units or objects than any machine has are a typing error, not a reason to take up all memory: each object has a bit for
/// every unit, and trees are walked by calls.
fn is_conceivable(levels: &[(Kind, usize)]) -> bool {
    const PUS_MAX: usize = 1 << 14;
    const OBJECTS_MAX: usize = 1 << 16;
    const DEPTH_MAX: usize = 128;
    let (mut objects, mut of_level) = (0, 1_usize);
    let is_possible = |(_, count): &(Kind, usize)| {
        of_level = of_level.saturating_mul(*count);
        objects = of_level.saturating_add(objects);
        of_level <= PUS_MAX && objects <= OBJECTS_MAX
    };
    levels.len() <= DEPTH_MAX && levels.iter().all(is_possible)
}

/// `None` if a parenthesis has no partner: all behind it would be left out as an attribute.
fn without_attributes(description: &str) -> Option<String> {
    let mut kept = String::with_capacity(description.len());
    let mut depth = 0_usize;
    for character in description.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    (depth == 0).then_some(kept)
}

fn build(kind: Kind, below: &[(Kind, usize)], next_pu: &mut usize) -> Object {
    let Some((&(child, count), deeper)) = below.split_first() else {
        *next_pu += 1;
        return Object::new(kind, CpuSet::from_iter([*next_pu - 1]), Vec::new());
    };
    let children: Vec<_> = (0..count).map(|_| build(child, deeper, next_pu)).collect();
    let mut cpuset = CpuSet::default();
    children.iter().for_each(|child| cpuset.join(&child.cpuset));
    Object::new(kind, cpuset, children)
}
