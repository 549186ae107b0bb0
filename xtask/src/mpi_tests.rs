//! Tests over several processes: the conformance suites of communicators, of the progress loop, of collectives and of work stealing over
//! Open MPI, MPICH, and two hosts; and that the comparison runs which is about MPI alone.
//!
//! | run | ranks | needs |
//! |---|---|---|
//! | Open MPI | 1 to 4, oversubscribed | `mpirun.openmpi`, `mpicc.openmpi` |
//! | MPICH | 2 (more than cores is pathologically slow) | `mpiexec.mpich`, `mpicc.mpich` |
//! | Open MPI, two hosts of two ranks | 4 | root, `ip netns`, `unshare` |
//!
//! Each MPI library has a target directory of its own, since rsmpi's build takes the compiler from `MPICC`. A library that
//! is not installed, and namespaces that may not be made, are named as missing and not counted.
//!
//! The two hosts are network namespaces joined by a veth pair; each process of mpirun runs in `ip netns exec` with a host
//! name of its own, so Open MPI speaks TCP between them and shared memory inside.

use std::env;
use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What was run and what could not be.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Runs that passed, by name.
    pub(crate) passed: Vec<String>,
    /// What is missing on this machine, with the reason.
    pub(crate) missing: Vec<String>,
}

/// How long one run may take before it is ended: a hang must not become the caller's.
const LIMIT: Duration = Duration::from_secs(240);

/// The programs of the suites, built at once: one by one, what they share would be compiled for each with features of its own.
const PACKAGES: &[&str] = &["fusain-testkit-comm", "fusain-testkit-schedule", "fusain-testkit-cluster"];
const PROGRAMS: &[&str] = &["mpi-conformance", "mpi-progress", "mpi-collectives", "mpi-cluster"];

/// Where the comparisons over MPI are.
const BENCHES: &[&str] = &["fusain-benches-ranks"];
/// The one without a part in the in-process world, which is therefore run here and not with the others.
const LATENCY: &str = "compare-latency-mpi";

/// Builds and runs everything this machine can; prints a line for each run.
pub(crate) fn run() -> Outcome<Summary> {
    let mut summary = Summary::default();
    match OPEN_MPI.build(&[PACKAGES, BENCHES].concat(), &[PROGRAMS, &[LATENCY]].concat(), false)? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => {
            let suite = folder.join("mpi-conformance");
            for ranks in 1..=4 {
                let name = format!("Open MPI, {ranks} ranks");
                conformance(&mut summary, name, OPEN_MPI.launch(&suite, ranks))?;
            }
            progress(&mut summary, OPEN_MPI, &folder, &[2, 4])?;
            collectives(&mut summary, OPEN_MPI, &folder, &[1, 2, 3, 4])?;
            clusters(&mut summary, OPEN_MPI, &folder, &[1, 2, 4])?;
            latency(&mut summary, OPEN_MPI.launch(&folder.join(LATENCY), 2))?;
            match TwoHosts::make() {
                Ok(hosts) => {
                    let name = "Open MPI, two hosts of two ranks".to_owned();
                    conformance(&mut summary, name, hosts.launch(&suite, &[]))?;
                    let command = hosts.launch(&folder.join("mpi-cluster"), &["funneled"]);
                    conformance(&mut summary, "Open MPI, cluster, two hosts of two ranks".to_owned(), command)?;
                }
                Err(error) => summary.missing.push(format!("two hosts: {error}")),
            }
        }
    }
    match MPICH.build(PACKAGES, PROGRAMS, false)? {
        Built::Missing(why) => summary.missing.push(why),
        Built::In(folder) => {
            let suite = folder.join("mpi-conformance");
            conformance(&mut summary, "MPICH, 2 ranks".to_owned(), MPICH.launch(&suite, 2))?;
            progress(&mut summary, MPICH, &folder, &[2])?;
            collectives(&mut summary, MPICH, &folder, &[2])?;
            clusters(&mut summary, MPICH, &folder, &[2])?;
        }
    }
    for why in &summary.missing {
        println!("mpi: missing: {why}");
    }
    Ok(summary)
}

