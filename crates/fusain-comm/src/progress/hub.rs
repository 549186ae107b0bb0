//! What the threads of a rank share: the queue of commands, two bells, and, if nobody owns the loop, the seat to drive it from.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use super::Settings;
use super::engine::{Engine, Turn};
use super::outbound::{Outgoing, Room};
use super::pace::{Pace, Pause};
use super::ticket::{Job, Slot};
use crate::world::Wants;
use crate::{Communicator, Doorbell, Error, Result, Tag};

/// What a thread asks of the loop.
pub(super) enum Command<C> {
    Send(Outgoing),
    Run { id: u64, service: bool, job: Box<dyn Job<C>> },
    Cancel(u64),
}

struct Queue<C> {
    commands: Vec<Command<C>>,
    room: Room,
    next_id: u64,
    /// Given out so far.
    ordinals: u32,
    /// Somebody wants the loop to end.
    stopping: bool,
    /// The loop has ended, or is about to: nothing new is taken.
    closed: Option<Error>,
}

pub(super) struct Hub<C: Communicator> {
    queue: Mutex<Queue<C>>,
    /// Who drives sleeps here: rung by commands and, where the world can, by arrivals.
    work: Doorbell,
    /// Who waits for a client's end, for room, or for the seat sleeps here.
    ended: Doorbell,
    /// The engine, unless a thread owns it.
    seat: Mutex<Option<Engine<C>>>,
    pub(super) settings: Settings,
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl<C: Communicator> Hub<C> {
    pub(super) fn new(comm: &C, settings: Settings) -> Arc<Self> {
        let work = comm.doorbell();
        let queue = Queue {
            commands: Vec::new(),
            room: Room::default(),
            next_id: 0,
            ordinals: 0,
            stopping: false,
            closed: None,
        };
        Arc::new(Self {
            queue: Mutex::new(queue),
            ended: work.second(),
            work,
            seat: Mutex::new(None),
            settings,
            rank: comm.rank(),
            size: comm.size(),
        })
    }

    /// 0, 1, 2, ...
    pub(super) fn ordinal(&self) -> u32 {
        let mut queue = self.queue();
        let ordinal = queue.ordinals;
        queue.ordinals = ordinal.wrapping_add(1);
        ordinal
    }

    fn queue(&self) -> MutexGuard<'_, Queue<C>> {
        // Nothing panics between two changes that belong together.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enlist(&self) -> crate::Enlisted {
        self.work.enlist()
    }

    // ---- asking ---------------------------------------------------------------------------------------------------

    /// Where nobody owns the loop or drives it now, and this thread may, the job begins here and now: whatever it sends is under way
    /// while the thread goes on to wait for it.
    pub(super) fn submit(&self, service: bool, job: Box<dyn Job<C>>) -> Result<u64> {
        let mut seat = self.take_seat();
        let engine = seat.as_deref_mut().and_then(Option::as_mut).filter(|engine| engine.comm.may_call());
        let mut queue = self.queue();
        if let Some(error) = &queue.closed {
            return Err(error.clone());
        }
        let id = queue.next_id;
        queue.next_id += 1;
        let Some(engine) = engine else {
            queue.commands.push(Command::Run { id, service, job });
            drop(queue);
            self.work.ring();
            return Ok(id);
        };
        drop(queue);
        engine.begin(id, service, job);
        drop(seat);
        self.tell_ended();
        Ok(id)
    }

    /// Hands a message over. Waits for room first, if `may_wait`; else takes it in any case.
    pub(super) fn send(&self, data: Vec<u8>, to: usize, tag: Tag, may_wait: bool) -> Result<(u64, Arc<Slot<Vec<u8>>>)> {
        if to >= self.size {
            return Err(Error::RankOutOfRange { rank: to, size: self.size });
        }
        let slot = Slot::new();
        let mut message = Some(Outgoing { data, to, tag, slot: Arc::clone(&slot) });
        let limit = if may_wait { self.settings.queued_bytes_per_rank } else { usize::MAX };
        let mut outcome = None;
        let mut push = || {
            let mut queue = self.queue();
            if let Some(error) = &queue.closed {
                outcome = Some(Err(error.clone()));
                return true;
            }
            let bytes = message.as_ref().map_or(0, |message| message.data.len());
            if !queue.room.take(to, bytes, limit) {
                return false;
            }
            let id = queue.next_id;
            queue.next_id += 1;
            queue.commands.extend(message.take().map(Command::Send));
            outcome = Some(Ok(id));
            true
        };
        if !push() {
            self.drive(push);
        }
        self.work.ring();
        // push() has said true, and sets the outcome before it does.
        outcome.unwrap_or(Err(Error::Abandoned)).map(|id| (id, slot))
    }

    pub(super) fn cancel(&self, id: u64) {
        self.queue().commands.push(Command::Cancel(id));
        self.work.ring();
    }

    pub(super) fn wake(&self) {
        self.work.ring();
    }

    pub(super) fn stop(&self) {
        self.queue().stopping = true;
        self.work.ring();
    }

    // ---- for the engine -------------------------------------------------------------------------------------------

