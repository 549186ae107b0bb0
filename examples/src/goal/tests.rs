//! The verbs on the samples, and on schedules with errors.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use fusain::schedule::goal::{Rank, Reader, patterns};

use super::machine::Machine;
use super::run::{Entry, compare};
use super::{Cli, check, draw, run, simulate};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goal").join(name)
}

const SAMPLES: [&str; 3] = ["dissemination-8.goal", "binomial-reduce-8.goal", "overlap-2.goal"];

/// A file that is removed when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fusain-goal-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The text of an error, with its causes.
fn said(outcome: anyhow::Result<String>) -> String {
    format!("{:#}", outcome.unwrap_err())
}

#[test]
fn the_command_line_makes_sense() {
    Cli::command().debug_assert();
}

#[test]
fn the_samples_are_what_they_are_called() {
    let read = |name: &str| -> Vec<Rank> {
        let file = std::fs::File::open(sample(name)).unwrap();
        Reader::new(file).unwrap().collect::<Result<_, _>>().unwrap()
    };
    for (name, pattern) in
        [(SAMPLES[0], patterns::dissemination as fn(&mut Rank, u32, u32, u64)), (SAMPLES[1], patterns::binomial_reduce)]
    {
        let mut expected = vec![Rank::default(); 8];
        (0..).zip(&mut expected).for_each(|(rank, into)| pattern(into, rank, 8, 1024));
        assert_eq!(read(name), expected);
    }
}

#[test]
fn every_verb_takes_every_sample() {
    for name in SAMPLES {
        let file = sample(name);
        assert!(check::check(&file).unwrap().contains("every message is received"));
        let ran = Scratch::new(&format!("{name}-run.svg"), "");
        assert!(run::run(&file, Some(&ran.0)).unwrap().ends_with("messages, all arrived as they were sent"));
        assert!(ran.text().contains("operation 0: ") && ran.text().ends_with("</svg>\n"));
        let picture = Scratch::new(&format!("{name}.svg"), "");
        draw::draw(&file, &picture.0, &Machine::default()).unwrap();
        assert!(picture.text().ends_with("</svg>\n"));
        let graph = Scratch::new(&format!("{name}.dot"), "");
        draw::draw(&file, &graph.0, &Machine::default()).unwrap();
        assert!(graph.text().ends_with("}\n"));
        let trace = Scratch::new(&format!("{name}.json"), "");
        let with_trace = simulate::simulate(&file, &Machine::default(), Some(&trace.0)).unwrap();
        assert!(trace.text().contains("\"thread_name\""));
        let table = |text: &str| text.split_once("events").unwrap().0.to_owned();
        assert_eq!(table(&with_trace), table(&simulate::simulate(&file, &Machine::default(), None).unwrap()));
    }
}

#[test]
fn simulate_prints_when_each_rank_is_done() {
    let done = |name| -> Vec<u64> {
        let text = simulate::simulate(&sample(name), &Machine::default(), None).unwrap();
        let rows = text.lines().filter(|line| line.starts_with('|')).skip(1);
        let cell = |row: &str| row.trim_matches('|').split_once('|').unwrap().1.trim().parse().unwrap();
        rows.filter(|row| !row.contains("---")).map(cell).collect()
    };
    assert_eq!(done(SAMPLES[0]), [34914; 8]);
    assert_eq!(done(SAMPLES[1]), [34914, 24776, 13138, 13138, 1500, 1500, 1500, 1500]);
}

