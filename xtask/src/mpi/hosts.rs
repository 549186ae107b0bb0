//! Two hosts on one machine: network namespaces joined by a veth pair. Each process of mpirun runs in `ip netns exec` with its own host
//! name, so Open MPI uses TCP between the hosts and shared memory within each.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, process};

use anyhow::{Context, ensure};
use duct::Expression;

use super::library::{OPEN_MPI, as_root, on_path};

/// Two network namespaces joined by a veth pair; they are deleted when this is dropped.
pub(super) struct TwoHosts {
    /// Distinguishes the namespaces of several runs.
    id: u32,
    folder: PathBuf,
}

impl TwoHosts {
    pub(super) fn make() -> anyhow::Result<Self> {
        for tool in ["ip", "unshare"] {
            on_path(tool).with_context(|| format!("{tool} not found"))?;
        }
        let id = process::id();
        let folder = env::temp_dir().join(format!("fusain-hosts-{id}"));
        fs::create_dir_all(&folder)?;
        // From here on, dropping this deletes what has been made.
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
        // The program that mpirun calls instead of ssh. Its arguments are the host's address and the command.
        let agent = format!(
            "#!/bin/sh\nlast=${{1##*.}}\nat=$((last - 1))\nshift\n\
             exec ip netns exec fusain-{id}-$at unshare -u sh -c \"hostname host$at; $*\"\n"
        );
        let path = hosts.folder.join("agent");
        fs::write(&path, agent)?;
        fs::set_permissions(path, Permissions::from_mode(0o755))?;
        Ok(hosts)
    }

    fn namespace(&self, at: usize) -> String {
        format!("fusain-{}-{at}", self.id)
    }

    fn address(&self, at: usize) -> String {
        format!("10.213.77.{}/24", at + 1)
    }

    /// Launches a program; mpirun itself runs on the first host.
    pub(super) fn launch(&self, program: &Path, arguments: &[&str]) -> Expression {
        let [namespace, file, agent] = [self.namespace(0), self.at("hosts"), self.at("agent")];
        let (network, program) = ("10.213.77.0/24", program.display().to_string());
        let named = ["netns", "exec", &namespace, "unshare", "-u", "sh", "-c", "hostname host0; exec \"$@\"", "sh"];
        let mpirun = [OPEN_MPI.launchers[0], "--oversubscribe", "-n", "4", "--hostfile", &file];
        let hosts = ["--mca", "plm_rsh_agent", &agent, "--mca", "btl", "tcp,self,vader", "--mca", "pml", "ob1"];
        let tcp = ["--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network];
        // Four ranks share the cores of one machine, so they must yield to each other.
        let yields = ["--mca", "mpi_yield_when_idle", "1", &program];
        as_root(duct::cmd("ip", [&named[..], &mpirun, &hosts, &tcp, &yields, arguments].concat()))
    }

    fn at(&self, file: &str) -> String {
        self.folder.join(file).display().to_string()
    }
}

impl Drop for TwoHosts {
    fn drop(&mut self) {
        for at in 0..2 {
            // Deleting a namespace deletes its end of the pair. It fails if the namespace was not made, which does no harm.
            drop(duct::cmd!("ip", "netns", "del", self.namespace(at)).stderr_null().run());
        }
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn ip(arguments: &[&str]) -> anyhow::Result<()> {
    let end = duct::cmd("ip", arguments).stderr_capture().unchecked().run().context("ip")?;
    ensure!(end.status.success(), "ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&end.stderr).trim());
    Ok(())
}
