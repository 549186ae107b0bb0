//! What the examples' ranks are: threads, or with feature `mpi` the processes that mpirun started.

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
pub use mpi::{Comm, run};
#[cfg(not(feature = "hwloc"))]
pub use pretended::local_place;
#[cfg(not(feature = "mpi"))]
pub use threads::{Comm, run};

use fusain::topology::{Fabric, Host, Kind, Machine, Missing, Place, Result};

/// The place of `rank` on pretended machines: ranks are bound to cores in order, host after host.
///
/// # Errors
/// A description that can not be read, or hosts that the fabric does not have.
pub fn synthetic_place(rank: usize, description: &str, fabric: Option<&Fabric>) -> Result<Place> {
    let machine = Machine::synthetic(description)?;
    let cores = if machine.count(Kind::Core) > 0 { machine.objects(Kind::Core) } else { machine.objects(Kind::Pu) };
    let name = format!("node{}", rank / cores.len());
    let host = match fabric {
        Some(fabric) => fabric.host(&name, Missing::Refuse)?,
        None => Host::new(name),
    };
    Place::bound(&host, &machine, &cores[rank % cores.len()].cpuset)
}
