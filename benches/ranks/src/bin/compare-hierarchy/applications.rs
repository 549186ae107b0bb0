//! The report's applications: matrix multiplication (section 7.3) and the processing of vectors (section 7.4).

use fusain::comm::{Communicator, ThreadComm, World};
use fusain::topology::model::{Operation, Way};
use fusain::topology::{Groups, Hierarchy, Place, Result};

use crate::algorithms::{Algorithm, way_down};
use crate::elapsed_ns;
use crate::machines::{Model, Placement};

/// What one step of SUMMA computes: a block of eight doubles.
const BLOCK: usize = 8;
const BLOCK_COMPUTE_NS: u64 = 20;
const BINARY: Algorithm = Algorithm::Tree(fusain::comm::Shape::Binary);

/// How the broadcasts of SUMMA go along a row or column.
#[derive(Clone, Copy)]
enum Line {
    Simple,
    /// Hand-made: so many groups of neighbours in the line.
    Groups(usize),
    Topological,
}

/// One line of the grid, and how its broadcasts go.
enum Bus {
    Flat(ThreadComm),
    Groups { between: Option<ThreadComm>, inside: ThreadComm, whole: ThreadComm },
    Levels(Box<Hierarchy<ThreadComm>>),
}

impl Bus {
    fn new(line: ThreadComm, how: Line, place: &Place, model: &Model) -> Result<Self> {
        Ok(match how {
            Line::Simple => Self::Flat(line),
            Line::Groups(groups) => {
                let color = line.rank() * groups / line.size();
                let inside = line.split(Some(color as u32), 0)?.expect("a colour was given");
                let between = line.split((inside.rank() == 0).then_some(0), 0)?;
                Self::Groups { between, inside, whole: line }
            }
            Line::Topological => Self::Levels(Box::new(Hierarchy::build(&line, place)?.with_costs(model.costs()))),
        })
    }

    /// From any rank of the line: hand-made groups and levels start at the line's first.
    fn broadcast(&self, data: &mut [u64], root: usize) -> Result<()> {
        let whole = match self {
            Self::Flat(line) => {
                return Ok(fusain::comm::collective::broadcast(
                    line,
                    data,
                    root,
                    fusain::comm::Shape::Binary,
                    usize::MAX,
                )?);
            }
            Self::Levels(hierarchy) => {
                return hierarchy.broadcast_with(data, root, fusain::comm::Shape::Binary, usize::MAX);
            }
            Self::Groups { whole, .. } => whole,
        };
        if root != 0 && whole.rank() == root {
            whole.send(data, 0, 7)?;
        } else if root != 0 && whole.rank() == 0 {
            whole.recv(data, root, 7)?;
        }
        if let Self::Groups { between, inside, .. } = self {
            for comm in between.iter().chain([inside]) {
                BINARY.run(Operation::Broadcast, comm, data)?;
            }
        }
        Ok(())
    }
}

/// Time of all steps: simple, with 2, 4 and 8 hand-made groups a line, by topology.
pub(crate) fn summa(model: &Model, placement: Placement) -> Vec<(String, u64)> {
    let ways = [
        ("simple", Line::Simple),
        ("2 groups", Line::Groups(2)),
        ("4 groups", Line::Groups(4)),
        ("8 groups", Line::Groups(8)),
        ("topological", Line::Topological),
    ];
    let places = model.places(placement);
    let (rows, columns) = model.grid;
    let order = Groups::build(&places).expect("places of one model").tree_order();
    let run = |comm: ThreadComm, how: Line| -> Result<u64> {
        // The topological grid is laid over the ranks as the tree has them, the others in the order of ranks.
        let at = match how {
            Line::Topological => order.iter().position(|&rank| rank == comm.rank()).expect("the order has every rank"),
            _ => comm.rank(),
        };
        let (row, column) = (at / columns, at % columns);
        let line = |color: usize, key: usize| comm.split(Some(color as u32), key as i32);
        let (along_row, along_column) = line(row, column)?.zip(line(column, row)?).expect("colours were given");
        let place = &places[comm.rank()];
        let buses = (Bus::new(along_row, how, place, model)?, Bus::new(along_column, how, place, model)?);
        let mut block = [0_u64; BLOCK];
        let mut result = Ok(());
        // Once unmeasured: the first makes communicators.
        for bus in [&buses.0, &buses.1] {
            bus.broadcast(&mut block, 0)?;
        }
        let time = elapsed_ns(&comm, || {
            result = (0..rows.max(columns)).try_for_each(|step| {
                buses.0.broadcast(&mut block, step % columns)?;
                buses.1.broadcast(&mut block, step % rows)?;
                comm.compute_ns(BLOCK_COMPUTE_NS);
                Ok(())
            });
        });
        result.map(|()| time)
    };
    let time = |how: Line| {
        let times = World::threads(model.ranks()).network(model.network(placement)).run(|comm| run(comm, how));
        times.into_iter().next().expect("rank 0 is there").expect("a modelled network loses nothing")
    };
    ways.into_iter().map(|(name, how)| (name.to_owned(), time(how))).collect()
}

