//! The options that describe the machine: an exported file, a synthetic description, or this machine.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use fusain::topology::{Fabric, Machine};

#[derive(Args, Clone, Debug)]
#[expect(missing_docs, reason = "clap would print them as what the whole program is for")]
pub struct Source {
    /// A machine that was exported: `lstopo file.xml`.
    #[arg(long, global = true, value_name = "FILE", conflicts_with_all = ["synthetic", "here"])]
    xml: Option<PathBuf>,
    /// An invented machine, described like hwloc's HWLOC_SYNTHETIC.
    #[arg(long, global = true, value_name = "DESCRIPTION", conflicts_with = "here")]
    synthetic: Option<String>,
    /// This machine.
    #[arg(long, global = true)]
    here: bool,
    /// Switches: a Slurm topology.conf, or a list of lines "host switch/switch".
    #[arg(long, global = true, value_name = "FILE")]
    network: Option<PathBuf>,
}

/// The machine if none was given.
const DEFAULT: &str = "Package:2 L3:1 L2:2 Core:2 PU:1";

impl Source {
    /// Whether one of the options for a machine was given.
    pub fn is_told(&self) -> bool {
        self.xml.is_some() || self.synthetic.is_some() || self.here
    }

    /// The machine.
    ///
    /// # Errors
    /// If the file cannot be read, if the description is invalid, or if hwloc cannot describe this machine.
    pub fn machine(&self) -> anyhow::Result<Machine> {
        // clap does not see conflicts between options before the verb and options after it.
        let told = [self.xml.is_some(), self.synthetic.is_some(), self.here];
        anyhow::ensure!(told.into_iter().filter(|told| *told).count() < 2, "give one of --xml, --synthetic and --here");
        if let Some(path) = &self.xml {
            let text = read(path)?;
            return Machine::from_xml(&text).with_context(|| path.display().to_string());
        }
        if self.here {
            return here();
        }
        Ok(Machine::synthetic(self.synthetic.as_deref().unwrap_or(DEFAULT))?)
    }

    /// Returns the switches, if a file was given.
    ///
    /// # Errors
    /// If the file cannot be read or is invalid.
    pub fn fabric(&self) -> anyhow::Result<Option<Fabric>> {
        let Some(path) = &self.network else { return Ok(None) };
        let text = read(path)?;
        let fabric =
            if text.contains("SwitchName=") { Fabric::from_topology_conf(&text) } else { Fabric::from_list(&text) };
        fabric.map(Some).with_context(|| path.display().to_string())
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

#[cfg(feature = "hwloc")]
fn here() -> anyhow::Result<Machine> {
    Ok(fusain::topology::local_machine()?)
}

/// Without feature `hwloc`, runs hwloc's program `lstopo`, if it is installed.
#[cfg(not(feature = "hwloc"))]
fn here() -> anyhow::Result<Machine> {
    const HELP: &str = "build with --features hwloc, or install hwloc's lstopo";
    for program in ["lstopo-no-graphics", "lstopo"] {
        let Ok(output) = std::process::Command::new(program).args(["--of", "xml", "-"]).output() else { continue };
        let text = String::from_utf8(output.stdout).context("lstopo writes UTF-8")?;
        return Machine::from_xml(&text).context(HELP);
    }
    anyhow::bail!("this machine is not known: {HELP}")
}