    /// Moves what was asked for into `commands`; says whether the end was asked for as well.
    pub(super) fn take_commands(&self, commands: &mut Vec<Command<C>>) -> bool {
        let mut queue = self.queue();
        commands.append(&mut queue.commands);
        queue.stopping
    }

    pub(super) fn give_back_room(&self, to: usize, bytes: usize) {
        self.queue().room.give_back(to, bytes);
    }

    pub(super) fn tell_ended(&self) {
        self.ended.ring();
    }

    pub(super) fn close(&self, error: &Error) {
        self.queue().closed.get_or_insert_with(|| error.clone());
    }

    // ---- driving --------------------------------------------------------------------------------------------------

    /// Goes round the loop until `until` says so (then true, and the waiters are still to be told), or it has ended. Sleeps when
    /// there is nothing to do.
    pub(super) fn run(&self, engine: &mut Engine<C>, mut until: impl FnMut() -> bool) -> bool {
        let mut pace = None;
        let mut just_moved = false;
        loop {
            let seen = self.work.rings();
            let turn = engine.turn(self, seen);
            // Who was here before may have brought it about; from then on only what moves here can.
            if (turn.moved || pace.is_none()) && until() {
                return true;
            }
            if turn.ended {
                self.tell_ended();
            }
            let pace = pace.get_or_insert_with(|| Pace::new(self.settings.busy, self.settings.ceiling, turn.now));
            if turn.at_end {
                engine.end(self, &Error::Abandoned);
                return false;
            }
            if turn.moved {
                pace.moved(turn.now);
                just_moved = true;
            } else if let Err(error) = self.pause(engine, pace, turn, (seen, std::mem::take(&mut just_moved))) {
                engine.end(self, &error);
                return false;
            }
        }
    }

    /// Goes round the loop until it has ended. If it ends in a panic, nobody is left waiting.
    pub(super) fn run_to_end(&self, engine: &mut Engine<C>) {
        let run = catch_unwind(AssertUnwindSafe(|| self.run(engine, || false)));
        if let Err(payload) = run {
            engine.end(self, &Error::ClientPanicked { message: "in its destructor".to_owned() });
            resume_unwind(payload);
        }
    }

    fn pause(&self, engine: &Engine<C>, pace: &mut Pace, turn: Turn, (seen, just_moved): (u64, bool)) -> Result<()> {
        let mut limit = turn.due;
        if !self.work.hears_arrivals() && engine.has_work() {
            match pace.idle(turn.now) {
                // The look itself takes its time.
                Pause::Spin => return Ok(()),
                Pause::Yield => {
                    thread::yield_now();
                    return Ok(());
                }
                Pause::Nap(nap) => {
                    let end = turn.now + nap;
                    limit = Some(limit.map_or(end, |limit| limit.min(end)));
                }
            }
        }
        let wants = match (engine.has_work(), just_moved) {
            (false, _) => Wants::Nothing,
            (true, false) => Wants::Message,
            (true, true) => Wants::Answer(turn.now),
        };
        self.work.sleep(seen, limit, wants, || engine.waits_for())
    }

    /// Once round the loop, if nobody owns it or drives it now, and this thread may.
    pub(super) fn poll(&self) {
        if let Some(mut seat) = self.take_seat()
            && let Some(engine) = seat.as_mut().filter(|engine| engine.comm.may_call())
        {
            engine.turn(self, self.work.rings());
            drop(seat);
            // Somebody may wait for the seat, or for what has ended.
            self.tell_ended();
        }
    }

    /// Waits until `ready`: at the wheel, if nobody owns or has it and this thread may, else asleep. Does not ask again
    /// once it was told.
    pub(super) fn drive(&self, mut ready: impl FnMut() -> bool) {
        // Who has the seat need not know the bell.
        let mut seen = None;
        loop {
            if ready() {
                return;
            }
            if let Some(mut seat) = self.take_seat()
                && let Some(engine) = seat.as_mut().filter(|engine| engine.comm.may_call())
            {
                let is_ready = self.run(engine, &mut ready);
                drop(seat);
                self.tell_ended();
                if is_ready {
                    return;
                }
                // The loop has ended, and so has what was waited for.
                continue;
            }
            // Read before the next look: who leaves the seat rings after it is free.
            let Some(seen) = seen.take() else {
                seen = Some(self.ended.rings());
                continue;
            };
            let note = || vec!["its progress thread".to_owned()];
            // The second bell gives no errors: whoever drives is told, and ends what is waited for.
            drop(self.ended.sleep(seen, None, Wants::Nothing, note));
        }
    }

    /// The seat, if it is free.
    fn take_seat(&self) -> Option<MutexGuard<'_, Option<Engine<C>>>> {
        match self.seat.try_lock() {
            Ok(seat) => Some(seat),
            // Clients' panics are caught inside the engine.
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Whether nobody owns the loop: it moves while somebody waits, and only then.
    pub(super) fn is_manual(&self) -> bool {
        // Somebody may drive at the moment.
        self.take_seat().is_none_or(|seat| seat.is_some())
    }

    pub(super) fn leave_seat_to_all(&self, engine: Engine<C>) {
        *self.seat.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine);
    }

    /// Takes the engine away for good.
    pub(super) fn retire(&self) -> Option<Engine<C>> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
