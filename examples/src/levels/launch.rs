//! The options that launchers need to place ranks as planned.

use std::fmt::Write;

use fusain::topology::{CpuSet, Kind};

use super::{Plan, Planned};
use crate::ranks::core_kind;

/// What is bound where, and the options of `mpirun` (Open MPI), `mpiexec` (MPICH) and `srun` (Slurm).
pub fn launch(plan: &Plan) -> String {
    let mut out = String::new();
    for (rank, planned) in plan.ranks.iter().enumerate() {
        let workers: Vec<String> = (0..planned.workers.len())
            .map(|worker| format!("{worker} on {}", planned.workers.cpuset(worker)))
            .collect();
        let crowded = if planned.workers.crowded() { " (some share a hardware thread)" } else { "" };
        let (host, part) = (planned.host.name(), &planned.part);
        writeln!(out, "rank {rank:>3}  {host}  {:<12} workers {}{crowded}", part.to_string(), workers.join(", "))
            .expect("a string has room");
    }
    out + "\n" + &mpirun(plan) + &mpiexec(plan) + &srun(plan)
}

/// The units of a rank's part, numbered as Open MPI numbers them: in the order of the tree.
fn units_of(plan: &Plan, planned: &Planned) -> Vec<usize> {
    let units = plan.machine.objects(core_kind(&plan.machine));
    (0..units.len()).filter(|&unit| units[unit].cpuset.intersects(&planned.part)).collect()
}

fn mpirun(plan: &Plan) -> String {
    let (ranks, per_host) = (plan.ranks.len(), plan.ranks_per_host);
    let (unit, option) = match core_kind(&plan.machine) {
        Kind::Core => ("core", ""),
        _ => ("hwthread", "--use-hwthread-cpus "),
    };
    let width = units_of(plan, &plan.ranks[0]).len();
    // If parts are equal and one after the other, mapping by count is enough.
    let is_regular = plan.ranks.iter().enumerate().all(|(rank, planned)| {
        let begin = rank % per_host * width;
        units_of(plan, planned) == (begin..begin + width).collect::<Vec<_>>()
    });
    if is_regular {
        return format!("mpirun -n {ranks} {option}--map-by ppr:{per_host}:node:PE={width} --bind-to {unit} PROGRAM\n");
    }
    let mut out =
        format!("mpirun -n {ranks} {option}--rankfile FILE PROGRAM, with in FILE (hosts by your own names)\n");
    for (rank, planned) in plan.ranks.iter().enumerate() {
        let slots: CpuSet = units_of(plan, planned).into_iter().collect();
        writeln!(out, "  rank {rank}={} slot={slots}", planned.host.name()).expect("a string has room");
    }
    out
}

/// The parts of a host's ranks. All hosts are cut in the same way.
fn parts_of_a_host(plan: &Plan) -> impl Iterator<Item = &CpuSet> {
    plan.ranks.iter().take_while(|planned| planned.host_number == 0).map(|planned| &planned.part)
}

/// The line for `mpiexec`, with a list of the operating system's numbers for each rank of a host.
fn mpiexec(plan: &Plan) -> String {
    let numbers = |part: &CpuSet| part.iter().map(|pu| pu.to_string()).collect::<Vec<_>>().join("+");
    let lists: Vec<String> = parts_of_a_host(plan).map(numbers).collect();
    let (ranks, per_host, lists) = (plan.ranks.len(), plan.ranks_per_host, lists.join(","));
    format!("mpiexec -n {ranks} -ppn {per_host} -bind-to user:{lists} PROGRAM\n")
}

/// The line for `srun`, with a mask of the operating system's numbers for each rank of a host. A step has all cores of its job, unless `--exact` is given, which leaves
/// one for each task. Masks count the cores of whole nodes.
fn srun(plan: &Plan) -> String {
    let masks: Vec<String> = parts_of_a_host(plan).map(mask).collect();
    let hosts = plan.ranks.iter().map(|planned| planned.host_number + 1).max().unwrap_or(1);
    let (ranks, per_host, masks) = (plan.ranks.len(), plan.ranks_per_host, masks.join(","));
    format!(
        "srun -N {hosts} -n {ranks} --ntasks-per-node={per_host} --distribution=block --cpu-bind=mask_cpu:{masks} PROGRAM, in whole nodes (salloc --exclusive)\n"
    )
}

/// One number in hexadecimal, of any length.
fn mask(set: &CpuSet) -> String {
    let last = set.iter().last().unwrap_or(0);
    let digit = |at: usize| (0..4).filter(|bit| set.contains(at * 4 + bit)).map(|bit| 1_u32 << bit).sum::<u32>();
    let digits: String = (0..=last / 4).rev().map(|at| format!("{:x}", digit(at))).collect();
    format!("0x{digits}")
}

#[cfg(test)]
mod tests {
    use fusain::topology::{Machine, Policy};

    use super::*;

    /// The lines for the launchers, without those that say what is bound where.
    fn lines(machine: &str, ranks: usize, workers: usize) -> Vec<String> {
        let machine = Machine::synthetic(machine).expect("a description");
        let plan = Plan::new(&machine, None, ranks, workers, Policy::Close).expect("ranks and workers");
        launch(&plan).lines().skip(ranks + 1).map(str::to_owned).collect()
    }

    #[test]
    fn equal_parts_are_mapped_by_count() {
        assert_eq!(
            lines("Package:2 Core:3 PU:2", 3, 3),
            [
                "mpirun -n 3 --map-by ppr:2:node:PE=3 --bind-to core PROGRAM",
                "mpiexec -n 3 -ppn 2 -bind-to user:0+1+2+3+4+5,6+7+8+9+10+11 PROGRAM",
                "srun -N 2 -n 3 --ntasks-per-node=2 --distribution=block --cpu-bind=mask_cpu:0x3f,0xfc0 PROGRAM, in whole nodes (salloc --exclusive)",
            ]
        );
    }

    #[test]
    fn unequal_parts_need_a_file() {
        assert_eq!(
            lines("Package:3 NUMANode:2 Core:2 PU:1", 5, 2)[..6],
            [
                "mpirun -n 5 --rankfile FILE PROGRAM, with in FILE (hosts by your own names)",
                "  rank 0=node0 slot=0-1",
                "  rank 1=node0 slot=2-3",
                "  rank 2=node0 slot=4-6",
                "  rank 3=node0 slot=7-8",
                "  rank 4=node0 slot=9-11",
            ]
        );
    }

    #[test]
    fn without_cores_hardware_threads_are_counted() {
        let mpirun = "mpirun -n 2 --use-hwthread-cpus --map-by ppr:2:node:PE=3 --bind-to hwthread PROGRAM";
        assert_eq!(lines("PU:6", 2, 3)[0], mpirun);
    }
}
