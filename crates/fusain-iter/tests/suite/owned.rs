//! Elements by value: each is dropped once, whichever closure panics.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use fusain_iter::iter::With;
use fusain_iter::prelude::*;
use fusain_iter::vec;
use fusain_testkit::{Census, Counted};
use proptest::prelude::*;

use crate::support::{POOL, cut_by, run_by, script};

fn elements(census: &Census, n: usize) -> Vec<Counted> {
    (0..n).map(|key| census.element(key as u32)).collect()
}

type Shared = With<'static, With<'static, With<'static, vec::IntoIter<Counted>>>>;

/// Panics without a message.
fn fall() -> ! {
    resume_unwind(Box::new("on purpose"))
}

proptest! {
    #[test]
    fn every_element_is_dropped_once(n in 0..300_usize, m in 0..300_usize, script in script()) {
        let census = Census::new();
        drop(run_by(elements(&census, n).into_par_iter(), &script));
        drop(cut_by(elements(&census, n).into_par_iter().zip(elements(&census, m)), &script));
        drop(cut_by(elements(&census, n).into_par_iter().skip(m / 2).rev(), &script));
        drop(cut_by(elements(&census, n).into_par_iter().take(m).step_by(3), &script));
        drop(cut_by(elements(&census, n).into_par_iter().chunks(1 + m), &script));
        drop(elements(&census, n).into_par_iter().map(|x| x));
        drop(run_by(elements(&census, n).into_par_iter().map_windows(|w: &[Counted; 3]| w[0].key), &script));
        prop_assert_eq!(census.alive(), 0);
    }

    #[test]
    fn also_when_somebody_panics(n in 1..500_usize, at: usize, grain in 1..50_usize) {
        let census = Census::new();
        let at = (at % n) as u32;
        let same = |x: &Counted| if x.key == at { fall() };
        let shared = |n| elements(&census, n).into_par_iter().on(&POOL).always().grain(grain);
        let runs: [&dyn Fn(); 14] = [
            &|| shared(n).for_each(|x| same(&x)),
            &|| drop(shared(n).inspect(same).collect::<Vec<_>>()),
            &|| drop(shared(n).map(|x| { same(&x); x }).collect::<Vec<_>>()),
            &|| drop(shared(n).filter(|x| { same(x); true }).collect::<Vec<_>>()),
            &|| drop(shared(n).filter_map(|x| { same(&x); (x.key % 3 > 0).then_some(x) }).collect::<Vec<_>>()),
            &|| drop(shared(n).zip(elements(&census, n)).map(|(x, y)| { same(&x); y }).collect::<Vec<_>>()),
            &|| drop(shared(n).rev().inspect(same).panic_fuse().map(Some).while_some().collect::<Vec<_>>()),
            &|| drop(shared(n).inspect(same).zip(elements(&census, n)).unzip::<_, _, Vec<_>, Vec<_>>()),
            &|| drop(shared(n).inspect(same).chunks(7).collect::<Vec<_>>()),
            &|| drop(shared(n).inspect(same).map_windows(|[x]| x.clone()).collect::<Vec<_>>()),
            &|| drop(shared(n).fold(Default::default, |all: (Vec<_>, Vec<_>), x| { same(&x); (vec![x], all.0) }).collect::<Vec<_>>()),
            &|| drop(shared(n).flat_map(|x| [x.clone(), x]).inspect(same).collect::<Vec<_>>()),
            &|| drop(shared(n).map(|x| { same(&x); Some(x) }).flatten().collect::<Vec<_>>()),
            &|| drop(shared(n).inspect(same).map(Ok::<_, ()>).collect::<Result<Vec<_>, _>>()),
        ];
        for run in runs {
            prop_assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            prop_assert_eq!(census.alive(), 0);
        }
    }

    #[test]
    fn also_when_a_chain_ends_early(n in 1..2000_usize, at: usize) {
        let census = Census::new();
        let at = (at % n) as u32;
        let shared = || elements(&census, n).into_par_iter().on(&POOL).always().grain(5);
        let bad: Result<Vec<Counted>, u32> = shared().map(|x| if x.key == at { Err(at) } else { Ok(x) }).collect();
        prop_assert_eq!(bad.err(), Some(at));
        prop_assert_eq!(census.alive(), 0);
        prop_assert_eq!(shared().find_any(|x| x.key == at).map(|x| x.key), Some(at));
        prop_assert_eq!(census.alive(), 0);
        // What came before a gap stays, and gaps are closed.
        let some: Vec<Counted> = shared().map(|x| (x.key != at).then_some(x)).while_some().collect();
        prop_assert_eq!(census.alive(), some.len() as isize);
        prop_assert!(some.windows(2).all(|pair| pair[0].key < pair[1].key));
    }

    /// Elements that come out one by one take the places of those that went in, whatever the adaptors do with them.
    #[test]
    fn results_lie_where_the_elements_were(n in 1..2000_usize, at: usize, spare in 0..9_usize, grain in 1..100_usize) {
        let census = Census::new();
        let at = (at % n) as u32;
        let vector = || {
            let mut v = elements(&census, n);
            v.reserve_exact(spare);
            v
        };
        let same = |made: Vec<Counted>, from: (*const Counted, usize)| {
            assert_eq!((made.as_ptr(), made.capacity()), from);
            assert!(made.is_sorted_by_key(|x| x.key));
            made.len()
        };
        let all = |run: &dyn Fn(Shared) -> Vec<Counted>| {
            let v = vector();
            let from = (v.as_ptr(), v.capacity());
            assert_eq!(same(run(v.into_par_iter().on(&POOL).always().grain(grain)), from), n);
        };
        all(&|v| v.map(|x| x).collect());
        all(&|v| v.inspect(|x| assert!(x.key < n as u32)).enumerate().map(|(i, x)| { assert_eq!(x.key, i as u32); x }).collect());
        all(&|v| v.map_init(|| (), |(), x| x).update(|_| ()).collect());
        all(&|v| v.map_with((), |(), x| x).with_min_len(3).collect());
        all(&|v| v.map_worker(|| (), |(), x| x).with_max_len(3).collect());
        all(&|v| v.zip(0..n).map(|(x, i)| { assert_eq!(x.key, i as u32); x }).collect());
        all(&|v| v.zip_eq(elements(&census, n)).map(|(x, y)| { assert_eq!(x.key, y.key); x }).collect());
        all(&|v| v.map(Ok::<_, ()>).collect::<Result<_, _>>().unwrap());
        all(&|v| v.map(Some).collect::<Option<_>>().unwrap());
        prop_assert_eq!(census.alive(), 0);
        let v = vector();
        let from = (v.as_ptr(), v.capacity());
        let early = v.into_par_iter().on(&POOL).always().grain(grain);
        let some = early.map(|x| (x.key != at).then_some(x)).while_some().collect();
        prop_assert!(same(some, from) < n);
        let v = vector();
        let from = (v.as_ptr(), v.capacity());
        let shorter = v.into_par_iter().zip(0..at).on(&POOL).always().grain(grain).map(|(x, _)| x).collect();
        prop_assert_eq!(same(shorter, from), at as usize);
        prop_assert_eq!(census.alive(), 0);
    }

    /// Numbers need not be dropped, and are made many at a time.
    #[test]
    fn so_do_numbers(v in prop::collection::vec(any::<u64>(), 0..3000), grain in 1..300_usize, at: usize) {
        let shared = || v.clone().into_par_iter().on(&POOL).always().grain(grain);
        let by = |f: fn(u64) -> f64| v.iter().map(|x| f(*x)).collect::<Vec<_>>();
        prop_assert_eq!(shared().map(|x| x as f64).collect::<Vec<_>>(), by(|x| x as f64));
        prop_assert_eq!(shared().sequential().map(|x| x as f64).collect::<Vec<_>>(), by(|x| x as f64));
        let halves: Vec<[u32; 2]> = shared().map(|x| [x as u32, (x >> 32) as u32]).collect();
        prop_assert!(halves.into_iter().eq(v.iter().map(|x| [*x as u32, (*x >> 32) as u32])), "of another alignment");
        let at = at % v.len().max(1);
        let part: Vec<u64> = shared().enumerate().map(|(i, x)| (i != at).then_some(x)).while_some().collect();
        prop_assert!(part.len() < v.len().max(1));
        let mut alone = shared().sequential().enumerate().map(|(i, x)| (i != at).then_some(x)).while_some().collect::<Vec<u64>>();
        prop_assert_eq!(&alone, &v[..at.min(v.len())], "nobody goes on behind the end");
        alone = v.par_iter().enumerate().sequential().map(|(i, x)| (i != at).then_some(*x)).while_some().collect();
        prop_assert_eq!(&alone, &v[..at.min(v.len())], "nor where elements are not in place");
        let mut rest = v.iter();
        prop_assert!(part.iter().all(|x| rest.any(|y| x == y)), "in their order");
        let fall_at = |i: usize| if i == at && !v.is_empty() { fall() };
        let run = || shared().enumerate().map(|(i, x)| { fall_at(i); x }).collect::<Vec<u64>>();
        prop_assert_eq!(catch_unwind(AssertUnwindSafe(run)).is_err(), !v.is_empty());
    }

    #[test]
    fn drained(n in 0..300_usize, a in 0..300_usize, b in 0..300_usize, taken in 0..400_usize) {
        let census = Census::new();
        let (a, b) = (a.min(b).min(n), a.max(b).min(n));
        let mut v = elements(&census, n);
        drop(v.par_drain(a..b));
        prop_assert_eq!(v.len(), n - (b - a));
        drop(v);
        let mut v = elements(&census, n);
        let keys: Vec<u32> = v.par_drain(a..b).on(&POOL).always().grain(3).take(taken).map(|x| x.key).collect();
        let drained = a as u32..(a + taken.min(b - a)) as u32;
        prop_assert!(keys.into_iter().eq(drained));
        prop_assert!(v.iter().map(|x| x.key).eq((0..a as u32).chain(b as u32..n as u32)));
        drop(v);
        prop_assert_eq!(census.alive(), 0);
    }
}

