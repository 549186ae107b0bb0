//! Checks that no two files of a crate use each other, directly or through other files.
//!
//! An edge is a path in code: `crate::a::b`, `super::b`, `self::b`, in a `use` or anywhere else; a name that the crate's root re-exports counts as the module
//! that it comes from. A module's re-exports of its own children are no use. Tests may use anything.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, excused};

/// The allowed cycles, each with all its files, and the reason.
const EXCUSED: &[(&str, &str)] = &[
    (
        "fusain-comm: borrowed, collective, communicator",
        "a communicator's methods return transfers and run collectives, and these are for any communicator",
    ),
    (
        "fusain-iter: collect, parallel",
        "a chain's methods name what it can be collected in, and that can be made of any chain",
    ),
];

/// A module's place in its crate.
type Module = Vec<String>;

pub(super) fn check(sources: &[Source]) -> Vec<String> {
    check_but(sources, EXCUSED)
}

fn check_but(sources: &[Source], excuses: &[(&str, &str)]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources {
        if let Some((name, inner)) = source.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
            && !inner.starts_with("bin/")
            && !inner.split('/').any(|part| part == "tests" || part == "tests.rs")
        {
            crates.entry(name).or_default().push(source);
        }
    }
    let found: Vec<String> = crates
        .into_iter()
        .flat_map(|(name, sources)| {
            circles(&edges(&sources)).into_iter().map(move |circle| format!("{name}: {}", circle.join(", ")))
        })
        .collect();
    let found: Vec<_> = found.iter().map(|circle| (circle.as_str(), format!("{circle} use each other"))).collect();
    excused(&found, excuses, " may use each other, but are no circle")
}

/// The modules that each module uses.
fn edges(sources: &[&Source]) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeMap<Module, &Source> = sources.iter().map(|source| (module(&source.path), *source)).collect();
    let is_module = |path: &[String]| modules.contains_key(path);
    let mut of_root = BTreeMap::new();
    if let Some(root) = modules.get(&Module::new()) {
        for path in paths(&root.text) {
            let depth = (0..path.len()).take_while(|&depth| is_module(&path[..=depth])).count();
            if let (true, Some(name)) = (depth > 0, path.last()) {
                of_root.insert(name.clone(), path[..depth].to_vec());
            }
        }
    }
    let mut edges = BTreeMap::new();
    for (me, source) in modules.iter().filter(|(me, _)| !me.is_empty()) {
        let mut uses = BTreeSet::new();
        for path in paths(&source.text) {
            let mut at = match path.first().map(String::as_str) {
                Some("crate") => Module::new(),
                Some("self") => me.clone(),
                Some("super") => me[..me.len() - 1].to_vec(),
                _ => continue,
            };
            let mut rest = path[1..].iter().peekable();
            while rest.next_if(|part| *part == "super").is_some() {
                at.pop();
            }
            while let Some(part) = rest.peek().copied() {
                at.push(part.clone());
                if !is_module(&at) {
                    at.pop();
                    break;
                }
                rest.next();
            }
            if at.is_empty()
                && let Some(from) = rest.next().and_then(|name| of_root.get(name))
            {
                at.clone_from(from);
            }
            // Modules below this one are its own parts.
            if !at.is_empty() && !at.starts_with(me) {
                uses.insert(at);
            }
        }
        edges.insert(me.clone(), uses);
    }
    edges
}

/// `crates/x/src/a/b.rs` is `a::b`, and so is `a/b/mod.rs`.
fn module(path: &str) -> Module {
    let inner = path.split_once("/src/").map_or(path, |(_, inner)| inner);
    let mut parts: Module = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    parts.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
    parts
}

/// All paths in the code before the tests. A `use` with braces gives one path for each name.
fn paths(text: &str) -> Vec<Vec<String>> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + line + "\n");
    let mut paths = Vec::new();
    let mut rest = code.as_str();
    while let Some(at) = rest.find("use ") {
        let is_word = rest[..at].chars().next_back().is_none_or(|before| before.is_whitespace());
        rest = &rest[at + 4..];
        if let (true, Some(end)) = (is_word, rest.find(';')) {
            expand("", &rest[..end], &mut paths);
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let path: String = code[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
            expand("", &path, &mut paths);
        }
    }
    paths
}

/// `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(before: &str, tree: &str, into: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let Some((front, inner)) = tree.split_once('{') else {
        let whole = format!("{before}{tree}");
        let path = whole.split(" as ").next().unwrap_or_default();
        into.push(path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect());
        return;
    };
    let before = format!("{before}{}", front.trim());
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let (mut depth, mut begin) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[begin..at].trim().is_empty() {
                    expand(&before, &inner[begin..at], into);
                }
                begin = at + 1;
            }
            _ => {}
        }
    }
}

/// The sets of modules that reach each other, each in order.
fn circles(edges: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = edges.keys().map(|from| (from, reach(edges, from))).collect();
    let mut circles = BTreeSet::new();
    for (from, to) in &reached {
        let circle: Vec<String> = to
            .iter()
            .filter(|other| reached.get(**other).is_some_and(|back| back.contains(*from)))
            .map(|module| module.join("::"))
            .collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

/// All modules that can be reached from `from`.
fn reach<'a>(edges: &'a BTreeMap<Module, BTreeSet<Module>>, from: &'a Module) -> BTreeSet<&'a Module> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        next.extend(edges.get(module).into_iter().flatten().filter(|to| seen.insert(*to)));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source::new(format!("crates/fusain-x/src/{path}"), text)
    }

    #[test]
    fn files_that_use_each_other_are_named() {
        let sources = [
            source("lib.rs", "mod a;\nmod b;\nmod c;\npub use c::Thing;\n"),
            source("a.rs", "use crate::b::{self, One, two::{Three, Four}};\n"),
            source("b/mod.rs", "mod two;\n"),
            source("b/two.rs", "fn f() { crate::Thing::new() }\n"),
            source("c.rs", "use super::a;\n// use crate::d;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n"),
        ];
        assert_eq!(check_but(&sources, &[]), ["fusain-x: a, b::two, c use each other"]);
        assert!(check_but(&sources[..4], &[]).is_empty());
    }

    #[test]
    fn a_circle_is_excused_if_all_its_files_are_named_and_no_others() {
        let circle =
            [source("a.rs", "use crate::b;\n"), source("b.rs", "use crate::c;\n"), source("c.rs", "use crate::a;\n")];
        let check = |sources: &[Source], excused| check_but(sources, &[(excused, "a reason")]).len();
        assert_eq!(check(&circle, "fusain-x: a, b, c"), 0);
        // One complaint about the cycle, and one about an excuse for another cycle.
        assert_eq!(check(&circle, "fusain-x: a, b"), 2);
        assert_eq!(check(&circle, "fusain-x: a, b, c, d"), 2);
        // One complaint about an excuse without a cycle.
        assert_eq!(check(&circle[..2], "fusain-x: a, b, c"), 1);
    }
}
