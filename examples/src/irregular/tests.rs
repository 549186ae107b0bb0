//! The command line, and what the tests of the programs share.

use clap::CommandFactory;
use fusain::comm::World;

use super::*;

/// One rank and three find what is expected.
pub(super) fn on_some_ranks(program: &impl Program) {
    let expected = program.expected();
    for ranks in [1, 3] {
        let answers = World::threads(ranks).run(|comm| {
            let pool = Pool::builder().threads(1).build().unwrap();
            program.answer(&Cluster::over(comm).pool(&pool)).unwrap()
        });
        assert!(answers.iter().all(|answer| *answer == expected), "{answers:?} on {ranks} ranks, not {expected}");
    }
}

fn said(line: &str) -> anyhow::Result<String> {
    Ok(Cli::try_parse_from(line.split_whitespace())?.run()?.unwrap_or_default())
}

/// A program that does not know the right answer.
struct Wrong;

impl Program for Wrong {
    fn answer<C: Communicator>(&self, cluster: &Cluster<'_, C>) -> Result<String> {
        cluster.collect(0..3, |i| i).map(|found| format!("{found:?}"))
    }

    fn expected(&self) -> String {
        "none".to_owned()
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
    assert_eq!(error.to_string(), "wrong: [0, 1, 2]; it should be none");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for line in ["irregular nqueens 0", "irregular nqueens 40", "irregular --ranks 0", "irregular --workers 0"] {
        assert!(said(line).is_err(), "{line}");
    }
    let error = said("irregular nqueens 4 --picture /nowhere/at/all.svg").unwrap_err();
    assert_eq!(error.to_string(), "can not write /nowhere/at/all.svg");
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
