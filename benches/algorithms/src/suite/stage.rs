//! The participants of a row, and the functions with which a row names its sides.

use std::mem::MaybeUninit;

use fusain::algorithms::{Par, par};
use fusain::pool::Pool;
use rayon::ThreadPool;

use super::{Case, Number};
use crate::peers::{Backend, Cxx, Function, Orx, Paralight};
use fusain_harness::Side;

/// The participants of every comparison.
#[derive(Clone, Copy, Debug)]
pub struct Runtimes<'a> {
    /// Our pool.
    pub pool: &'a Pool,
    /// rayon's pool.
    pub rayon: &'a ThreadPool,
    /// The C++ peers, if they could be built.
    pub cxx: Option<&'a Cxx>,
}

/// The further participants in the comparison of all algorithms.
#[derive(Debug)]
pub struct Others {
    /// paralight's pool.
    pub paralight: Paralight,
    /// orx-parallel's global pool.
    pub orx: Orx,
    /// The C++ peers built without OpenMP's flags.
    pub stock: Option<Cxx>,
}

impl Others {
    /// All of them, with `threads` threads.
    pub fn new(threads: usize) -> Self {
        Others { paralight: Paralight::new(threads), orx: Orx::new(threads), stock: Cxx::load_stock().ok() }
    }
}

/// The role of a side in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Ours, as the model decides.
    Ours,
    /// Ours, always parallel.
    Forced,
    /// Code for one core. There may be several such sides; the best counts.
    Sequential,
    /// A parallel library.
    Peer,
    /// Shown beside the others, but not compared.
    Shown,
}

/// Collects the sides of a row.
#[derive(Debug)]
pub struct Stage<'a, T> {
    case: &'a Case<T>,
    on: Runtimes<'a>,
    others: Option<&'a Others>,
    forced: bool,
    sides: Vec<(Group, Side<'a>)>,
}

impl<'a, T: Number> Stage<'a, T> {
    /// An empty stage; `forced` adds our forced parallel side at every size.
    pub fn new(case: &'a Case<T>, on: Runtimes<'a>, others: Option<&'a Others>, forced: bool) -> Self {
        Stage { case, on, others, forced, sides: Vec::new() }
    }

    /// All sides that the row has named.
    pub fn into_sides(self) -> Vec<(Group, Side<'a>)> {
        self.sides
    }

    /// The data of the row.
    pub(super) fn case(&self) -> &'a Case<T> {
        self.case
    }

    /// rayon's pool, which is called from outside, as a program's main thread does.
    pub(super) fn rayon_pool(&self) -> &'a ThreadPool {
        self.on.rayon
    }

    /// A chunk length that gives each of rayon's threads a few chunks.
    pub(super) fn rayon_piece(&self) -> usize {
        const SHORTEST: usize = 1 << 12;
        self.case.n().div_ceil(4 * self.on.rayon.current_num_threads()).max(SHORTEST)
    }

    /// Our sides: with the model, forced if requested, and on one core.
    pub(super) fn ours<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl Fn(Par<'a>) -> M) {
        let auto = par().on(self.on.pool);
        self.sides.push((Group::Ours, side(auto)("ours")));
        if self.forced {
            self.sides.push((Group::Forced, side(auto.always())("ours forced")));
        }
        self.sides.push((Group::Sequential, side(auto.sequential())("ours sequential")));
    }

    /// The best code for one core: std's, or hand-written code if std has none.
    pub(super) fn sequential(&mut self, name: &str, side: impl FnOnce(&str) -> Side<'a>) {
        self.sides.push((Group::Sequential, side(name)));
    }

    fn peer(&mut self, name: &str, side: impl FnOnce(&str) -> Side<'a>) {
        self.sides.push((Group::Peer, side(name)));
    }

    /// rayon.
    pub(super) fn rayon(&mut self, side: impl FnOnce(&str) -> Side<'a>) {
        self.peer("rayon", side);
    }

    /// paralight, if it takes part.
    pub(super) fn paralight<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl FnOnce(&'a Paralight) -> M) {
        if let Some(others) = self.others {
            self.peer("paralight", side(&others.paralight));
        }
    }

    /// orx-parallel, if it takes part.
    pub(super) fn orx<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl FnOnce(&'a Orx) -> M) {
        if let Some(others) = self.others {
            self.peer("orx", side(&others.orx));
        }
    }

    /// Another library of Rust, if the further participants take part.
    pub(super) fn besides(&mut self, name: &str, side: impl FnOnce(&str) -> Side<'a>) {
        if self.others.is_some() {
            self.peer(name, side);
        }
    }

    /// Each C++ peer that has the algorithm.
    pub(super) fn cxx<M: FnOnce(&str) -> Side<'a>>(&mut self, algorithm: &str, side: impl Fn(Function<'a, T>) -> M) {
        for backend in Backend::ALL {
            let function = self.on.cxx.and_then(|cxx| cxx.find(backend, algorithm));
            if let Some(function) = function.filter(|f: &Function<'_, T>| self.case.second().len() <= f.second_max()) {
                self.peer(backend.name(), side(function));
            }
            let stock = self.others.and_then(|others| others.stock.as_ref());
            if let Some(function) = stock.and_then(|cxx| cxx.find(backend, algorithm)) {
                let name = format!("{} stock", backend.name());
                self.sides.push((Group::Shown, side(function)(&name)));
            }
        }
    }
}

/// A slice as uninitialised output.
pub(super) fn room<T: Copy>(out: &mut [T]) -> &mut [MaybeUninit<T>] {
    let (start, len) = (out.as_mut_ptr(), out.len());
    // SAFETY: the same memory, borrowed for as long, and `MaybeUninit<T>` has the layout of `T`. All callers here pass the result to code
    // that only writes values of `T` to it.
    unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }
}
