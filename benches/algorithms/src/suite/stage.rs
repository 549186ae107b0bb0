//! Who takes part in a row, and how a row names its sides.

use std::mem::MaybeUninit;

use fusain::algorithms::{Par, par};
use fusain::pool::Pool;
use rayon::ThreadPool;

use super::{Case, Number};
use crate::peers::{Backend, Cxx, Function, Orx, Paralight};
use fusain_harness::Side;

/// Who takes part everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Runtimes<'a> {
    /// Our workers.
    pub pool: &'a Pool,
    /// rayon's.
    pub rayon: &'a ThreadPool,
    /// The C++ peers, where they could be built.
    pub cxx: Option<&'a Cxx>,
}

/// Who takes part besides, in the comparison of all algorithms.
#[derive(Debug)]
pub struct Others {
    /// paralight's workers.
    pub paralight: Paralight,
    /// orx-parallel's.
    pub orx: Orx,
    /// The C++ peers as built without OpenMP's flags.
    pub stock: Option<Cxx>,
}

impl Others {
    /// All of them, on so many threads.
    pub fn new(threads: usize) -> Self {
        Others { paralight: Paralight::new(threads), orx: Orx::new(threads), stock: Cxx::load_stock().ok() }
    }
}

/// What a side is compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Ours, as the model decides.
    Ours,
    /// Ours, parallel whatever the model says.
    Forced,
    /// Code for one core; there may be several, and the best counts.
    Sequential,
    /// A parallel library.
    Peer,
    /// Shown beside the others, and not compared.
    Shown,
}

/// Where a row puts its sides.
#[derive(Debug)]
pub struct Stage<'a, T> {
    case: &'a Case<T>,
    on: Runtimes<'a>,
    others: Option<&'a Others>,
    forced: bool,
    sides: Vec<(Group, Side<'a>)>,
}

impl<'a, T: Number> Stage<'a, T> {
    /// An empty one; `forced` adds ours at any size.
    pub fn new(case: &'a Case<T>, on: Runtimes<'a>, others: Option<&'a Others>, forced: bool) -> Self {
        Stage { case, on, others, forced, sides: Vec::new() }
    }

    /// All sides that a row has named.
    pub fn into_sides(self) -> Vec<(Group, Side<'a>)> {
        self.sides
    }

    /// What the row runs on.
    pub(super) fn case(&self) -> &'a Case<T> {
        self.case
    }

    /// rayon, called from outside its pool as a program's main thread calls it.
    pub(super) fn rayon_pool(&self) -> &'a ThreadPool {
        self.on.rayon
    }

    /// A length of pieces that gives each of rayon's threads a few.
    pub(super) fn rayon_piece(&self) -> usize {
        const SHORTEST: usize = 1 << 12;
        self.case.n().div_ceil(4 * self.on.rayon.current_num_threads()).max(SHORTEST)
    }

    /// Ours: under the model, forced where asked for, and on one core.
    pub(super) fn ours<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl Fn(Par<'a>) -> M) {
        let auto = par().on(self.on.pool);
        self.sides.push((Group::Ours, side(auto)("ours")));
        if self.forced {
            self.sides.push((Group::Forced, side(auto.always())("ours forced")));
        }
        self.sides.push((Group::Sequential, side(auto.sequential())("ours sequential")));
    }

    /// The best code for one core: std's, and what one writes where std has nothing.
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

    /// paralight, where it takes part.
    pub(super) fn paralight<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl FnOnce(&'a Paralight) -> M) {
        if let Some(others) = self.others {
            self.peer("paralight", side(&others.paralight));
        }
    }

    /// orx-parallel, where it takes part.
    pub(super) fn orx<M: FnOnce(&str) -> Side<'a>>(&mut self, side: impl FnOnce(&'a Orx) -> M) {
        if let Some(others) = self.others {
            self.peer("orx", side(&others.orx));
        }
    }

    /// Another library of Rust, where the others take part.
    pub(super) fn besides(&mut self, name: &str, side: impl FnOnce(&str) -> Side<'a>) {
        if self.others.is_some() {
            self.peer(name, side);
        }
    }

    /// Each of the C++ peers that has the algorithm.
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

/// A slice as room to write to.
pub(super) fn room<T: Copy>(out: &mut [T]) -> &mut [MaybeUninit<T>] {
    let (start, len) = (out.as_mut_ptr(), out.len());
    // SAFETY: the same memory, borrowed as long, and `MaybeUninit<T>` is laid out as `T`. Whoever gets the room only ever
    // writes values of `T` to it, as all callers here do.
    unsafe { std::slice::from_raw_parts_mut(start.cast(), len) }
}