#[test]
fn elements_without_size() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let v: Vec<Nothing> = (0..1000).map(|_| Nothing).collect();
    let w: Vec<Nothing> = v.into_par_iter().on(&POOL).always().grain(7).rev().collect();
    assert_eq!((w.len(), DROPPED.load(Ordering::Relaxed)), (1000, 0));
    assert_eq!(w.into_par_iter().take(10).count(), 10);
    assert_eq!(DROPPED.load(Ordering::Relaxed), 1000);
    assert_eq!(vec![(); 100_000].into_par_iter().map(|()| ()).collect::<Vec<()>>().len(), 100_000);
    let mut longest = Vec::from([(); usize::MAX]);
    assert_eq!(longest.par_drain(1..3).count(), 2);
    assert_eq!(longest.len(), usize::MAX - 2);
}

#[test]
fn values_of_workers() {
    let made = AtomicUsize::new(0);
    let sum: usize = (0..10_000_usize)
        .into_par_iter()
        .on(&POOL)
        .always()
        .grain(1)
        .map_worker(|| made.fetch_add(1, Ordering::Relaxed), |_, x| x)
        .sum();
    assert_eq!(sum, 49_995_000);
    assert!(made.into_inner() <= POOL.workers(), "no more than workers");
    let made = AtomicUsize::new(0);
    let chain = (0..100_000_usize).into_par_iter().sequential();
    let found = chain
        .map_worker(|| made.fetch_add(1, Ordering::Relaxed), |_, x| x)
        .map_windows(|[a, b]| a + b)
        .find_last(|_| false);
    assert_eq!((found, made.into_inner()), (None, 1), "a search from the back splits its part many times");
}

