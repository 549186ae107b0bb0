//! Orders on a machine of two packages of two caches of two cores, and what follows them.

use super::{Order, Victims};
use crate::error::Error;
use crate::handlers::Handlers;
use crate::handover::mailbox;
use crate::idle::tasks;
use crate::worker::handle::Handle;
use crate::worker::inner::{Inner, Threads, Wait};
use crate::worker::slot::bit;

/// Worker `i` is on core `i`. For each worker all others, nearest first; of equally near ones the next higher number comes first.
fn lists() -> Vec<Vec<usize>> {
    // The highest bit in which two differ: they share cache and package, only the package, or neither.
    let distance = |a: usize, b: usize| usize::BITS - (a ^ b).leading_zeros();
    let list = |worker: usize| {
        let mut others: Vec<usize> = (1..8).map(|step| (worker + step) % 8).collect();
        others.sort_by_key(|&other| distance(worker, other));
        others
    };
    (0..8).map(list).collect()
}

/// A pool of eight workers, which have not been started.
fn pool(victims: Option<Victims>) -> Inner {
    let mut pool = Inner::new(7, Wait::Spin, Threads::Own, Handlers::default());
    pool.victims = victims;
    pool
}

fn near() -> Inner {
    pool(Some(Victims::new(8, &lists()).unwrap()))
}

/// The slot of a worker.
fn slot(worker: usize) -> usize {
    (worker + 7) % 8
}

/// A slot's worker.
fn worker(slot: usize) -> usize {
    (slot + 1) % 8
}

