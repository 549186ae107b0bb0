//! What launchers need to place ranks as planned.

use std::fmt::Write;

use fusain::topology::{CpuSet, Kind};

use super::{Plan, Planned};

/// What is bound where, and the options of `mpirun` (Open MPI) and `srun` (Slurm).
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
    out + "\n" + &mpirun(plan) + &srun(plan)
}

/// The cores of the first host's ranks, as Open MPI counts them: in the order of the tree.
fn cores_of(plan: &Plan, planned: &Planned) -> Vec<usize> {
    let cores = plan.machine.objects(Kind::Core);
    let units = if cores.is_empty() { plan.machine.objects(Kind::Pu) } else { cores };
    (0..units.len()).filter(|&core| units[core].cpuset.intersects(&planned.part)).collect()
}

fn mpirun(plan: &Plan) -> String {
    let ranks = plan.ranks.len();
    let first: Vec<&Planned> = plan.ranks.iter().take_while(|planned| planned.host_number == 0).collect();
    let width = cores_of(plan, first[0]).len();
    // With equal parts one after the other, mapping by count says all.
    let is_regular = plan.ranks.iter().enumerate().all(|(rank, planned)| {
        let begin = rank % plan.ranks_per_host * width;
        cores_of(plan, planned) == (begin..begin + width).collect::<Vec<_>>()
    });
    if is_regular {
        let per_host = plan.ranks_per_host;
        return format!("mpirun -n {ranks} --map-by ppr:{per_host}:node:PE={width} --bind-to core PROGRAM\n");
    }
    let mut out = format!("mpirun -n {ranks} --rankfile FILE PROGRAM, with in FILE (hosts by your own names)\n");
    for (rank, planned) in plan.ranks.iter().enumerate() {
        let cores: CpuSet = cores_of(plan, planned).into_iter().collect();
        writeln!(out, "  rank {rank}={} slot={cores}", planned.host.name()).expect("a string has room");
    }
    out
}

/// Masks of the operating system's numbers, one for each rank of a host: all hosts are cut alike.
fn srun(plan: &Plan) -> String {
    let masks: Vec<String> =
        plan.ranks.iter().take_while(|planned| planned.host_number == 0).map(|planned| mask(&planned.part)).collect();
    let hosts = plan.ranks.iter().map(|planned| planned.host_number + 1).max().unwrap_or(1);
    let (ranks, per_host, masks) = (plan.ranks.len(), plan.ranks_per_host, masks.join(","));
    format!(
        "srun --exact -N {hosts} -n {ranks} --ntasks-per-node={per_host} --distribution=block --cpu-bind=mask_cpu:{masks} PROGRAM\n"
    )
}

/// One number in hexadecimal, however long.
fn mask(set: &CpuSet) -> String {
    let last = set.iter().last().unwrap_or(0);
    let digit = |at: usize| (0..4).filter(|bit| set.contains(at * 4 + bit)).map(|bit| 1_u32 << bit).sum::<u32>();
    let digits: String = (0..=last / 4).rev().map(|at| format!("{:x}", digit(at))).collect();
    format!("0x{digits}")
}
