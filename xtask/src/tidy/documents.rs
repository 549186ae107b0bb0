//! Rules about documents: everything that they name must exist, and they must name everything that exists.

use std::collections::BTreeSet;

use super::Source;
use super::arrows::Package;

/// Where the table of all algorithms begins and ends.
const TABLE: [&str; 2] = ["<!-- algorithms: begin -->", "<!-- algorithms: end -->"];

/// Where the table for C++ programmers begins and ends.
const CXX_TABLE: [&str; 2] = ["<!-- cxx: begin -->", "<!-- cxx: end -->"];

/// The algorithms that C++17 runs under an execution policy, and later ones that belong to them.
const CXX: &str = "
    adjacent_difference adjacent_find all_of any_of copy copy_if copy_n count count_if destroy destroy_n equal exclusive_scan fill fill_n find find_end
    find_first_of find_if find_if_not for_each for_each_n generate generate_n includes inclusive_scan inplace_merge is_heap is_heap_until
    is_partitioned is_sorted is_sorted_until lexicographical_compare max_element merge min_element minmax_element mismatch move none_of nth_element
    partial_sort partial_sort_copy partition partition_copy reduce remove remove_copy remove_copy_if remove_if replace replace_copy replace_copy_if
    replace_if reverse reverse_copy rotate rotate_copy search search_n set_difference set_intersection set_symmetric_difference set_union sort
    stable_partition stable_sort swap_ranges transform transform_exclusive_scan transform_inclusive_scan transform_reduce uninitialized_copy
    uninitialized_copy_n uninitialized_default_construct uninitialized_default_construct_n uninitialized_fill uninitialized_fill_n uninitialized_move
    uninitialized_move_n uninitialized_value_construct uninitialized_value_construct_n unique unique_copy
    ends_with make_heap shift_left shift_right starts_with
";

/// Methods of rayon that our documents name.
const RAYON: [&str; 2] = ["par_iter", "par_iter_mut"];

/// Checks that ARCHITECTURE.md names every crate, and no crate that does not exist.
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

/// Checks that the table of all algorithms has every `par_` method of the code, and no other.
pub(super) fn algorithms(text: &str, sources: &[Source]) -> Vec<String> {
    let Some(table) = between(text, TABLE) else {
        return vec![format!("all_algorithms.md has no table of algorithms ({})", TABLE[0])];
    };
    let in_table: BTreeSet<String> = par_words(table).collect();
    let in_code = methods(sources);
    let gone =
        in_table.difference(&in_code).map(|name| format!("all_algorithms.md has {name}, which the code has not"));
    let missing =
        in_code.difference(&in_table).map(|name| format!("all_algorithms.md has not {name}, which the code has"));
    gone.chain(missing).collect()
}

/// Checks that no row of a table is wider than a window.
pub(super) fn rows(readme: &str) -> Vec<String> {
    const CHARACTERS_MAX: usize = 160;
    let is_long = |(_, line): &(usize, &str)| line.starts_with('|') && line.chars().count() > CHARACTERS_MAX;
    let complaint = |(at, _)| format!("README.md:{}: a row of more than {CHARACTERS_MAX} characters", at + 1);
    readme.lines().enumerate().filter(is_long).map(complaint).collect()
}

/// Checks that everything in this workspace exists that a document links to.
pub(super) fn links(file: &str, text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#', '\n']).next());
    let is_gone = |target: &&str| !target.is_empty() && !target.contains("://") && !exists(target);
    targets.filter(is_gone).map(|target| format!("{file} links to {target}, which is not there")).collect()
}

/// Checks that the source files exist that a document names in backticks; it may leave out the first folders of the path.
pub(super) fn files(file: &str, text: &str, sources: &[Source]) -> Vec<String> {
    let is_there = |name: &str| {
        let is_whole = |before: &str| before.is_empty() || before.ends_with('/');
        sources.iter().any(|source| source.path.strip_suffix(name).is_some_and(is_whole))
    };
    let named = text.split('`').skip(1).step_by(2).filter(|word| word.ends_with(".rs") && !word.contains(' '));
    named.filter(|name| !is_there(name)).map(|name| format!("{file} names {name}, which is not there")).collect()
}

