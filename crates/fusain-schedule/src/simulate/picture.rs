//! A simulation as a timeline.

use std::collections::HashMap;

use super::{Error, Network, Outcome, Program, Span, SpanKind, simulate_with};
use crate::timeline::{Activity, Arrow, Bar, Timeline};

/// Runs a schedule as [`simulate`](super::simulate) does, and keeps a timeline: a row for each processor of each rank, and an arrow for
/// each message, from the time when it left to the time when its receiver took it up.
///
/// Memory O(operations) for the timeline, some 100 bytes each.
///
/// # Errors
/// As [`simulate`](super::simulate).
pub fn timeline(program: &Program, machine: &impl Network) -> Result<(Outcome, Timeline), Error> {
    let cpus = program.cpus();
    let row = |rank: u32, cpu: u8| rank as usize * cpus + usize::from(cpu);
    let name = |rank: u32, cpu| if cpus == 1 { format!("rank {rank}") } else { format!("rank {rank}, cpu {cpu}") };
    let rows = (0..program.ranks()).flat_map(|rank| (0..cpus).map(move |cpu| name(rank, cpu))).collect();
    let mut timeline = Timeline { rows, ..Timeline::default() };
    // The time when the message of a rank's operation left.
    let mut left: HashMap<(u32, u32), u64> = HashMap::new();
    let show = |Span { kind, rank, cpu, operation, start, end }: Span| {
        let row = row(rank, cpu);
        let (activity, label) = match kind {
            SpanKind::Send { to, bytes } => (Activity::Send, format!("send {bytes} b to {to}")),
            SpanKind::Calculate => (Activity::Compute, format!("calc {}", end - start)),
            SpanKind::Message { .. } => {
                left.insert((rank, operation), start);
                return;
            }
            SpanKind::Receive { from, bytes } => {
                if let Some(left) = left.remove(&(from, operation)) {
                    let from = from as usize * cpus + usize::from(cpu);
                    timeline.arrows.push(Arrow { from: (from, left), to: (row, start), label: format!("{bytes} b") });
                }
                (Activity::Receive, format!("receive {bytes} b from {from}"))
            }
        };
        timeline.bars.push(Bar { row, activity, start_ns: start, end_ns: end, label });
    };
    let outcome = simulate_with(program, machine, show)?;
    Ok((outcome, timeline))
}
