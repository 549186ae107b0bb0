//! `compare join`: recursive fork and join with almost no work at the leaves.
//!
//! The recursions have no cut-off: every addition of Fibonacci and every square of the board is a fork, so that the cost of forks is
//! measured.

use std::hint::black_box;

use chili::Scope;
use fusain::pool::Pool;

use crate::peers::{Chili, rayon_pool};
use fusain_harness::{Options as Common, Report, Samples, Side, cell_ns, cell_ratio, measure, table};

/// What to compute.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Which Fibonacci number.
    #[arg(long, default_value_t = 36)]
    fib: u32,
    /// How many queens.
    #[arg(long, default_value_t = 12)]
    queens: u32,
}

fn fib_plain(n: u32) -> u64 {
    if n < 2 { n.into() } else { fib_plain(n - 1) + fib_plain(n - 2) }
}

fn fib_ours(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = fusain::join(|| fib_ours(n - 1), || fib_ours(n - 2));
    a + b
}

fn fib_rayon(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = rayon::join(|| fib_rayon(n - 1), || fib_rayon(n - 2));
    a + b
}

fn fib_chili(scope: &mut Scope<'_>, n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = scope.join(|scope| fib_chili(scope, n - 1), |scope| fib_chili(scope, n - 2));
    a + b
}

/// A board filled row by row: the occupied columns and diagonals, as bits of the next row.
#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn empty(n: u32) -> Self {
        Board { all: (1 << n) - 1, columns: 0, left: 0, right: 0 }
    }

    fn free(self) -> u32 {
        self.all & !(self.columns | self.left | self.right)
    }

    fn is_full(self) -> bool {
        self.columns == self.all
    }

    fn place(self, queen: u32) -> Self {
        Board {
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
            ..self
        }
    }
}

/// The lowest of the `free` squares, and the others.
fn first(free: u32) -> (u32, u32) {
    (free & free.wrapping_neg(), free & (free - 1))
}

fn queens_plain(board: Board) -> u64 {
    if board.is_full() {
        return 1;
    }
    let (mut free, mut count) = (board.free(), 0);
    while free != 0 {
        let (queen, rest) = first(free);
        count += queens_plain(board.place(queen));
        free = rest;
    }
    count
}

/// The number of solutions with a queen on one of the `free` squares: forks the first square and all the others.
fn queens_ours(board: Board, free: u32) -> u64 {
    if free == 0 {
        return board.is_full().into();
    }
    let (queen, rest) = first(free);
    let next = board.place(queen);
    if rest == 0 {
        return queens_ours(next, next.free());
    }
    let (a, b) = fusain::join(|| queens_ours(next, next.free()), || queens_ours(board, rest));
    a + b
}

fn queens_rayon(board: Board, free: u32) -> u64 {
    if free == 0 {
        return board.is_full().into();
    }
    let (queen, rest) = first(free);
    let next = board.place(queen);
    if rest == 0 {
        return queens_rayon(next, next.free());
    }
    let (a, b) = rayon::join(|| queens_rayon(next, next.free()), || queens_rayon(board, rest));
    a + b
}

fn queens_chili(scope: &mut Scope<'_>, board: Board, free: u32) -> u64 {
    if free == 0 {
        return board.is_full().into();
    }
    let (queen, rest) = first(free);
    let next = board.place(queen);
    if rest == 0 {
        return queens_chili(scope, next, next.free());
    }
    let (a, b) = scope.join(|scope| queens_chili(scope, next, next.free()), |scope| queens_chili(scope, board, rest));
    a + b
}

/// The runtimes that fork.
#[derive(Clone, Copy, Debug)]
pub struct Forks<'a> {
    /// Our pool with one worker.
    pub one: &'a Pool,
    /// Our pool with as many workers as the other runtimes.
    pub many: &'a Pool,
    /// rayon.
    pub rayon: &'a rayon::ThreadPool,
    /// chili.
    pub chili: &'a Chili,
}

/// The names of the sides, in order.
const NAMES: [&str; 5] = ["plain recursion", "ours, 1 worker", "ours", "rayon", "chili"];

