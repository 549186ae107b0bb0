//! Tests over several processes: the conformance suites of communicators, of the progress loop, of collectives and of work stealing over
//! Open MPI, MPICH, and two hosts; that the comparison runs which is about MPI alone; and that the launchers' options that `levels place` prints bind ranks as it says.
//!
//! | run | ranks | needs |
//! |---|---|---|
//! | Open MPI | 1 to 4, oversubscribed | `mpirun.openmpi`, `mpicc.openmpi` |
//! | Open MPI, a rank is killed or stopped | 3 | the same |
//! | MPICH | 2 (more than cores is pathologically slow) | `mpiexec.mpich`, `mpicc.mpich` |
//! | Open MPI, two hosts of two ranks | 4 | root, `ip netns`, `unshare` |
//!
//! The programs are built for one MPI library, run, and built for the next. A library that is not installed, and namespaces that may not be
//! made, are named as missing and not counted.

mod hosts;
mod library;
mod places;

use std::path::Path;

use anyhow::{Context, bail};
use duct::Expression;

use crate::limit;
use hosts::TwoHosts;
use library::{Built, Library, MPICH, OPEN_MPI};

/// What was run and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Runs that passed, by name.
    pub(crate) passed: Vec<String>,
    /// What is missing on this machine, with the reason.
    pub(crate) missing: Vec<String>,
}

/// The programs of the suites.
const PROGRAMS: &[&str] = &["mpi-conformance", "mpi-progress", "mpi-collectives", "mpi-cluster"];

/// Where the comparisons over MPI are.
const BENCHES: &str = "fusain-benches-ranks";
/// The one without a part in the in-process world, which is therefore run here and not with the others.
const LATENCY: &str = "compare-latency-mpi";

/// The MPI libraries that are installed, with their versions.
pub(crate) fn libraries() -> Vec<String> {
    [OPEN_MPI, MPICH].into_iter().filter_map(Library::version).collect()
}

/// Builds and runs everything this machine can; prints a line for each run.
pub(crate) fn run() -> anyhow::Result<Summary> {
    let mut summary = Summary::default();
    match OPEN_MPI.build(&[PROGRAMS, &[LATENCY]].concat())? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => {
            let suite = folder.join("mpi-conformance");
            for ranks in 1..=4 {
                let name = format!("Open MPI, {ranks} ranks");
                conformance(&mut summary, name, &OPEN_MPI.launch(&suite, ranks, &[]))?;
            }
            progress(&mut summary, OPEN_MPI, &folder, &[2, 4])?;
            collectives(&mut summary, OPEN_MPI, &folder, &[1, 2, 3, 4])?;
            clusters(&mut summary, OPEN_MPI, &folder, &[1, 2, 4])?;
            losses(&mut summary, &folder.join("mpi-cluster"))?;
            latency(&mut summary, &OPEN_MPI.launch(&folder.join(LATENCY), 2, &["--smoke"]))?;
            match TwoHosts::make() {
                Ok(hosts) => {
                    let name = "Open MPI, two hosts of two ranks".to_owned();
                    conformance(&mut summary, name, &hosts.launch(&suite, &[]))?;
                    let command = hosts.launch(&folder.join("mpi-cluster"), &["funneled"]);
                    conformance(&mut summary, "Open MPI, cluster, two hosts of two ranks".to_owned(), &command)?;
                }
                Err(error) => summary.missing.push(format!("two hosts: {error:#}")),
            }
        }
    }
    match MPICH.build(PROGRAMS)? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => {
            let suite = folder.join("mpi-conformance");
            conformance(&mut summary, "MPICH, 2 ranks".to_owned(), &MPICH.launch(&suite, 2, &[]))?;
            progress(&mut summary, MPICH, &folder, &[2])?;
            collectives(&mut summary, MPICH, &folder, &[2])?;
            clusters(&mut summary, MPICH, &folder, &[2])?;
        }
    }
    bindings(&mut summary)?;
    for why in &summary.missing {
        println!("mpi: missing: {why}");
    }
    Ok(summary)
}

