//! `goal draw`: a picture of a simulation, or of the graph.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, bail};
use fusain::schedule::Moment;
use fusain::schedule::goal::{Kind, Rank};
use fusain::schedule::simulate::timeline;

use super::file;
use super::machine::Machine;

/// Draws a schedule into `output`, whose extension says what is drawn: `.svg`, when operations happen; `.dot`, what waits for what.
///
/// # Errors
/// What is wrong with the text; a schedule that does not end; another extension; a picture that cannot be written.
pub(super) fn draw(file: &Path, output: &Path, machine: &Machine) -> anyhow::Result<String> {
    match output.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => {
            let (_, timeline) = timeline(&file::program(file)?, &machine.levels())?;
            file::write(output, |into| Ok(timeline.svg(into)?))?;
        }
        Some("dot") => {
            let mut reader = file::open(file)?;
            let (mut rank, mut number) = (Rank::default(), 0);
            file::write(output, |into| {
                writeln!(
                    into,
                    "digraph schedule {{\nrankdir=LR node [shape=box style=filled fontname=\"sans-serif\"]"
                )?;
                while reader.read(&mut rank).with_context(|| file.display().to_string())? {
                    dot(into, number, &rank)?;
                    number += 1;
                }
                Ok(writeln!(into, "}}")?)
            })?;
        }
        _ => bail!("{}: draw makes .svg and .dot", output.display()),
    }
    Ok(format!("drawn: {}", output.display()))
}

/// Draws a box for each operation. Dashed arrows mean that an operation waits only for the start of the other.
fn dot(into: &mut impl Write, number: u32, rank: &Rank) -> io::Result<()> {
    writeln!(into, "subgraph cluster_{number} {{ label=\"rank {number}\"")?;
    for (place, operation) in rank.operations.iter().enumerate() {
        let fill = match operation.kind {
            Kind::Send { .. } => "#9ecae9",
            Kind::Recv { .. } => "#ffd580",
            Kind::Calc { .. } => "#9fdfc3",
        };
        writeln!(into, "r{number}_{place} [label=\"{operation}\" fillcolor=\"{fill}\"]")?;
    }
    for dependency in &rank.dependencies {
        let style = if dependency.moment == Moment::Start { " [style=dashed]" } else { "" };
        writeln!(into, "r{number}_{} -> r{number}_{}{style}", dependency.on, dependency.operation)?;
    }
    writeln!(into, "}}")
}
