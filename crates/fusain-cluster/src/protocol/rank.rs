//! One rank's part of the protocol; see the [module](super).

use std::collections::{BTreeMap, VecDeque};
use std::iter;

use super::message::{Message, TaskId};

/// Identifies a task that this rank has begun.
pub type Label = u64;

/// Rank 0's first task.
pub(crate) const ROOT: Label = 0;

/// The next job of the workers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Job<P> {
    /// Process this state, then call [`Rank::done`]. `None` is the root's state, which came in no message.
    Start {
        /// The task.
        label: Label,
        /// The rank that has given the task; for the root this rank.
        from: u32,
        /// The task's state.
        payload: Option<P>,
    },
    /// Merge this result with the task's own, and process the work that this makes possible. Then call [`Rank::done`].
    Merge {
        /// The task.
        label: Label,
        /// The rank that had the part.
        from: u32,
        /// The result of the part.
        payload: P,
    },
    /// The task has no work left. Encode its result as a payload, then call [`Rank::finished`].
    Finish {
        /// The task.
        label: Label,
    },
}

/// Why a message is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A result for a task that its sender was not given.
    #[error("it is the result of a task that its sender was not given")]
    UnknownTask,
    /// The end of the run, while there is work.
    #[error("it says that the run has ended, but there is work left")]
    EarlyStop,
    /// A rank that does not exist.
    #[error("it names a rank that does not exist")]
    UnknownRank,
}

/// A task that this rank has begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Task {
    /// The rank and id to which its result goes. None for the root.
    giver: Option<(u32, TaskId)>,
    /// The number of its jobs that are queued or running.
    jobs: u32,
    /// The number of its parts that were given away and have not come back.
    away: u32,
}

/// A part that was given away.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Given {
    /// The task that the part was split off.
    label: Label,
    to: u32,
}

/// A rank that asked this rank for work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Asker {
    thief: u32,
    hops: u8,
    stays: bool,
    /// Whether it has been refused, and stayed.
    refused: bool,
}

/// The protocol's state on one rank. Messages to send are pushed to `out`, in order, as (destination, message).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank<P> {
    me: u32,
    size: u32,
    jobs: VecDeque<Job<P>>,
    /// The task whose state the workers are processing.
    running: Option<Label>,
    /// Unanswered requests, the oldest first.
    askers: VecDeque<Asker>,
    /// Ranks that were refused, and get work as soon as there is any.
    stayers: Vec<u32>,
    tasks: BTreeMap<Label, Task>,
    given: BTreeMap<TaskId, Given>,
    next_label: Label,
    next_id: TaskId,
    /// Whether a request of this rank is unanswered.
    asking: bool,
    stopped: bool,
}

type Out<P> = Vec<(u32, Message<P>)>;

impl<P: Clone> Rank<P> {
    /// Rank `me` of `size`. Rank 0 has the root to start.
    pub fn new(me: u32, size: u32) -> Self {
        let mut rank = Self {
            me,
            size,
            jobs: VecDeque::new(),
            running: None,
            askers: VecDeque::new(),
            stayers: Vec::new(),
            tasks: BTreeMap::new(),
            given: BTreeMap::new(),
            next_label: ROOT,
            next_id: 0,
            asking: false,
            stopped: false,
        };
        if me == 0 {
            rank.begin(None, None);
        }
        rank
    }

    fn begin(&mut self, giver: Option<(u32, TaskId)>, payload: Option<P>) {
        let label = self.next_label;
        self.next_label += 1;
        self.tasks.insert(label, Task { giver, jobs: 1, away: 0 });
        let from = giver.map_or(self.me, |(rank, _)| rank);
        self.jobs.push_back(Job::Start { label, from, payload });
        self.recall();
    }

    /// Whether the workers have work while ranks wait that were refused and stayed.
    pub fn is_awaited(&self) -> bool {
        self.running.is_some() && !self.stayers.is_empty()
    }

