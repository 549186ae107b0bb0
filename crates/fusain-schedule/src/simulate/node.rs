//! All data of one operation in one cache line: what it is, and its progress.
//!
//! The order of events jumps from rank to rank; each jump should cost one cache line, not one for each array.

use super::hosts::NONE;
use super::program::{Edge, Program, Step, Verb};

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    /// The time before which the step cannot start; for a message that has been taken up, the time when that was done.
    pub(super) earliest: u64,
    /// The bytes of a message, or the time of a calculation.
    pub(super) size: u64,
    pub(super) peer: u32,
    pub(super) tag: u32,
    pub(super) rank: u32,
    /// The number of its unmet dependencies.
    pub(super) pending: u32,
    /// The next step in the list that contains this one: first of steps that wait for a processor, then of messages or receives.
    pub(super) next: u32,
    /// The order number of the moment when the step became possible, later of the moment when its message was sent.
    pub(super) stamp: u32,
    /// The steps that wait for this one. Most have at most one, so that the program's edges need not be read.
    pub(super) waiting: Waiting,
    pub(super) lane: u16,
    pub(super) cpu: u8,
    pub(super) nic: u8,
    pub(super) verb: Verb,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Waiting {
    Nobody,
    One(Edge),
    Many,
}

const _: () = assert!(size_of::<Node>() == 64);

/// A node for each step of a program.
pub(super) fn nodes(program: &Program) -> Vec<Node> {
    let node = |(number, step): (usize, &Step)| {
        let Step { size, peer, tag, rank, needs, lane, cpu, verb, .. } = *step;
        let waiting = match program.edges(number as u32) {
            [] => Waiting::Nobody,
            [edge] => Waiting::One(*edge),
            _ => Waiting::Many,
        };
        let nic = program.lanes()[usize::from(lane)].1;
        Node { earliest: 0, size, peer, tag, rank, pending: needs, next: NONE, stamp: 0, waiting, lane, cpu, nic, verb }
    };
    program.steps().iter().enumerate().map(node).collect()
}
