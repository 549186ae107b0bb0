//! The C++ peers, called through the shared object built from the sources in `peers/`.

use std::env;
use std::ffi::{CString, c_char, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use anyhow::Context;
use libloading::{Library, Symbol};

/// Mirrors `struct Args` of `peers.hpp`, field by field.
#[repr(C)]
#[derive(Debug)]
struct RawArgs {
    a: *const c_void,
    a_len: usize,
    b: *const c_void,
    b_len: usize,
    out: *mut c_void,
    needle: f64,
    k: usize,
}

type RawCall = unsafe extern "C" fn(*const RawArgs) -> f64;
type RawFind = unsafe extern "C" fn(*const c_char, *const c_char, c_int) -> Option<RawCall>;
type RawInit = unsafe extern "C" fn(c_int);

/// A C++ backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// GNU parallel mode over OpenMP, forced parallel.
    Gnu,
    /// `std::execution::par` over TBB.
    Tbb,
    /// `std::execution::par_unseq` over TBB.
    TbbUnseq,
}

impl Backend {
    /// All backends.
    pub const ALL: [Backend; 3] = [Backend::Gnu, Backend::Tbb, Backend::TbbUnseq];

    /// The name in tables and in `peer_find`.
    pub fn name(self) -> &'static str {
        match self {
            Backend::Gnu => "gnu",
            Backend::Tbb => "tbb",
            Backend::TbbUnseq => "tbb_unseq",
        }
    }
}

/// An element type the shared object knows.
pub trait Element: Copy + 'static {
    /// Its number in `peer_find`.
    const NUMBER: c_int;
}

impl Element for i32 {
    const NUMBER: c_int = 0;
}

impl Element for f32 {
    const NUMBER: c_int = 1;
}

impl Element for f64 {
    const NUMBER: c_int = 2;
}

/// The arguments of every function; each function uses the ones it needs.
#[derive(Debug)]
pub struct Args<'a, T> {
    /// First input.
    pub a: &'a [T],
    /// Second input of merges, comparisons and set operations.
    pub b: &'a [T],
    /// Output, at least as long as the inputs together, or the data of an algorithm that works in place.
    pub out: &'a mut [T],
    /// The start of the second run of an in-place merge, or the end of the sorted part of a partial sort.
    pub middle: usize,
    /// The value that find and count search, and the bound of predicates.
    pub needle: f64,
    /// The number of increments of for_each.
    pub k: usize,
}

impl<'a, T> Args<'a, T> {
    /// The arguments of an algorithm that reads one sequence.
    pub fn reading(a: &'a [T]) -> Self {
        Args { a, ..Args::default() }
    }

    /// The arguments of an algorithm that reads two sequences.
    pub fn comparing(a: &'a [T], b: &'a [T]) -> Self {
        Args { a, b, ..Args::default() }
    }

    /// The arguments of an algorithm that reads one sequence and writes another.
    pub fn writing(a: &'a [T], out: &'a mut [T]) -> Self {
        Args { a, out, ..Args::default() }
    }

    /// The arguments of an algorithm that works in place.
    pub fn in_place(out: &'a mut [T]) -> Self {
        Args { out, ..Args::default() }
    }
}

impl<T> Default for Args<'_, T> {
    fn default() -> Self {
        Args { a: &[], b: &[], out: &mut [], middle: 0, needle: 0.0, k: 0 }
    }
}

/// An algorithm of a backend for elements of type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Function<'lib, T> {
    call: RawCall,
    writes: Writes,
    /// Whether it reads as many elements of the second input as of the first.
    pairs: bool,
    second_max: usize,
    library: PhantomData<&'lib Library>,
    element: PhantomData<fn(T)>,
}

/// What a function does with `Args::out`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    Nothing,
    LikeA,
    LikeAAndB,
    InPlace,
}

impl<T: Element> Function<'_, T> {
    /// The maximum length of the second input. GNU's search keeps an array as long as its pattern on the stack, which overflows beyond it.
    pub fn second_max(&self) -> usize {
        self.second_max
    }

    /// Calls the function. The answer is an index, a count or a value.
    ///
    /// # Panics
    ///
    /// If an input is empty, the second input is too short or [too long](Function::second_max), or `out` is too short for what
    /// the algorithm writes.
    pub fn call(&self, args: Args<'_, T>) -> f64 {
        let (mut a, mut a_len) = (args.a.as_ptr(), args.a.len());
        let (mut b_len, wanted) = (
            args.b.len(),
            match self.writes {
                Writes::Nothing => 0,
                Writes::LikeA => a_len,
                Writes::LikeAAndB => a_len + args.b.len(),
                Writes::InPlace => {
                    (a, a_len) = (args.out.as_ptr(), args.out.len());
                    0
                }
            },
        );
        assert!(a_len > 0, "C++ takes the extremum of nothing to be somewhere");
        assert!(!self.pairs || b_len >= a_len, "the second input must hold {a_len} elements, not {b_len}");
        assert!(args.b.len() <= self.second_max, "the second input must hold at most {} elements", self.second_max);
        assert!(args.out.len() >= wanted, "out must hold {wanted} elements, not {}", args.out.len());
        if self.writes == Writes::InPlace {
            assert!(args.middle <= a_len, "the middle must lie in the data");
            b_len = args.middle;
        }
        let raw = RawArgs {
            a: a.cast(),
            a_len,
            b: args.b.as_ptr().cast(),
            b_len,
            out: args.out.as_mut_ptr().cast(),
            needle: args.needle,
            k: args.k,
        };
        // SAFETY: the pointers come from live slices of the element type that `call` was looked up for, the lengths are
        // theirs, `out` is as long as checked above and borrowed mutably, and the library is loaded for `'lib`.
        unsafe { (self.call)(&raw const raw) }
    }
}

