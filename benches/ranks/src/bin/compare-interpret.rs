//! `compare interpret`: the cost of the interpreter for each operation of a local graph. It is compared with a loop that executes the same operations one after
//! another, and with the common way to write such a graph, a `HashMap` of closures.
//!
//! The graphs have 10^5 operations on single 64-bit numbers, so that almost only the bookkeeping is measured. There are three shapes: a chain (each operation
//! depends on the previous one), pairs (a binary tree of sums, in which half of the operations are ready at once), and random (each operation combines two of
//! 4,096 numbers). The key is that of the slowest shape.

#![allow(clippy::print_stdout, reason = "a comparison prints its table")]

use std::collections::{HashMap, VecDeque};
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use clap::Parser;
use fusain::comm::World;
use fusain::schedule::{Advance, Execution, OpId, Operator, ScheduleBuilder};
use fusain_harness::{median, table, write_json};
use serde_json::json;

#[derive(Parser)]
struct Arguments {
    /// Keeps all samples.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Executions of each shape; the median is shown.
    #[arg(long, default_value_t = 31)]
    samples: usize,
    /// Once, with a small graph: only that it works.
    #[arg(long)]
    smoke: bool,
}

/// `numbers[into] = numbers[into] ∘ numbers[with]`
#[derive(Clone, Copy)]
struct Step {
    operator: Operator,
    into: usize,
    with: usize,
}

struct Shape {
    name: &'static str,
    numbers: usize,
    steps: Vec<Step>,
}

const OPERATORS: [Operator; 4] = [Operator::Add, Operator::Xor, Operator::Max, Operator::Sub];

fn shapes(operations: usize) -> [Shape; 3] {
    let chain = (0..operations).map(|at| Step { operator: OPERATORS[at % 4], into: 0, with: 1 + at % 7 }).collect();
    let leaves = operations + 1;
    let mut pairs = Vec::with_capacity(operations);
    let mut distance = 1;
    while distance < leaves {
        let into = (0..leaves.saturating_sub(distance)).step_by(2 * distance);
        pairs.extend(into.map(|into| Step { operator: Operator::Add, into, with: into + distance }));
        distance *= 2;
    }
    let mut random = fastrand::Rng::with_seed(2011);
    let any = (0..operations).map(|_| {
        let into = random.usize(..4096);
        let with = (into + random.usize(1..4096)) % 4096;
        Step { operator: OPERATORS[random.usize(..4)], into, with }
    });
    [
        Shape { name: "chain", numbers: 8, steps: chain },
        Shape { name: "pairs", numbers: leaves, steps: pairs },
        Shape { name: "random", numbers: 4096, steps: any.collect() },
    ]
}

fn combine(operator: Operator, a: u64, b: u64) -> u64 {
    match operator {
        Operator::Add => a.wrapping_add(b),
        Operator::Xor => a ^ b,
        Operator::Max => a.max(b),
        _ => a.wrapping_sub(b),
    }
}

/// Hand-written code for exactly these operations, in a valid order.
fn by_hand(steps: &[Step], numbers: &mut [u64]) {
    for &Step { operator, into, with } in steps {
        numbers[into] = combine(operator, numbers[into], numbers[with]);
    }
}

/// Reads and writes the numbers.
type Closure = Box<dyn Fn(&mut [u64]) + Send>;

/// A node of the common closure graph.
struct Node {
    run: Closure,
    dependencies: usize,
    missing: usize,
    dependents: Vec<usize>,
}

fn closures(steps: &[Step], edges: &[(usize, usize)]) -> HashMap<usize, Node> {
    let node = |&Step { operator, into, with }: &Step| {
        let run = Box::new(move |numbers: &mut [u64]| numbers[into] = combine(operator, numbers[into], numbers[with]));
        Node { run, dependencies: 0, missing: 0, dependents: Vec::new() }
    };
    let mut graph: HashMap<usize, Node> = steps.iter().map(node).enumerate().collect();
    for &(before, after) in edges {
        graph.get_mut(&before).expect("an edge leads from a node").dependents.push(after);
        graph.get_mut(&after).expect("an edge leads to a node").dependencies += 1;
    }
    graph
}