#[test]
fn victims_go_by_distance_and_ties_rotate() {
    let pool = near();
    let others = |own: usize| Handle::new(&pool, slot(own)).others().map(worker).collect::<Vec<_>>();
    let workers = |own: usize| Handle::new(&pool, slot(own)).other_workers().map(worker).collect::<Vec<_>>();
    // Nobody has called, and yet the caller is in its place.
    assert_eq!(pool.slots.lease(), slot(0));
    assert_eq!(others(0), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(others(1), [0, 2, 3, 4, 5, 6, 7]);
    assert_eq!(others(3), [2, 0, 1, 4, 5, 6, 7]);
    assert_eq!(others(4), [5, 6, 7, 0, 1, 2, 3]);
    assert_eq!(others(6), [7, 4, 5, 0, 1, 2, 3]);
    assert_eq!(workers(3), [2, 1, 4, 5, 6, 7], "callers are not started");
    // Workers that are equally near do not all ask the same one first.
    for (far, times) in [(1, 1), (2, 2), (4, 4)] {
        let firsts: Vec<usize> = (0..8).map(|own| others(own)[far - 1]).collect();
        assert!((0..8).all(|first| firsts.iter().filter(|&&other| other == first).count() <= times), "{firsts:?}");
    }
}

#[test]
fn all_callers_are_in_one_place() {
    let pool = near();
    for caller in 7..10 {
        assert_eq!(pool.slots.lease(), caller);
    }
    let others = |index| Handle::new(&pool, index).others().collect::<Vec<_>>();
    assert_eq!(others(slot(3)), [1, 7, 8, 9, 0, 3, 4, 5, 6]);
    assert_eq!(others(8), [7, 9, 0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(Handle::new(&pool, 8).other_workers().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
}

#[test]
fn without_lists_each_begins_with_the_next() {
    let pool = pool(None);
    pool.slots.lease();
    pool.slots.lease();
    let others = |index| Handle::new(&pool, index).others().collect::<Vec<_>>();
    assert_eq!(others(2), [3, 4, 5, 6, 7, 8, 0, 1]);
    assert_eq!(others(8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(Handle::new(&pool, 2).other_workers().collect::<Vec<_>>(), [3, 4, 5, 6, 0, 1]);
    assert_eq!(Handle::new(&pool, 8).other_workers().collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
}

/// Threads that wait outside of a registry have slots, and nothing in them.
#[test]
fn a_registrys_workers_look_at_each_other_alone() {
    let mut registry = Inner::registry(7, Handlers::default(), Box::new(()));
    (0..100).for_each(|_| _ = registry.slots.lease());
    let others = |pool: &Inner| Handle::new(pool, 2).others().collect::<Vec<_>>();
    assert_eq!(others(&registry), [3, 4, 5, 6, 0, 1]);
    registry.victims = Some(Victims::new(8, &lists()).unwrap());
    assert_eq!(others(&registry), [1, 0, 3, 4, 5, 6]);
    let outside = registry.slots.get(7);
    outside.serve(64);
    registry.ask(&Handle::new(&registry, 2), |slot| slot.serves() != 0);
    assert!(!outside.is_asked());
}

/// The workers that have been asked by the one at slot `thief`.
fn asked(pool: &Inner, thief: usize) -> Vec<usize> {
    (0..8).filter(|&other| pool.slots.get(slot(other)).take_requests() & bit(thief) != 0).collect()
}

#[test]
fn the_nearest_is_asked_alone_at_first() {
    for (pool, first) in [(near(), &[6][..]), (pool(None), &[0, 1, 6])] {
        pool.slots.lease();
        let thief = Handle::new(&pool, slot(5));
        pool.ask_nearest(&thief);
        assert!(asked(&pool, thief.index).is_empty(), "nobody has work");
        for busy in [0, 1, 6] {
            pool.slots.get(slot(busy)).serve(64);
        }
        pool.ask_nearest(&thief);
        assert_eq!(asked(&pool, thief.index), first);
        pool.ask(&thief, |slot| slot.serves() != 0);
        assert_eq!(asked(&pool, thief.index), [0, 1, 6]);
    }
}

#[test]
fn the_nearest_are_told_and_woken() {
    for (pool, told, woken) in [(near(), 2, 6), (pool(None), 6, 1)] {
        let front = |worker| &pool.slots.get(slot(worker)).front;
        for idle in [2, 6] {
            front(idle).open(mailbox::ANY);
        }
        let own = Handle::new(&pool, slot(3));
        assert!(tasks::announce(&own, || false));
        let is_told = |worker: &usize| ![mailbox::ANY, mailbox::SHUT].contains(&front(*worker).peek());
        assert_eq!((1..8).filter(is_told).collect::<Vec<_>>(), [told]);
        for asleep in [1, 2, 6] {
            front(asleep).open(mailbox::ASLEEP);
        }
        let own = Handle::new(&pool, slot(7));
        assert!(pool.wake(&own, 1));
        let is_woken = |worker: &usize| front(*worker).peek() == mailbox::SHUT;
        let first = [1, 2, 6].into_iter().filter(is_woken).collect::<Vec<_>>();
        assert_eq!(first, [woken]);
    }
}

#[test]
fn lists_become_slots() {
    let victims = Victims::new(3, &[vec![1, 2], vec![2, 0], vec![1, 0]]).unwrap();
    let order = |index| {
        let Order { workers, before_callers } = victims.of(index);
        (workers.to_vec(), *before_callers)
    };
    assert_eq!(order(0), (vec![1], 1), "worker 1 asks worker 2, then callers");
    assert_eq!(order(1), (vec![0], 1));
    assert_eq!(order(2), (vec![0, 1], 0), "a caller asks other callers, then workers 1 and 2");
    assert_eq!(order(77), order(2));
    assert!(Victims::new(1, &[vec![]]).unwrap().of(0).workers.is_empty());
}

#[test]
fn wrong_lists_are_told() {
    let worker = |count, lists: &[Vec<usize>]| match Victims::new(count, lists) {
        Err(Error::Victims { worker }) => Some(worker),
        _ => None,
    };
    assert_eq!(worker(2, &[vec![1]]), Some(1), "a list is missing");
    assert_eq!(worker(1, &[vec![], vec![0]]), Some(1), "there is one too many");
    assert_eq!(worker(2, &[vec![1], vec![1]]), Some(1), "itself");
    assert_eq!(worker(3, &[vec![1, 2], vec![0, 2], vec![0]]), Some(2), "one is missing");
    assert_eq!(worker(3, &[vec![1, 1], vec![0, 2], vec![0, 1]]), Some(0), "one comes twice");
    assert_eq!(worker(3, &[vec![1, 2], vec![0, 3], vec![0, 1]]), Some(1), "one does not exist");
}
