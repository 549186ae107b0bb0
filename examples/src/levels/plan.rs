//! Which rank goes to which host and gets which part of it, with its workers.

use std::sync::Arc;

use fusain::topology::{CpuSet, Fabric, Host, Machine, Place, Policy, Scope, Workers};

use crate::ranks::{core_kind, synthetic_host};

/// Ranks on identical hosts.
#[derive(Debug)]
pub struct Plan {
    /// Each host's machine.
    pub machine: Machine,
    /// How many ranks a host has; the last one may have fewer.
    pub ranks_per_host: usize,
    /// The ranks, in order.
    pub ranks: Vec<Planned>,
}

/// One rank.
#[derive(Debug)]
pub struct Planned {
    /// The host that it is on.
    pub host: Arc<Host>,
    /// The number of that host.
    pub host_number: usize,
    /// Its part of the host.
    pub part: CpuSet,
    /// Its workers there.
    pub workers: Workers,
}

impl Plan {
    /// Fills one host after the other. A host gets as many ranks as it has cores for their workers, but at least one, and its cores are
    /// divided evenly between them.
    ///
    /// # Errors
    /// If there is no rank or no worker, or if the fabric does not have one of the hosts.
    pub fn new(
        machine: &Machine,
        fabric: Option<&Fabric>,
        ranks: usize,
        workers: usize,
        policy: Policy,
    ) -> anyhow::Result<Self> {
        anyhow::ensure!(ranks > 0 && workers > 0, "there is at least one rank, and one worker a rank");
        let cores = machine.count(core_kind(machine));
        let ranks_per_host = (cores / workers).clamp(1, ranks);
        let whole = Scope::whole(machine);
        let mut planned = Vec::with_capacity(ranks);
        for host_number in 0..ranks.div_ceil(ranks_per_host) {
            let host = synthetic_host(host_number, fabric)?;
            let here = ranks_per_host.min(ranks - planned.len());
            // With one worker per rank, each rank gets one core, so that the cores left over are next to each other.
            let parts = if workers == 1 { ranks_per_host.max(cores) } else { ranks_per_host };
            for part in whole.split_into(parts)?.into_iter().take(here) {
                let workers = part.workers(workers, policy)?;
                planned.push(Planned { host: Arc::clone(&host), host_number, part: part.cpuset().clone(), workers });
            }
        }
        Ok(Self { machine: machine.clone(), ranks_per_host, ranks: planned })
    }

    /// Returns the place of a rank, with its workers.
    ///
    /// # Errors
    /// If the rank was not planned.
    pub fn place(&self, rank: usize) -> anyhow::Result<Place> {
        let Some(planned) = self.ranks.get(rank) else {
            anyhow::bail!("{} ranks were planned: give --ranks as many as mpirun starts", self.ranks.len());
        };
        let place = Place::bound(&planned.host, &self.machine, &planned.part)?;
        Ok(place.with_workers(planned.workers.clone()))
    }
}