#[test]
fn values_that_cannot_be_sent_stay_where_they_were_made() {
    struct Home(std::thread::ThreadId, std::rc::Rc<()>);
    impl Drop for Home {
        fn drop(&mut self) {
            assert_eq!(self.0, std::thread::current().id(), "dropped where it was made");
        }
    }
    let home = || Home(std::thread::current().id(), std::rc::Rc::new(()));
    let n = (0..10_000).into_par_iter().on(&POOL).always().grain(3).map_init(home, |home, _| {
        let _also = std::rc::Rc::clone(&home.1);
        assert_eq!(home.0, std::thread::current().id(), "used where it was made");
    });
    assert_eq!(n.clone().count(), 10_000);
    assert_eq!(n.enumerate().collect::<Vec<_>>().len(), 10_000);
}

#[test]
fn values_of_parts_are_dropped_in_either_direction() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    struct Value;
    impl Drop for Value {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, Ordering::Relaxed);
        }
    }
    let make = || {
        MADE.fetch_add(1, Ordering::Relaxed);
        Value
    };
    for _ in 0..20 {
        let chain = || (0..3000).into_par_iter().map_init(make, |_, x| x).on(&POOL).always().grain(1);
        assert!(chain().rev().collect::<Vec<_>>().into_iter().eq((0..3000).rev()));
        assert!(chain().enumerate().rev().map(|(_, x)| x).collect::<Vec<_>>().into_iter().eq((0..3000).rev()));
        assert_eq!(chain().zip(chain()).rev().count(), 3000);
        let windows = || chain().map_windows(|[a, b]: &[i32; 2]| a + b);
        assert_eq!(windows().count(), 2999);
        // Parts whose windows have shared elements with others go to other threads.
        assert_eq!(windows().find_last(|_| false), None);
        assert_eq!((0..1000).into_par_iter().chain(windows()).on(&POOL).always().grain(1).count(), 3999);
    }
    assert_eq!(MADE.load(Ordering::Relaxed), DROPPED.load(Ordering::Relaxed));
}