/// The progress loop at every thread level, each a process's one start of MPI.
fn progress(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> anyhow::Result<()> {
    for &ranks in all_ranks {
        for way in ["funneled", "manual", "serialized", "multiple"] {
            let command = library.launch(&folder.join("mpi-progress"), ranks, &[way]);
            conformance(summary, format!("{}, progress {way}, {ranks} ranks", library.name), &command)?;
        }
    }
    Ok(())
}

/// Every collective schedule against a direct computation.
fn collectives(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> anyhow::Result<()> {
    for &ranks in all_ranks {
        let command = library.launch(&folder.join("mpi-collectives"), ranks, &[]);
        conformance(summary, format!("{}, collectives, {ranks} ranks", library.name), &command)?;
    }
    Ok(())
}

/// Programs that steal between processes, at every thread level.
fn clusters(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> anyhow::Result<()> {
    for &ranks in all_ranks {
        for way in ["funneled", "serialized", "multiple"] {
            let command = library.launch(&folder.join("mpi-cluster"), ranks, &[way]);
            conformance(summary, format!("{}, cluster {way}, {ranks} ranks", library.name), &command)?;
        }
    }
    Ok(())
}

/// A rank that is killed, where mpirun is told to leave the others alone, and one that is stopped: the others name it and end.
fn losses(summary: &mut Summary, program: &Path) -> anyhow::Result<()> {
    // Of those that name the one that is stopped, the first that ends makes mpirun end all.
    for (signal, options, least) in [("KILL", &["--mca", "orte_enable_recovery", "1"][..], 2), ("STOP", &[], 1)] {
        let name = format!("Open MPI, cluster, a rank gets SIG{signal}, 3 ranks");
        let end = limit::ended(&OPEN_MPI.launch_with(options, program, 3, &[signal])).with_context(|| name.clone())?;
        let text = String::from_utf8_lossy(&end.stdout);
        let named = text.lines().filter(|line| line.ends_with(" 1 passed, 0 failed")).count();
        if named < least {
            limit::show(&end)?;
            bail!("{name}: {named} of the others have named it");
        }
        println!("mpi: {name}: named by {named} of the others");
        summary.passed.push(name);
    }
    Ok(())
}

/// The launchers' options for this machine bind ranks as they should.
fn bindings(summary: &mut Summary) -> anyhow::Result<()> {
    if !places::can_be_told_apart() {
        summary.missing.push("bindings: two ranks on one core are not apart".to_owned());
        return Ok(());
    }
    let levels = places::build()?;
    for library in [OPEN_MPI, MPICH].into_iter().filter(|library| library.version().is_some()) {
        let name = format!("{}, bindings, 2 ranks", library.name);
        let bound = places::check(&levels, library).with_context(|| name.clone())?;
        println!("mpi: {name}: on {bound}, as planned");
        summary.passed.push(name);
    }
    Ok(())
}

/// It comes to its last line; how fast is not asked.
fn latency(summary: &mut Summary, command: &Expression) -> anyhow::Result<()> {
    let name = "Open MPI, compare latency, 2 ranks";
    let text = limit::printed(command).context(name)?;
    let Some(line) = text.lines().last().filter(|line| line.starts_with("latency: ")) else {
        bail!("{name}: it does not end with its keys\n{text}");
    };
    println!("mpi: {name}: {line}");
    summary.passed.push(name.to_owned());
    Ok(())
}

/// Runs a program of `fusain-benches-ranks` under Open MPI on two hosts of two ranks, and returns what it printed. `Ok(None)` says, after naming
/// the reason, that this machine can not.
pub(crate) fn on_two_hosts(program: &str) -> anyhow::Result<Option<String>> {
    let folder = match OPEN_MPI.build_release(BENCHES, program)? {
        Built::Missing(why) => return missing(&why),
        Built::In(folder) => folder,
    };
    match TwoHosts::make() {
        Ok(hosts) => limit::printed(&hosts.launch(&folder.join(program), &[])).map(Some),
        Err(error) => missing(&format!("two hosts: {error:#}")),
    }
}

/// Runs a program of `fusain-benches-ranks` on `ranks` processes of this host under Open MPI (or MPICH), and returns what it printed.
pub(crate) fn on_one_host(
    mpich: bool,
    program: &str,
    ranks: usize,
    arguments: &[&str],
) -> anyhow::Result<Option<String>> {
    let library = if mpich { MPICH } else { OPEN_MPI };
    match library.build_release(BENCHES, program)? {
        Built::Missing(why) => missing(&why),
        Built::In(folder) => limit::printed(&library.launch(&folder.join(program), ranks, arguments)).map(Some),
    }
}

fn missing(why: &str) -> anyhow::Result<Option<String>> {
    println!("mpi: missing: {why}");
    Ok(None)
}

fn conformance(summary: &mut Summary, name: String, command: &Expression) -> anyhow::Result<()> {
    let text = limit::printed(command).with_context(|| name.clone())?;
    let Some(line) = text.lines().find(|line| line.ends_with(" passed, 0 failed")) else {
        bail!("{name}: the suite did not report\n{text}");
    };
    println!("mpi: {name}: {line}");
    summary.passed.push(name);
    Ok(())
}
