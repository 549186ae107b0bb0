//! The ranks of the examples: threads, or with feature `mpi` the processes that mpirun has started.

#[cfg(feature = "hwloc")]
mod local;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(not(feature = "hwloc"))]
mod pretended;
#[cfg(not(feature = "mpi"))]
mod threads;

#[cfg(feature = "hwloc")]
pub use local::local_place;
#[cfg(feature = "mpi")]
pub use mpi::run;
#[cfg(not(feature = "hwloc"))]
pub use pretended::local_place;
#[cfg(not(feature = "mpi"))]
pub use threads::run;

use std::sync::Arc;

use fusain::comm::{Communicator, World};
use fusain::topology::{Fabric, Host, Kind, Machine, Missing, Place, Result};

/// The code that a program runs on each rank, over any communicator.
pub trait Body: Sync {
    /// What a rank returns.
    type Output: Send;

    /// Runs one rank.
    fn on_rank<C: Communicator>(&self, comm: C) -> Self::Output;
}

/// Whether mpirun or srun has started this process, by the variables that Open MPI, MPICH and PMIx set.
fn is_launched() -> bool {
    let names = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"];
    names.into_iter().any(|name| std::env::var_os(name).is_some())
}

fn on_threads<B: Body>(ranks: usize, body: &B) -> Vec<B::Output> {
    World::threads(ranks).run(|comm| body.on_rank(comm))
}

/// Returns the place of `rank` on invented machines. The ranks are bound to the cores in order, host after host.
///
/// # Errors
/// If the description is invalid, or if the fabric does not have one of the hosts.
pub fn synthetic_place(rank: usize, description: &str, fabric: Option<&Fabric>) -> Result<Place> {
    let machine = Machine::synthetic(description)?;
    let cores = machine.objects(core_kind(&machine));
    let host = synthetic_host(rank / cores.len(), fabric)?;
    Place::bound(&host, &machine, &cores[rank % cores.len()].cpuset)
}

/// Returns an invented host, with the switches that the fabric has for its name.
pub(crate) fn synthetic_host(number: usize, fabric: Option<&Fabric>) -> Result<Arc<Host>> {
    let name = format!("node{number}");
    fabric.map_or_else(|| Ok(Host::new(&*name)), |fabric| fabric.host(&name, Missing::Refuse))
}

/// Cores, or hardware threads if the machine's description has no cores.
pub(crate) fn core_kind(machine: &Machine) -> Kind {
    if machine.count(Kind::Core) > 0 { Kind::Core } else { Kind::Pu }
}