/// All sides that compute a Fibonacci number.
pub fn fib_sides(on: Forks<'_>, n: u32) -> [Side<'_>; 5] {
    [
        Side::reading(NAMES[0], move || fib_plain(black_box(n))),
        Side::reading(NAMES[1], move || on.one.join(|| fib_ours(black_box(n)), || ()).0),
        Side::reading(NAMES[2], move || on.many.join(|| fib_ours(black_box(n)), || ()).0),
        Side::reading(NAMES[3], move || on.rayon.install(|| fib_rayon(black_box(n)))),
        Side::reading(NAMES[4], move || fib_chili(&mut on.chili.scope(), black_box(n))),
    ]
}

/// All sides that count the placements of `n` queens.
pub fn queens_sides(on: Forks<'_>, n: u32) -> [Side<'_>; 5] {
    let board = Board::empty(n);
    let free = board.free();
    [
        Side::reading(NAMES[0], move || queens_plain(black_box(board))),
        Side::reading(NAMES[1], move || on.one.join(|| queens_ours(black_box(board), free), || ()).0),
        Side::reading(NAMES[2], move || on.many.join(|| queens_ours(black_box(board), free), || ()).0),
        Side::reading(NAMES[3], move || on.rayon.install(|| queens_rayon(black_box(board), free))),
        Side::reading(NAMES[4], move || queens_chili(&mut on.chili.scope(), black_box(board), free)),
    ]
}

/// Panics unless all sides agree.
fn check(sides: &mut [Side<'_>]) {
    let expected = sides[0].answer();
    for side in sides {
        assert_eq!(side.answer(), expected, "{}", side.name());
    }
}

pub(super) fn run(own: &Options, options: &Common) -> anyhow::Result<()> {
    let (fib, queens) = if options.smoke { (own.fib.min(20), own.queens.min(7)) } else { (own.fib, own.queens) };
    let threads = options.threads;
    let one = Pool::builder().threads(1).build()?;
    let many = options.pool()?;
    let (rayon, chili) = (rayon_pool(threads)?, Chili::new(threads));
    let on = Forks { one: &one, many: &many, rayon: &rayon, chili: &chili };
    let (mut fib_sides, mut queens_sides) = (fib_sides(on, fib), queens_sides(on, queens));
    check(&mut fib_sides);
    check(&mut queens_sides);
    let names = NAMES;
    let fib_samples = measure(&mut fib_sides, &options.plan());
    let queens_samples = measure(&mut queens_sides, &options.plan());

    let (fib_label, queens_label) = (format!("fib({fib})"), format!("nqueens({queens})"));
    let mut table = table(&["join", &fib_label, "over plain", "over ours", &queens_label, "over plain", "over ours"]);
    for at in 0..names.len() {
        let cells = |samples: &[Samples]| {
            let ns = samples[at].median();
            [cell_ns(ns), cell_ratio(ns / samples[0].median()), cell_ratio(ns / samples[2].median())]
        };
        let threads = if at < 2 { 1 } else { threads };
        let name = if at == 0 {
            names[0].to_owned()
        } else {
            format!("{} ({threads})", names[at].trim_end_matches(", 1 worker"))
        };
        table.add_row([vec![name], cells(&fib_samples).into(), cells(&queens_samples).into()].concat());
    }
    println!("{table}");

    let mut report = Report::new("join");
    report.keep(&fib_label, &fib_samples);
    report.keep(&queens_label, &queens_samples);
    let ratio = |samples: &[Samples], a: usize, b: usize| samples[a].median() / samples[b].median();
    report.key("fib_1w_over_plain", ratio(&fib_samples, 1, 0));
    report.key("rayon_over_ours", ratio(&fib_samples, 3, 2));
    report.key("chili_over_ours", ratio(&fib_samples, 4, 2));
    report.key("queens_1w_over_plain", ratio(&queens_samples, 1, 0));
    report.key("queens_rayon_over_ours", ratio(&queens_samples, 3, 2));
    report.key("queens_chili_over_ours", ratio(&queens_samples, 4, 2));
    report.finish(options)
}
