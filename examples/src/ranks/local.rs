//! The real place of this process.

use fusain::topology::{Fabric, Missing, Place, Result, local_binding, local_host, local_machine};

/// Returns the place of this process, from hwloc, the host's name, and the network's description or Slurm's variables.
///
/// # Errors
/// The errors of hwloc and of the network's description.
pub fn local_place(fabric: Option<&Fabric>) -> Option<Result<Place>> {
    let find = || {
        let (host, machine) = (local_host(fabric, Missing::Refuse)?, local_machine()?);
        match local_binding()? {
            Some(binding) => Place::bound(&host, &machine, &binding),
            None => Ok(Place::unbound(&host, &machine)),
        }
    };
    Some(find())
}
