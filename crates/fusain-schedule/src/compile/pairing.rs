//! Matches sends with the receives that will take them, if both are known.

use std::collections::HashMap;

use crate::{Action, Error, Graph, OpId, Result};

/// Sender, receiver, tag.
type Channel = (u32, u32, u32);

#[derive(Clone, Copy, Debug, Default)]
struct Traffic {
    sends: usize,
    receives: usize,
    longest_send: u64,
    longest_receive: u64,
}

/// Checks the graphs of all ranks together: every message has a receive, every receive a message, and no message is longer than every
/// receive that it could meet. (Which of several receives it meets may depend on the run.)
///
/// Time and memory O(messages).
///
/// # Errors
/// [`Error::Unmatched`], [`Error::MessageTooLong`].
///
/// ```
/// use fusain_schedule::{Action, Error, Graph, check_world};
/// let mut graphs = [Graph::new(0, 2), Graph::new(1, 2)];
/// let (long, short) = (graphs[0].scratch(100), graphs[1].scratch(10));
/// graphs[0].add(Action::Send { to: 1, tag: 0 }, &[], &[long]);
/// graphs[1].add(Action::Recv { from: 0, tag: 0 }, &[short], &[]);
/// assert!(matches!(check_world(&graphs), Err(Error::MessageTooLong { sent_bytes: 100, received_bytes: 10, .. })));
/// ```
pub fn check_world<'a>(graphs: impl IntoIterator<Item = &'a Graph>) -> Result<()> {
    let mut channels = HashMap::new();
    for graph in graphs {
        gather(graph, |_| true, &mut channels);
    }
    judge(&channels)
}

/// Checks the messages of a rank to itself, which are known from its own graph.
pub(crate) fn check_own(graph: &Graph) -> Result<()> {
    let mut channels = HashMap::new();
    gather(graph, |peer| peer == graph.rank(), &mut channels);
    judge(&channels)
}

fn gather(graph: &Graph, is_asked: impl Fn(u32) -> bool, channels: &mut HashMap<Channel, Traffic>) {
    for (index, operation) in graph.operations().iter().enumerate() {
        let bytes = || graph.message_bytes(OpId(index as u32));
        match operation.action {
            Action::Send { to, tag } if is_asked(to) => {
                let traffic = channels.entry((graph.rank(), to, tag)).or_default();
                traffic.sends += 1;
                traffic.longest_send = traffic.longest_send.max(bytes());
            }
            Action::Recv { from, tag } if is_asked(from) => {
                let traffic = channels.entry((from, graph.rank(), tag)).or_default();
                traffic.receives += 1;
                traffic.longest_receive = traffic.longest_receive.max(bytes());
            }
            _ => {}
        }
    }
}

/// Returns an error for the first wrong channel, in order, if there is one.
fn judge(channels: &HashMap<Channel, Traffic>) -> Result<()> {
    let wrong = |traffic: &Traffic| traffic.sends != traffic.receives || traffic.longest_send > traffic.longest_receive;
    let first = channels.iter().filter(|(_, traffic)| wrong(traffic)).min_by_key(|(channel, _)| **channel);
    let Some((&(from, to, tag), traffic)) = first else { return Ok(()) };
    let Traffic { sends, receives, longest_send, longest_receive } = *traffic;
    if sends == receives {
        Err(Error::MessageTooLong { from, to, tag, sent_bytes: longest_send, received_bytes: longest_receive })
    } else {
        Err(Error::Unmatched { from, to, tag, sends, receives })
    }
}
