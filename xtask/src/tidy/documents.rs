//! Rules about documents: what they name must be there, and what is there they must name.

use std::collections::BTreeSet;

use super::Source;
use super::arrows::Package;

/// Where the README's table of algorithms begins and ends.
const TABLE: [&str; 2] = ["<!-- algorithms: begin -->", "<!-- algorithms: end -->"];

/// ARCHITECTURE.md names every crate, and no crate that is not there.
pub(super) fn architecture(text: &str, packages: &[Package]) -> Vec<String> {
    let named: BTreeSet<&str> = words(text).filter(|word| word.starts_with("fusain-")).collect();
    let is_package = |name: &str| packages.iter().any(|package| package.name == name);
    let absent = named
        .iter()
        .filter(|name| !is_package(name))
        .map(|name| format!("ARCHITECTURE.md names {name}, which is no crate"));
    let missing = packages
        .iter()
        .filter(|package| package.is_crate && !words(text).any(|word| word == package.name))
        .map(|package| format!("ARCHITECTURE.md does not name {}", package.name));
    absent.chain(missing).collect()
}

/// The README's table has every `par_` method of the code, and no other.
pub(super) fn readme(text: &str, sources: &[Source]) -> Vec<String> {
    let Some((_, rest)) = text.split_once(TABLE[0]) else {
        return vec![format!("README.md has no table of algorithms ({})", TABLE[0])];
    };
    let table = rest.split_once(TABLE[1]).map_or(rest, |(table, _)| table);
    let in_table: BTreeSet<String> = words(table).filter(|word| word.starts_with("par_")).map(str::to_owned).collect();
    let in_code: BTreeSet<String> = sources
        .iter()
        .filter(|source| {
            source.path.starts_with("crates/fusain-algorithms/src/") || source.path.starts_with("crates/fusain/src/")
        })
        .flat_map(|source| source.code().filter_map(|(_, line)| method(line)).collect::<Vec<_>>())
        .collect();
    let gone =
        in_table.difference(&in_code).map(|name| format!("README.md's table has {name}, which the code has not"));
    let missing =
        in_code.difference(&in_table).map(|name| format!("README.md's table has not {name}, which the code has"));
    gone.chain(missing).collect()
}

/// The name of the `par_` method that a line declares.
fn method(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix("fn ")?;
    let name = name.split(['(', '<']).next()?;
    name.starts_with("par_").then(|| name.to_owned())
}

/// Runs of letters, digits, `_` and `-`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(move |c| !is_part(c)).map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_compared_both_ways() {
        let sources = [Source {
            path: "crates/fusain-algorithms/src/slice/sort.rs".to_owned(),
            text: "    fn par_sort(&mut self)\n    fn par_min<'a>(&self)\n    // fn par_old()\n".to_owned(),
        }];
        let text = format!("{}\n| `par_sort` | `par_max` |\n{}\n`par_other`", TABLE[0], TABLE[1]);
        let complaints = readme(&text, &sources);
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].contains("par_max") && complaints[1].contains("par_min"));
    }

    #[test]
    fn words_end_at_punctuation() {
        assert_eq!(words("`fusain-pool`, (par_min) — x").collect::<Vec<_>>(), ["fusain-pool", "par_min", "x"]);
    }
}
