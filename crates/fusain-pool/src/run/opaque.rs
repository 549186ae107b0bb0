//! States of any type, stored as a fixed number of words.
//!
//! The run loop is generic in the type of its states, and generic code is compiled in the program that uses it, for each type anew: some sixty functions. Each chain of iterators
//! has its own type of states. So the loop does not see these types: it moves a fixed number of words ([`Opaque`]), and an algorithm that knows what they are stands in between
//! ([`ErasedAlgorithm`]). There are four such numbers, and the loops for these are compiled with this crate. A state that is still larger is put into a box.
//!
//! The type of the algorithm says what is in the words: a call hands its states only to its own algorithm, whichever worker runs a part.

use crate::Algorithm;
use crate::call::{CallOptions, Outcome};
use crate::run::{self, Steps};
use crate::worker::handle::Handle;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};

/// A word that may be a pointer.
type Word = MaybeUninit<*mut ()>;

/// A state of a type that is alive during `'a`, in `N` words. If it `DROPS`, the last word is the function that drops the state.
///
/// Aligned for numbers of eight bytes, also where words have four.
#[repr(C, align(8))]
pub(crate) struct Opaque<'a, const N: usize, const DROPS: bool> {
    words: [Word; N],
    alive: PhantomData<*mut &'a ()>,
}

// SAFETY: only states that are `Send` are laid into one.
unsafe impl<const N: usize, const DROPS: bool> Send for Opaque<'_, N, DROPS> {}

impl<const N: usize, const DROPS: bool> Opaque<'_, N, DROPS> {
    /// The number of words for the state itself.
    const ROOM: usize = if DROPS { N - 1 } else { N };

    /// Whether states of this type can be laid into one.
    const fn takes<L>() -> bool {
        size_of::<L>() <= Self::ROOM * size_of::<Word>()
            && align_of::<L>() <= align_of::<Self>()
            && (DROPS || !std::mem::needs_drop::<L>())
    }
}

impl<'a, const N: usize, const DROPS: bool> Opaque<'a, N, DROPS> {
    #[inline(always)]
    fn new<L: Send + 'a>(state: L) -> Self {
        // Folded. A constant assertion would have to hold for the numbers of words that are not chosen, too.
        assert!(const { Self::takes::<L>() });
        let mut this = Self { words: [Word::uninit(); N], alive: PhantomData };
        if DROPS {
            let drop: unsafe fn(*mut ()) = |state| {
                // SAFETY: called once, on the words of a state of this type.
                unsafe { state.cast::<L>().drop_in_place() }
            };
            this.words[N - 1] = Word::new(drop as *mut ());
        }
        // SAFETY: there is room for it, and it is aligned.
        unsafe { this.words.as_mut_ptr().cast::<L>().write(state) };
        this
    }

    /// # Safety
    /// It has been made of a state of type `L`.
    #[inline(always)]
    unsafe fn get<L: 'a>(&self) -> &L {
        // SAFETY: the caller's contract.
        unsafe { &*self.words.as_ptr().cast() }
    }

    /// # Safety
    /// As for [`get`](Self::get).
    #[inline(always)]
    unsafe fn get_mut<L: 'a>(&mut self) -> &mut L {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.words.as_mut_ptr().cast() }
    }

    /// # Safety
    /// As for [`get`](Self::get).
    #[inline(always)]
    unsafe fn into<L: 'a>(self) -> L {
        let this = ManuallyDrop::new(self);
        // SAFETY: the caller's contract; it is not dropped.
        unsafe { this.words.as_ptr().cast::<L>().read() }
    }
}

impl<const N: usize, const DROPS: bool> Drop for Opaque<'_, N, DROPS> {
    #[inline]
    fn drop(&mut self) {
        if DROPS {
            // SAFETY: written by `new`.
            let drop = unsafe { self.words[N - 1].assume_init() };
            // SAFETY: as above, and it is that function.
            let drop = unsafe { std::mem::transmute::<*mut (), unsafe fn(*mut ())>(drop) };
            // SAFETY: the state is there, and is not used any more.
            unsafe { drop(self.words.as_mut_ptr().cast()) };
        }
    }
}

/// An algorithm whose states are words. It is the algorithm itself, not a reference to it, which receivers of its parts would have to follow first.
#[repr(transparent)]
struct ErasedAlgorithm<'a, A, const N: usize, const DROPS: bool>(A, PhantomData<&'a ()>);

impl<'a, A, const N: usize, const DROPS: bool> ErasedAlgorithm<'a, A, N, DROPS> {
    #[inline(always)]
    fn of(algorithm: &'a A) -> &'a Self {
        // SAFETY: it is the same in memory, being transparent.
        unsafe { &*std::ptr::from_ref(algorithm).cast() }
    }
}

/// In each callback the words are a state of `A`: all states of a call come from the one it begins with, and from [`split`](Algorithm::split) and
/// [`rejoin`](Algorithm::rejoin) of this type.
impl<'a, A: Algorithm + 'a, const N: usize, const DROPS: bool> Algorithm for ErasedAlgorithm<'a, A, N, DROPS> {
    type Local = Opaque<'a, N, DROPS>;

