//! Checks where code may depend on the platform: only in one file of each crate, which provides the alternatives.

use super::{Source, excused};

/// Files whose code depends on the platform, and the reason. Tests may do so, too: some are about one platform.
const EXCUSED: &[(&str, &str)] = &[
    ("benches/algorithms/src/scaling/store.rs", "a report says for which processor it was built"),
    ("benches/harness/src/process.rs", "the most memory a process has had, where the system tells"),
    ("crates/fusain-algorithms/src/filter/compress/avx2.rs", "instructions of AVX2"),
    ("crates/fusain-algorithms/src/filter/compress/avx512.rs", "instructions of AVX-512"),
    ("crates/fusain-algorithms/src/filter/compress/mod.rs", "which of them there are, and the way around them"),
    ("crates/fusain-algorithms/src/platform/mod.rs", "AVX and huge pages"),
    ("crates/fusain-pool/src/platform/mod.rs", "threads, a clock, affinity"),
    ("crates/fusain-schedule/src/decode.rs", "numbers lie in memory as in the file on machines of one byte order"),
    ("crates/fusain-topology/src/bind.rs", "binds threads to cores, or says that it cannot"),
    ("xtask/src/sanitizer.rs", "sanitizers come for one platform"),
];

/// Words that make code depend on the platform, in pieces, so that this file gives no complaint about itself.
const WORDS: &[(&str, &str)] = &[
    ("target_", "arch"),
    ("target_", "endian"),
    ("target_", "env"),
    ("target_", "family"),
    ("target_", "feature"),
    ("target_", "os"),
    ("target_", "pointer_width"),
    ("target_", "vendor"),
    ("core::", "arch"),
    ("std::", "arch"),
    ("libc", "::"),
    ("use ", "libc"),
    ("unsafe extern \"C\"", " {"),
    ("\"/", "proc"),
    ("\"/", "sys/"),
];

/// Checks that library and program code depends on the platform only where there is a reason, and that each reason has such code.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    check_but(sources, EXCUSED)
}

fn check_but(sources: &[Source], excuses: &[(&str, &str)]) -> Vec<String> {
    let complaint = |path: &str, at: usize, word: &str| {
        format!("{path}:{at}: asks for a platform ({word}), which only the crate's `platform` may")
    };
    let found: Vec<_> = sources
        .iter()
        .flat_map(|source| asks(source).map(move |(at, word)| (source.path.as_str(), at, word)))
        .map(|(path, at, word)| (path, complaint(path, at, &word)))
        .collect();
    excused(&found, excuses, ": may ask for a platform, but does not")
}

/// Lines of code that depend on the platform, each with its first such word, without those of tests.
fn asks(source: &Source) -> impl Iterator<Item = (usize, String)> {
    source.program().filter_map(|(at, line)| {
        WORDS.iter().map(|(one, two)| [*one, *two].concat()).find(|word| line.contains(word)).map(|word| (at, word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_found() {
        for line in [
            "#[cfg(target_os = \"linux\")]",
            "if cfg!(all(unix, target_arch = \"x86_64\")) {",
            "#[target_feature(enable = \"avx2\")]",
            "use std::arch::x86_64::*;",
            "core::arch::x86_64::_mm_pause();",
            "use libc;",
            "libc::sched_yield();",
            "read(\"/proc/self/status\")",
        ] {
            assert_eq!(check_but(&[Source::new("a/src/b.rs", line)], &[]).len(), 1, "{line}");
            assert!(check_but(&[Source::new("a/src/b.rs", line)], &[("a/src/b.rs", "a reason")]).is_empty(), "{line}");
        }
    }

    #[test]
    fn other_code_comments_and_tests_may_stand() {
        let line = "#[cfg(target_os = \"linux\")]";
        for (path, text) in [
            ("a/src/b.rs", "fn target(): the libclang package".to_owned()),
            ("a/src/b.rs", format!("// {line}")),
            ("a/src/b.rs", format!("#[cfg(test)]\nmod tests {{\n    {line}\n}}")),
            ("a/tests/b.rs", line.to_owned()),
            ("a/src/b/tests.rs", line.to_owned()),
        ] {
            assert!(check_but(&[Source::new(path, &text)], &[]).is_empty(), "{path}: {text}");
        }
    }

    #[test]
    fn an_idle_excuse_is_named() {
        assert_eq!(check_but(&[Source::new("a/src/b.rs", "")], &[("a/src/b.rs", "a reason")]).len(), 1);
    }
}
