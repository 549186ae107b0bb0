//! One rank's schedule as in the text form: operations in the order of the lines, and their dependencies.

use std::fmt;

use crate::{Action, Graph, Moment, OpId};

/// One rank's operations and their dependencies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// The operations in the order of the lines. An operation's number is its index here.
    pub operations: Vec<Operation>,
    /// The dependencies in the order of the lines.
    pub dependencies: Vec<Dependency>,
}

/// An operation of a rank, and the processor and network card that it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What the operation does.
    pub kind: Kind,
    /// The processor that is busy with it.
    pub cpu: u8,
    /// The network card that is busy with it; 0 for a calculation.
    pub nic: u8,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sends a message.
    Send {
        /// The length of the message.
        bytes: u64,
        /// The rank that gets it.
        to: u32,
        /// The tag that a receive must ask for, besides the sender. Below `u32::MAX`.
        tag: u32,
    },
    /// Receives a message.
    Recv {
        /// The maximum length of the message.
        bytes: u64,
        /// The sender; `None` for any.
        from: Option<u32>,
        /// The message's tag, below `u32::MAX`; `None` for any.
        tag: Option<u32>,
    },
    /// Calculates.
    Calc {
        /// The duration, in nanoseconds by custom.
        time: u64,
    },
}

/// `operation` waits for a `moment` of operation `on`. Both are numbers of operations of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The operation that waits.
    pub operation: u32,
    /// The operation that it waits for.
    pub on: u32,
    /// Whether it waits for the start or the end.
    pub moment: Moment,
}

impl Rank {
    /// Appends an operation and returns its number.
    ///
    /// # Panics
    /// If there are 2^32 - 1 operations already.
    pub fn push(&mut self, operation: Operation) -> u32 {
        let number = u32::try_from(self.operations.len()).ok().filter(|&number| number < u32::MAX);
        self.operations.push(operation);
        number.expect("a rank has fewer than 2^32 - 1 operations")
    }

    /// Makes `operation` wait for the end of `on`.
    pub fn requires(&mut self, operation: u32, on: u32) {
        self.dependencies.push(Dependency { operation, on, moment: Moment::End });
    }

    /// Makes `operation` wait for the start of `on`.
    pub fn irequires(&mut self, operation: u32, on: u32) {
        self.dependencies.push(Dependency { operation, on, moment: Moment::Start });
    }

    /// Removes all operations and dependencies, and keeps the memory.
    pub fn clear(&mut self) {
        self.operations.clear();
        self.dependencies.clear();
    }
}

impl Operation {
    /// Sends `bytes` to a rank, with tag 0.
    pub fn send(bytes: u64, to: u32) -> Self {
        Kind::Send { bytes, to, tag: 0 }.into()
    }

    /// Receives up to `bytes` from a rank, with tag 0.
    pub fn recv(bytes: u64, from: u32) -> Self {
        Kind::Recv { bytes, from: Some(from), tag: Some(0) }.into()
    }

    /// Calculates for `time`.
    pub fn calc(time: u64) -> Self {
        Kind::Calc { time }.into()
    }

    /// The same operation with this tag. A calculation has no tag and is unchanged.
    #[must_use]
    pub fn tag(mut self, with: u32) -> Self {
        match &mut self.kind {
            Kind::Send { tag, .. } => *tag = with,
            Kind::Recv { tag, .. } => *tag = Some(with),
            Kind::Calc { .. } => {}
        }
        self
    }

    /// The same operation on this processor.
    #[must_use]
    pub fn cpu(self, cpu: u8) -> Self {
        Self { cpu, ..self }
    }

    /// The same operation through this network card.
    #[must_use]
    pub fn nic(self, nic: u8) -> Self {
        Self { nic, ..self }
    }
}

/// On processor 0, through network card 0.
impl From<Kind> for Operation {
    fn from(kind: Kind) -> Self {
        Self { kind, cpu: 0, nic: 0 }
    }
}

/// The statement, without a label.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let any = |number: Option<u32>| number.map_or(-1, i64::from);
        match self.kind {
            Kind::Send { bytes, to, tag } => write!(f, "send {bytes}b to {to} tag {tag}")?,
            Kind::Recv { bytes, from, tag } => write!(f, "recv {bytes}b from {} tag {}", any(from), any(tag))?,
            Kind::Calc { time } => write!(f, "calc {time}")?,
        }
        if self.cpu > 0 {
            write!(f, " cpu {}", self.cpu)?;
        }
        if self.nic > 0 {
            write!(f, " nic {}", self.nic)?;
        }
        Ok(())
    }
}

/// Reduces a graph to what the text form and the simulator need.
///
/// Memory becomes lengths. Local operations become calculations, which take no time unless they are [`Action::Calc`]. Gives
/// [`Error::TooLarge`](crate::Error::TooLarge) for a processor or card above 255.
impl TryFrom<&Graph> for Rank {
    type Error = crate::Error;

    fn try_from(graph: &Graph) -> crate::Result<Self> {
        let mut rank = Self::default();
        rank.take_from(graph)?;
        Ok(rank)
    }
}

impl Rank {
    /// Replaces this rank by a graph reduced to the text form, and reuses the memory.
    pub(crate) fn take_from(&mut self, graph: &Graph) -> crate::Result<()> {
        self.clear();
        for (index, operation) in graph.operations().iter().enumerate() {
            let narrow = |number: u32, of: &str| {
                let too_large = || format!("operation {index} is on {of} {number}; text and simulation have 0 to 255");
                u8::try_from(number).map_err(|_| crate::Error::TooLarge { what: too_large() })
            };
            let bytes = graph.message_bytes(OpId(index as u32));
            let kind = match operation.action {
                Action::Send { to, tag } => Kind::Send { bytes, to, tag },
                Action::Recv { from, tag } => Kind::Recv { bytes, from: Some(from), tag: Some(tag) },
                Action::Calc { duration_ns } => Kind::Calc { time: duration_ns },
                _ => Kind::Calc { time: 0 },
            };
            // The text form has no card for a calculation.
            let nic = if matches!(kind, Kind::Calc { .. }) { 0 } else { narrow(operation.nic, "network card")? };
            self.push(Operation { kind, cpu: narrow(operation.cpu, "processor")?, nic });
        }
        for edge in graph.edges() {
            let (operation, on, moment) = (edge.after.0, edge.before.0, edge.until);
            self.dependencies.push(Dependency { operation, on, moment });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_keeps_its_places_or_is_refused() {
        let mut graph = Graph::new(0, 2);
        let block = graph.buffer(24);
        let calc = graph.add(Action::Calc { duration_ns: 5 }, &[], &[]);
        let send = graph.add(Action::Send { to: 1, tag: 3 }, &[], &[block]);
        let copy = graph.add(Action::Copy, &[], &[]);
        graph.requires(send, calc);
        graph.irequires(copy, send);
        graph.place(calc, 255, 900);
        graph.place(send, 2, 255);
        let rank = Rank::try_from(&graph).unwrap();
        let expected = [Operation::calc(5).cpu(255), Operation::send(24, 1).tag(3).cpu(2).nic(255), Operation::calc(0)];
        assert_eq!(rank.operations, expected);
        let mut waits = Rank::default();
        waits.requires(1, 0);
        waits.irequires(2, 1);
        assert_eq!(rank.dependencies, waits.dependencies);
        for (cpu, nic, said) in
            [(256, 0, "operation 1 is on processor 256"), (0, 256, "operation 1 is on network card 256")]
        {
            graph.place(send, cpu, nic);
            let error = Rank::try_from(&graph).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