/// Processes in a communicator of each level, from the top: the report's four hand-made hierarchies of 576.
const CONFIGURATIONS: [[usize; 5]; 4] = [[3, 4, 2, 3, 8], [6, 2, 2, 3, 8], [3, 2, 2, 8, 6], [3, 2, 4, 6, 4]];

/// What adding a number to another takes.
const ADD_NS: f64 = 0.5;

/// Algorithm 5: gather a level's vectors, add them up, go on with the sums. Times by topology and with each hand-made hierarchy.
pub(crate) fn vectors(model: &Model, placement: Placement, length: usize) -> Vec<(String, u64)> {
    let places = model.places(placement);
    let process = |way: &[&ThreadComm], comm: &ThreadComm| -> Result<()> {
        let mut vector = vec![1_u32; length];
        for level in way.iter().rev() {
            let Some(parts) = level.gather(&vector, 0)? else { break };
            vector.fill(0);
            for part in &parts {
                vector.iter_mut().zip(part).for_each(|(sum, number)| *sum = sum.wrapping_add(*number));
            }
            comm.compute_ns((ADD_NS * (length * parts.len()) as f64) as u64);
        }
        assert!(comm.rank() != 0 || vector.iter().all(|&sum| sum as usize == comm.size()), "a vector is missing");
        Ok(())
    };
    let topological = |comm: ThreadComm| -> Result<u64> {
        let hierarchy = Hierarchy::build(&comm, &places[comm.rank()])?.always(Way::Levels);
        let way = way_down(&hierarchy)?;
        let mut result = Ok(());
        let time = elapsed_ns(&comm, || result = process(&way, &comm));
        result.map(|()| time)
    };
    let by_hand = |comm: ThreadComm, sizes: &[usize; 5]| -> Result<u64> {
        // Groups of neighbours by rank: of each the first goes on to the level above.
        let mut way = Vec::new();
        let mut below = 1;
        for size in sizes.iter().rev() {
            let takes_part = comm.rank().is_multiple_of(below);
            let color = comm.rank() / (below * size);
            way.extend(comm.split(takes_part.then_some(color as u32), 0)?);
            below *= size;
        }
        way.reverse();
        let way: Vec<&ThreadComm> = way.iter().collect();
        let mut result = Ok(());
        let time = elapsed_ns(&comm, || result = process(&way, &comm));
        result.map(|()| time)
    };
    let run = |body: &(dyn Fn(ThreadComm) -> Result<u64> + Sync)| {
        let times = World::threads(model.ranks()).network(model.network(placement)).run(body);
        times.into_iter().next().expect("rank 0 is there").expect("a modelled network loses nothing")
    };
    let mut times = vec![("topological".to_owned(), run(&topological))];
    for (number, sizes) in CONFIGURATIONS.iter().enumerate() {
        times.push((format!("by hand {}", number + 1), run(&|comm| by_hand(comm, sizes))));
    }
    times
}
