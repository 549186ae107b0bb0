//! With an allocator that gives no more than it is asked for. This test has its own process, since the allocator is that of a process.

mod common;

use common::PATIENCE;
use fusain_pool::decide::{Kind, Team};
use fusain_pool::{Algorithm, Pool, Wait};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// More than any alignment below it is rounded up to.
const ALIGN: usize = 64;

/// The allocator: its addresses are odd multiples of the alignment.
struct Exact;

impl Exact {
    /// The layout that the system's allocator is asked for, and how far into that place the user's part begins.
    fn outer(layout: Layout) -> Option<(Layout, usize)> {
        let skipped = if layout.align() < ALIGN { layout.align() } else { 0 };
        let size = layout.size().checked_add(skipped)?;
        Some((Layout::from_size_align(size, layout.align().max(ALIGN)).ok()?, skipped))
    }
}

// SAFETY: each place is the inner part of a place of the system's allocator, and is long and aligned enough.
unsafe impl GlobalAlloc for Exact {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((outer, skipped)) = Self::outer(layout) else { return std::ptr::null_mut() };
        // SAFETY: at least as long as the inner part, which is not empty.
        let place = unsafe { System.alloc(outer) };
        // SAFETY: within the place.
        if place.is_null() { place } else { unsafe { place.add(skipped) } }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        let (outer, skipped) = Self::outer(layout).expect("as when it was allocated");
        // SAFETY: the system's place begins `skipped` bytes earlier.
        let place = unsafe { place.sub(skipped) };
        // SAFETY: allocated with this layout.
        unsafe { System.dealloc(place, outer) };
    }
}

#[global_allocator]
static EXACT: Exact = Exact;

/// Counts elements. Later ones take longer, so that workers run out of work and ask for more.
struct Visits(AtomicUsize);

impl Algorithm for Visits {
    type Local = Range<usize>;

    fn has_local_work(&self, left: &Range<usize>) -> bool {
        !left.is_empty()
    }

    fn do_unit(&self, left: &mut Range<usize>, grain: usize) {
        for index in left.by_ref().take(grain) {
            (0..index).for_each(|_| std::hint::spin_loop());
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn commit(&self, _: &mut Range<usize>) {}

    fn split(&self, victim: &mut Range<usize>) -> Option<Range<usize>> {
        let middle = victim.start + victim.len().div_ceil(2);
        let stolen = middle..std::mem::replace(&mut victim.end, middle);
        (!stolen.is_empty()).then_some(stolen)
    }
}

/// A part that a worker gives to another one is identified by its address, also where that is aligned only for a word of four bytes. Only on such platforms can this fail:
/// `cargo xtask targets` runs it on i686.
#[test]
fn parts_reach_whoever_asks() {
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if is_done.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            eprintln!("a part is lost");
            std::process::abort();
        }
    });
    let pool = Pool::builder().threads(3).wait(Wait::Spin).build().unwrap();
    for _ in 0..200 {
        let visits = Visits(AtomicUsize::new(0));
        Team::all(Some(&pool), Kind::of::<Visits>(), 1_000, Some(2)).run_directly(&visits, 0..1_000);
        assert_eq!(visits.0.into_inner(), 1_000);
    }
    drop(done);
    watch.join().unwrap();
}