/// The progress loop at every thread level, each a process's one start of MPI.
fn progress(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> Outcome<()> {
    for &ranks in all_ranks {
        for way in ["funneled", "manual", "serialized", "multiple"] {
            let mut command = library.launch(&folder.join("mpi-progress"), ranks);
            command.arg(way);
            conformance(summary, format!("{}, progress {way}, {ranks} ranks", library.name), command)?;
        }
    }
    Ok(())
}

/// Every collective schedule against a direct computation.
fn collectives(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> Outcome<()> {
    for &ranks in all_ranks {
        let command = library.launch(&folder.join("mpi-collectives"), ranks);
        conformance(summary, format!("{}, collectives, {ranks} ranks", library.name), command)?;
    }
    Ok(())
}

/// Programs that steal between processes, at every thread level.
fn clusters(summary: &mut Summary, library: Library, folder: &Path, all_ranks: &[usize]) -> Outcome<()> {
    for &ranks in all_ranks {
        for way in ["funneled", "serialized", "multiple"] {
            let mut command = library.launch(&folder.join("mpi-cluster"), ranks);
            command.arg(way);
            conformance(summary, format!("{}, cluster {way}, {ranks} ranks", library.name), command)?;
        }
    }
    Ok(())
}

/// It comes to its last line; how fast is not asked.
fn latency(summary: &mut Summary, mut command: Command) -> Outcome<()> {
    command.arg("--smoke");
    let text = text(&within_limit(command)?);
    match text.lines().last().filter(|line| line.starts_with("latency: ")) {
        Some(line) => {
            println!("mpi: Open MPI, compare latency, 2 ranks: {line}");
            summary.passed.push("Open MPI, compare latency, 2 ranks".to_owned());
            Ok(())
        }
        None => Err(format!("compare latency does not end with its keys\n{text}").into()),
    }
}

/// Runs a program of `fusain-benches-ranks` under Open MPI on two hosts of two ranks, and returns what it printed. `Ok(None)` says, after naming
/// the reason, that this machine can not.
pub(crate) fn on_two_hosts(program: &str) -> Outcome<Option<String>> {
    let folder = match OPEN_MPI.build(BENCHES, &[program], true)? {
        Built::Missing(why) => return missing(&why),
        Built::In(folder) => folder,
    };
    match TwoHosts::make() {
        Ok(hosts) => within_limit(hosts.launch(&folder.join(program), &[])).map(|output| Some(text(&output))),
        Err(error) => missing(&format!("two hosts: {error}")),
    }
}

/// Runs a program of `fusain-benches-ranks` on `ranks` processes of this host under Open MPI (or MPICH), and returns what it printed.
pub(crate) fn on_one_host(mpich: bool, program: &str, ranks: usize, arguments: &[&str]) -> Outcome<Option<String>> {
    let library = if mpich { MPICH } else { OPEN_MPI };
    match library.build(BENCHES, &[program], true)? {
        Built::Missing(why) => missing(&why),
        Built::In(folder) => {
            let mut command = library.launch(&folder.join(program), ranks);
            command.args(arguments);
            within_limit(command).map(|output| Some(text(&output)))
        }
    }
}

fn missing(why: &str) -> Outcome<Option<String>> {
    println!("mpi: missing: {why}");
    Ok(None)
}

fn conformance(summary: &mut Summary, name: String, command: Command) -> Outcome<()> {
    let output = within_limit(command)?;
    let text = text(&output);
    match text.lines().find(|line| line.ends_with(" passed, 0 failed")) {
        Some(line) => {
            println!("mpi: {name}: {line}");
            summary.passed.push(name);
            Ok(())
        }
        None => Err(format!("{name}: the suite did not report\n{text}").into()),
    }
}

/// An MPI library that may be installed.
#[derive(Clone, Copy)]
struct Library {
    name: &'static str,
    /// Compiler wrappers and launchers, the surest name first.
    compilers: &'static [&'static str],
    launchers: &'static [&'static str],
    target: &'static str,
}

const OPEN_MPI: Library =
    Library { name: "Open MPI", compilers: &["mpicc.openmpi"], launchers: &["mpirun.openmpi"], target: "openmpi" };

const MPICH: Library =
    Library { name: "MPICH", compilers: &["mpicc.mpich"], launchers: &["mpiexec.mpich"], target: "mpich" };

enum Built {
    /// The programs lie in this folder.
    In(PathBuf),
    Missing(String),
}

impl Library {
    /// Builds programs with feature `mpi`.
    fn build(self, packages: &[&str], programs: &[&str], release: bool) -> Outcome<Built> {
        let find = |names: &'static [&str]| names.iter().find_map(|name| on_path(name));
        let (Some(compiler), Some(_)) = (find(self.compilers), find(self.launchers)) else {
            let names = [self.compilers, self.launchers].concat().join(", ");
            return Ok(Built::Missing(format!("{} ({names} not found)", self.name)));
        };
        let target = target_directory().join(self.target);
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(workspace()).env("MPICC", compiler);
        cargo.args(["build", "--quiet", "--features", "mpi"]);
        cargo.args(packages.iter().flat_map(|package| ["--package", package]));
        cargo.args(programs.iter().flat_map(|program| ["--bin", program]));
        cargo.arg("--target-dir").arg(&target);
        if release {
            cargo.arg("--release");
        }
        if !cargo.status()?.success() {
            return Err(format!("{} does not build with {}", programs.join(", "), self.name).into());
        }
        Ok(Built::In(target.join(if release { "release" } else { "debug" })))
    }

    fn launch(self, program: &Path, ranks: usize) -> Command {
        let mut command = Command::new(self.launchers[0]);
        if self.target == OPEN_MPI.target {
            // Containers run as root, and have fewer cores than ranks.
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            // A rank has several threads; bound to one core they would wait for each other.
            command.args(["--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"]);
        }
        command.args(["-n", &ranks.to_string()]).arg(program);
        command
    }
}

