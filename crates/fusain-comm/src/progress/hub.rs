//! What the threads of a rank share: the queue of commands, two bells, and the seat to drive the loop from.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Settings;
use super::engine::{Engine, Turn};
use super::outbound::{Outgoing, Room};
use super::pace::{Pace, Pause};
use super::seat::{Driver, Seat};
use super::ticket::{Job, Slot};
use crate::shake::shake;
use crate::world::Wants;
use crate::{Communicator, Doorbell, Error, Flag, Result, Tag};

/// For so long who waits at the loop looks out for what comes before it sleeps, where others are not in its way (they attend): an answer takes less, if
/// whoever gives it is at work.
const LINGER: Duration = Duration::from_micros(100);

/// How long the loop's own thread leaves it to those who attend before it looks itself: at first, right after it has found something, and at most. The most is what a
/// message may wait for while every thread is busy with something longer.
const FIRST_WATCH: Duration = Duration::from_micros(100);
const LONGEST_WATCH: Duration = Duration::from_millis(2);

/// How often a thread that has left something turns the loop, if something moves each time: it has something else to do.
const TURNS_AT_ONCE: u32 = 8;

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
    /// Errors of clients and messages whose tickets were dropped.
    unheard: Vec<Error>,
}

/// How many errors that nobody waits for are kept for the end.
const UNHEARD: usize = 64;

pub(super) struct Hub<C: Communicator> {
    queue: Mutex<Queue<C>>,
    /// Who drives sleeps here: rung by commands and, where the world can, by arrivals.
    work: Doorbell,
    /// Who waits for a client's end, for room, or for the seat sleeps here.
    ended: Doorbell,
    seat: Seat<C>,
    /// Nobody drives but who waits.
    manual: bool,
    /// How many attend to the loop: its own thread steps back then.
    attended: AtomicUsize,
    /// The loop is to end or has ended, so its thread comes back.
    ending: AtomicBool,
    /// How often the loop was turned, by whomever.
    turns: AtomicU64,
    pub(super) settings: Settings,
    pub(super) rank: usize,
    pub(super) size: usize,
}