fn run_closures(graph: &mut HashMap<usize, Node>, numbers: &mut [u64]) {
    graph.values_mut().for_each(|node| node.missing = node.dependencies);
    let mut ready: VecDeque<usize> = (0..graph.len()).filter(|at| graph[at].missing == 0).collect();
    while let Some(at) = ready.pop_front() {
        (graph[&at].run)(numbers);
        let dependents = std::mem::take(&mut graph.get_mut(&at).expect("it was ready").dependents);
        for dependent in &dependents {
            let node = graph.get_mut(dependent).expect("an edge leads to a node");
            node.missing -= 1;
            if node.missing == 0 {
                ready.push_back(*dependent);
            }
        }
        graph.get_mut(&at).expect("it was ready").dependents = dependents;
    }
}

/// Nanoseconds for each operation, sample by sample: ours, by hand, closures.
fn measure(shape: &Shape, samples: usize) -> (usize, [Vec<f64>; 3]) {
    let seed: Vec<u64> = (0..shape.numbers as u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut builder = ScheduleBuilder::in_program_order(0, 1);
    let data = builder.buffer::<u64>(shape.numbers);
    for &Step { operator, into, with } in &shape.steps {
        builder.apply(operator, data.slice(into..=into), data.slice(with..=with));
    }
    let edges: Vec<_> =
        builder.graph().edges().iter().map(|edge| (OpId::index(edge.before), OpId::index(edge.after))).collect();
    let mut graph = closures(&shape.steps, &edges);
    let run = builder.compile().expect("the graph is right").prepare().expect("it fits into memory");
    let mut expected = seed.clone();
    by_hand(&shape.steps, &mut expected);
    let mut numbers = seed.clone();
    run_closures(&mut graph, &mut numbers);
    assert_eq!(numbers, expected, "{}: closures", shape.name);

    // The world's only rank is a separate thread, so everything moves there.
    let everything = Mutex::new(Some((run, graph)));
    let mut all = World::threads(1).run(|comm| {
        let (run, mut graph) = everything.lock().ok().and_then(|mut all| all.take()).expect("there is one rank");
        let mut times = [(); 3].map(|()| Vec::with_capacity(samples));
        let per_operation = |begin: Instant| begin.elapsed().as_nanos() as f64 / shape.steps.len() as f64;
        let mut run = run.with(data, seed.clone()).expect("the numbers fit");
        let mut numbers = seed.clone();
        for _ in 0..samples {
            run.get_mut(data).copy_from_slice(&seed);
            let begin = Instant::now();
            let mut execution = Execution::new(run, &comm, 0).expect("it is this rank's");
            while execution.advance(&comm).expect("nothing can fail") != Advance::Done {}
            times[0].push(per_operation(begin));
            run = execution.into_run();
            assert_eq!(run.get(data), expected, "{}: ours", shape.name);

            numbers.copy_from_slice(&seed);
            let begin = Instant::now();
            by_hand(black_box(&shape.steps), black_box(&mut numbers));
            times[1].push(per_operation(begin));

            numbers.copy_from_slice(&seed);
            let begin = Instant::now();
            run_closures(&mut graph, black_box(&mut numbers));
            times[2].push(per_operation(begin));
        }
        times
    });
    let times = all.pop().expect("there is one rank");
    (edges.len(), times)
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let (operations, samples) = if arguments.smoke { (1000, 1) } else { (100_000, arguments.samples.max(1)) };
    let mut table = table(&[
        "shape",
        "operations",
        "dependencies",
        "ours ns/op",
        "by hand ns/op",
        "HashMap of closures ns/op",
        "closures/ours",
    ]);
    let (mut slowest, mut kept) = (0.0f64, Vec::new());
    for shape in shapes(operations) {
        let (edges, times) = measure(&shape, samples);
        let [ours, by_hand, closures] = [0, 1, 2].map(|side| median(&times[side]));
        slowest = slowest.max(ours);
        table.add_row([
            shape.name.to_owned(),
            shape.steps.len().to_string(),
            edges.to_string(),
            format!("{ours:.1}"),
            format!("{by_hand:.1}"),
            format!("{closures:.1}"),
            format!("{:.1}", closures / ours),
        ]);
        let [ours, by_hand, closures] = times;
        kept.push(json!({"shape": shape.name, "dependencies": edges, "ours_ns": ours, "by_hand_ns": by_hand, "closures_ns": closures}));
    }
    println!("{table}");
    write_json(arguments.json.as_deref(), &kept)?;
    println!("interpret: ns_per_op={slowest:.1}");
    Ok(())
}
