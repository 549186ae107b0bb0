//! Debian packages that the test run, and comparisons with all peers, need beyond Rust: finds them, and installs missing ones if that is
//! allowed; otherwise it asks for them.

use anyhow::{Context, bail};

use crate::steps::Outcome;
use crate::tools;

/// A package, and what it is needed for. The libraries themselves need none of these packages.
struct Package {
    name: &'static str,
    why: &'static str,
}

const NEEDED: &[Package] = &[
    Package { name: "g++", why: "compiles the C++ peers (GNU parallel mode, OpenMP)" },
    Package { name: "libtbb-dev", why: "runs the C++17 execution policies of the C++ peers" },
    Package { name: "libopenmpi-dev", why: "compiles ranks as MPI processes" },
    Package { name: "openmpi-bin", why: "runs them" },
    Package { name: "libmpich-dev", why: "compiles them for the other MPI library" },
    Package { name: "mpich", why: "runs them there" },
    Package { name: "libclang-dev", why: "reads the headers of MPI for rsmpi" },
    Package { name: "libhwloc-dev", why: "describes this machine's hardware tree" },
    Package { name: "libudev-dev", why: "is what Debian's hwloc links against" },
    Package { name: "pkg-config", why: "finds hwloc" },
    Package { name: "iproute2", why: "makes the network namespaces that stand for two hosts" },
];

/// Makes sure that all packages are installed.
///
/// As root, or with a sudo that asks for no password, missing packages are installed. Otherwise the exact command is printed and the run stops.
/// On a system without dpkg the missing packages are unknown; the peers are then reported as missing later.
pub(crate) fn ensure() -> anyhow::Result<Outcome> {
    if !tools::has("dpkg-query") {
        return Ok(Outcome::Skipped(
            "no dpkg here; install g++, TBB, hwloc and MPI by the means of this system".to_owned(),
        ));
    }
    let missing: Vec<&Package> = NEEDED.iter().filter(|package| !is_installed(package.name)).collect();
    if missing.is_empty() {
        return Ok(Outcome::Passed);
    }
    for package in &missing {
        println!("   missing: {} ({})", package.name, package.why);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let Some(prefix) = privilege() else {
        bail!("missing Debian packages; run: sudo apt-get install --yes {}", names.join(" "));
    };
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> = prefix
            .iter()
            .chain(&["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
            .chain(arguments)
            .copied()
            .collect();
        duct::cmd(words[0], &words[1..]).run()
    };
    apt(&["update", "--quiet"]).context("apt-get update failed")?;
    apt(&[&["install", "--yes", "--quiet", "--no-install-recommends"], names.as_slice()].concat())
        .context("apt-get install failed")?;
    Ok(Outcome::Passed)
}

fn is_installed(package: &str) -> bool {
    duct::cmd!("dpkg-query", "--show", "--showformat=${db:Status-Status}", package)
        .stderr_null()
        .unchecked()
        .read()
        .is_ok_and(|status| status.trim() == "installed")
}

/// The prefix of a command that needs root, or `None` if root is not available.
fn privilege() -> Option<&'static [&'static str]> {
    if duct::cmd!("id", "-u").read().is_ok_and(|user| user.trim() == "0") {
        return Some(&[]);
    }
    duct::cmd!("sudo", "-n", "true").stdout_null().stderr_null().run().ok().map(|_| &["sudo", "-n"] as &[_])
}
