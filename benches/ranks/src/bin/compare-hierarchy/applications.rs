//! The report's applications as programs of ranks: matrix multiplication (section 7.3) and the processing of vectors (section 7.4).

use fusain::comm::Shape;
use fusain::topology::{Group, Groups, Place};

use crate::machines::{Model, Placement};
use crate::shared::{self, Step};

/// A variant of an application and its times: with a network card for each rank, and with one for each host.
pub(crate) struct Timed {
    pub(crate) name: String,
    pub(crate) own_ns: u64,
    pub(crate) shared_ns: u64,
}

fn timed(name: &str, model: &Model, placement: Placement, programs: &[Vec<Step>]) -> Timed {
    let (hosts, link) = (model.host_of(placement), model.links(placement));
    let run = |shares_cards| shared::run(programs, &shared::Machine { hosts: &hosts, link: &link, shares_cards });
    Timed { name: name.to_owned(), own_ns: run(false), shared_ns: run(true) }
}

/// Programs under construction, one for each rank.
struct Programs(Vec<Vec<Step>>);

impl Programs {
    /// A broadcast from the first rank down a binary tree over `ranks`.
    fn broadcast(&mut self, ranks: &[usize], bytes: usize) {
        for (node, &rank) in ranks.iter().enumerate() {
            let parent = Shape::Binary.parent(node, ranks.len());
            self.0[rank].extend(parent.map(|parent| Step::Receive { from: ranks[parent] }));
            let children = Shape::Binary.children(node, ranks.len());
            self.0[rank].extend(children.into_iter().rev().map(|child| Step::Send { to: ranks[child], bytes }));
        }
    }

    fn message(&mut self, from: usize, to: usize, bytes: usize) {
        if from != to {
            self.0[from].push(Step::Send { to, bytes });
            self.0[to].push(Step::Receive { from });
        }
    }

    /// Messages straight to the first of `ranks`, which adds up the received vectors.
    fn gather(&mut self, ranks: &[usize], length: usize) {
        let (&root, others) = ranks.split_first().expect("a group has ranks");
        for &rank in others {
            self.message(rank, root, 4 * length);
        }
        self.0[root].push(Step::Compute { ns: (ADD_NS * (length * ranks.len()) as f64) as u64 });
    }
}

/// Each step of SUMMA sends a block of eight doubles; `BLOCK_COMPUTE_NS` is its computation time.
const BLOCK_BYTES: usize = 64;
const BLOCK_COMPUTE_NS: u64 = 20;

/// The broadcast structure of a row or column of SUMMA: its ranks and their groups.
struct Line {
    ranks: Vec<usize>,
    parts: Vec<Line>,
}

impl Line {
    fn simple(ranks: Vec<usize>) -> Self {
        Self { ranks, parts: Vec::new() }
    }

    /// A line with `groups` groups of neighbours.
    fn by_hand(ranks: Vec<usize>, groups: usize) -> Self {
        let bound = |group: usize| group * ranks.len() / groups;
        let part = |group: usize| Self::simple(ranks[bound(group)..bound(group + 1)].to_vec());
        Self { parts: (0..groups).map(part).collect(), ranks }
    }

    fn topological(ranks: Vec<usize>, places: &[Place]) -> Self {
        fn line(group: Group<'_>, ranks: &[usize]) -> Line {
            let parts = group.children().into_iter().map(|child| line(child, ranks)).collect();
            Line { ranks: group.ranks().into_iter().map(|at| ranks[at]).collect(), parts }
        }
        let own: Vec<Place> = ranks.iter().map(|&rank| places[rank].clone()).collect();
        let groups = Groups::build(&own).expect("places of one model");
        line(groups.root(), &ranks)
    }

    /// Broadcasts from `root`, which leads every group that contains it. Other groups are led by their first rank.
    fn broadcast(&self, programs: &mut Programs, root: usize) {
        let leader = |line: &Self| if line.ranks.contains(&root) { root } else { line.ranks[0] };
        let mut leaders: Vec<usize> =
            if self.parts.is_empty() { self.ranks.clone() } else { self.parts.iter().map(leader).collect() };
        let own = leader(self);
        let at = leaders.iter().position(|&rank| rank == own).expect("who leads the whole leads a part");
        leaders.rotate_left(at);
        programs.broadcast(&leaders, BLOCK_BYTES);
        self.parts.iter().for_each(|part| part.broadcast(programs, root));
    }
}