#[test]
fn what_is_wrong_is_said() {
    let bad = Scratch::new("bad.goal", "num_ranks 1\nrank 0 {\nsend 8 to 0\n}\n");
    for outcome in [check::check(&bad.0), run::run(&bad.0, None), simulate::simulate(&bad.0, &Machine::default(), None)]
    {
        assert!(said(outcome).ends_with("line 3, column 8: expected `b`, found `to`"));
    }
    let alone = Scratch::new("alone.goal", "num_ranks 2\nrank 0 {\n}\nrank 1 {\nrecv 8b from 0 tag 7\n}\n");
    assert!(said(check::check(&alone.0)).contains("rank 1, statement 1 (`recv 8b from 0 tag 7`): no message has come"));
    assert!(said(run::run(&alone.0, None)).contains("rank 1"));
    let cycle =
        Scratch::new("cycle.goal", "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
    assert!(said(check::check(&cycle.0)).contains("it waits for itself"));
    assert!(said(run::run(&cycle.0, None)).contains("wait for each other"), "{}", said(run::run(&cycle.0, None)));
    let long = Scratch::new("long.goal", "num_ranks 1\nrank 0 {\nsend 9b to 0\nrecv 8b from 0\n}\n");
    assert!(said(check::check(&long.0)).contains("too short"));
    assert!(said(run::run(&long.0, None)).contains('9'));
    let huge = Scratch::new("huge.goal", "num_ranks 1\nrank 0 {\nsend 18446744073709551615b to 0\n}\n");
    assert!(said(run::run(&huge.0, None)).contains("run takes up to"));
    assert!(said(draw::draw(&sample(SAMPLES[0]), Path::new("x.png"), &Machine::default())).contains(".svg and .dot"));
}

#[test]
fn check_tells_what_only_buffers_save() {
    let text = "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: recv 8b from 1\nb requires a\n}\n\
                rank 1 {\na: send 8b to 0\nb: recv 8b from 0\nb requires a\n}\n";
    let file = Scratch::new("buffered.goal", text);
    let said = check::check(&file.0).unwrap();
    assert!(
        said.contains("but only if sends end before they are received") && said.contains("rank 1, statement 1"),
        "{said}"
    );
}

/// Tags beyond those of a transport, messages shorter than their receives, a rank that sends to itself, dependencies on starts.
#[test]
fn run_takes_what_the_grammar_has() {
    let text = "num_ranks 3\nrank 0 {\na: recv 100b from 1 tag 99\nb: recv 100b from 2\nsend 0b to 0 tag 4000000000\n\
                c: recv 0b from 0 tag 4000000000\nb irequires a\nd: calc 1000000\nd requires c\n}\n\
                rank 1 {\nsend 1b to 0 tag 99\n}\nrank 2 {\nsend 3b to 0\n}\n";
    let file = Scratch::new("grammar.goal", text);
    assert!(run::run(&file.0, None).unwrap().contains("3 messages"));
    for open in ["from -1 tag 99", "from 1 tag -1"] {
        let file = Scratch::new("any.goal", &text.replace("from 1 tag 99", open));
        assert!(said(run::run(&file.0, None)).contains("leaves open whose message it takes"));
    }
}

#[test]
fn run_sends_messages_of_many_lengths() {
    let sizes = [700u32, 0, 1, 65_536, 3, 3, 12];
    let statements = |verb: &str| -> String {
        let line = |(at, bytes): (usize, &u32)| {
            format!("m{at}: {verb} {bytes}b {} 0\n", if verb == "send" { "to" } else { "from" })
        };
        let lines: String = sizes.iter().enumerate().map(line).collect();
        let order: String = (1..sizes.len()).map(|at| format!("m{at} irequires m{}\n", at - 1)).collect();
        lines + &order
    };
    let text = format!(
        "num_ranks 2\nrank 0 {{\n{}}}\nrank 1 {{\n{}}}\n",
        statements("recv").replace("from 0", "from 1"),
        statements("send")
    );
    let file = Scratch::new("lengths.goal", &text);
    assert!(run::run(&file.0, None).unwrap().contains("7 messages"));
}

#[test]
fn a_changed_byte_is_noticed() {
    let entry = |from, hash| Entry { from, to: 1, tag: 0, bytes: 8, hash };
    let sent = vec![entry(0, 1), entry(0, 2), entry(1, 3)];
    assert!(compare(sent.clone(), vec![entry(1, 3), entry(0, 2), entry(0, 1)]).is_ok());
    assert!(compare(sent.clone(), vec![entry(1, 3), entry(0, 2), entry(0, 4)]).is_err());
    assert!(compare(sent.clone(), sent[..2].to_vec()).is_err());
    assert!(compare(sent[..2].to_vec(), sent).is_err());
}
