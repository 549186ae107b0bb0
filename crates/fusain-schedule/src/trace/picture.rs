//! Runs as a timeline.

use super::{Span, Trace};
use crate::Action;
use crate::timeline::{Activity, Bar, Timeline};

impl Timeline {
    /// A timeline of the runs of several ranks, from their traces. Each rank's clock begins at its own start.
    ///
    /// Several messages of one rank may be under way at the same time. So a rank has as many rows as needed for no two bars to overlap;
    /// earlier activities take the first free row.
    ///
    /// ```
    /// use fusain_comm::World;
    /// use fusain_schedule::{Error, Execution, Operator, ScheduleBuilder, timeline::Timeline};
    ///
    /// let runs = World::threads(1).run(|comm| {
    ///     let mut builder = ScheduleBuilder::in_program_order(0, 1);
    ///     let (a, b) = (builder.scratch::<f64>(100), builder.scratch::<f64>(100));
    ///     builder.send(a, 0, 0);
    ///     builder.recv(b, 0, 0);
    ///     builder.apply(Operator::Add, a, b);
    ///     let mut run = builder.compile()?.prepare()?;
    ///     run.trace(true);
    ///     Ok::<_, Error>(Execution::new(run, &comm, 0)?.wait(&comm)?)
    /// });
    /// let traces = runs.iter().flatten().filter_map(|run| run.traced());
    /// let timeline = Timeline::of_runs(traces);
    /// assert_eq!(timeline.bars.len(), 3);
    /// timeline.svg(&mut Vec::new()).unwrap();
    /// ```
    pub fn of_runs<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Self {
        let mut timeline = Self::default();
        for trace in traces {
            add(&mut timeline, trace);
        }
        timeline
    }
}

fn add(timeline: &mut Timeline, trace: &Trace) {
    // Of a run that was given up, some operations have not ended.
    let mut spans: Vec<&Span> = trace.spans().iter().filter(|span| span.end_ns > 0).collect();
    spans.sort_by_key(|span| (span.start_ns, span.end_ns, span.operation));
    let first_row = timeline.rows.len();
    // The time until which each row is taken.
    let mut ends: Vec<u64> = Vec::new();
    for span in spans {
        let free = ends.iter().position(|&end| end <= span.start_ns);
        let row = free.unwrap_or_else(|| {
            ends.push(0);
            ends.len() - 1
        });
        ends[row] = span.end_ns;
        let (activity, what) = match span.action {
            Action::Send { to, .. } => (Activity::Send, format!("send to {to}")),
            Action::Recv { from, .. } => (Activity::Receive, format!("receive from {from}")),
            Action::Copy => (Activity::Compute, "copy".to_owned()),
            Action::Apply { operator, element, .. } => (Activity::Compute, format!("{operator:?} {element:?}")),
            Action::Call { function } => (Activity::Compute, format!("call function {function}")),
            Action::Timestamp => (Activity::Compute, "timestamp".to_owned()),
            Action::Calc { .. } => (Activity::Compute, "join".to_owned()),
        };
        let label = format!("operation {}: {what}", span.operation);
        let (start_ns, end_ns) = (span.start_ns, span.end_ns);
        timeline.bars.push(Bar { row: first_row + row, activity, start_ns, end_ns, label });
    }
    for row in 0..ends.len().max(1) {
        timeline.rows.push(if row == 0 { format!("rank {}", trace.rank()) } else { String::new() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_a_row_do_not_overlap() {
        let times = [(0, 50), (0, 10), (10, 60), (12, 13), (55, 70), (70, 80)];
        let span = |(operation, &(start_ns, end_ns)): (usize, &(u64, u64))| Span {
            operation,
            action: Action::Send { to: 1, tag: 0 },
            start_ns,
            end_ns,
        };
        let trace = Trace { rank: 3, spans: times.iter().enumerate().map(span).collect() };
        let timeline = Timeline::of_runs([&trace, &trace]);
        assert_eq!(timeline.rows, ["rank 3", "", "", "rank 3", "", ""]);
        assert_eq!(timeline.bars.len(), 12);
        for (index, bar) in timeline.bars.iter().enumerate() {
            for other in timeline.bars[..index].iter().filter(|other| other.row == bar.row) {
                assert!(other.end_ns <= bar.start_ns, "{other:?} {bar:?}");
            }
        }
    }
}