    fn wants_help(&self) -> bool {
        self.0.wants_help()
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        // SAFETY: see above.
        self.0.has_local_work(unsafe { local.get() })
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.0.unit_len(grain)
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        // SAFETY: see above.
        self.0.do_unit(unsafe { local.get_mut() }, grain);
    }

    fn commit(&self, local: &mut Self::Local) {
        // SAFETY: see above.
        self.0.commit(unsafe { local.get_mut() });
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        // SAFETY: see above.
        self.0.split(unsafe { victim.get_mut() }).map(Opaque::new)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        // SAFETY: see above.
        self.0.split_late(unsafe { victim.get_mut() }, delay).map(Opaque::new)
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        // SAFETY: see above.
        let rest = unsafe { rest.into() };
        // SAFETY: see above.
        self.0.rejoin(unsafe { local.get_mut() }, rest).map(Opaque::new)
    }
}

/// Fits on the cache line of the message that it travels in.
type Two<'a> = Opaque<'a, 2, false>;
/// Comes back on one cache line, together with the word that says that it is back.
type Six<'a> = Opaque<'a, 6, false>;
/// The largest that travels in a message.
type Nine<'a> = Opaque<'a, 10, true>;
type Fifteen<'a> = Opaque<'a, 16, true>;

/// Runs `algorithm` from `local` on the pool of `handle`; returns what the call has shown.
#[inline]
pub(crate) fn run<A: Algorithm>(handle: &Handle<'_>, algorithm: &A, local: A::Local, options: CallOptions) -> Outcome {
    if const { Two::takes::<A::Local>() } {
        two(handle, ErasedAlgorithm::of(algorithm), Opaque::new(local), options)
    } else if const { Six::takes::<A::Local>() } {
        six(handle, ErasedAlgorithm::of(algorithm), Opaque::new(local), options)
    } else if const { Nine::takes::<A::Local>() } {
        nine(handle, ErasedAlgorithm::of(algorithm), Opaque::new(local), options)
    } else if const { Fifteen::takes::<A::Local>() } {
        fifteen(handle, ErasedAlgorithm::of(algorithm), Opaque::new(local), options)
    } else {
        nine(handle, ErasedAlgorithm::of(Boxed::of(algorithm)), Opaque::new(Box::new(local)), options)
    }
}

// None of these is generic, so they are compiled here.

#[inline(never)]
fn two<'a>(handle: &Handle<'_>, algorithm: &Steps<'_, Two<'a>>, local: Two<'a>, options: CallOptions) -> Outcome {
    run::run(handle, algorithm, local, options)
}

#[inline(never)]
fn six<'a>(handle: &Handle<'_>, algorithm: &Steps<'_, Six<'a>>, local: Six<'a>, options: CallOptions) -> Outcome {
    run::run(handle, algorithm, local, options)
}

#[inline(never)]
fn nine<'a>(handle: &Handle<'_>, algorithm: &Steps<'_, Nine<'a>>, local: Nine<'a>, options: CallOptions) -> Outcome {
    run::run(handle, algorithm, local, options)
}

#[inline(never)]
fn fifteen<'a>(
    handle: &Handle<'_>,
    algorithm: &Steps<'_, Fifteen<'a>>,
    local: Fifteen<'a>,
    options: CallOptions,
) -> Outcome {
    run::run(handle, algorithm, local, options)
}

/// An algorithm whose states are boxes.
#[repr(transparent)]
struct Boxed<A>(A);

impl<A> Boxed<A> {
    fn of(algorithm: &A) -> &Self {
        // SAFETY: it is the same in memory, being transparent.
        unsafe { &*std::ptr::from_ref(algorithm).cast() }
    }
}

impl<A: Algorithm> Algorithm for Boxed<A> {
    type Local = Box<A::Local>;

    fn wants_help(&self) -> bool {
        self.0.wants_help()
    }

    fn has_local_work(&self, local: &Self::Local) -> bool {
        self.0.has_local_work(local)
    }

    fn unit_len(&self, grain: usize) -> usize {
        self.0.unit_len(grain)
    }

    fn do_unit(&self, local: &mut Self::Local, grain: usize) {
        self.0.do_unit(local, grain);
    }

    fn commit(&self, local: &mut Self::Local) {
        self.0.commit(local);
    }

    fn split(&self, victim: &mut Self::Local) -> Option<Self::Local> {
        self.0.split(victim).map(Box::new)
    }

    fn split_late(&self, victim: &mut Self::Local, delay: usize) -> Option<Self::Local> {
        self.0.split_late(victim, delay).map(Box::new)
    }

    fn rejoin(&self, local: &mut Self::Local, rest: Self::Local) -> Option<Self::Local> {
        self.0.rejoin(local, *rest).map(Box::new)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