/// Checks that the hostile suite calls every algorithm: each one in the table of all algorithms, and the forms that only the policy has.
pub(super) fn hostile(sources: &[Source]) -> Vec<String> {
    const SUITE: &str = "crates/fusain-algorithms/tests/hostile/";
    let code = |source: &'_ Source| source.code().map(|(_, line)| line.to_owned()).collect::<Vec<_>>();
    let suite: Vec<String> = sources.iter().filter(|source| source.path.starts_with(SUITE)).flat_map(code).collect();
    let of_policy = sources
        .iter()
        .filter(|source| {
            source.path.starts_with("crates/fusain-algorithms/src/") && !source.path.ends_with("/policy.rs")
        })
        .flat_map(code)
        .filter_map(|line| Some(line.strip_prefix("    pub fn ")?.split(['(', '<']).next()?.to_owned()));
    let methods: BTreeSet<String> =
        methods(sources).iter().map(|name| name.replacen("par_", "", 1)).chain(of_policy).collect();
    let is_called = |name: &str| suite.iter().any(|line| line.contains(&format!(".{name}(")));
    methods.iter().filter(|name| !is_called(name)).map(|name| format!("{SUITE} does not call {name}")).collect()
}

/// Checks the table for C++ programmers: it has every algorithm of the standard once, with something in its place, and names no `par_` method
/// that does not exist in the code.
pub(super) fn coming_from(text: &str, sources: &[Source]) -> Vec<String> {
    let Some(table) = between(text, CXX_TABLE) else {
        return vec![format!("coming_from.md has no table of C++'s algorithms ({})", CXX_TABLE[0])];
    };
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').skip(1).map(str::trim).collect())
        .collect();
    let row_of = |name: &str| rows.iter().filter(|row| words(row[0]).eq([name])).collect::<Vec<_>>();
    let holes = CXX.split_whitespace().filter_map(|name| match row_of(name)[..] {
        [row] if row.get(1).is_some_and(|here| here.contains('`')) => None,
        [] => Some(format!("coming_from.md has no row for {name}")),
        [_] => Some(format!("coming_from.md has nothing in the place of {name}")),
        _ => Some(format!("coming_from.md has {name} more than once")),
    });
    let in_code = methods(sources);
    let gone: BTreeSet<String> =
        par_words(text).filter(|name| !in_code.contains(name) && !RAYON.contains(&&**name)).collect();
    let of_policy: BTreeSet<&str> = text.split("par().").skip(1).filter_map(|rest| rest.split('(').next()).collect();
    let is_declared = |name: &str| {
        let declares = |line: &str| {
            line.trim().strip_prefix("pub fn ").is_some_and(|rest| rest.split(['<', '(']).next() == Some(name))
        };
        sources
            .iter()
            .any(|source| source.path.starts_with("crates/fusain-algorithms/src/") && source.text.lines().any(declares))
    };
    let gone = gone.into_iter().chain(of_policy.into_iter().filter(|name| !is_declared(name)).map(str::to_owned));
    holes.chain(gone.map(|name| format!("coming_from.md names {name}, which the code has not"))).collect()
}

/// The text between two marks.
fn between<'t>(text: &'t str, [begin, end]: [&str; 2]) -> Option<&'t str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once(end).map_or(rest, |(table, _)| table))
}

/// The `par_` methods that a text names.
fn par_words(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| word.starts_with("par_")).map(str::to_owned)
}

/// The `par_` methods of the code.
fn methods(sources: &[Source]) -> BTreeSet<String> {
    sources
        .iter()
        .filter(|source| {
            source.path.starts_with("crates/fusain-algorithms/src/") || source.path.starts_with("crates/fusain/src/")
        })
        .flat_map(|source| source.code().filter_map(|(_, line)| method(line)).collect::<Vec<_>>())
        .collect()
}

