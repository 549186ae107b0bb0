//! Reading a schedule, with a progress bar for long ones, and writing pictures.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use anyhow::Context;
use fusain::schedule::goal::Reader;
use fusain::schedule::simulate::Program;
use indicatif::{ProgressBar, ProgressStyle};

/// Opens a schedule. The progress bar is removed when the reader is dropped.
pub(super) fn open(file: &Path) -> anyhow::Result<Reader<impl Read + use<>>> {
    let open = File::open(file).with_context(|| file.display().to_string())?;
    let length = open.metadata().map_or(0, |metadata| metadata.len());
    let style = ProgressStyle::with_template("reading {wide_bar} {bytes}/{total_bytes} {eta}")?;
    let bar = ProgressBar::new(length).with_style(style);
    Reader::new(bar.wrap_read(open)).with_context(|| file.display().to_string())
}

/// Reads a whole schedule into a compact program.
pub(super) fn program(file: &Path) -> anyhow::Result<Program> {
    Program::read(open(file)?).with_context(|| file.display().to_string())
}

/// Makes a file, whose content `write` writes.
pub(super) fn write(file: &Path, write: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut into = File::create(file).map(BufWriter::new).with_context(|| file.display().to_string())?;
    write(&mut into)?;
    into.flush().with_context(|| file.display().to_string())
}
