//! `cargo xtask scaling`: sweeps the suite over sizes and threads, and writes `report/`.

use std::process::ExitCode;

use crate::programs;

/// How to sweep.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Options of the sweep (`--algorithms`, `--sizes 3..24`, `--threads 1,2,4`, `--types`, `--peers`, ...; `-- --help` lists
    /// them); `--native` builds for this very processor.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let (native, arguments) = programs::split_native(&options.rest);
    let mut program = programs::with_peers("compare", native)?;
    program.arg("scaling").args(arguments);
    programs::run(program)
}
