//! Rules about source files.

use super::{Source, excused};

/// The maximum number of lines of a file. A longer file is usually about two subjects.
const LINES_MAX: usize = 600;

/// Longer files that are allowed, and the reason.
const EXCUSED_SIZES: &[(&str, &str)] = &[];

/// Files or folders where `std::sync::atomic` may be named, and the reason. The pool's protocols use its module `sync`, so that loom checks
/// the code that runs.
const EXCUSED_ATOMICS: &[(&str, &str)] = &[
    ("benches/algorithms/src/compare/coarse.rs", "when a sleeper was woken, and when it came"),
    ("benches/algorithms/src/compare/noloss/change.rs", "how heavy a closure is, which changes in mid-run"),
    ("crates/fusain-pool/src/sync.rs", "std's atomics, or loom's, for all other files"),
    ("crates/fusain-pool/src/sync/faulty.rs", "loom's, with planted faults"),
    ("crates/fusain-pool/src/sync/shaken.rs", "std's, with pauses"),
    ("crates/fusain-pool/src/shake.rs", "gives each thread pauses of its own, in builds that are shaken"),
    ("crates/fusain-algorithms/src/platform/mod.rs", "how wide the vectors of this machine are, found once"),
    (
        "crates/fusain-algorithms/src/tiles/offsets.rs",
        "how many results each worker has; fuzzed by splits of what uses it",
    ),
    ("crates/fusain-algorithms/src/reduce/count.rs", "what workers commit to: a sum"),
    ("crates/fusain-algorithms/src/tiles/chained.rs", "tiles hand their prefix on; fuzzed by splits"),
    ("crates/fusain-algorithms/src/search/first_hit.rs", "claims, and what workers commit to: the first place found"),
    ("crates/fusain-algorithms/src/search/includes.rs", "what workers commit to: that an element is missing"),
    ("crates/fusain-algorithms/src/set/cuts.rs", "where tiles begin, found once"),
    ("crates/fusain-algorithms/src/sort/tree.rs", "the second of two runs merges them; fuzzed by splits"),
    ("crates/fusain-algorithms/src/memory/output.rs", "how much of the output is written, should a closure panic"),
    ("crates/fusain-cluster/src/data/cells.rs", "that a number has grown"),
    ("crates/fusain-cluster/src/rank_state/mod.rs", "how often something has changed that a thread waits for"),
    ("crates/fusain-cluster/src/data/table.rs", "numbers that grow"),
    ("crates/fusain-cluster/src/data/values.rs", "a key comes once"),
    ("crates/fusain-comm/src/progress/drive.rs", "two fences"),
    ("crates/fusain-comm/src/progress/driver.rs", "whether somebody drives"),
    ("crates/fusain-comm/src/progress/hub.rs", "who polls, and how often the loop was turned"),
    ("crates/fusain-comm/src/progress/slot.rs", "that a client has ended, asked again and again"),
    ("crates/fusain-comm/src/shake.rs", "gives each thread pauses of its own, in builds that are shaken"),
    ("crates/fusain-comm/src/world/events.rs", "how often something happened, whether anybody sleeps, and its flag"),
    ("crates/fusain-comm/src/world/shared.rs", "how often a thread has lost its seat, asked in every call"),
    ("crates/fusain-iter/src/flag.rs", "hints that a chain is over, and how many more elements are wanted"),
    ("crates/fusain-testkit/", "counts what tests drop and call"),
    ("benches/harness/src/rtt.rs", "measures the bare hardware"),
    ("benches/algorithms/src/compare/handover.rs", "measures bare protocols"),
    ("benches/algorithms/src/scaling/sweep.rs", "the flag that Ctrl-C sets"),
];

/// Checks that no file has more than [`LINES_MAX`] lines without an excuse, and that each excuse has such a file.
pub(super) fn sizes(sources: &[Source]) -> Vec<String> {
    sizes_but(sources, EXCUSED_SIZES)
}

fn sizes_but(sources: &[Source], excuses: &[(&str, &str)]) -> Vec<String> {
    let lines = sources.iter().map(|source| (source.path.as_str(), source.text.lines().count()));
    let long: Vec<_> = lines
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(path, lines)| (path, format!("{path}: {lines} lines, over {LINES_MAX}, without an excuse")))
        .collect();
    excused(&long, excuses, ": excused as long, but it is not")
}

/// Checks that library and program code names `sync::atomic` only in the places that have a reason. Tests and examples in comments may name
/// it.
pub(super) fn atomics(sources: &[Source]) -> Vec<String> {
    let may =
        |path: &str| path.starts_with("xtask/") || EXCUSED_ATOMICS.iter().any(|(excused, _)| path.starts_with(excused));
    sources
        .iter()
        .filter(|source| !may(&source.path))
        .flat_map(|source| source.program().map(|(number, line)| (&source.path, number, line)))
        .filter(|(_, _, line)| names_atomics(line))
        .map(|(path, number, _)| {
            format!("{path}:{number}: names sync::atomic; if that is meant, say why in xtask/src/tidy/sources.rs")
        })
        .collect()
}