impl<C: Communicator> Hub<C> {
    pub(super) fn new(comm: &C, settings: Settings, manual: bool) -> Arc<Self> {
        let work = comm.doorbell();
        let queue = Queue {
            commands: Vec::new(),
            room: Room::default(),
            next_id: 0,
            ordinals: 0,
            stopping: false,
            closed: None,
            unheard: Vec::new(),
        };
        Arc::new(Self {
            queue: Mutex::new(queue),
            ended: work.second(),
            work,
            seat: Seat::empty(),
            manual,
            attended: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
            turns: AtomicU64::new(0),
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
        shake();
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
        let driver = self.seat.take();
        let mut queue = self.queue();
        if let Some(error) = &queue.closed {
            return Err(error.clone());
        }
        let id = queue.next_id;
        queue.next_id += 1;
        let Some(mut driver) = driver else {
            queue.commands.push(Command::Run { id, service, job });
            drop(queue);
            self.wake();
            return Ok(id);
        };
        drop(queue);
        driver.begin(self, id, service, job);
        self.leave(driver);
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
        self.wake();
        // push() has said true, and sets the outcome before it does.
        outcome.unwrap_or(Err(Error::Abandoned)).map(|id| (id, slot))
    }

    pub(super) fn cancel(&self, id: u64) {
        self.queue().commands.push(Command::Cancel(id));
        self.wake();
    }

    /// Something is to be done: by who drives, or, where that may be nobody, by this thread.
    pub(super) fn wake(&self) {
        self.work.ring();
        if !self.manual {
            self.look(TURNS_AT_ONCE);
        }
    }

    pub(super) fn stop(&self) {
        self.queue().stopping = true;
        // SeqCst: pairs with the load in `is_left_to_others`, before the bell rings.
        self.ending.store(true, Ordering::SeqCst);
        self.work.ring();
    }

    /// Nobody waits for what has ended so. (What the end of the loop brings is reported otherwise.)
    pub(super) fn keep_unheard(&self, error: Error) {
        let mut queue = self.queue();
        if queue.closed.is_none() && queue.unheard.len() < UNHEARD {
            queue.unheard.push(error);
        }
    }

    pub(super) fn take_unheard(&self) -> Vec<Error> {
        std::mem::take(&mut self.queue().unheard)
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
        self.ending.store(true, Ordering::SeqCst);
    }

    // ---- driving --------------------------------------------------------------------------------------------------

    /// Goes round the loop until `until` says so (then true, and the waiters are still to be told), or it has ended. Sleeps when
    /// there is nothing to do; if it `lingers` not at once.
    fn run(&self, engine: &mut Engine<C>, lingers: bool, mut until: impl FnMut() -> bool) -> bool {
        let busy = if lingers { LINGER.max(self.settings.busy) } else { self.settings.busy };
        let mut pace = None;
        let mut just_moved = false;
        loop {
            let seen = self.work.rings();
            let turn = self.turn(engine, seen);
            // A client may have brought it about, or somebody who has rung.
            if until() {
                return true;
            }
            if turn.ended {
                self.tell_ended();
            }
            let pace = pace.get_or_insert_with(|| Pace::new(busy, self.settings.ceiling, turn.now));
            if turn.at_end {
                engine.end(self, &Error::Abandoned);
                return false;
            }
            if turn.moved {
                pace.moved(turn.now);
                just_moved = true;
            } else if lingers && self.hears_arrivals() && self.linger(pace, seen, turn.due) {
                // It has rung.
            } else if let Err(error) = self.pause(engine, pace, turn, (seen, std::mem::take(&mut just_moved))) {
                engine.end(self, &error);
                return false;
            }
        }
    }

    /// Once round.
    fn turn(&self, engine: &mut Engine<C>, seen: u64) -> Turn {
        // Relaxed: a count that only who sits here moves, and the loop's thread compares.
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        engine.turn(self, seen)
    }

    /// Goes round the loop until it has ended. If it ends in a panic, nobody is left waiting.
    pub(super) fn run_to_end(&self, engine: &mut Engine<C>) {
        self.run_alone(engine, || false);
    }

    /// The same, or until the loop is left to others.
    fn run_alone(&self, engine: &mut Engine<C>, until: impl FnMut() -> bool) -> bool {
        let run = catch_unwind(AssertUnwindSafe(|| self.run(engine, false, until)));
        run.unwrap_or_else(|payload| {
            engine.end(self, &Error::ClientPanicked { message: "in its destructor".to_owned() });
            resume_unwind(payload)
        })
    }

    /// Looks out for the bell for a while: who sleeps has to be woken, which takes longer than most answers. Says whether it has rung, or is due.
    fn linger(&self, pace: &mut Pace, seen: u64, due: Option<Instant>) -> bool {
        loop {
            if self.work.rings() != seen {
                return true;
            }
            let now = Instant::now();
            if due.is_some_and(|due| due <= now) {
                return true;
            }
            match pace.idle(now) {
                Pause::Spin => std::hint::spin_loop(),
                Pause::Yield => thread::yield_now(),
                Pause::Nap(_) => return false,
            }
        }
    }

    fn pause(&self, engine: &Engine<C>, pace: &mut Pace, turn: Turn, (seen, just_moved): (u64, bool)) -> Result<()> {
        let mut limit = turn.due;
        if !self.hears_arrivals() && engine.has_work() {
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
        if let Some(mut driver) = self.seat.take() {
            self.turn(&mut driver, self.work.rings());
            // Somebody may wait for the seat, or for what has ended.
            self.leave(driver);
        }
    }

    /// Round the loop until nothing moves, but so many times at most, if nobody owns it or drives it now, and this thread may. Says whether anything moved.
    pub(super) fn look(&self, turns: u32) -> bool {
        let mut moved = false;
        for _ in 0..turns {
            // SeqCst: between the ring of this thread, if it has something to say, and the look for the seat; see `leaves_unheard`.
            fence(Ordering::SeqCst);
            let Some(mut driver) = self.seat.take() else { return moved };
            let turn = self.turn(&mut driver, self.work.rings());
            moved |= turn.moved;
            if !self.leaves_unheard(driver) && !turn.moved {
                return moved;
            }
        }
        // Whoever looks at it next goes on.
        self.work.flag().raise();
        moved
    }

    /// Leaves the seat, and tells who waits for it or for what has ended. Says whether somebody has rung since the last turn who could not sit down, and whom
    /// nobody has heard.
    fn leaves_unheard(&self, driver: Driver<'_, C>) -> bool {
        let seen = driver.emptied_at();
        shake();
        drop(driver);
        shake();
        self.tell_ended();
        shake();
        // SeqCst: who rings and then finds the seat taken has its fence between the two, this is the other one. Either that thread finds the seat free,
        // or the ring is found here.
        fence(Ordering::SeqCst);
        !self.manual && seen.is_some_and(|seen| seen != self.work.rings())
    }

    fn leave(&self, driver: Driver<'_, C>) {
        if self.leaves_unheard(driver) {
            self.look(TURNS_AT_ONCE);
        }
    }

    /// Waits until `ready`: at the wheel, if nobody owns or has it and this thread may, else asleep. Does not ask again
    /// once it was told.
    pub(super) fn drive(&self, mut ready: impl FnMut() -> bool) {
        while let Some(mut driver) = self.sit_down(&mut ready) {
            let is_ready = self.run(&mut driver, !self.manual, &mut ready);
            self.leave(driver);
            if is_ready {
                return;
            }
            // The loop has ended, and so has what was waited for.
        }
    }

    /// [`drive`](Self::drive) of a thread that has left something where a client looks.
    pub(super) fn wait_at(&self, mut ready: impl FnMut() -> bool) {
        let Some(mut driver) = self.seat.take() else {
            self.wake();
            return self.drive(ready);
        };
        let is_ready = self.run(&mut driver, !self.manual, &mut ready);
        self.leave(driver);
        if !is_ready {
            self.drive(ready);
        }
    }

    /// Sleeps until the seat is free and this thread may have it; `None` if it is `ready` before.
    fn sit_down(&self, mut ready: impl FnMut() -> bool) -> Option<Driver<'_, C>> {
        // Who has the seat need not know the bell.
        let mut seen = None;
        loop {
            if ready() {
                return None;
            }
            if let Some(driver) = self.seat.take() {
                return Some(driver);
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

    /// Whether nobody owns the loop: it moves while somebody waits, and only then.
    pub(super) fn is_manual(&self) -> bool {
        self.manual
    }

    pub(super) fn leave_seat_to_all(&self, engine: Engine<C>) {
        self.seat.leave_to_all(engine);
    }

    /// Takes the engine away for good.
    pub(super) fn retire(&self) -> Option<Engine<C>> {
        self.seat.retire()
    }

    // ---- the loop's own thread, and those who attend --------------------------------------------------------------

    pub(super) fn flag(&self) -> Arc<Flag> {
        self.work.flag()
    }

    pub(super) fn hears_arrivals(&self) -> bool {
        self.work.hears_arrivals()
    }

    /// One more thread attends: the loop's own is told that it may step back.
    pub(super) fn attend(&self) {
        shake();
        // SeqCst: before the bell, which is rung in the same order.
        if self.attended.fetch_add(1, Ordering::SeqCst) == 0 {
            self.work.ring();
        }
    }

    /// One less. That it is wanted again the loop's own thread finds out by itself.
    pub(super) fn attend_no_more(&self) {
        self.attended.fetch_sub(1, Ordering::SeqCst);
    }

    fn is_left_to_others(&self) -> bool {
        self.attended.load(Ordering::SeqCst) > 0 && !self.ending.load(Ordering::SeqCst)
    }

    /// The life of the loop's own thread: drives, but steps back while others attend.
    pub(super) fn serve(&self, engine: Engine<C>) -> Engine<C> {
        let mut driver = self.seat.occupy(engine);
        while self.run_alone(&mut driver, || self.is_left_to_others()) {
            self.leave(driver);
            self.watch_over();
            let Some(next) = self.sit_down(|| false) else { unreachable!("it waits for nothing but the seat") };
            driver = next;
        }
        driver.retire()
    }

    /// While others attend: turns the loop if none of them has for a while.
    fn watch_over(&self) {
        let mut nap = FIRST_WATCH;
        while self.is_left_to_others() {
            let turns = self.turns.load(Ordering::Relaxed);
            thread::park_timeout(nap);
            let found = turns == self.turns.load(Ordering::Relaxed) && self.look_after();
            nap = if found { FIRST_WATCH } else { LONGEST_WATCH.min(2 * nap) };
        }
    }

    /// Has found something to do.
    fn look_after(&self) -> bool {
        let moved = self.look(TURNS_AT_ONCE);
        if !moved
            && let Err(error) = self.work.hope()
            && let Some(mut driver) = self.seat.take()
        {
            driver.end(self, &error);
            self.leave(driver);
        }
        moved
    }
}
