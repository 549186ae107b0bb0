//! The trace event format of Chrome: an array of objects, one on each line.
//!
//! A row is a thread of process 0; bars are complete events (`X`), arrows are flows (`s` to `f`). Times are microseconds.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Timeline;

impl Timeline {
    /// Writes a trace for `chrome://tracing` or ui.perfetto.dev.
    ///
    /// # Errors
    /// Those of writing to `into`.
    pub fn chrome(&self, mut into: impl Write) -> io::Result<()> {
        let us = |ns: u64| ns as f64 / 1000.0;
        let names =
            self.rows.iter().enumerate().map(
                |(row, name)| json!({"ph": "M", "name": "thread_name", "pid": 0, "tid": row, "args": {"name": name}}),
            );
        // The order of the rows; viewers would otherwise sort them by name.
        let order = (0..self.rows.len()).map(
            |row| json!({"ph": "M", "name": "thread_sort_index", "pid": 0, "tid": row, "args": {"sort_index": row}}),
        );
        let bars = self.bars.iter().map(|bar| {
            let (start, length) = (us(bar.start_ns), us(bar.end_ns.saturating_sub(bar.start_ns)));
            let activity = bar.activity.name();
            json!({"ph": "X", "name": bar.label, "cat": activity, "pid": 0, "tid": bar.row, "ts": start, "dur": length})
        });
        let arrows = self.arrows.iter().enumerate().flat_map(|(id, arrow)| {
            let end = |phase, (row, ns): (usize, u64)| {
                json!({"ph": phase, "name": arrow.label, "cat": "message", "id": id, "pid": 0, "tid": row, "ts": us(ns), "bp": "e"})
            };
            [end("s", arrow.from), end("f", arrow.to)]
        });
        let mut separator = "[\n";
        for event in names.chain(order).chain(bars).chain(arrows) {
            let event: Value = event;
            write!(into, "{separator}{event}")?;
            separator = ",\n";
        }
        writeln!(into, "{}", if separator == "[\n" { "[]" } else { "\n]" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Activity, Arrow, Bar};
    use super::*;

    #[test]
    fn it_is_json_and_says_everything() {
        let timeline = Timeline {
            rows: vec!["a \"row\"".into(), "b".into()],
            bars: vec![Bar { row: 1, activity: Activity::Compute, start_ns: 1500, end_ns: 1750, label: "calc".into() }],
            arrows: vec![Arrow { from: (0, 1000), to: (1, 1500), label: "8 b".into() }],
        };
        let mut text = Vec::new();
        timeline.chrome(&mut text).unwrap();
        let events: Vec<Value> = serde_json::from_slice(&text).unwrap();
        let named = |phase: &str| events.iter().filter(|event| event["ph"] == phase).collect::<Vec<_>>();
        assert_eq!(named("M")[0]["args"]["name"], "a \"row\"");
        assert_eq!(
            (&named("X")[0]["ts"], &named("X")[0]["dur"], &named("X")[0]["tid"]),
            (&json!(1.5), &json!(0.25), &json!(1))
        );
        assert_eq!((&named("s")[0]["ts"], &named("s")[0]["tid"]), (&json!(1.0), &json!(0)));
        assert_eq!((&named("f")[0]["ts"], &named("f")[0]["tid"]), (&json!(1.5), &json!(1)));
        assert_eq!(named("s")[0]["id"], named("f")[0]["id"]);
        assert_eq!(events.len(), 7);
        let mut empty = Vec::new();
        Timeline::default().chrome(&mut empty).unwrap();
        assert_eq!(empty, b"[]\n");
    }
}
