//! The group of ranks that take part in a collective.

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

    /// A group of some ranks, in the order of their numbers in the group. `None` if the builder's rank is not one of them.
    ///
    /// # Errors
    /// [`Error::Shape`] if the builder does not have a rank, [`Error::Unsuitable`] if a rank is listed twice.
    pub fn of(builder: &ScheduleBuilder, members: impl Into<Arc<[usize]>>) -> Result<Option<Self>> {
        let members = members.into();
        if let Some(&given) = members.iter().find(|&&member| member >= builder.size()) {
            return Err(Error::Shape {
                what: "a rank of a group, and the number of ranks",
                given,
                expected: builder.size(),
            });
        }
        // Usually the ranks are in order, and then none is listed twice.
        if !members.is_sorted_by(|a, b| a < b) {
            let mut sorted = members.to_vec();
            sorted.sort_unstable();
            if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(Error::Unsuitable("a group has a rank twice"));
            }
        }
        let rank = members.iter().position(|&member| member == builder.rank());
        Ok(rank.map(|rank| Self { rank, size: members.len(), members: Some(members) }))
    }

    /// This rank's number within the group.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks of the group.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rank with this number in the group, modulo the group's size. (In an empty group the result is 0, but a builder of no ranks
    /// compiles nothing.)
    pub fn member(&self, number: usize) -> usize {
        let number = number.checked_rem(self.size).unwrap_or(0);
        self.members.as_ref().map_or(number, |members| members[number])
    }

    pub(super) fn check(&self, root: usize) -> Result<()> {
        if root < self.size {
            return Ok(());
        }
        Err(fusain_comm::Error::RankOutOfRange { rank: root, size: self.size }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::OpId;

    type Collective = fn(&mut ScheduleBuilder, &Group, Region<u64>) -> Result<()>;

    #[test]
    fn a_rank_that_is_not_there_has_no_part() {
        let collectives: [Collective; 9] = [
            |builder, group, _| barrier(builder, group, 2, &[]).map(drop::<OpId>),
            |builder, group, data| broadcast(builder, group, data, 0, Tree::whole(Shape::Binomial)),
            |builder, group, data| reduce(builder, group, data, 0, &Reduction::sum(), Tree::whole(Shape::Binomial)),
            |builder, group, data| allreduce(builder, group, data, &Reduction::sum(), Allreduce::RecursiveDoubling),
            |builder, group, data| gather(builder, group, data, (None, &[]), 0, Shape::Linear),
            |builder, group, data| allgather(builder, group, data, (data, &[]), Allgather::Bruck),
            |builder, group, data| all_to_all(builder, group, (data, &[]), (data, &[]), AllToAll::Bruck),
            |builder, group, data| scan(builder, group, data, &Reduction::sum()),
            |builder, group, _| neighbours::<u64>(builder, group, &[], &[]),
        ];
        for (rank, size) in [(0, 0), (5, 3)] {
            for collective in collectives {
                let mut builder = ScheduleBuilder::in_program_order(rank, size);
                let (group, data) = (Group::all(&builder), builder.buffer(1));
                let refused = Err(Error::NoSuchRank { rank: rank as u64, size: size as u64 });
                assert_eq!(collective(&mut builder, &group, data), refused);
                assert_eq!(group.member(size + 2), if size == 0 { 0 } else { 2 });
            }
        }
    }

    #[test]
    fn a_group_is_for_its_own_rank() {
        let first = ScheduleBuilder::in_program_order(0, 3);
        let groups = [Group::all(&first), Group::of(&first, [2, 0]).unwrap().unwrap()];
        for group in groups {
            let add = |rank| {
                let mut builder = ScheduleBuilder::in_program_order(rank, 3);
                barrier(&mut builder, &group, 1, &[]).map(drop::<OpId>)
            };
            assert_eq!(add(0), Ok(()));
            assert!(matches!([add(1), add(2)], [Err(Error::Unsuitable(_)), Err(Error::Unsuitable(_))]));
        }
    }

    #[test]
    fn a_rank_is_in_a_group_once() {
        let builder = ScheduleBuilder::in_program_order(1, 4);
        let of = |members: &[usize]| Group::of(&builder, members).map(|group| group.map(|group| group.rank()));
        for twice in [&[0, 1, 1][..], &[1, 0, 1], &[3, 2, 3]] {
            assert_eq!(of(twice), Err(Error::Unsuitable("a group has a rank twice")));
        }
        assert_eq!(of(&[3, 1, 0]), Ok(Some(1)));
        assert_eq!(of(&[0, 1]), Ok(Some(1)));
        assert_eq!(of(&[3, 2]), Ok(None));
    }
}
