//! Searches, recursions and loops over in-process ranks.

use std::ops::Range;

use fusain_cluster::{Cluster, ForkJoin, Search, Step, Table};
use fusain_comm::{LogGp, Network, ThreadComm, World};
use fusain_pool::Pool;

/// The same on worlds of several sizes, with a pool of several, and with messages that take their time.
fn everywhere<R: PartialEq + std::fmt::Debug + Send + Clone>(
    wanted: R,
    run: impl Fn(&Cluster<'_, ThreadComm>) -> R + Sync,
) {
    for (ranks, workers, micros) in [(1, 1, 0), (1, 4, 0), (2, 1, 0), (3, 2, 200), (5, 1, 50), (8, 3, 0)] {
        let link = LogGp { latency_ns: micros * 1_000, ..LogGp::default() };
        let world = World::threads(ranks);
        let world = if micros > 0 { world.network(Network::flat(link)) } else { world };
        let found = world.run(|comm| {
            let pool = Pool::builder().threads(workers).build().unwrap();
            run(&Cluster::over(comm).pool(&pool))
        });
        assert_eq!(found, vec![wanted.clone(); ranks], "{ranks} ranks of {workers}");
    }
}

struct Queens {
    n: u32,
}

#[derive(Clone, Default)]
struct Board {
    row: u32,
    columns: u64,
    rising: u64,
    falling: u64,
}

impl Search for Queens {
    type Node = Board;
    type Choice = u8;
    type Choices = Bits;
    type Output = u64;
    fn root(&self) -> Board {
        Board::default()
    }
    fn choices(&self, board: &Board, found: &mut u64) -> Bits {
        *found += u64::from(board.row == self.n);
        let taken = board.columns | board.rising >> board.row | board.falling >> (self.n - board.row);
        Bits(if board.row == self.n { 0 } else { !taken & ((1 << self.n) - 1) })
    }
    fn apply(&self, board: &mut Board, &column: &u8) {
        board.columns ^= 1 << column;
        board.rising ^= 1 << (u32::from(column) + board.row);
        board.falling ^= 1 << (u32::from(column) + self.n - board.row);
        board.row += 1;
    }
    fn undo(&self, board: &mut Board, column: &u8) {
        board.row -= 1;
        self.apply(board, column);
        board.row -= 1;
    }
    fn merge(&self, found: &mut u64, part: u64) {
        *found += part;
    }
}

#[derive(Clone)]
struct Bits(u64);

impl Iterator for Bits {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        let bit = self.0.trailing_zeros() as u8;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

#[test]
fn queens() {
    everywhere([92, 724], |cluster| [8, 10].map(|n| cluster.search(&Queens { n }).unwrap()));
}

struct Fib;

impl ForkJoin for Fib {
    type Task = u32;
    type Value = u64;
    type Frame = ();
    fn begin(&self, n: u32) -> Step<Self> {
        if n < 2 { Step::Done(n.into()) } else { Step::Fork { tasks: vec![n - 1, n - 2], frame: () } }
    }
    fn join(&self, (): (), values: Vec<u64>) -> Step<Self> {
        Step::Done(values[0] + values[1])
    }
}

#[test]
fn fibonacci() {
    everywhere([0, 6_765, 1], |cluster| [0, 20, 2].map(|n| cluster.fork_join(&Fib, n).unwrap()));
}

#[test]
fn loops_keep_their_order() {
    let text = |range: Range<usize>| range.map(|i| format!("{i} ")).collect::<String>();
    everywhere((text(3..3_000), Vec::new()), |cluster| {
        let fold = |all: &mut String, run: Range<usize>| *all += &text(run);
        let reduced = cluster.reduce(3..3_000, String::new, fold, |a, b| a + &b).unwrap();
        (reduced, cluster.collect(5..5, |i| i as u8).unwrap())
    });
    let squares: Vec<u64> = (0..2_000).map(|i| i * i).collect();
    everywhere(squares, |cluster| cluster.collect(0..2_000, |i| (i * i) as u64).unwrap());
}

/// The heaviest set of things under a limit, by branch and bound.
struct Knapsack<'a> {
    things: &'a [(i64, i64)],
    limit: i64,
    best: &'a Table,
}

#[derive(Clone, Default)]
struct Sack {
    at: usize,
    weight: i64,
    value: i64,
}

impl Search for Knapsack<'_> {
    type Node = Sack;
    type Choice = bool;
    type Choices = std::array::IntoIter<bool, 2>;
    type Output = i64;
    fn root(&self) -> Sack {
        Sack::default()
    }
    fn choices(&self, sack: &Sack, found: &mut i64) -> Self::Choices {
        let none = || {
            let mut all = [true, false].into_iter();
            all.nth(1);
            all
        };
        if sack.weight > self.limit {
            return none();
        }
        *found = sack.value.max(*found);
        self.best.raise(0, sack.value);
        let rest: i64 = self.things[sack.at..].iter().map(|thing| thing.1).sum();
        if rest == 0 || sack.value + rest <= self.best.get(0) { none() } else { [true, false].into_iter() }
    }
    fn apply(&self, sack: &mut Sack, &takes: &bool) {
        let (weight, value) = self.things[sack.at];
        sack.at += 1;
        sack.weight += if takes { weight } else { 0 };
        sack.value += if takes { value } else { 0 };
    }
    fn undo(&self, sack: &mut Sack, &takes: &bool) {
        sack.at -= 1;
        let (weight, value) = self.things[sack.at];
        sack.weight -= if takes { weight } else { 0 };
        sack.value -= if takes { value } else { 0 };
    }
    fn merge(&self, found: &mut i64, part: i64) {
        *found = part.max(*found);
    }
}

#[test]
fn bounds_are_shared() {
    let things: Vec<(i64, i64)> = (1..20).map(|i| (7 * i % 23 + 3, 11 * i % 29 + 1)).collect();
    let limit = 80;
    // Sequentially, by weights.
    let mut most = vec![0; limit + 1];
    for &(weight, value) in &things {
        for at in (weight as usize..=limit).rev() {
            most[at] = most[at].max(most[at - weight as usize] + value);
        }
    }
    everywhere(most[limit], |cluster| {
        let best = cluster.table(&[0]);
        let found = cluster.search(&Knapsack { things: &things, limit: limit as i64, best: &best }).unwrap();
        assert!(best.get(0) <= found, "nobody has heard of more than there is");
        found
    });
}
