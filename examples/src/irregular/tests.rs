//! The command line, and what the tests of the programs share.

use std::thread;
use std::time::Duration;

use clap::CommandFactory;
use fastrand::Rng;
use fusain::cluster::Error;
use fusain::comm::progress::{Progress, Settings};
use fusain::comm::{LogGp, Network, World};

use super::*;

/// Plain code finds the right result, and so do several numbers of ranks and workers.
pub(super) fn on_ranks<P: Program>(program: &P) {
    program.check(&program.plain()).unwrap();
    for (ranks, workers) in [(1, 1), (1, 4), (2, 1), (3, 2), (8, 1)] {
        all_are_right(program, World::threads(ranks), workers);
    }
}

/// One to eight ranks of one to four workers find the right result, however long messages take. If a rank dies on the way, the ranks that get no result know which one it was.
pub(super) fn on_any_ranks<P: Program>(program: &P) {
    for ranks in 1..=8 {
        for workers in 1..=4 {
            let mut random = Rng::with_seed((ranks * 10 + workers) as u64);
            all_are_right(program, slow_world(ranks, &mut random), workers);
            if (ranks + workers) % 3 == 0 && ranks > 1 {
                the_lost_is_known(program, slow_world(ranks, &mut random), workers, &mut random);
            }
        }
    }
}

/// A world in which messages between two ranks take a random time, up to a fifth of a millisecond.
fn slow_world(ranks: usize, random: &mut Rng) -> World {
    let latencies: Vec<u64> = (0..ranks * ranks).map(|_| random.u64(0..200_000)).collect();
    let link = move |from: usize, to: usize| LogGp { latency_ns: latencies[from * ranks + to], ..LogGp::default() };
    World::threads(ranks).network(Network::with(link))
}

fn all_are_right<P: Program>(program: &P, world: World, workers: usize) {
    let all = world.run(|comm| {
        let pool = Pool::builder().threads(workers).build().unwrap();
        program.run(&Cluster::over(comm).pool(&pool)).unwrap()
    });
    for found in &all {
        program.check(found).with_context(|| format!("on {} ranks of {workers}", all.len())).unwrap();
    }
}

/// One rank's progress loop ends at some time, as if its process were killed.
fn the_lost_is_known<P: Program>(program: &P, world: World, workers: usize, random: &mut Rng) {
    let (lost, after) = (random.usize(..), Duration::from_micros(random.u64(..5_000)));
    let ends = world.run(|comm| {
        let (rank, size) = (comm.rank(), comm.size());
        let pool = Pool::builder().threads(workers).build().unwrap();
        let progress = Progress::spawn(comm, Settings::default()).unwrap();
        let cluster = Cluster::on(progress.handle()).pool(&pool);
        if rank != lost % size {
            return program.run(&cluster);
        }
        thread::scope(|scope| {
            scope.spawn(move || {
                thread::sleep(after);
                drop(progress.shutdown());
            });
            program.run(&cluster)
        })
    });
    let lost = lost % ends.len();
    for (rank, end) in ends.into_iter().enumerate() {
        match end {
            Ok(found) => program.check(&found).unwrap(),
            Err(Error::RankLost { rank: named, .. }) if named == lost => {}
            Err(error) => assert_eq!(rank, lost, "{error}"),
        }
    }
}

/// All parts together give the right result.
pub(super) fn in_parts<P: Parts>(program: &P) {
    let (parts, found) = program.parts();
    let found = parts.iter().fold(found, |found, part| program.join(found, program.part(part)));
    program.check(&found).unwrap();
}

fn said(line: &str) -> anyhow::Result<String> {
    Ok(Cli::try_parse_from(line.split_whitespace())?.run()?.unwrap_or_default())
}

/// A program that does not know the right answer.
struct Wrong;

impl Program for Wrong {
    type Found = Vec<usize>;
    fn run<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<Vec<usize>> {
        cluster.collect(0..3, |i| i)
    }
    fn plain(&self) -> Vec<usize> {
        Vec::new()
    }
    fn say(&self, found: &Vec<usize>) -> String {
        format!("{found:?}")
    }
    fn check(&self, found: &Vec<usize>) -> anyhow::Result<()> {
        expect(found, &self.plain())
    }
}

#[test]
fn the_command_line_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn every_way_to_choose_says_the_same() {
    for victims in ["random", "nearest", "lifelines"] {
        let said = said(&format!("irregular nqueens 8 --ranks 3 --workers 2 --victims {victims}")).unwrap();
        assert!(said.starts_with("8 queens: 92 ways, as it should be\n"), "{said}");
        assert!(said.contains("on 3 ranks of 2 workers"), "{said}");
        let table = said.lines().skip_while(|line| !line.starts_with("rank")).count();
        assert_eq!(table, 4, "{said}");
    }
}

#[test]
fn without_arguments_there_is_a_small_program() {
    assert!(said("irregular").unwrap().starts_with("10 queens: 724 ways, as it should be\n"));
}

#[test]
fn a_wrong_answer_is_an_error() {
    let cli = Cli::try_parse_from(["irregular", "--ranks", "2"]).unwrap();
    let error = cli.start(&Wrong, 1).unwrap_err();
    assert_eq!(format!("{error:#}"), "wrong: [0, 1, 2]: it should be []");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for line in [
        "irregular nqueens 0",
        "irregular nqueens 40",
        "irregular --ranks 0",
        "irregular --workers 0",
        "irregular lu 0",
        "irregular uts T9",
    ] {
        assert!(said(line).is_err(), "{line}");
    }
    let error = said("irregular nqueens 4 --picture /nowhere/at/all.svg").unwrap_err();
    assert_eq!(error.to_string(), "cannot write /nowhere/at/all.svg");
}

#[test]
fn a_picture_is_written() {
    let path = std::env::temp_dir().join(format!("fusain-irregular-{}.svg", std::process::id()));
    let said = said(&format!("irregular nqueens 6 --ranks 2 --picture {}", path.display()));
    let picture = std::fs::read_to_string(&path);
    let _ = std::fs::remove_file(&path);
    assert!(said.is_ok() && picture.unwrap().starts_with("<svg"));
}

#[test]
fn digits_stand_in_threes() {
    assert_eq!([0, 999, 1_000, 14_772_512].map(grouped), ["0", "999", "1,000", "14,772,512"]);
}