/// The name of the `par_` method that a line declares.
fn method(line: &str) -> Option<String> {
    let name = line.trim().strip_prefix("fn ")?;
    let name = name.split(['(', '<']).next()?;
    name.starts_with("par_").then(|| name.to_owned())
}

/// The words of a text: runs of letters, digits, `_` and `-`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.split(move |c| !is_part(c)).map(|word| word.trim_matches('-')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_compared_both_ways() {
        let sources = [Source::new(
            "crates/fusain-algorithms/src/slice/sort.rs",
            "    fn par_sort(&mut self)\n    fn par_min<'a>(&self)\n    // fn par_old()\n",
        )];
        let text = format!("{}\n| `par_sort` | `par_max` |\n{}\n`par_other`", TABLE[0], TABLE[1]);
        let complaints = algorithms(&text, &sources);
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].contains("par_max") && complaints[1].contains("par_min"));
    }

    #[test]
    fn long_rows_are_found() {
        let text = format!("{}\n| {} |\n| short |", "x".repeat(200), "x".repeat(160));
        assert_eq!(rows(&text), ["README.md:2: a row of more than 160 characters"]);
    }

    #[test]
    fn links_to_nothing_are_found() {
        let text = "[a](there.md) [b](gone.md#part) [c](#part) [d](https://example.org/x)";
        assert_eq!(links("A.md", text, |target| target == "there.md"), ["A.md links to gone.md, which is not there"]);
    }

    #[test]
    fn algorithms_that_the_hostile_suite_does_not_call_are_found() {
        let sources = [
            Source::new(
                "crates/fusain-algorithms/src/slice/sort.rs",
                "    fn par_sort(&mut self)\n    fn par_min(&self)\n",
            ),
            Source::new(
                "crates/fusain-algorithms/src/sort/mod.rs",
                "    pub fn sort<T>(&self)\n    pub fn sort_into(&self)\n",
            ),
            Source::new("crates/fusain-algorithms/src/policy.rs", "    pub fn grain(self)\n"),
            Source::new("crates/fusain-algorithms/tests/hostile/main.rs", "    par.sort(v);\n    // par.min(v)\n"),
        ];
        let complaints = hostile(&sources);
        assert_eq!(complaints.len(), 2);
        assert!(complaints[0].ends_with("min") && complaints[1].ends_with("sort_into"));
    }

    #[test]
    fn holes_in_the_table_are_found() {
        let sources = [Source::new("crates/fusain-algorithms/src/slice/sort.rs", "    fn par_sort(&mut self)\n")];
        let row = |name: &str| format!("| `{name}` | `par_sort` | |\n");
        let page = |rows: String| format!("{}\n{rows}{}\n", CXX_TABLE[0], CXX_TABLE[1]);
        let full: String = CXX.split_whitespace().map(row).collect();
        assert!(coming_from(&page(full.clone()), &sources).is_empty());
        assert_eq!(
            coming_from(&page(full.replace(&row("merge"), "")), &sources),
            ["coming_from.md has no row for merge"]
        );
        assert_eq!(coming_from(&page(full.clone() + &row("merge")), &sources).len(), 1);
        assert_eq!(coming_from(&page(full.replace(&row("merge"), "| `merge` | | |\n")), &sources).len(), 1);
        assert_eq!(coming_from(&page(full.replace(&row("merge"), "| `merge` | `par_merge` | |\n")), &sources).len(), 1);
        assert_eq!(coming_from(&page(full.clone() + "par().merge_into(..)\n"), &sources).len(), 1);
        assert_eq!(coming_from("", &sources).len(), 1);
    }

    #[test]
    fn words_end_at_punctuation() {
        assert_eq!(words("`fusain-pool`, (par_min) — x").collect::<Vec<_>>(), ["fusain-pool", "par_min", "x"]);
    }

    #[test]
    fn a_file_that_is_gone_is_named() {
        let sources = [Source::new("crates/a/src/b/mod.rs", "")];
        assert!(files("X.md", "See `b/mod.rs` and `mod.rs`, `b`.", &sources).is_empty());
        assert_eq!(files("X.md", "See `d/mod.rs` and `od.rs`.", &sources).len(), 2);
    }
}
