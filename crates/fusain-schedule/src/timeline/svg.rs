//! Draws a timeline as a picture: one line for each row, time to the right, a colour for each activity, and its description under the
//! pointer.

use std::fmt;
use std::io::{self, Write};

use super::{Activity, Timeline};

const LABELS: f64 = 110.0;
const TIME: f64 = 1000.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 44.0;
const ROW: f64 = 30.0;
const BAR: f64 = 20.0;
/// The approximate number of marks on the time axis.
const MARKS: f64 = 10.0;

impl Timeline {
    /// Writes a picture. A few dozen rows are readable.
    ///
    /// # Errors
    /// Those of writing to `into`.
    pub fn svg(&self, mut into: impl Write) -> io::Result<()> {
        let (width, bottom) = (LABELS + TIME + MARGIN, TOP + ROW * self.rows.len() as f64);
        let end = self.end_ns().max(1) as f64;
        let x = |ns: u64| LABELS + ns as f64 / end * TIME;
        let y = |row: usize| TOP + ROW * row as f64;
        writeln!(
            into,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{0}" viewBox="0 0 {width} {0}" font-family="sans-serif" font-size="12">"#,
            bottom + 30.0
        )?;
        writeln!(into, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
        writeln!(
            into,
            r##"<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>"##
        )?;
        for (place, activity) in Activity::ALL.into_iter().enumerate() {
            let (at, fill) = (LABELS + 90.0 * place as f64, colour(activity));
            writeln!(into, r#"<rect x="{at}" y="12" width="14" height="14" fill="{fill}"/>"#)?;
            writeln!(into, r#"<text x="{}" y="24">{}</text>"#, at + 20.0, activity.name())?;
        }
        let mut shaded = false;
        for (row, name) in self.rows.iter().enumerate() {
            let middle = y(row) + ROW / 2.0;
            // Rows without a name belong to the one above.
            shaded ^= !name.is_empty();
            if shaded {
                writeln!(
                    into,
                    r##"<rect x="{LABELS}" y="{}" width="{TIME}" height="{ROW}" fill="#f4f4f4"/>"##,
                    y(row)
                )?;
            }
            writeln!(
                into,
                r#"<text x="{}" y="{}" text-anchor="end">{}</text>"#,
                LABELS - 8.0,
                middle + 4.0,
                Escaped(name)
            )?;
        }
        let (step, unit) = (step(end), unit(end));
        for mark in marks(step, end) {
            let at = x(mark);
            writeln!(into, r##"<path d="M{at:.1} {TOP}V{bottom}" stroke="#ddd"/>"##)?;
            let time = mark as f64 / unit.0;
            writeln!(
                into,
                r##"<text x="{at:.1}" y="{}" text-anchor="middle" fill="#666">{time} {}</text>"##,
                bottom + 18.0,
                unit.1
            )?;
        }
        for bar in &self.bars {
            let (left, top) = (x(bar.start_ns), y(bar.row) + (ROW - BAR) / 2.0);
            // A bar of no duration is still visible.
            let length = (x(bar.end_ns) - left).max(1.0);
            writeln!(
                into,
                r#"<rect x="{left:.1}" y="{top}" width="{length:.1}" height="{BAR}" fill="{}" stroke="white" stroke-width="0.5"><title>{}, {} to {} ns</title></rect>"#,
                colour(bar.activity),
                Escaped(&bar.label),
                bar.start_ns,
                bar.end_ns
            )?;
        }
        for arrow in &self.arrows {
            let ends = [arrow.from, arrow.to].map(|(row, ns)| (x(ns), y(row) + ROW / 2.0));
            let [(x1, y1), (x2, y2)] = ends;
            writeln!(
                into,
                r##"<path d="M{x1:.1} {y1}L{x2:.1} {y2}" stroke="#444" fill="none" marker-end="url(#tip)"><title>{}, {} to {} ns</title></path>"##,
                Escaped(&arrow.label),
                arrow.from.1,
                arrow.to.1
            )?;
        }
        writeln!(into, "</svg>")
    }
}

/// The colours are from a palette that people with red-green colour blindness can distinguish (Okabe and Ito).
fn colour(activity: Activity) -> &'static str {
    match activity {
        Activity::Send => "#0072b2",
        Activity::Receive => "#e69f00",
        Activity::Compute => "#009e73",
    }
}

/// 1, 2 or 5 times a power of ten, so that there are about [`MARKS`] marks up to `end`.
fn step(end: f64) -> u64 {
    let steps = (0..=u64::MAX.ilog10()).flat_map(|power| [1, 2, 5].map(|digit| 10u64.pow(power).saturating_mul(digit)));
    steps.into_iter().find(|&step| end / step as f64 <= MARKS).unwrap_or(u64::MAX)
}

/// The multiples of `step` up to `end`. Times may be as large as a `u64`, so the multiple after the last one may not exist.
fn marks(step: u64, end: f64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(0), move |mark: &u64| mark.checked_add(step)).take_while(move |&mark| mark as f64 <= end)
}

/// The unit in which the times up to `end` are short, in nanoseconds, and its name.
fn unit(end: f64) -> (f64, &'static str) {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    units.into_iter().find(|(unit, _)| end >= 2.0 * unit).unwrap_or((1.0, "ns"))
}

/// Text, escaped for XML.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                // XML cannot represent these characters.
                '\u{fffe}' | '\u{ffff}' => f.write_str(" ")?,
                control if control.is_control() => f.write_str(" ")?,
                letter => write!(f, "{letter}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_few() {
        assert_eq!([1.0, 10.0, 11.0, 34_914.0, 60_000.0, 1e12].map(step), [1, 1, 2, 5000, 10_000, 100_000_000_000]);
        for end in (1..200).map(|power| 1.25f64.powi(power)) {
            assert!((2.0..=MARKS).contains(&(end / step(end) as f64)) || end < 4.0, "{end}");
        }
        assert!(step(u64::MAX as f64) > 0);
    }

    #[test]
    fn marks_end_where_numbers_do() {
        let end = u64::MAX as f64;
        let found: Vec<u64> = marks(step(end), end).take(20).collect();
        assert_eq!(found, (0..10).map(|mark| mark * 2_000_000_000_000_000_000).collect::<Vec<_>>());
    }

    #[test]
    fn names_are_escaped() {
        let timeline = Timeline { rows: vec!["<a> & b\0".into()], ..Timeline::default() };
        let mut picture = Vec::new();
        timeline.svg(&mut picture).unwrap();
        assert!(String::from_utf8(picture).unwrap().contains("&lt;a&gt; &amp; b "));
    }
}
