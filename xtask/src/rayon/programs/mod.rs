//! Programs of other authors with rayon's core and with ours: the part of `compare rayon` about whole programs.
//!
//! ```text
//! build: the registry's sources ─▶ a copy for each side ─▶ two programs
//! input: pictures and a folder tree, the same each time
//! here:  rayon's, ours, rayon's, ours ...: the same output, and the medians of their times
//! ```

mod build;
mod input;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail, ensure};

use crate::turns::{in_turn, median};
use crate::{limit, workspace};

/// A program of the registry.
struct Program {
    /// Its package.
    name: &'static str,
    /// The version that is built, with the lock file that its authors publish.
    version: &'static str,
    binary: &'static str,
    /// Options of cargo, which leave out features that take long to build and are not run here.
    features: &'static [&'static str],
    /// The program's arguments. It runs in the folder of the input.
    arguments: &'static [&'static str],
}

const PROGRAMS: [Program; 3] = [
    Program {
        name: "oxipng",
        version: "10.2.1",
        binary: "oxipng",
        features: &["--no-default-features", "--features", "binary,parallel"],
        arguments: &[
            "--quiet",
            "--opt",
            "2",
            "--dir",
            WRITTEN,
            "pictures/drawing.png",
            "pictures/grained.png",
            "pictures/smooth.png",
        ],
    },
    Program {
        name: "tokei",
        version: "15.0.0",
        binary: "tokei",
        features: &[],
        // The tree is in a folder that git ignores.
        arguments: &["--no-ignore", input::TREE],
    },
    Program {
        name: "du-dust",
        version: "1.2.7",
        binary: "dust",
        features: &[],
        arguments: &["--no-progress", "--no-colors", "--terminal-width", "120", "--number-of-lines", "60", input::TREE],
    },
];

/// The folder below the input for files that the programs write.
const WRITTEN: &str = "written";

/// The number of turns of each side, and the minimum time of a turn in seconds: short programs run several times in a turn.
const TURNS: usize = 11;
const TURN: f64 = 0.1;

/// The times of a program: medians in seconds, with rayon's core and with ours.
pub(super) struct Timed {
    pub(super) name: &'static str,
    pub(super) seconds: [f64; 2],
}

/// The built programs, and their input.
pub(super) struct Ready {
    input: PathBuf,
    programs: Vec<(&'static Program, [PathBuf; 2])>,
}

/// Builds the programs that are not built yet, and writes the input.
pub(super) fn ready() -> anyhow::Result<Ready> {
    let programs =
        PROGRAMS.iter().map(|program| Ok((program, build::both(program)?))).collect::<anyhow::Result<_>>()?;
    Ok(Ready { input: input::lay_out()?, programs })
}

impl Ready {
    /// Runs the programs.
    ///
    /// # Errors
    ///
    /// If a program fails, does not end, or does not always have the same output.
    pub(super) fn measure(&self) -> anyhow::Result<Vec<Timed>> {
        let timed = |(program, [theirs, ours]): &(&'static Program, [PathBuf; 2])| {
            let (warm, expected) = self.once(program, theirs)?;
            ensure!(!expected.is_empty(), "{} puts nothing out", program.name);
            let runs = (TURN / warm).ceil().max(1.0) as usize;
            let seconds = in_turn([theirs, ours], TURNS, |side| {
                let mut sum = 0.0;
                for _ in 0..runs {
                    let (seconds, output) = self.once(program, side)?;
                    ensure!(output == expected, "{} has another output than {}", side.display(), theirs.display());
                    sum += seconds;
                }
                Ok(sum / runs as f64)
            })?
            .map(median);
            Ok(Timed { name: program.name, seconds })
        };
        self.programs.iter().map(timed).collect()
    }

    /// Runs a program once. Returns the time in seconds and the result: what was printed, and the files that were written, in order.
    fn once(&self, program: &Program, binary: &Path) -> anyhow::Result<(f64, Vec<u8>)> {
        let written = self.input.join(WRITTEN);
        workspace::clear(&written)?;
        let command = duct::cmd(binary, program.arguments).dir(&self.input);
        let start = Instant::now();
        let end = limit::ended(&command)?;
        let seconds = start.elapsed().as_secs_f64();
        if !end.status.success() {
            limit::show(&end)?;
            bail!("{} ended with {}", binary.display(), end.status);
        }
        let mut output = end.stdout;
        let unreadable = || format!("cannot read {}", written.display());
        let mut files: Vec<PathBuf> = fs::read_dir(&written)
            .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
            .with_context(unreadable)?;
        files.sort();
        for file in files {
            output.extend(file.as_os_str().as_encoded_bytes());
            output.extend(fs::read(&file).with_context(unreadable)?);
        }
        Ok((seconds, output))
    }
}
