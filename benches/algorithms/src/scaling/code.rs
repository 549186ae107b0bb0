//! Binary size: the machine code of each library in the program that runs the whole suite.
//!
//! Symbols are summed by the library whose name they carry. Code inlined into a caller counts for the caller, for all libraries alike; so
//! the sum is what a program pays in addition to its own loops.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::Context;
use object::{Object, ObjectSymbol, SymbolKind};

/// The code size of a library, in bytes.
#[derive(Clone, Debug)]
pub(super) struct CodeSize {
    pub(super) side: &'static str,
    pub(super) bytes: u64,
    /// The libraries that are linked at run time in addition.
    pub(super) besides: &'static str,
}

/// The libraries in this program, with the substrings of their mangled names; and those in the shared object of the C++ peers.
const RUST: [(&str, &[&str], &str); 2] =
    [("fusain", &["fusain_algorithms", "fusain_pool"], "nothing"), ("rayon", &["5rayon", "rayon_core"], "nothing")];
const CXX: [(&str, &[&str], &str); 2] = [
    ("tbb", &["__pstl", "3Std", "3tbb"], "libtbb.so, libstdc++.so"),
    ("gnu", &["__gnu_parallel", "3Gnu"], "libgomp.so, libstdc++.so"),
];

/// The sizes of all libraries whose code can be read.
///
/// # Errors
///
/// If this program cannot be read.
pub(super) fn sizes() -> anyhow::Result<Vec<CodeSize>> {
    let mut sizes = of(&env::current_exe()?, &RUST)?;
    if let Some(peers) = env::var_os("FUSAIN_PEERS") {
        sizes.extend(of(Path::new(&peers), &CXX)?);
    }
    Ok(sizes)
}

fn of(path: &Path, sides: &[(&'static str, &[&str], &'static str)]) -> anyhow::Result<Vec<CodeSize>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let object = object::File::parse(&bytes[..]).with_context(|| format!("cannot parse {}", path.display()))?;
    let text: Vec<_> = object.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text).collect();
    let size = |parts: &[&str]| {
        let is = |name: &str| parts.iter().any(|part| name.contains(part));
        text.iter().filter(|symbol| symbol.name().is_ok_and(is)).map(|symbol| symbol.size()).sum()
    };
    Ok(sides.iter().map(|&(side, parts, besides)| CodeSize { side, bytes: size(parts), besides }).collect())
}
