//! One rank's part of the protocol; see the [module](super).

use std::collections::{BTreeMap, VecDeque};
use std::iter;

use super::message::{Message, TaskId};

/// Names a task that this rank has begun.
pub type Label = u64;

/// Rank 0's first task.
pub(crate) const ROOT: Label = 0;

/// What the workers shall do next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Job<P> {
    /// Work off this state. `None` is the root's, which came in no message. Then [`Rank::done`].
    Start {
        /// The task.
        label: Label,
        /// Who has given it; of the root this rank.
        from: u32,
        /// Its state.
        payload: Option<P>,
    },
    /// Join this result to what the task has found, and work off what that makes possible. Then [`Rank::done`].
    Merge {
        /// The task.
        label: Label,
        /// Who had the part.
        from: u32,
        /// What a part of it has found.
        payload: P,
    },
    /// Nothing of the task is left. Put what it has found into a payload. Then [`Rank::finished`].
    Finish {
        /// The task.
        label: Label,
    },
}

/// Why a message is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A result for a task that its sender does not have.
    #[error("it is the result of a task that its sender was not given")]
    UnknownTask,
    /// The end, while there is work.
    #[error("it says that the run has ended, but there is work left")]
    EarlyStop,
    /// A rank that does not exist.
    #[error("it names a rank that does not exist")]
    UnknownRank,
}

/// A task that was begun here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Task {
    /// Where its result goes. None for the root.
    giver: Option<(u32, TaskId)>,
    /// Jobs of it that are queued or running.
    jobs: u32,
    /// Parts of it that were given away, and have not come back.
    away: u32,
}

/// A part that was given away.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Given {
    /// The task it was split off.
    label: Label,
    to: u32,
}

/// A rank that asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Asker {
    thief: u32,
    hops: u8,
    stays: bool,
    /// It has been refused, and stayed.
    refused: bool,
}

/// The protocol's state on one rank. Messages to send are pushed to `out`, in order, as (destination, message).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank<P> {
    me: u32,
    size: u32,
    jobs: VecDeque<Job<P>>,
    /// The task whose state the workers have at the moment.
    running: Option<Label>,
    /// Unanswered, oldest first.
    askers: VecDeque<Asker>,
    /// Were refused, and get something as soon as there is anything.
    stayers: Vec<u32>,
    tasks: BTreeMap<Label, Task>,
    given: BTreeMap<TaskId, Given>,
    next_label: Label,
    next_id: TaskId,
    /// A request of this rank is unanswered.
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

    /// Whether ranks that were refused, and stayed, wait here while the workers have something.
    pub fn is_awaited(&self) -> bool {
        self.running.is_some() && !self.stayers.is_empty()
    }

    /// Who stayed asks again now.
    pub fn recall(&mut self) {
        let stayers = std::mem::take(&mut self.stayers);
        self.askers.extend(stayers.into_iter().map(|thief| Asker { thief, hops: 0, stays: true, refused: true }));
    }

    // ---- the workers ----------------------------------------------------------------------------------------------

    /// The next job. If there is none the rank is hungry, and who has asked is told.
    ///
    /// Results come before tasks: they let others finish.
    pub fn next(&mut self, out: &mut Out<P>) -> Option<Job<P>> {
        let first = self.jobs.iter().position(|job| !matches!(job, Job::Start { .. })).unwrap_or(0);
        let job = self.jobs.remove(first);
        match &job {
            Some(Job::Start { label, .. } | Job::Merge { label, .. }) => {
                self.running = Some(*label);
                // A result may make work possible as a task does.
                self.recall();
            }
            Some(Job::Finish { .. }) => {}
            None => self.send_away(out),
        }
        job
    }

    /// The workers have nothing left of the job they had.
    pub fn done(&mut self) {
        let Some(label) = self.running.take() else { return };
        if let Some(task) = self.tasks.get_mut(&label) {
            task.jobs -= 1;
            if task.jobs == 0 && task.away == 0 {
                self.jobs.push_back(Job::Finish { label });
            }
        }
    }

    /// What the task has found is `payload`: it goes to where the task came from. True if this was the root.
    pub fn finished(&mut self, label: Label, payload: P, out: &mut Out<P>) -> bool {
        let Some(task) = self.tasks.remove(&label) else { return false };
        match task.giver {
            Some((giver, id)) => out.push((giver, Message::Result { id, payload })),
            None => self.stop(payload, out),
        }
        task.giver.is_none()
    }

    /// Whether somebody waits for the workers to offer something.
    pub fn is_asked(&self) -> bool {
        self.running.is_some() && !self.askers.is_empty()
    }

    /// The workers have split something off for who asked first, or have nothing to split.
    pub fn offer(&mut self, payload: Option<P>, out: &mut Out<P>) {
        let Some(payload) = payload else { return self.send_away(out) };
        let Some((label, task)) = self.running.and_then(|label| Some((label, self.tasks.get_mut(&label)?))) else {
            debug_assert!(false, "only who works offers");
            return;
        };
        let Some(asker) = self.askers.pop_front() else {
            // Nobody wants it any more: it stays here.
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

    /// Whether there is nothing to do, and nobody has been asked.
    pub fn is_hungry(&self) -> bool {
        self.is_idle() && !self.asking && !self.stopped
    }

    /// Asks `victim`, who may pass it on `hops` times, and if it `stays` sends something later if it has nothing now.
    pub fn ask(&mut self, victim: u32, hops: u8, stays: bool, out: &mut Out<P>) {
        self.asking = true;
        out.push((victim, Message::Request { thief: self.me, hops, stays }));
    }

    // ---- messages -------------------------------------------------------------------------------------------------

    /// A message has come.
    ///
    /// # Errors
    /// What is not valid about it; it has changed nothing then.
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
        // It may be large, and the last one gets it itself.
        let payloads = iter::repeat_n(payload, children.len());
        out.extend(children.zip(payloads).map(|(child, payload)| (child, Message::Stop { payload })));
    }

    /// Whether the workers have nothing and will find nothing.
    pub fn is_idle(&self) -> bool {
        self.jobs.is_empty() && self.running.is_none()
    }

    /// Nobody who has asked gets anything.
    fn send_away(&mut self, out: &mut Out<P>) {
        for asker in std::mem::take(&mut self.askers) {
            self.refuse(asker, out);
        }
    }

    /// To whoever has got work from here last, or a refusal.
    fn refuse(&mut self, asker: Asker, out: &mut Out<P>) {
        let Asker { thief, hops, stays, refused } = asker;
        if self.stopped {
            return;
        }
        // Here, wherever the request goes: this is the rank that the thief counts on.
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
