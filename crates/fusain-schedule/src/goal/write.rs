//! Writes the text form, a rank at a time.

use std::io::{self, Write};

use super::{Kind, Operation, Rank};
use crate::Moment;

/// Writes a schedule rank by rank. Labels are `l1`, `l2`, ... in the order of operations. Only operations with a dependency get one.
///
/// Time and bytes O(operations + dependencies); the extra memory is one flag for each operation of a rank. It writes in small pieces, so give it a
/// buffer.
#[derive(Debug)]
pub struct Writer<W> {
    into: W,
    ranks: u32,
    next: u32,
    /// Whether each operation of the current rank needs a label.
    labelled: Vec<bool>,
}

impl<W: Write> Writer<W> {
    /// Begins a schedule for `ranks` ranks.
    ///
    /// # Errors
    /// Those of `into`; a number of 0 ranks is invalid input.
    pub fn new(mut into: W, ranks: u32) -> io::Result<Self> {
        if ranks == 0 {
            return Err(invalid("a schedule has at least one rank".into()));
        }
        writeln!(into, "num_ranks {ranks}")?;
        Ok(Self { into, ranks, next: 0, labelled: Vec::new() })
    }

    /// Writes the next rank.
    ///
    /// # Errors
    /// Those of the writer. Invalid input is one rank too many, a dependency on an operation that the rank does not have, and an operation that no
    /// [`Reader`](super::Reader) accepts: a message to or from a rank that does not exist or with the tag `u32::MAX`, or a calculation on a network
    /// card.
    pub fn write(&mut self, rank: &Rank) -> io::Result<()> {
        if self.next == self.ranks {
            return Err(invalid(format!("the schedule is for {} ranks, and all are written", self.ranks)));
        }
        for operation in &rank.operations {
            self.check(operation)?;
        }
        self.labelled.clear();
        self.labelled.resize(rank.operations.len(), false);
        for dependency in &rank.dependencies {
            for number in [dependency.operation, dependency.on] {
                let flag = self.labelled.get_mut(number as usize);
                *flag.ok_or_else(|| invalid(format!("rank {} has no operation {number}", self.next)))? = true;
            }
        }
        writeln!(self.into, "\nrank {} {{", self.next)?;
        for (number, (operation, labelled)) in rank.operations.iter().zip(&self.labelled).enumerate() {
            if *labelled {
                write!(self.into, "l{}: ", number + 1)?;
            }
            writeln!(self.into, "{operation}")?;
        }
        for dependency in &rank.dependencies {
            let verb = match dependency.moment {
                Moment::Start => "irequires",
                Moment::End => "requires",
            };
            let (operation, on) = (u64::from(dependency.operation) + 1, u64::from(dependency.on) + 1);
            writeln!(self.into, "l{operation} {verb} l{on}")?;
        }
        writeln!(self.into, "}}")?;
        self.next += 1;
        Ok(())
    }

    /// Checks that the operation can be read again.
    fn check(&self, operation: &Operation) -> io::Result<()> {
        let (rank, ranks) = (self.next, self.ranks);
        let (peer, tag) = match operation.kind {
            Kind::Send { to, tag, .. } => (Some(to), Some(tag)),
            Kind::Recv { from, tag, .. } => (from, tag),
            Kind::Calc { .. } if operation.nic > 0 => {
                return Err(invalid(format!("rank {rank}: `{operation}`: a calculation is on no network card")));
            }
            Kind::Calc { .. } => (None, None),
        };
        if peer.is_some_and(|peer| peer >= ranks) {
            return Err(invalid(format!(
                "rank {rank}: `{operation}` names a rank that does not exist: there are {ranks}"
            )));
        }
        if tag == Some(u32::MAX) {
            return Err(invalid(format!("rank {rank}: `{operation}`: tags are at most {}", u32::MAX - 1)));
        }
        Ok(())
    }

    /// Ends the schedule, and flushes.
    ///
    /// # Errors
    /// Those of the writer; a rank that was not written is invalid input.
    pub fn finish(mut self) -> io::Result<W> {
        if self.next < self.ranks {
            return Err(invalid(format!("the schedule is for {} ranks, and {} are written", self.ranks, self.next)));
        }
        self.into.flush()?;
        Ok(self.into)
    }
}

fn invalid(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}
