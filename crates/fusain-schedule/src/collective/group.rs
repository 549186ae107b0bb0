//! Which ranks take part.

use std::sync::Arc;

use crate::{Error, Result, ScheduleBuilder};

/// The ranks that take part in a collective, and this rank's number among them. Cheap to clone.
///
/// ```
/// use fusain_schedule::ScheduleBuilder;
/// use fusain_schedule::collective::Group;
///
/// let builder = ScheduleBuilder::in_program_order(2, 4); // rank 2 of 4
/// assert_eq!(Group::all(&builder).size(), 4);
/// let even = Group::of(&builder, [0, 2])?.expect("rank 2 is even");
/// assert_eq!((even.rank(), even.size(), even.member(0)), (1, 2, 0));
/// # Ok::<(), fusain_schedule::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Group {
    /// None for all ranks.
    members: Option<Arc<[usize]>>,
    rank: usize,
    size: usize,
}

impl Group {
    /// All ranks of the builder.
    pub fn all(builder: &ScheduleBuilder) -> Self {
        Self { members: None, rank: builder.rank(), size: builder.size() }
    }

    /// A group of some ranks, in the order of their numbers in the group. `None` if the builder's rank is not among them.
    ///
    /// # Errors
    /// [`Error::Shape`] if the builder does not have a rank.
    pub fn of(builder: &ScheduleBuilder, members: impl Into<Arc<[usize]>>) -> Result<Option<Self>> {
        let members = members.into();
        if let Some(&given) = members.iter().find(|&&member| member >= builder.size()) {
            return Err(Error::Shape {
                what: "a rank of a group, and the number of ranks",
                given,
                expected: builder.size(),
            });
        }
        let rank = members.iter().position(|&member| member == builder.rank());
        Ok(rank.map(|rank| Self { rank, size: members.len(), members: Some(members) }))
    }

    /// This rank's number within the group.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many ranks it has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rank with this number in the group, modulo the group's size.
    pub fn member(&self, number: usize) -> usize {
        let number = number % self.size;
        self.members.as_ref().map_or(number, |members| members[number])
    }

    pub(super) fn check(&self, root: usize) -> Result<()> {
        if root < self.size {
            return Ok(());
        }
        Err(fusain_comm::Error::RankOutOfRange { rank: root, size: self.size }.into())
    }
}