    /// Treats the ranks that stayed as if they asked again now.
    pub fn recall(&mut self) {
        let stayers = std::mem::take(&mut self.stayers);
        self.askers.extend(stayers.into_iter().map(|thief| Asker { thief, hops: 0, stays: true, refused: true }));
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// The next job. If there is none, the rank is hungry, and all ranks that have asked are answered.
    ///
    /// Results come before tasks, since they let other tasks finish.
    pub fn next(&mut self, out: &mut Out<P>) -> Option<Job<P>> {
        let first = self.jobs.iter().position(|job| !matches!(job, Job::Start { .. })).unwrap_or(0);
        let job = self.jobs.remove(first);
        match &job {
            Some(Job::Start { label, .. } | Job::Merge { label, .. }) => {
                self.running = Some(*label);
                // A result may make work possible, as a task does.
                self.recall();
            }
            Some(Job::Finish { .. }) => {}
            None => self.send_away(out),
        }
        job
    }

    /// The workers have finished the current job.
    pub fn done(&mut self) {
        let Some(label) = self.running.take() else { return };
        if let Some(task) = self.tasks.get_mut(&label) {
            task.jobs -= 1;
            if task.jobs == 0 && task.away == 0 {
                self.jobs.push_back(Job::Finish { label });
            }
        }
    }

    /// The task's result is `payload`, which goes to the rank that the task came from. Returns true if the task was the root.
    pub fn finished(&mut self, label: Label, payload: P, out: &mut Out<P>) -> bool {
        let Some(task) = self.tasks.remove(&label) else { return false };
        match task.giver {
            Some((giver, id)) => out.push((giver, Message::Result { id, payload })),
            None => self.stop(payload, out),
        }
        task.giver.is_none()
    }

    /// Whether a rank waits for the workers to offer something.
    pub fn is_asked(&self) -> bool {
        self.running.is_some() && !self.askers.is_empty()
    }

    /// The workers have split something off for the rank that asked first, or have nothing to split.
    pub fn offer(&mut self, payload: Option<P>, out: &mut Out<P>) {
        let Some(payload) = payload else { return self.send_away(out) };
        let Some((label, task)) = self.running.and_then(|label| Some((label, self.tasks.get_mut(&label)?))) else {
            debug_assert!(false, "only who works offers");
            return;
        };
        let Some(asker) = self.askers.pop_front() else {
            // No rank wants it any more, so it stays here.
            task.jobs += 1;
            self.jobs.push_back(Job::Start { label, from: self.me, payload: Some(payload) });
            return;
        };
        task.away += 1;
        let id = self.next_id;
        self.next_id += 1;
        self.given.insert(id, Given { label, to: asker.thief });
        out.push((asker.thief, Message::Task { id, asked: !asker.refused, payload }));
    }

    // ---- the thief ------------------------------------------------------------------------------------------------

    /// Whether this rank has nothing to do and has asked no rank.
    pub fn is_hungry(&self) -> bool {
        self.is_idle() && !self.asking && !self.stopped
    }

    /// Asks `victim`, which may pass the request on `hops` times. If this rank `stays`, the victim sends work later if it has none now.
    pub fn ask(&mut self, victim: u32, hops: u8, stays: bool, out: &mut Out<P>) {
        self.asking = true;
        out.push((victim, Message::Request { thief: self.me, hops, stays }));
    }

    // ---- messages -------------------------------------------------------------------------------------------------

    /// A message has come.
    ///
    /// # Errors
    /// The reason why the message is invalid; it has then changed nothing.
    pub fn receive(&mut self, from: u32, message: Message<P>, out: &mut Out<P>) -> Result<(), Fault> {
        match message {
            Message::Request { thief, .. } if thief >= self.size => return Err(Fault::UnknownRank),
            Message::Request { thief, hops, stays } => {
                let asker = Asker { thief, hops, stays, refused: false };
                if self.is_idle() { self.refuse(asker, out) } else { self.askers.push_back(asker) }
            }
            Message::Refusal => self.asking = false,
            Message::Task { id, asked, payload } => {
                self.asking &= !asked;
                self.begin(Some((from, id)), Some(payload));
            }
            Message::Result { id, payload } => {
                let given = self.given.get(&id).filter(|given| given.to == from);
                let label = given.ok_or(Fault::UnknownTask)?.label;
                self.given.remove(&id);
                if let Some(task) = self.tasks.get_mut(&label) {
                    task.away -= 1;
                    task.jobs += 1;
                }
                self.jobs.push_back(Job::Merge { label, from, payload });
            }
            Message::Stop { payload } => {
                if !(self.tasks.is_empty() && self.given.is_empty()) {
                    return Err(Fault::EarlyStop);
                }
                self.stop(payload, out);
            }
        }
        Ok(())
    }

    fn stop(&mut self, payload: P, out: &mut Out<P>) {
        self.stopped = true;
        self.askers.clear();
        self.stayers.clear();
        let children = 2 * self.me + 1..(2 * self.me + 3).min(self.size);
        // The payload may be large; the last child gets the original, not a copy.
        let payloads = iter::repeat_n(payload, children.len());
        out.extend(children.zip(payloads).map(|(child, payload)| (child, Message::Stop { payload })));
    }

    /// Whether the workers have no work and no job waits.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.running.is_none()
    }

    /// Refuses all ranks that have asked, or passes their requests on.
    fn send_away(&mut self, out: &mut Out<P>) {
        for asker in std::mem::take(&mut self.askers) {
            self.refuse(asker, out);
        }
    }

    /// Passes a request on to the rank that has got work from here last, or refuses it.
    fn refuse(&mut self, asker: Asker, out: &mut Out<P>) {
        let Asker { thief, hops, stays, refused } = asker;
        if self.stopped {
            return;
        }
        // The thief is noted here even if the request is passed on, since it relies on this rank.
        if stays && !self.stayers.contains(&thief) {
            self.stayers.push(thief);
        }
        let known = self.given.values().rev().map(|given| given.to).find(|&to| to != thief);
        if let (Some(to), true) = (known, hops > 0) {
            out.push((to, Message::Request { thief, hops: hops - 1, stays: false }));
            return;
        }
        if !refused {
            out.push((thief, Message::Refusal));
        }
    }
}
