//! Where this process really is.

use fusain::topology::{Fabric, Missing, Place, Result, local_binding, local_host, local_machine};

/// This process's place, from hwloc, the host's name, and the network's description or Slurm's variables.
///
/// # Errors
/// What hwloc and the network's description can fail with.
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