/// Two network namespaces joined by a veth pair; gone when dropped.
struct TwoHosts {
    /// Tells the namespaces of several runs apart.
    id: u32,
    folder: PathBuf,
}

impl TwoHosts {
    fn make() -> Outcome<Self> {
        for tool in ["ip", "unshare"] {
            on_path(tool).ok_or_else(|| format!("{tool} not found"))?;
        }
        let id = std::process::id();
        let folder = env::temp_dir().join(format!("fusain-hosts-{id}"));
        fs::create_dir_all(&folder)?;
        // From here on drop clears away what has been made.
        let hosts = Self { id, folder };
        let [a, b] = [hosts.namespace(0), hosts.namespace(1)];
        let (end_a, end_b) = (format!("fa{}", id % 100_000), format!("fb{}", id % 100_000));
        ip(&["netns", "add", &a])?;
        ip(&["netns", "add", &b])?;
        ip(&["link", "add", &end_a, "netns", &a, "type", "veth", "peer", "name", &end_b, "netns", &b])?;
        for (at, (namespace, end)) in [(&a, &end_a), (&b, &end_b)].into_iter().enumerate() {
            ip(&["-n", namespace, "addr", "add", &hosts.address(at), "dev", end])?;
            ip(&["-n", namespace, "link", "set", end, "up"])?;
            ip(&["-n", namespace, "link", "set", "lo", "up"])?;
        }
        fs::write(hosts.folder.join("hosts"), "10.213.77.1 slots=2\n10.213.77.2 slots=2\n")?;
        // What mpirun calls in place of ssh: the host's address, then the command.
        let agent = format!(
            "#!/bin/sh\nlast=${{1##*.}}\nat=$((last - 1))\nshift\n\
             exec ip netns exec fusain-{id}-$at unshare -u sh -c \"hostname host$at; $*\"\n"
        );
        let path = hosts.folder.join("agent");
        fs::write(&path, agent)?;
        run_tool(Command::new("chmod").arg("755").arg(path))?;
        Ok(hosts)
    }

    fn namespace(&self, at: usize) -> String {
        format!("fusain-{}-{at}", self.id)
    }

    fn address(&self, at: usize) -> String {
        format!("10.213.77.{}/24", at + 1)
    }

    /// mpirun itself runs on the first host.
    fn launch(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args([
            "netns",
            "exec",
            &self.namespace(0),
            "unshare",
            "-u",
            "sh",
            "-c",
            "hostname host0; exec \"$@\"",
            "sh",
        ]);
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        command
            .args([OPEN_MPI.launchers[0], "--oversubscribe", "-n", "4", "--hostfile"])
            .arg(self.folder.join("hosts"));
        command.args(["--mca", "plm_rsh_agent"]).arg(self.folder.join("agent"));
        command.args(["--mca", "btl", "tcp,self,vader", "--mca", "pml", "ob1"]);
        command.args([
            "--mca",
            "btl_tcp_if_include",
            "10.213.77.0/24",
            "--mca",
            "oob_tcp_if_include",
            "10.213.77.0/24",
        ]);
        // Four ranks on the cores of one machine: they must let each other run.
        command.args(["--mca", "mpi_yield_when_idle", "1"]);
        command.arg(program).args(arguments);
        command
    }
}

impl Drop for TwoHosts {
    fn drop(&mut self) {
        for at in 0..2 {
            // Deleting a namespace deletes its end of the pair. What was not made can not be deleted: no matter.
            drop(Command::new("ip").args(["netns", "del", &self.namespace(at)]).stderr(Stdio::null()).status());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn ip(arguments: &[&str]) -> Outcome<()> {
    run_tool(Command::new("ip").args(arguments))
}

fn run_tool(command: &mut Command) -> Outcome<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()).into())
}

/// Runs a command, ends it at the limit, and fails with its output if it fails.
fn within_limit(mut command: Command) -> Outcome<Output> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // Read while it runs, or a full pipe would stop it.
    let readers = [drain(child.stdout.take()), drain(child.stderr.take())];
    let begin = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if begin.elapsed() > LIMIT => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap_or_default());
    match status {
        Some(status) if status.success() => Ok(Output { status, stdout, stderr }),
        end => {
            io::stderr().write_all(&stderr)?;
            io::stderr().write_all(&stdout)?;
            let end = end.map_or("was ended: it ran past its limit".to_owned(), |status| format!("failed: {status}"));
            Err(format!("{command:?} {end}").into())
        }
    }
}

fn drain(pipe: Option<impl io::Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What has been read until an error is what there is to show.
            drop(pipe.read_to_end(&mut bytes));
        }
        bytes
    })
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn on_path(tool: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let sbin = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path).chain(sbin).map(|folder| folder.join(tool)).find(|file| file.is_file())
}

fn workspace() -> PathBuf {
    // xtask lies right below the workspace's root.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(|| ".".into(), Path::to_path_buf)
}

fn target_directory() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}
