//! Timelines of a simulation or a run, drawn as pictures.
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

/// The activities and messages of a simulation or a run, with their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The names of the rows, top to bottom.
    pub rows: Vec<String>,
    /// The times when the rows were busy.
    pub bars: Vec<Bar>,
    /// The messages between rows.
    pub arrows: Vec<Arrow>,
}

/// A time in which a row was busy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// The index of the row.
    pub row: usize,
    /// What the row did; this chooses the colour.
    pub activity: Activity,
    /// When the activity began.
    pub start_ns: u64,
    /// When the activity ended.
    pub end_ns: u64,
    /// A description of the activity.
    pub label: String,
}

/// A message went from one row to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// The sender's row, and when it was sent.
    pub from: (usize, u64),
    /// The receiver's row, and when it arrived.
    pub to: (usize, u64),
    /// A description of the message.
    pub label: String,
}

/// An activity of a row, which has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// Sending.
    Send,
    /// Receiving.
    Receive,
    /// Local work.
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
