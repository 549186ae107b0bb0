//! The irregular programs of the example, in the sizes that a comparison needs.

use fusain_examples::irregular::{Comp, Fib, Grav, Lu, Pentomino, Queens, Uts};

/// One program of each kind.
#[derive(Debug)]
pub struct Programs {
    /// A recursion without other work.
    pub fib: Fib,
    /// A search with small nodes.
    pub nqueens: Queens,
    /// A search with few children.
    pub pentomino: Pentomino,
    /// A tree of irregular shape.
    pub uts: Uts,
    /// A loop over memory.
    pub comp: Comp,
    /// A loop that computes.
    pub grav: Grav,
    /// A recursion over a matrix.
    pub lu: Lu,
}

impl Programs {
    /// Programs that end at once on any runtime.
    pub fn tiny() -> Self {
        Self::of(10, (6, 3), "-t 1 -a 3 -d 3 -b 4 -r 19", (300, 5, 100))
    }

    /// Programs of some tens of milliseconds.
    pub fn short() -> Self {
        Self::of(33, (12, 4), "-t 1 -a 3 -d 8 -b 4 -r 19", (20_000, 80, 640))
    }

    /// Programs of about a second.
    pub fn long() -> Self {
        Self::of(40, (15, 6), "-t 1 -a 3 -d 10 -b 4 -r 19", (60_000, 200, 1_536))
    }

    fn of(fib: u32, (queens, rows): (u32, u32), tree: &str, (comp, grav, lu): (u32, u32, u32)) -> Self {
        Self {
            fib: Fib { n: fib },
            nqueens: Queens { n: queens },
            pentomino: Pentomino { rows },
            uts: Uts::read(tree).expect("the options of the trees above are right"),
            comp: Comp { n: comp },
            grav: Grav { n: grav },
            lu: Lu { n: lu },
        }
    }
}