/// The pattern length whose array takes a quarter of the usual stack, at eight bytes for each element.
const GNU_PATTERN_MAX: usize = 1 << 18;

/// The loaded shared object.
///
/// It is never unloaded: the idle threads of OpenMP and TBB run its code until the process ends.
pub struct Cxx {
    library: ManuallyDrop<Library>,
}

impl fmt::Debug for Cxx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cxx").finish_non_exhaustive()
    }
}

impl Cxx {
    /// Loads the shared object and limits its runtimes to `threads`.
    ///
    /// # Errors
    ///
    /// If it was not built or a library that it needs is missing.
    pub fn load(threads: usize) -> anyhow::Result<Cxx> {
        let cxx = Cxx::open("FUSAIN_PEERS", "libpeers.so")?;
        cxx.set_threads(threads)?;
        Ok(cxx)
    }

    /// Loads the few functions that were built without OpenMP's flags. They run on the threads of the other object.
    ///
    /// # Errors
    ///
    /// If it was not built or a library that it needs is missing.
    pub fn load_stock() -> anyhow::Result<Cxx> {
        Cxx::open("FUSAIN_PEERS_STOCK", "libpeers-stock.so")
    }

    /// Opens the object whose path is in the environment variable `variable`, or else the one in the target folder, where xtask puts it.
    fn open(variable: &str, name: &str) -> anyhow::Result<Cxx> {
        let built = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers").join(name);
        let path = env::var_os(variable).map_or_else(built, PathBuf::from);
        let missing = || format!("the C++ peers are missing: {} (cargo xtask compare builds it)", path.display());
        // SAFETY: the object is ours; its initialisers are those of the C++ runtime, OpenMP and TBB.
        let library = unsafe { Library::new(&path) }.with_context(missing)?;
        Ok(Cxx { library: ManuallyDrop::new(library) })
    }

    /// Limits the runtimes of the object to `threads`.
    ///
    /// # Errors
    ///
    /// If `threads` does not fit an `int`.
    pub fn set_threads(&self, threads: usize) -> anyhow::Result<()> {
        // SAFETY: `peer_init` has this signature in door.cpp.
        let init: Symbol<'_, RawInit> = unsafe { self.library.get(b"peer_init\0") }?;
        let threads = c_int::try_from(threads).context("so many threads cannot be asked for")?;
        // SAFETY: `Cxx` is not `Sync`, so no call of the library runs meanwhile.
        unsafe { init(threads) };
        Ok(())
    }

    /// The algorithm of the backend, if it has it.
    pub fn find<T: Element>(&self, backend: Backend, algorithm: &str) -> Option<Function<'_, T>> {
        self.find_named(backend.name(), algorithm)
    }

    /// An empty parallel region of `openmp`, `tbb` (invoke) or `tbb_for`.
    pub fn region(&self, backend: &str) -> Option<Function<'_, i32>> {
        self.find_named(backend, "region")
    }

    fn find_named<T: Element>(&self, backend: &str, name: &str) -> Option<Function<'_, T>> {
        let writes = match name {
            "merge" => Writes::LikeAAndB,
            "transform"
            | "affine"
            | "inclusive_scan"
            | "exclusive_scan"
            | "transform_inclusive_scan"
            | "transform_exclusive_scan"
            | "adjacent_difference"
            | "copy"
            | "copy_n"
            | "copy_if"
            | "set_difference"
            | "set_intersection" => Writes::LikeA,
            "inplace_merge" | "stable_sort" | "sort" | "partial_sort" | "partition" | "for_each"
            | "affine_in_place" | "fill" | "generate" => Writes::InPlace,
            _ => Writes::Nothing,
        };
        let is_gnu = backend == Backend::Gnu.name();
        let (backend, algorithm) = (CString::new(backend).ok()?, CString::new(name).ok()?);
        // SAFETY: `peer_find` has this signature in door.cpp.
        let find: Symbol<'_, RawFind> = unsafe { self.library.get(b"peer_find\0") }.ok()?;
        // SAFETY: both strings end in NUL and live through the call, which only reads them.
        let call = unsafe { find(backend.as_ptr(), algorithm.as_ptr(), T::NUMBER) }?;
        let pairs = ["equal", "mismatch"].contains(&name);
        let second_max = if is_gnu && name == "search" { GNU_PATTERN_MAX } else { usize::MAX };
        Some(Function { call, writes, pairs, second_max, library: PhantomData, element: PhantomData })
    }
}
