//! Groups as communicators.
//!
//! # When communicators are made
//!
//! Making a communicator is collective over the one that it is split from. [`Hierarchy::build`] makes one for each level of a rank. The
//! communicators *between* the groups of a level (those of leaders) are made at first use. This requires that all ranks of the group above
//! are in the same call:
//!
//! * All ranks call the hierarchy's own collectives, in the same order and with the same lengths. These alone decide whether a collective
//!   goes by levels or flat ([`model`](crate::model)). So the first collective that goes by levels is the same call on every rank. In that
//!   call each rank makes the communicators that it lacks, from the top down.
//! * All ranks of the group above must call [`Hierarchy::roots`].
//!
//! The communicator of a level itself is made at once: its first use may be a message between two of its ranks while its other ranks are in
//! other calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use fusain_comm::{Communicator, Shape};

use crate::model::{Costs, Operation, Question, Way, choose};
use crate::{Groups, Info, Kind, Member, Place, Result};

/// The communicator of one level: this rank's group among its siblings.
#[derive(Debug)]
pub struct Level<C> {
    comm: C,
    roots: OnceLock<Option<C>>,
    info: Info,
    /// The places of the ranks of `comm`, in order.
    places: Arc<[Place]>,
}

impl<C: Communicator> Level<C> {
    pub(crate) fn new(comm: C, info: Info, places: Arc<[Place]>) -> Self {
        Self { comm, roots: OnceLock::new(), info, places }
    }

    /// The group's communicator.
    pub fn comm(&self) -> &C {
        &self.comm
    }

    /// The communicator of the siblings' rank 0s, whose ranks are the siblings' indices. `None` on other ranks, and until
    /// [`split_with_roots`] or [`Hierarchy::roots`] has made the communicator.
    pub fn roots(&self) -> Option<&C> {
        self.roots.get().and_then(Option::as_ref)
    }

    /// What the group's members share.
    pub fn info(&self) -> Info {
        self.info
    }

    /// The workers of all ranks of the level, in the order of ranks in [`comm`](Self::comm), as given to [`Place::with_workers`]. A rank
    /// without workers counts as one worker.
    pub fn workers(&self) -> Vec<Member> {
        Member::all(self.places.iter()).into_iter().map(|(member, _)| member).collect()
    }

    /// The next level below; see [`split`].
    ///
    /// # Errors
    /// As [`split`].
    pub fn split(&self, place: &Place) -> Result<Option<Self>> {
        split(&self.comm, place)
    }
}

/// Collective: splits `comm` into the next level strictly below. `None` at the bottom, and on a rank that is bound to several parts; the
/// other ranks are still split.
///
/// Takes one gather of all places, and one split. RR-9077, section 3.2.1.
///
/// # Errors
/// [`crate::Error::DuplicateHost`]; [`crate::Error::Comm`]; [`crate::Error::Garbled`] if another rank makes a different call.
pub fn split<C: Communicator>(comm: &C, place: &Place) -> Result<Option<Level<C>>> {
    step(comm, &Gathered::all(comm, place)?, false)
}

/// Collective: like [`split`], and also makes the communicator of the roots, which are the ranks 0 of the children. RR-9077, section 3.2.3.
///
/// # Errors
/// As [`split`].
pub fn split_with_roots<C: Communicator>(comm: &C, place: &Place) -> Result<Option<Level<C>>> {
    step(comm, &Gathered::all(comm, place)?, true)
}

fn step<C: Communicator>(comm: &C, gathered: &Gathered, with_roots: bool) -> Result<Option<Level<C>>> {
    if gathered.groups.root().children().is_empty() {
        return Ok(None);
    }
    let level = gathered.below(comm, comm.rank(), 1)?;
    if with_roots {
        let is_root = level.as_ref().is_some_and(|level| level.comm.rank() == 0);
        let roots = comm.split(is_root.then_some(0), 0)?;
        if let Some(level) = &level {
            level.roots.get_or_init(|| roots);
        }
    }
    Ok(level)
}

/// The places and groups of all ranks, which every rank knows after a gather.
pub(crate) struct Gathered {
    pub(crate) places: Vec<Place>,
    pub(crate) groups: Groups,
}

impl Gathered {
    pub(crate) fn all<C: Communicator>(comm: &C, place: &Place) -> Result<Self> {
        let places = Place::decode_all(&comm.allgather(&place.encode())?)?;
        let groups = Groups::build(&places)?;
        Ok(Self { places, groups })
    }

