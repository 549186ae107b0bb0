//! What the ranks did in a run: a table for people, and a picture of which rank worked when.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use fusain_comm::Communicator;

use crate::cluster::Cluster;
use crate::error::{Error, Result};
use crate::log::RankReport;
use crate::wire::codec;

/// What all ranks did in a run; see [`Cluster::report`].
///
/// [`Display`](fmt::Display) writes a table with a line for each rank: `units`, `local` (steals within the rank), tasks `taken` from and
/// `given` to other ranks, how often it `asked` and was `refused`, `bytes` sent, and the share of the time in which it was `idle`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// One report for each rank, in the order of ranks.
    pub ranks: Vec<RankReport>,
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: returns what all ranks did in the last run, on rank 0; `None` on the others.
    ///
    /// Units and local steals are those of the pool. If other threads use the same pool meanwhile, their units and steals are included.
    ///
    /// ```
    /// use fusain_cluster::Cluster;
    /// use fusain_comm::World;
    ///
    /// let reports = World::threads(2).run(|comm| {
    ///     let cluster = Cluster::over(comm);
    ///     cluster.collect(0..1_000, |i| i as u64).unwrap();
    ///     cluster.report().unwrap()
    /// });
    /// let report = reports[0].as_ref().unwrap();
    /// assert_eq!(report.ranks.len(), 2);
    /// assert!(report.to_string().starts_with("rank"));
    /// let mut picture = Vec::new();
    /// report.svg(&mut picture).unwrap();
    /// ```
    ///
    /// # Errors
    /// Those of a run, such as [`Error::RankLost`]. A rank that begins a run instead of reporting counts as lost.
    pub fn report(&self) -> Result<Option<Report>> {
        let mine = self.state.report();
        if self.size() == 1 {
            return Ok(Some(Report { ranks: vec![mine] }));
        }
        // No run may have connected the ranks yet.
        drop(self.open()?);
        let Some(others) = self.state.gather(&codec::encode(&mine)?)? else { return Ok(None) };
        let mut ranks = vec![mine];
        for (from, bytes) in others {
            match codec::decode(&bytes) {
                Ok(report) => ranks.push(report),
                Err(why) => return Err(self.state.fail_with(Error::Corrupt { from: from as usize, why })),
            }
        }
        Ok(Some(Report { ranks }))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers = ["rank", "units", "local", "taken", "given", "asked", "refused", "bytes", "idle"];
        let mut rows: Vec<[String; 9]> = vec![headers.map(str::to_owned)];
        rows.extend(self.ranks.iter().enumerate().map(|(rank, report)| {
            let idle = format!("{:.1} %", 100.0 * report.idle_share());
            let RankReport { units, steals_local, tasks_taken, tasks_given, requests, refusals, bytes_sent, .. } =
                report;
            let [a, b, c, d, e, g, h] =
                [units, steals_local, tasks_taken, tasks_given, requests, refusals, bytes_sent].map(u64::to_string);
            [rank.to_string(), a, b, c, d, e, g, h, idle]
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..headers.len()).map(width).collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  "))?;
        }
        Ok(())
    }
}

const LABELS: f64 = 70.0;
const TIME: f64 = 1000.0;
const ROW: f64 = 22.0;
const TOP: f64 = 20.0;

impl Report {
    /// Writes an SVG picture: a line for each rank, time to the right, dark where the rank had work.
    ///
    /// # Errors
    /// Those of writing to `into`.
    pub fn svg(&self, mut into: impl Write) -> io::Result<()> {
        let end = self.ranks.iter().map(|rank| rank.elapsed).max().unwrap_or_default().max(Duration::from_nanos(1));
        let x = |time: Duration| LABELS + TIME * time.as_secs_f64() / end.as_secs_f64();
        let bottom = TOP + ROW * self.ranks.len() as f64;
        let (width, height) = (LABELS + TIME + 40.0, bottom + 30.0);
        writeln!(
            into,
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">"#
        )?;
        writeln!(into, r#"<rect width="100%" height="100%" fill="white"/>"#)?;
        for (rank, report) in self.ranks.iter().enumerate() {
            let top = TOP + ROW * rank as f64;
            let middle = top + ROW / 2.0 + 4.0;
            writeln!(into, r#"<text x="{}" y="{middle}" text-anchor="end">rank {rank}</text>"#, LABELS - 8.0)?;
            writeln!(
                into,
                r##"<rect x="{LABELS}" y="{}" width="{TIME}" height="{}" fill="#eee"/>"##,
                top + 2.0,
                ROW - 4.0
            )?;
            for &(from, to) in &report.busy {
                let (left, right) = (x(from), x(to));
                writeln!(
                    into,
                    r##"<rect x="{left:.2}" y="{}" width="{:.2}" height="{}" fill="#356"><title>{from:.3?} to {to:.3?}</title></rect>"##,
                    top + 2.0,
                    (right - left).max(0.2),
                    ROW - 4.0
                )?;
            }
        }
        for mark in 0..=4_u32 {
            let time = end / 4 * mark;
            let label = if time.is_zero() { "0".to_owned() } else { format!("{time:.1?}") };
            writeln!(
                into,
                r##"<text x="{:.1}" y="{}" text-anchor="middle" fill="#666">{label}</text>"##,
                x(time),
                bottom + 18.0
            )?;
        }
        writeln!(into, "</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_and_a_picture() {
        let time = Duration::from_millis;
        let busy = vec![(time(0), time(6)), (time(8), time(10))];
        let first = RankReport {
            units: 1_234,
            tasks_given: 2,
            elapsed: time(10),
            worked: time(8),
            busy,
            ..RankReport::default()
        };
        assert!((first.idle_share() - 0.2).abs() < 1e-9);
        let report = Report { ranks: vec![first, RankReport { tasks_taken: 2, ..RankReport::default() }] };
        assert_eq!(
            report.to_string(),
            "rank  units  local  taken  given  asked  refused  bytes    idle\n   \
             0   1234      0      0      2      0        0      0  20.0 %\n   \
             1      0      0      2      0      0        0      0   0.0 %\n"
        );
        let mut picture = Vec::new();
        report.svg(&mut picture).unwrap();
        let wild =
            RankReport { elapsed: Duration::MAX, busy: vec![(Duration::MAX, Duration::ZERO)], ..RankReport::default() };
        Report { ranks: vec![wild] }.svg(io::sink()).unwrap();
        let picture = String::from_utf8(picture).unwrap();
        assert_eq!(picture.matches("<title>").count(), 2);
        assert!(picture.contains(r#"x="870.00""#), "a pause ends after eight of ten");
    }
}
