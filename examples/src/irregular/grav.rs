//! The force of a cube of equal masses, one at each point of a lattice, on a mass beside it.

use std::ops::Range;

use anyhow::ensure;
use clap::Args;
use fusain::cluster::{Cluster, Result};
use fusain::comm::Communicator;

use super::{Parts, Program, grouped};

/// How large the cube is.
#[derive(Args, Clone, Debug)]
pub struct Grav {
    /// The cube goes from -n to n in each direction: (2n + 1)^3 masses.
    #[arg(default_value_t = 200, value_parser = clap::value_parser!(u32).range(..=5_000))]
    pub n: u32,
}

/// The components along x, y and z.
type Force = [f64; 3];

fn add(force: Force, other: Force) -> Force {
    [0, 1, 2].map(|axis| force[axis] + other[axis])
}

impl Grav {
    /// The number of points on an edge.
    fn edge(&self) -> usize {
        2 * self.n as usize + 1
    }

    /// The number of lines of masses along x.
    fn lines(&self) -> usize {
        self.edge() * self.edge()
    }

    /// The coordinate of a point of the lattice, from its index along an edge.
    fn at(&self, index: usize) -> f64 {
        index as f64 - f64::from(self.n)
    }

    /// The force of these lines on a mass that lies on the x axis, as far from the cube's face as the face is from the middle. The force of a mass at distance 1
    /// is 1.
    fn force(&self, lines: Range<usize>) -> Force {
        let beside = 2.0 * self.at(self.edge());
        let mut force = [0.0; 3];
        for line in lines {
            let (y, z) = (self.at(line % self.edge()), self.at(line / self.edge()));
            for x in 0..self.edge() {
                let x = self.at(x) - beside;
                let distance2 = x * x + y * y + z * z;
                let strength = 1.0 / (distance2 * distance2.sqrt());
                force = add(force, [x * strength, y * strength, z * strength]);
            }
        }
        force
    }
}

impl Program for Grav {
    type Found = Force;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<Force> {
        cluster.reduce(0..self.lines(), || [0.0; 3], |force, lines| *force = add(*force, self.force(lines)), add)
    }
    fn plain(&self) -> Force {
        self.force(0..self.lines())
    }
    fn say(&self, [x, _, _]: &Force) -> String {
        let masses = self.edge().pow(3) as u64;
        format!("the force of {} masses: {:.6} along the axis", grouped(masses), -x)
    }
    /// The cube is its own mirror image in y and in z. So forces across the axis cancel out, and those along it follow from a quarter of the masses.
    fn check(&self, &[x, y, z]: &Force) -> anyhow::Result<()> {
        let n = self.n as usize;
        let beside = 2.0 * self.at(self.edge());
        let mut wanted = 0.0;
        for (i, j) in (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
            let mirrored = f64::from((1 + u8::from(i > 0)) * (1 + u8::from(j > 0)));
            let across = (i * i + j * j) as f64;
            let line = (0..self.edge()).map(|k| self.at(k) - beside).map(|x| x / (x * x + across).powf(1.5));
            wanted += mirrored * line.sum::<f64>();
        }
        let close = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-9 * x.abs();
        ensure!(
            close(x, wanted) && close(y, 0.0) && close(z, 0.0),
            "it should be [{wanted}, 0, 0], not [{x}, {y}, {z}]"
        );
        Ok(())
    }
}

impl Parts for Grav {
    type Part = Range<usize>;
    fn parts(&self) -> (Vec<Range<usize>>, Force) {
        let (lines, run) = (self.lines(), self.lines().div_ceil(256));
        ((0..lines).step_by(run).map(|from| from..lines.min(from + run)).collect(), [0.0; 3])
    }
    fn part(&self, lines: &Range<usize>) -> Force {
        self.force(lines.clone())
    }
    fn join(&self, force: Force, other: Force) -> Force {
        add(force, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular::tests::{in_parts, on_any_ranks, on_ranks};

    #[test]
    fn the_force_is_that_of_a_quarter() {
        for n in [0, 1, 12] {
            on_ranks(&Grav { n });
            in_parts(&Grav { n });
        }
        on_any_ranks(&Grav { n: 12 });
    }

    #[test]
    fn one_mass_and_a_wrong_force() {
        // At distance 2.
        assert_eq!(Grav { n: 0 }.plain(), [-0.25, 0.0, 0.0]);
        let [x, y, z] = Grav { n: 3 }.plain();
        assert!(
            Grav { n: 3 }.check(&[x, y + 1e-6, z]).is_err() && Grav { n: 3 }.check(&[x * (1.0 + 1e-6), y, z]).is_err()
        );
    }
}
