//! Tests over several processes: the conformance suites of communicators, of the progress loop, of collectives and of work stealing over Open
//! MPI, MPICH, and two hosts. Also checks that the comparison that is about MPI alone runs, and that the launchers' options that `levels place`
//! prints bind ranks as planned.
//!
//! | run | ranks | needs |
//! |---|---|---|
//! | Open MPI | 1 to 4, oversubscribed | `mpirun.openmpi`, `mpicc.openmpi` |
//! | Open MPI, a rank is killed or stopped | 3 | the same |
//! | MPICH | 2 (very slow with more ranks than cores) | `mpiexec.mpich`, `mpicc.mpich` |
//! | Open MPI, two hosts of two ranks | 4 | root, `ip netns`, `unshare` |
//!
//! The programs are built for one MPI library, run, and built for the next. Libraries that are not installed, and namespaces that may not be
//! made, are reported as missing and not counted.

mod hosts;
mod library;
mod places;

use std::path::Path;

use anyhow::{Context, bail};
use duct::Expression;

use crate::limit;
use hosts::TwoHosts;
use library::{Built, Library, MPICH, OPEN_MPI};

/// The runs that passed, and those that were not possible.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The number of runs that passed.
    pub(crate) passed: usize,
    /// The runs that are not possible on this machine, with the reason.
    pub(crate) missing: Vec<String>,
}

impl Summary {
    fn passed(&mut self, name: &str, how: &str) {
        println!("mpi: {name}: {how}");
        self.passed += 1;
    }

    /// Runs a program that must print a line for which `is_report` is true.
    fn run(&mut self, name: &str, command: &Expression, is_report: fn(&str) -> bool) -> anyhow::Result<()> {
        let text = limit::printed(command).with_context(|| name.to_owned())?;
        let report = text.lines().find(|line| is_report(line));
        self.passed(name, report.with_context(|| format!("{name}: it printed no report\n{text}"))?);
        Ok(())
    }

    /// Runs a suite on each number of ranks that it is for, or only on `only` ranks.
    fn run_suites(&mut self, library: Library, folder: &Path, only: Option<usize>) -> anyhow::Result<()> {
        for Suite { name, program, arguments, ranks } in SUITES {
            for &ranks in ranks.iter().filter(|&&ranks| only.is_none_or(|only| only == ranks)) {
                for &arguments in *arguments {
                    let name = [&[*name], arguments].concat().join(" ");
                    let command = library.launch(&folder.join(program), ranks, arguments);
                    self.run(&format!("{}, {name}, {ranks} ranks", library.name), &command, has_passed)?;
                }
            }
        }
        Ok(())
    }
}

/// A program that tests something over all ranks.
struct Suite {
    name: &'static str,
    program: &'static str,
    /// The program's arguments. They choose the thread level, of which a process can have only one.
    arguments: &'static [&'static [&'static str]],
    /// The numbers of ranks.
    ranks: &'static [usize],
}

const SUITES: &[Suite] = &[
    Suite { name: "communicators", program: CONFORMANCE, arguments: &[&[]], ranks: &[1, 2, 3, 4] },
    Suite {
        name: "progress",
        program: "mpi-progress",
        arguments: &[&["funneled"], &["manual"], &["serialized"], &["multiple"]],
        ranks: &[2, 4],
    },
    Suite { name: "collectives", program: "mpi-collectives", arguments: &[&[]], ranks: &[1, 2, 3, 4] },
    Suite {
        name: "cluster",
        program: CLUSTER,
        arguments: &[&["funneled"], &["serialized"], &["multiple"]],
        ranks: &[1, 2, 4],
    },
];

const CONFORMANCE: &str = "mpi-conformance";
const CLUSTER: &str = "mpi-cluster";

/// Whether this is the line with which a suite ends well.
fn has_passed(line: &str) -> bool {
    line.ends_with(" passed, 0 failed")
}

/// The package of the comparisons over MPI.
const BENCHES: &str = "fusain-benches-ranks";
/// The comparison without a part in the in-process world. It is therefore run here and not with the others.
const LATENCY: &str = "compare-latency-mpi";

/// The MPI libraries that are installed, with their versions.
pub(crate) fn libraries() -> Vec<String> {
    [OPEN_MPI, MPICH].into_iter().filter_map(Library::version).collect()
}

/// Builds and runs everything that is possible on this machine; prints a line for each run.
pub(crate) fn run() -> anyhow::Result<Summary> {
    let mut summary = Summary::default();
    let programs: Vec<&str> = SUITES.iter().map(|suite| suite.program).collect();
    match OPEN_MPI.build(&[&programs[..], &[LATENCY]].concat())? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => {
            summary.run_suites(OPEN_MPI, &folder, None)?;
            losses(&mut summary, &folder.join(CLUSTER))?;
            let latency = OPEN_MPI.launch(&folder.join(LATENCY), 2, &["--smoke"]);
            summary.run("Open MPI, compare latency, 2 ranks", &latency, |line| line.starts_with("latency: "))?;
            match TwoHosts::make() {
                Ok(hosts) => {
                    let command = hosts.launch(&folder.join(CONFORMANCE), &[]);
                    summary.run("Open MPI, communicators, two hosts of two ranks", &command, has_passed)?;
                    let command = hosts.launch(&folder.join(CLUSTER), &["funneled"]);
                    summary.run("Open MPI, cluster, two hosts of two ranks", &command, has_passed)?;
                }
                Err(error) => summary.missing.push(format!("two hosts: {error:#}")),
            }
        }
    }
    match MPICH.build(&programs)? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => summary.run_suites(MPICH, &folder, Some(2))?,
    }
    bindings(&mut summary)?;
    for why in &summary.missing {
        println!("mpi: missing: {why}");
    }
    Ok(summary)
}

/// Runs a suite in which a rank is killed (mpirun is told to leave the others alone), and one in which a rank is stopped. The other ranks must
/// name it and end.
fn losses(summary: &mut Summary, program: &Path) -> anyhow::Result<()> {
    // When a rank is stopped, the first of the others that ends makes mpirun end all, so at least one of them names it.
    for (signal, options, least) in [("KILL", &["--mca", "orte_enable_recovery", "1"][..], 2), ("STOP", &[], 1)] {
        let name = format!("Open MPI, cluster, a rank gets SIG{signal}, 3 ranks");
        let end = limit::ended(&OPEN_MPI.launch_with(options, program, 3, &[signal])).with_context(|| name.clone())?;
        let text = String::from_utf8_lossy(&end.stdout);
        let named = text.lines().filter(|line| line.ends_with(" 1 passed, 0 failed")).count();
        if named < least {
            limit::show(&end)?;
            bail!("{name}: {named} of the others have named it");
        }
        summary.passed(&name, &format!("named by {named} of the others"));
    }
    Ok(())
}

/// Checks that the launchers' options for this machine bind ranks as planned.
fn bindings(summary: &mut Summary) -> anyhow::Result<()> {
    if !places::can_be_told_apart() {
        summary.missing.push("bindings: two ranks on one core are not apart".to_owned());
        return Ok(());
    }
    let levels = places::build()?;
    for library in [OPEN_MPI, MPICH].into_iter().filter(|library| library.version().is_some()) {
        let name = format!("{}, bindings, 2 ranks", library.name);
        let bound = places::check(&levels, library).with_context(|| name.clone())?;
        summary.passed(&name, &format!("on {bound}, as planned"));
    }
    Ok(())
}

/// Runs a program of `fusain-benches-ranks` under Open MPI on two hosts of two ranks, and returns what it printed. Returns `Ok(None)`, after
/// printing the reason, if this is not possible on this machine.
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
