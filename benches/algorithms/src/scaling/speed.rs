//! Figures derived from the points: speed-ups, efficiency, break-even.

use std::collections::BTreeSet;

use super::store::Point;
use super::sweep::SEQUENTIAL;

/// The efficiency from which on threads count as well used; the figure of pSTL-Bench's paper.
pub(super) const EFFICIENT: f64 = 0.7;

/// The points of one algorithm on one element type.
#[derive(Clone, Debug)]
pub(super) struct Curve<'a> {
    pub(super) algorithm: &'a str,
    pub(super) element: &'a str,
    points: Vec<&'a Point>,
}

impl<'a> Curve<'a> {
    /// All curves, in alphabetical order.
    pub(super) fn all(points: &'a [Point]) -> Vec<Curve<'a>> {
        let keys: BTreeSet<(&str, &str)> = points.iter().map(|p| (p.element.as_str(), p.algorithm.as_str())).collect();
        let of = |(element, algorithm): (&'a str, &'a str)| Curve {
            algorithm,
            element,
            points: points.iter().filter(|p| p.algorithm == algorithm && p.element == element).collect(),
        };
        keys.into_iter().map(of).collect()
    }

    /// The binary logarithms of the measured lengths.
    pub(super) fn sizes(&self) -> Vec<u32> {
        self.points.iter().map(|point| point.log2).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The numbers of threads.
    pub(super) fn threads(&self) -> Vec<usize> {
        self.points.iter().map(|point| point.threads).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The largest number of threads.
    pub(super) fn most_threads(&self) -> usize {
        self.threads().into_iter().max().unwrap_or(1)
    }

    /// The largest length at which a side was measured beside the sequential code.
    pub(super) fn largest(&self, side: &str) -> Option<u32> {
        let threads = self.most_threads();
        self.sizes().into_iter().rev().find(|&log2| self.speed_up(side, log2, threads).is_some())
    }

    /// The time of a call.
    pub(super) fn ns(&self, side: &str, log2: u32, threads: usize) -> Option<f64> {
        let is = |point: &&&Point| point.side == side && point.log2 == log2 && point.threads == threads;
        self.points.iter().find(is).map(|point| point.ns)
    }

    /// The speed-up over the best sequential code.
    pub(super) fn speed_up(&self, side: &str, log2: u32, threads: usize) -> Option<f64> {
        Some(self.ns(SEQUENTIAL, log2, 1)? / self.ns(side, log2, threads)?)
    }

    /// The largest number of threads whose efficiency at the largest length is at least [`EFFICIENT`]; 0 if none is, not even one thread.
    pub(super) fn efficient_threads(&self, side: &str) -> Option<usize> {
        let log2 = self.largest(side)?;
        let enough = |threads: &usize| {
            self.speed_up(side, log2, *threads).is_some_and(|speed_up| speed_up / *threads as f64 >= EFFICIENT)
        };
        Some(self.threads().into_iter().filter(enough).max().unwrap_or(0))
    }

    /// The smallest length from which on the side is always faster than the sequential code, on the largest number of threads.
    pub(super) fn break_even(&self, side: &str) -> Option<u32> {
        let threads = self.most_threads();
        let known = self.sizes().into_iter().rev().filter_map(|log2| Some((log2, self.speed_up(side, log2, threads)?)));
        known.take_while(|(_, speed_up)| *speed_up > 1.0).last().map(|(log2, _)| log2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(side: &str, log2: u32, threads: usize, ns: f64) -> Point {
        let (algorithm, element) = ("sort".to_owned(), "double".to_owned());
        Point { algorithm, element, log2, threads, side: side.to_owned(), ns, cpu_ns: ns, calls: 1, bytes: 1 }
    }

    #[test]
    fn figures_of_a_curve() {
        let points = [
            point(SEQUENTIAL, 3, 1, 10.0),
            point(SEQUENTIAL, 4, 1, 20.0),
            point(SEQUENTIAL, 5, 1, 40.0),
            point("fusain", 3, 4, 20.0),
            point("fusain", 4, 4, 16.0),
            point("fusain", 5, 4, 16.0),
            point("fusain", 5, 2, 25.0),
            point("fusain", 5, 1, 44.0),
        ];
        let curves = Curve::all(&points);
        let [curve] = &curves[..] else { panic!("one algorithm, one type") };
        assert_eq!(curve.speed_up("fusain", 5, 4), Some(2.5));
        assert_eq!(curve.break_even("fusain"), Some(4));
        assert_eq!(curve.break_even("rayon"), None);
        // 2.5 / 4 is less than 0.7; 1.6 / 2 is not.
        assert_eq!(curve.efficient_threads("fusain"), Some(2));
        assert_eq!(curve.largest("fusain"), Some(5));
    }
}