/// Whether a line names the atomics. A line that names only the orderings does not count, since loom has the same ones.
fn names_atomics(line: &str) -> bool {
    line.contains("sync::atomic") && !line.contains("sync::atomic::Ordering")
}

/// Checks that no code is marked as unfinished.
pub(super) fn unfinished(sources: &[Source]) -> Vec<String> {
    // Put together from pieces, so that this file gives no complaint about itself.
    let words = ["todo", "unimplemented"].map(|word| format!("{word}!("));
    sources
        .iter()
        .flat_map(|source| {
            let found = source.code().filter(|(_, line)| words.iter().any(|word| line.contains(word)));
            found.map(|(number, _)| format!("{}:{number}: unfinished", source.path)).collect::<Vec<_>>()
        })
        .collect()
}

/// Checks that every file below a `src` is reached by a `mod` line of its parent.
pub(super) fn dead_files(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter_map(|source| {
            let (package, inner) = source.path.split_once("/src/")?;
            let (folder, name) = inner.rsplit_once('/').unwrap_or(("", inner));
            // A program may be a file of `bin`, or a folder there with a `main.rs`.
            let program = folder.strip_prefix("bin/").filter(|program| !program.contains('/'));
            let is_root = (folder.is_empty() && ["lib.rs", "main.rs"].contains(&name))
                || folder == "bin"
                || (program.is_some() && name == "main.rs");
            if is_root {
                return None;
            }
            let (folder, module) = match name.strip_suffix(".rs")? {
                "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
                stem => (folder, stem),
            };
            let parents = match folder {
                "" => vec![format!("{package}/src/lib.rs"), format!("{package}/src/main.rs")],
                folder if program.is_some() => vec![format!("{package}/src/{folder}/main.rs")],
                folder => vec![format!("{package}/src/{folder}/mod.rs"), format!("{package}/src/{folder}.rs")],
            };
            let declared = sources.iter().filter(|parent| parents.contains(&parent.path)).any(|parent| {
                parent.code().any(|(_, line)| {
                    let line = line.split_once("mod ").map_or("", |(_, rest)| rest.trim());
                    line.strip_prefix(module).is_some_and(|rest| rest.trim_start().starts_with([';', '{']))
                })
            });
            (!declared).then(|| format!("{}: no `mod {module}` leads here", source.path))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_named() {
        let long = "x\n".repeat(LINES_MAX + 1);
        assert_eq!(sizes_but(&[Source::new("a/src/lib.rs", &long)], &[]).len(), 1);
        assert!(sizes_but(&[Source::new("a/src/lib.rs", "x\n")], &[]).is_empty());
        assert!(sizes_but(&[Source::new("a/src/lib.rs", &long)], &[("a/src/lib.rs", "a reason")]).is_empty());
        assert_eq!(sizes_but(&[Source::new("a/src/lib.rs", "x\n")], &[("a/src/lib.rs", "a reason")]).len(), 1);
    }

    #[test]
    fn atomics_are_found_in_code_only() {
        let uses = "use std::sync::atomic::AtomicU64;\n";
        assert_eq!(atomics(&[Source::new("a/src/b.rs", uses)]).len(), 1);
        assert!(atomics(&[Source::new("a/src/b.rs", format!("/// {uses}"))]).is_empty());
        assert!(
            atomics(&[Source::new("a/src/b.rs", format!("#[cfg(test)]\nmod tests {{\n    {uses}}}\n"))]).is_empty()
        );
        assert!(atomics(&[Source::new("a/tests/b.rs", uses)]).is_empty());
    }

    #[test]
    fn unfinished_code_is_found() {
        let text = ["fn f() { to", "do!() }"].concat();
        assert_eq!(unfinished(&[Source::new("a/src/b.rs", &text)]).len(), 1);
    }

    #[test]
    fn dead_files_are_found() {
        let lib = Source::new("a/src/lib.rs", "mod one;\npub mod two;\nmod inline { }\n");
        let one = Source::new("a/src/one.rs", "");
        let two = Source::new("a/src/two/mod.rs", "mod deep;\n");
        let deep = Source::new("a/src/two/deep.rs", "");
        let dead = Source::new("a/src/two/dead.rs", "");
        let bin = Source::new("a/src/bin/tool.rs", "");
        let program = Source::new("a/src/bin/other/main.rs", "mod part;\n");
        let part = Source::new("a/src/bin/other/part.rs", "");
        let lost = Source::new("a/src/bin/other/lost.rs", "");
        assert_eq!(
            dead_files(&[lib, one, two, deep, dead, bin, program, part, lost]),
            ["a/src/two/dead.rs: no `mod dead` leads here", "a/src/bin/other/lost.rs: no `mod lost` leads here"]
        );
    }
}
