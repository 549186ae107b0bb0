//! `goal check`: what is in a schedule, and whether it can end.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use fusain::schedule::goal::{Kind, Rank};
use fusain::schedule::simulate::{self, Error, Parameters, Program};

use super::file;

/// Reads a schedule and lets it run to its end in a simulation.
///
/// # Errors
/// What is wrong with the text, with its place; operations that never end; messages longer than their receives.
pub(super) fn check(file: &Path) -> anyhow::Result<String> {
    let mut reader = file::open(file)?;
    let (ranks, name) = (reader.ranks(), file.display().to_string());
    let [mut sends, mut receives, mut calcs, mut dependencies, mut bytes] = [0u64; 5];
    let (mut rank, mut failed) = (Rank::default(), None);
    let program = Program::generate(ranks, |into, _| {
        // One pass over the text fills the program and counts.
        if failed.is_none() {
            failed = reader.read(&mut rank).err();
        }
        into.clone_from(&rank);
        dependencies += rank.dependencies.len() as u64;
        for operation in &rank.operations {
            match operation.kind {
                Kind::Send { bytes: length, .. } => (sends, bytes) = (sends + 1, bytes.saturating_add(length)),
                Kind::Recv { .. } => receives += 1,
                Kind::Calc { .. } => calcs += 1,
            }
        }
    });
    failed.or(reader.read(&mut rank).err()).map_or(Ok(()), Err).with_context(|| name.clone())?;
    let program = program.with_context(|| name.clone())?;
    let mut said = format!(
        "{name}: {ranks} ranks, {sends} sends of {bytes} bytes, {receives} receives, {calcs} calculations, {dependencies} dependencies\n"
    );
    simulate::simulate(&program, &Parameters::default()).with_context(|| name)?;
    said += "every operation ends, every message is received";
    // Not an error: it is what an MPI program must not rely on.
    let unbuffered = Parameters { eager_bytes_max: 0, ..Parameters::default() };
    if let Err(Error::Stuck(stuck)) = simulate::simulate(&program, &unbuffered) {
        write!(said, "\nbut only if sends end before they are received; else {stuck}")?;
    }
    Ok(said)
}