#[test]
fn values_of_parts_are_dropped_where_inner_chains_are_shared() {
    static LIVE: AtomicUsize = AtomicUsize::new(0);
    struct Value;
    impl Drop for Value {
        fn drop(&mut self) {
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let make = || {
        LIVE.fetch_add(1, Ordering::Relaxed);
        Value
    };
    let numbers = || (0..50_usize).into_par_iter().on(&POOL).always().grain(1);
    let inner = |i: usize| (0..i % 4).into_par_iter();
    let all: Vec<usize> = (0..50).flat_map(|i| 0..i % 4).collect();
    for _ in 0..200 {
        let chain = || numbers().map_init(make, |_, i| i);
        assert_eq!(chain().flat_map(inner).collect::<Vec<_>>(), all);
        assert_eq!(chain().map(inner).flatten().collect::<Vec<_>>(), all);
        assert_eq!(chain().flat_map(|i| [i; 2].into_par_iter().filter(|i| i % 2 == 0)).flat_map(inner).count(), 48);
        assert_eq!(chain().take_any(50).flat_map(inner).count(), all.len());
        assert_eq!(chain().skip_any(0).chain(chain()).flat_map(inner).count(), 2 * all.len());
        assert_eq!(chain().rev().flat_map(inner).count(), all.len());
        let folded = chain().fold(Vec::new, |all, i| [all, vec![i]].concat());
        assert_eq!(folded.flat_map(|part| part).flat_map(inner).collect::<Vec<_>>(), all);
        let words = "abc de f ".repeat(17);
        let words = words.par_split(' ').on(&POOL).always().grain(1).map_init(make, |_, word| word.len());
        assert_eq!(words.flat_map(inner).count(), 17 * 6);
        assert_eq!(
            (0..50_usize).par_bridge().on(&POOL).always().grain(1).map_init(make, |_, i| i).flat_map(inner).count(),
            all.len()
        );
    }
    assert_eq!(LIVE.load(Ordering::Relaxed), 0);
}
