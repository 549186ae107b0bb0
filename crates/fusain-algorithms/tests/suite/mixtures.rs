//! Short and long calls mixed: the long ones begin in sequence, which is best for the short ones, and then share what is left.

use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use fusain_algorithms::{Par, par};

use super::support::pool;

/// The number of elements in a call.
const LEN: usize = 7;

/// Calls `check` with a function to call before each element. It takes little time, or much in one of ten calls. Even the little is enough for a look at the clock after
/// the first element.
fn mixed(check: impl Fn(Par<'_>, &(dyn Fn() + Sync))) {
    for call in 0..300 {
        let pause = Duration::from_micros(if call % 10 == 9 { 100 } else { 0 });
        check(par().on(pool(3)), &|| {
            if pause.is_zero() {
                (0..50).for_each(|_| spin_loop());
            } else {
                thread::sleep(pause);
            }
        });
    }
}

#[test]
fn each_element_is_visited_once() {
    let v = [const { AtomicU32::new(0) }; LEN];
    mixed(|par, pause| {
        let before = v[0].load(Ordering::Relaxed);
        par.for_each(&v, |x| {
            pause();
            x.fetch_add(1, Ordering::Relaxed);
        });
        assert!(v.iter().all(|x| x.load(Ordering::Relaxed) == before + 1));
        let mut w = [before; LEN];
        par.for_each_mut(&mut w, |x| {
            pause();
            *x += 1;
        });
        assert_eq!(w, [before + 1; LEN]);
    });
}

#[test]
fn results_are_in_order() {
    let v: Vec<usize> = (0..LEN).collect();
    mixed(|par, pause| {
        let name = |x: &usize| {
            pause();
            x.to_string()
        };
        let names = par.map(&v, name);
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6"]);
        let mut room = [const { MaybeUninit::uninit() }; LEN];
        let into = par.map_into(&v, &mut room, name);
        assert_eq!(into, names);
        into.iter_mut().for_each(|name| drop(std::mem::take(name)));
        assert_eq!(par.map_reduce(&v, String::from("of "), name, |a, b| a + &b), "of 0123456");
    });
}

#[test]
fn a_panic_midway_drops_each_result_once() {
    let (v, count) = ([(); LEN], Arc::new(()));
    mixed(|par, pause| {
        let made = AtomicU32::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            par.map(&v, |()| {
                pause();
                assert!(made.fetch_add(1, Ordering::Relaxed) < 4, "the fifth panics");
                count.clone()
            })
        }));
        assert!(result.is_err());
        assert_eq!(Arc::strong_count(&count), 1);
    });
}