/// The time of all steps in each variant: simple, with 2, 4 and 8 hand-made groups in each line, and two topological ones. The first of these lays
/// the grid over the tree and broadcasts simply, the second broadcasts by levels.
pub(crate) fn summa(model: &Model, placement: Placement) -> Vec<Timed> {
    let places = model.places(placement);
    let (rows, columns) = model.grid;
    let run = |name: &str, order: &[usize], line: &dyn Fn(Vec<usize>) -> Line| {
        let row = |row: usize| line(order[row * columns..(row + 1) * columns].to_vec());
        let column = |column: usize| line(order.iter().skip(column).step_by(columns).copied().collect());
        let (row_lines, column_lines): (Vec<Line>, Vec<Line>) =
            ((0..rows).map(row).collect(), (0..columns).map(column).collect());
        let mut programs = Programs(vec![Vec::new(); order.len()]);
        for step in 0..rows.max(columns) {
            row_lines.iter().for_each(|line| line.broadcast(&mut programs, line.ranks[step % columns]));
            column_lines.iter().for_each(|line| line.broadcast(&mut programs, line.ranks[step % rows]));
            programs.0.iter_mut().for_each(|program| program.push(Step::Compute { ns: BLOCK_COMPUTE_NS }));
        }
        timed(name, model, placement, &programs.0)
    };
    let by_rank: Vec<usize> = (0..places.len()).collect();
    // The topological grid is laid over the ranks in the order of the tree, the others in the order of ranks.
    let by_tree = Groups::build(&places).expect("places of one model").tree_order();
    let by_hand =
        |groups: usize| run(&format!("{groups} groups"), &by_rank, &move |ranks| Line::by_hand(ranks, groups));
    let simple = run("simple", &by_rank, &Line::simple);
    let grid = run("topological grid", &by_tree, &Line::simple);
    let levels = run("topological levels", &by_tree, &|ranks| Line::topological(ranks, &places));
    [vec![simple], [2, 4, 8].map(by_hand).into(), vec![grid, levels]].into_iter().flatten().collect()
}

/// The number of processes in a communicator of each level, from the top: the report's four hand-made hierarchies of 576 processes.
const CONFIGURATIONS: [[usize; 5]; 4] = [[3, 4, 2, 3, 8], [6, 2, 2, 3, 8], [3, 2, 2, 8, 6], [3, 2, 4, 6, 4]];

/// The time of one addition in nanoseconds.
const ADD_NS: f64 = 0.5;

/// Algorithm 5: gather the vectors of a level, add them up, and continue with the sums. By topology, and with each hand-made hierarchy of neighbours
/// by rank.
pub(crate) fn vectors(model: &Model, placement: Placement, length: usize) -> Vec<Timed> {
    let places = model.places(placement);
    let groups = Groups::build(&places).expect("places of one model");
    let mut programs = Programs(vec![Vec::new(); places.len()]);
    let communicator = |group: &Group<'_>| if group.children().is_empty() { group.ranks() } else { group.roots() };
    let all: Vec<Vec<usize>> = groups.iter().map(|group| communicator(&group)).collect();
    // In a lowest group of one rank there is nothing to gather.
    all.iter().rev().filter(|ranks| ranks.len() > 1).for_each(|ranks| programs.gather(ranks, length));
    let mut times = vec![timed("topological", model, placement, &programs.0)];
    for (number, sizes) in CONFIGURATIONS.iter().enumerate() {
        let mut programs = Programs(vec![Vec::new(); places.len()]);
        let mut below = 1;
        for size in sizes.iter().rev() {
            let leaders: Vec<usize> = (0..places.len()).step_by(below).collect();
            leaders.chunks(*size).for_each(|ranks| programs.gather(ranks, length));
            below *= size;
        }
        times.push(timed(&format!("by hand {}", number + 1), model, placement, &programs.0));
    }
    times
}