    /// The level at `depth` of rank `me`. `above` is the group right above it, which is split. None if `me` stays behind in that group.
    fn below<C: Communicator>(&self, above: &C, me: usize, depth: usize) -> Result<Option<Level<C>>> {
        let group = self.groups.levels_of(me).get(depth - 1).copied();
        let comm = above.split(group.map(|group| group.info().index as u32), 0)?;
        Ok(comm.zip(group).map(|(comm, group)| {
            let places = group.ranks().into_iter().map(|rank| self.places[rank].clone()).collect();
            Level::new(comm, group.info(), places)
        }))
    }
}

/// All levels of a communicator at once.
///
/// ```
/// use fusain_comm::{Communicator, World};
/// use fusain_topology::{Error, Hierarchy, Host, Kind, Machine, Place};
///
/// let machine = Machine::synthetic("Package:2 Core:2 PU:1")?;
/// let host = Host::new("node0");
/// let seen = World::threads(4).run(|comm| {
///     let place = Place::bound(&host, &machine, machine.nth(Kind::Core, comm.rank()).expect("a core for each rank"))?;
///     let hierarchy = Hierarchy::build(&comm, &place)?;
///     let mut data = [if comm.rank() == 0 { 42_u64 } else { 0 }];
///     hierarchy.broadcast(&mut data, 0)?;
///     Ok::<_, Error>((hierarchy.levels()[0].comm().size(), data[0]))
/// });
/// assert!(seen.iter().all(|rank| *rank == Ok((2, 42))));
/// # Ok::<(), Error>(())
/// ```
pub struct Hierarchy<C> {
    whole: C,
    levels: Vec<Level<C>>,
    groups: Groups,
    /// On the way down to this rank: the communicator of leaders of each group of which it is a leader. Made by the first collective that
    /// needs them.
    leaders: OnceLock<Vec<C>>,
    /// Set when a rank that stays behind in its lowest group has taken part in making the roots below that group.
    stayed: OnceLock<()>,
    costs: Costs,
    fixed: Option<Way>,
    chosen: Mutex<HashMap<Question, Way>>,
}

impl<C: Communicator> Hierarchy<C> {
    /// Collective: makes all levels down to the bottom. `comm` is duplicated; [`over`](Self::over) takes it instead.
    ///
    /// # Errors
    /// [`crate::Error::DuplicateHost`]; [`crate::Error::Comm`]; [`crate::Error::Garbled`] if another rank makes a different call.
    pub fn build(comm: &C, place: &Place) -> Result<Self> {
        Self::over(comm.duplicate()?, place)
    }

    /// Collective: makes all levels of a communicator, of which the hierarchy takes ownership.
    ///
    /// Takes one gather of all places, and one split for each level. The [module](self) says what is made later.
    ///
    /// # Errors
    /// [`crate::Error::DuplicateHost`]; [`crate::Error::Comm`]; [`crate::Error::Garbled`] if another rank makes a different call.
    pub fn over(whole: C, place: &Place) -> Result<Self> {
        let gathered = Gathered::all(&whole, place)?;
        let mut levels: Vec<Level<C>> = Vec::new();
        loop {
            let depth = levels.len();
            let group = group_at(&gathered.groups, whole.rank(), depth);
            if group.children().is_empty() {
                break;
            }
            let above = levels.last().map_or(&whole, Level::comm);
            match gathered.below(above, whole.rank(), depth + 1)? {
                Some(level) => levels.push(level),
                None => break,
            }
        }
        Ok(Self {
            whole,
            levels,
            groups: gathered.groups,
            leaders: OnceLock::new(),
            stayed: OnceLock::new(),
            costs: Costs::default(),
            fixed: None,
            chosen: Mutex::default(),
        })
    }

