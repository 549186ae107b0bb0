//! Free workers begin with what is older, spawned tasks and joined closures alike. Programs rely on that: here all workers wait for the older one.

mod support;

use std::sync::mpsc::{Receiver, Sender, channel};

use rayon_core::{ThreadPool, ThreadPoolBuilder, join, scope, spawn};
use support::ends;

fn two() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// Calls `round` many times, each time with the ends of two channels.
fn rounds(round: impl Fn([Sender<()>; 2], [Receiver<()>; 2])) {
    ends(|| {
        for _ in 0..1_000 {
            let ((send, receive), (send_other, receive_other)) = (channel(), channel());
            round([send, send_other], [receive, receive_other]);
        }
    });
}

fn send(to: [Sender<()>; 2]) {
    to.into_iter().for_each(|to| to.send(()).unwrap());
}

/// Both workers wait.
fn wait([one, other]: [Receiver<()>; 2]) {
    join(move || one.recv().unwrap(), move || other.recv().unwrap());
}

#[test]
fn a_task_comes_before_closures_that_are_joined_later() {
    let pool = two();
    let within_a_scope = |senders, receivers| {
        scope(|scope| {
            scope.spawn(move |_| send(senders));
            wait(receivers);
        });
    };
    let detached = |senders, receivers| {
        spawn(move || send(senders));
        wait(receivers);
    };
    rounds(|senders, receivers| pool.install(|| within_a_scope(senders, receivers)));
    rounds(|senders, receivers| pool.install(|| detached(senders, receivers)));
}

#[test]
fn a_closure_comes_before_tasks_that_are_spawned_later() {
    let pool = two();
    let waits_for_both = |[one, other]: [Receiver<()>; 2]| {
        scope(move |scope| {
            scope.spawn(move |_| one.recv().unwrap());
            other.recv().unwrap();
        });
    };
    rounds(|senders, receivers| _ = pool.join(|| waits_for_both(receivers), || send(senders)));
}

#[test]
fn a_task_from_outside_comes_before_calls_that_are_made_later() {
    let pool = two();
    rounds(|senders, receivers| {
        pool.spawn(move || send(senders));
        pool.install(|| wait(receivers));
    });
}
