//! All about one operation in one cache line: what it is, and how far it has come.
//!
//! The order of events jumps from rank to rank; each jump should cost one line, not one for each array.

use super::hosts::NONE;
use super::program::{Edge, Program, Step, Verb};

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Node {
    /// Before when it cannot start; of a message that has been taken up, when that was done.
    pub(super) earliest: u64,
    /// Of a message its bytes, of a calculation its time.
    pub(super) size: u64,
    pub(super) peer: u32,
    pub(super) tag: u32,
    pub(super) rank: u32,
    /// How many of its dependencies are not met.
    pub(super) pending: u32,
    /// The one behind it in whichever list it is: of what waits for a processor, then of messages or receives.
    pub(super) next: u32,
    /// When it became possible, then when its message was sent, among all such moments.
    pub(super) stamp: u32,
    /// Who waits for it: most have at most one, which needs no look at the program's edges.
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
