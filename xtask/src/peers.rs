//! Builds the C++ peers: a shared object with all flags that make it faster, and a small one without the flags of OpenMP.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::Context;
use duct::Expression;

use crate::workspace;

const FLAGS: &[&str] = &["-march=native", "-std=c++17", "-fPIC"];

/// The element types. Sources that take long to compile are compiled once for each type, in parallel.
const ELEMENTS: &[&str] = &["double", "int32_t", "float"];

/// A shared object: its name, its additional flags, and its sources, each with whether it is compiled for each type.
struct Library {
    name: &'static str,
    flags: &'static [&'static str],
    sources: &'static [(&'static str, bool)],
}

const BEST: Library = Library {
    name: "libpeers.so",
    flags: &["-fopenmp", "-fopenmp-simd"],
    sources: &[("std", true), ("gnu", true), ("door", false)],
};

/// Without OpenMP's flags GCC ignores the simd pragmas of libstdc++'s parallel algorithms.
const STOCK: Library = Library { name: "libpeers-stock.so", flags: &[], sources: &[("stock", false)] };

/// The purpose of a build of the peers.
#[derive(Clone, Copy)]
pub(crate) enum Peers {
    /// For measurements.
    Measured,
    /// For tests that compare results. The build is fast, without optimisation.
    Tested,
}

/// The paths of the built shared objects.
pub(crate) struct Objects {
    /// The object with all flags.
    best: PathBuf,
    /// The object without the flags of OpenMP.
    stock: PathBuf,
}

impl Objects {
    /// The environment variables by which programs and tests find the objects.
    pub(crate) fn variables(&self) -> [(&'static str, &Path); 2] {
        [("FUSAIN_PEERS", &self.best), ("FUSAIN_PEERS_STOCK", &self.stock)]
    }
}

impl Peers {
    /// Builds the objects that are older than their sources, and returns their paths.
    ///
    /// # Errors
    ///
    /// If there is no g++ or no TBB.
    pub(crate) fn build(self) -> anyhow::Result<Objects> {
        Ok(Objects { best: BEST.build(self)?, stock: STOCK.build(self)? })
    }

    fn folder(self) -> PathBuf {
        let peers = workspace::target().join("peers");
        match self {
            Peers::Measured => peers,
            Peers::Tested => peers.join("debug"),
        }
    }

    fn optimisation(self) -> &'static [&'static str] {
        match self {
            // Loops begin where those of the Rust programs do: see `programs::ALIGNED`.
            Peers::Measured => &["-O3", "-falign-loops=64"],
            Peers::Tested => &["-O0"],
        }
    }
}

impl Library {
    fn build(&self, peers: Peers) -> anyhow::Result<PathBuf> {
        let folder = peers.folder();
        let object = folder.join(self.name);
        let sources = workspace::root().join("benches/algorithms/peers");
        if is_newer(&object, &sources)? {
            return Ok(object);
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let parts = self.parts();
        let flags: Vec<&str> = peers.optimisation().iter().chain(FLAGS).chain(self.flags).copied().collect();
        let compile = |part: &Part| part.compile(&sources, &folder, &flags).run();
        // One lane for each core. Templates make the compilation of a part slow.
        let lanes = thread::available_parallelism().map_or(1, |n| n.get());
        let lane =
            |first: usize| parts.iter().skip(first).step_by(lanes).try_for_each(|part| compile(part).map(|_| ()));
        let outcomes: Vec<_> = thread::scope(|scope| {
            let running: Vec<_> = (0..lanes).map(|first| scope.spawn(move || lane(first))).collect();
            running.into_iter().map(|lane| lane.join().expect("a lane does not panic")).collect()
        });
        for outcome in outcomes {
            outcome.context("g++ cannot build the C++ peers (Debian: g++ libtbb-dev)")?;
        }
        let mut link = vec!["-shared".to_owned(), "-o".to_owned(), object.display().to_string()];
        link.extend(self.flags.iter().map(|flag| (*flag).to_owned()));
        link.extend(parts.iter().map(|part| folder.join(&part.object).display().to_string()));
        link.push("-ltbb".to_owned());
        duct::cmd("g++", link).run().context("g++ cannot link the C++ peers (Debian: libtbb-dev)")?;
        Ok(object)
    }

    fn parts(&self) -> Vec<Part> {
        let part = |source: &str, element: Option<&'static str>| Part {
            source: format!("{source}.cpp"),
            object: format!("{}.{source}.{}.o", self.name, element.unwrap_or("all")),
            element,
        };
        let of = |&(source, per_element): &(&str, bool)| match per_element {
            true => ELEMENTS.iter().map(|element| part(source, Some(element))).collect(),
            false => vec![part(source, None)],
        };
        self.sources.iter().flat_map(of).collect()
    }
}

/// A source file that one call of the compiler compiles.
struct Part {
    source: String,
    object: String,
    element: Option<&'static str>,
}

impl Part {
    fn compile(&self, sources: &Path, folder: &Path, flags: &[&str]) -> Expression {
        let mut arguments: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        arguments.extend(self.element.map(|element| format!("-DELEMENT={element}")));
        let (from, to) = (sources.join(&self.source), folder.join(&self.object));
        arguments.extend(["-c".to_owned(), from.display().to_string(), "-o".to_owned(), to.display().to_string()]);
        duct::cmd("g++", arguments)
    }
}

/// Whether the object exists, and neither a source has changed since it was built nor this file, which has the flags.
fn is_newer(object: &Path, sources: &Path) -> anyhow::Result<bool> {
    let Ok(built) = fs::metadata(object).and_then(|file| file.modified()) else { return Ok(false) };
    let gone = || format!("{} is gone", sources.display());
    let sources = fs::read_dir(sources).with_context(gone)?.map(|source| source.map(|source| source.path()));
    for source in sources.chain([Ok(workspace::root().join("xtask/src/peers.rs"))]) {
        let changed = source.and_then(|source| fs::metadata(source)?.modified()).with_context(gone)?;
        if changed > built {
            return Ok(false);
        }
    }
    Ok(true)
}
