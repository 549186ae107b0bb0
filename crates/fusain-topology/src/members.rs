//! Trees of groups of workers: for one rank's workers, and for all ranks' workers.

use std::sync::Arc;

use crate::workers::Worker;
use crate::{CpuSet, Error, Groups, Host, Place, Result, Workers};

impl Workers {
    /// The tree of groups of the workers, with worker numbers in place of ranks.
    ///
    /// # Errors
    /// [`Error::NoRanks`] if there are no workers.
    pub fn groups(&self) -> Result<Groups> {
        let host = Host::new("");
        let place = |worker: &Worker| Place {
            host: Arc::clone(&host),
            machine: 0,
            way: Arc::clone(&worker.way),
            workers: None,
        };
        Groups::build(&self.iter().map(place).collect::<Vec<_>>())
    }
}

/// A worker of some rank: see [`Level::workers`](crate::Level::workers) and [`Groups::of_workers`].
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The worker's rank.
    pub rank: usize,
    /// The worker's number in its rank; 0 if the rank's workers are unknown.
    pub worker: usize,
    /// The processing units where it may run; `None` if the rank's workers are unknown.
    pub cpuset: Option<CpuSet>,
    /// The speed of its core, relative to the other workers of its rank.
    pub weight: f64,
}

impl Member {
    /// All workers of ranks at these places. A rank without known workers counts as one worker.
    pub(crate) fn all<'a>(places: impl IntoIterator<Item = &'a Place>) -> Vec<(Self, Place)> {
        let of_rank = |(rank, place): (usize, &Place)| match place.workers().filter(|workers| !workers.is_empty()) {
            None => vec![(Self { rank, worker: 0, cpuset: None, weight: 1.0 }, place.clone())],
            Some(workers) => workers
                .iter()
                .enumerate()
                .map(|(number, worker)| {
                    let cpuset = Some(worker.cpuset.clone());
                    (Self { rank, worker: number, cpuset, weight: worker.weight }, place.of_worker(worker))
                })
                .collect(),
        };
        places.into_iter().enumerate().flat_map(of_rank).collect()
    }
}

impl Groups {
    /// Builds one tree of all ranks' workers, numbered rank after rank. The list gives each worker's rank. A rank whose workers are unknown
    /// is one member.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    ///
    /// ```
    /// use fusain_topology::{Groups, Host, Kind, Machine, Place, Policy, Workers};
    /// let (host, machine) = (Host::new("charcoal"), Machine::synthetic("Package:2 L2:2 Core:2").unwrap());
    /// let place = |rank| {
    ///     let part = machine.nth(Kind::Package, rank).unwrap();
    ///     let workers = Workers::place(&machine, part, 4, Policy::Close).unwrap();
    ///     Place::bound(&host, &machine, part).unwrap().with_workers(workers)
    /// };
    /// let (tree, members) = Groups::of_workers(&[place(0), place(1)]).unwrap();
    /// assert_eq!((members.len(), tree.depth()), (8, 3));
    /// assert_eq!((members[5].rank, members[5].worker), (1, 1));
    /// assert_eq!(tree.min_level(&[4, 5]).unwrap(), Kind::L2Cache);
    /// ```
    pub fn of_workers(places: &[Place]) -> Result<(Self, Vec<Member>)> {
        let (members, places): (Vec<_>, Vec<_>) = Member::all(places).into_iter().unzip();
        if members.is_empty() {
            return Err(Error::NoRanks);
        }
        Ok((Self::build(&places)?, members))
    }
}