    /// Sets the costs of links, by which collectives choose between levels and a flat tree. They must be the same on all ranks.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs, chosen: Mutex::default(), ..self }
    }

    /// Makes collectives always go this way. It must be the same on all ranks. (A [`reduce`](Self::reduce) that must keep the order of
    /// ranks still goes flat if groups do not consist of consecutive ranks.)
    #[must_use]
    pub fn always(self, way: Way) -> Self {
        Self { fixed: Some(way), ..self }
    }

    /// Which way a collective of `bytes` in segments of `segment_bytes` goes, over trees of `shape` from or to `root`. The result is the
    /// same on all ranks.
    pub fn way(&self, operation: Operation, shape: Shape, bytes: usize, segment_bytes: usize, root: usize) -> Way {
        if self.groups.depth() == 0 {
            return Way::Flat;
        }
        let question = Question::new(operation, shape, bytes, segment_bytes, root);
        let answer = || {
            let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
            *chosen.entry(question).or_insert_with(|| choose(&self.groups, &self.costs, question))
        };
        self.fixed.unwrap_or_else(answer)
    }

    /// The communicator of all ranks: the one that the hierarchy was made of, or its duplicate. Its tag 0 is reserved for the hierarchy.
    pub fn comm(&self) -> &C {
        &self.whole
    }

    /// This rank's levels, from the largest group to the smallest. Ranks may have different numbers of levels.
    pub fn levels(&self) -> &[Level<C>] {
        &self.levels
    }

    /// The communicator of this rank's smallest group, or of all ranks if there is no level.
    pub fn leaf(&self) -> &C {
        self.comm_at(self.levels.len())
    }

    /// The communicator of this rank's group at a depth that it reaches. At depth 0, that of all ranks.
    fn comm_at(&self, depth: usize) -> &C {
        if depth == 0 { &self.whole } else { self.levels[depth - 1].comm() }
    }

    /// The communicator of the roots of the groups at level `depth`, counted from 0. Collective over the ranks of the group *above* that
    /// level: all of them must call it. The first call makes it. `None` on a rank that is not a root at that level, or has no such level.
    ///
    /// # Errors
    /// [`crate::Error::Comm`].
    pub fn roots(&self, depth: usize) -> Result<Option<&C>> {
        if depth > self.levels.len() || group_at(&self.groups, self.whole.rank(), depth).children().is_empty() {
            return Ok(None);
        }
        let above = self.comm_at(depth);
        let Some(level) = self.levels.get(depth) else {
            // This rank stays behind in the group above, but must still take part in the split.
            if self.stayed.get().is_none() {
                above.split(None, 0)?;
                self.stayed.get_or_init(|| ());
            }
            return Ok(None);
        };
        if level.roots.get().is_none() {
            let made = above.split((level.comm.rank() == 0).then_some(0), 0)?;
            level.roots.get_or_init(|| made);
        }
        Ok(level.roots())
    }

    /// Collective: makes the communicators that the first collective by levels would make, so that the first one is as fast as later ones.
    ///
    /// # Errors
    /// [`crate::Error::Comm`].
    pub fn connect(&self) -> Result<()> {
        self.way_down().map(drop)
    }

    /// The tree of groups of all ranks.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The lowest level that `ranks` share. This rank must be one of them. RR-9077, section 3.3.2.
    ///
    /// # Errors
    /// [`crate::Error::NotAMember`], [`crate::Error::RankOutOfRange`].
    pub fn min_level(&self, ranks: &[usize]) -> Result<Kind> {
        self.groups.min_level_for(self.whole.rank(), ranks)
    }

    /// The communicators of this rank on the way down, each with rank 0 at its source: those of the leaders of every group of which it is a
    /// leader, then its lowest group. All ranks must call this in the same call.
    pub(crate) fn way_down(&self) -> Result<Vec<&C>> {
        if self.leaders.get().is_none() {
            let made = self.make_leaders()?;
            self.leaders.get_or_init(|| made);
        }
        let mut way: Vec<&C> = self.leaders.get().into_iter().flatten().collect();
        if group_at(&self.groups, self.whole.rank(), self.levels.len()).children().is_empty() {
            way.push(self.leaf());
        }
        Ok(way)
    }

    /// Splits every group on the way down that has parts.
    fn make_leaders(&self) -> Result<Vec<C>> {
        let me = self.whole.rank();
        let mut leaders = Vec::new();
        for depth in 0..=self.levels.len() {
            let group = group_at(&self.groups, me, depth);
            if group.children().is_empty() {
                break;
            }
            let leads = group.leaders().binary_search(&me).is_ok();
            leaders.extend(self.comm_at(depth).split(leads.then_some(0), 0)?);
        }
        Ok(leaders)
    }
}

/// A rank's group at a depth that it reaches.
fn group_at(groups: &Groups, rank: usize, depth: usize) -> crate::Group<'_> {
    if depth == 0 { groups.root() } else { groups.levels_of(rank)[depth - 1] }
}

impl<C: Communicator> fmt::Debug for Hierarchy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hierarchy").field("whole", &self.whole).field("levels", &self.levels).finish_non_exhaustive()
    }
}

/// Draws the tree of groups.
impl<C: Communicator> fmt::Display for Hierarchy<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.groups.fmt(f)
    }
}
