//! Pictures of what happened when, in a simulation or in a run.
//!
//! A row is a rank or one of its processors. Bars show what kept it busy; arrows between rows are messages. [`Timeline::svg`] draws a
//! picture, [`Timeline::chrome`] writes a file for a viewer that can zoom (`chrome://tracing`, ui.perfetto.dev).
//!
//! ```
//! use fusain_schedule::timeline::{Activity, Arrow, Bar, Timeline};
//!
//! let mut timeline = Timeline { rows: vec!["rank 0".into(), "rank 1".into()], ..Timeline::default() };
//! timeline.bars.push(Bar { row: 0, activity: Activity::Send, start_ns: 0, end_ns: 1500, label: "8 b to 1".into() });
//! timeline.bars.push(Bar { row: 1, activity: Activity::Receive, start_ns: 4000, end_ns: 5500, label: "8 b from 0".into() });
//! timeline.arrows.push(Arrow { from: (0, 1500), to: (1, 4000), label: "8 b".into() });
//! let mut picture = Vec::new();
//! timeline.svg(&mut picture)?;
//! assert!(picture.starts_with(b"<svg "));
//! # Ok::<(), std::io::Error>(())
//! ```

mod chrome;
mod svg;

/// What happened when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The names of the rows, top to bottom.
    pub rows: Vec<String>,
    /// What kept the rows busy.
    pub bars: Vec<Bar>,
    /// The messages between rows.
    pub arrows: Vec<Arrow>,
}

/// A row was busy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Which row.
    pub row: usize,
    /// What it did, which chooses the colour.
    pub activity: Activity,
    /// When it began.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// What it did, in words.
    pub label: String,
}

/// A message went from one row to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The sender's row, and when it was sent.
    pub from: (usize, u64),
    /// The receiver's row, and when it arrived.
    pub to: (usize, u64),
    /// What it was, in words.
    pub label: String,
}

/// What a row was busy with: a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// Sending.
    Send,
    /// Receiving.
    Receive,
    /// Something local.
    Compute,
}

impl Activity {
    const ALL: [Self; 3] = [Self::Send, Self::Receive, Self::Compute];

    fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Compute => "compute",
        }
    }
}

impl Timeline {
    /// The end of the last bar or arrow.
    pub fn end_ns(&self) -> u64 {
        let bars = self.bars.iter().map(|bar| bar.end_ns);
        bars.chain(self.arrows.iter().map(|arrow| arrow.to.1)).max().unwrap_or(0)
    }
}
