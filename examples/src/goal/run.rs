//! `goal run`: each rank's schedule is compiled and run by a progress thread, with real messages, and every byte that arrives is
//! checked.
//!
//! Each send has its own bytes. Afterwards, for every sender, receiver and tag, what was received must be what was sent: as many
//! messages, of the same lengths, with the same bytes. Calculations take no time.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use fusain::comm::progress::{Progress, Settings};
use fusain::comm::{Communicator, Tag, ThreadComm, World};
use fusain::schedule::goal::{Kind, Rank};
use fusain::schedule::timeline::Timeline;
use fusain::schedule::{Engine, Moment, OpId, Region, Run, ScheduleBuilder, TAGS, Trace};
use indicatif::ProgressBar;

use super::file;

const RANKS_MAX: u32 = 1024;
const BYTES_MAX: u64 = 4 << 30;

/// Runs a schedule in one process. If `picture` is given, draws into that file what each rank did.
///
/// # Errors
/// What is wrong with the text; more ranks or bytes than a process should be asked for; receives from any rank or of any tag; a schedule
/// that does not compile or does not end; bytes that do not arrive as they were sent; a picture that cannot be written.
pub(super) fn run(file: &Path, picture: Option<&Path>) -> anyhow::Result<String> {
    let reader = file::open(file)?;
    let ranks = reader.ranks();
    ensure!(ranks <= RANKS_MAX, "{ranks} ranks are too many threads: run takes up to {RANKS_MAX}; simulate takes more");
    let name = || file.display().to_string();
    let schedule = reader.collect::<Result<Vec<Rank>, _>>().with_context(name)?;
    let kinds = || schedule.iter().flat_map(|rank| rank.operations.iter().map(|operation| operation.kind));
    let bytes = kinds().fold(0u64, |sum, kind| match kind {
        Kind::Send { bytes, .. } | Kind::Recv { bytes, .. } => sum.saturating_add(bytes),
        Kind::Calc { .. } => sum,
    });
    ensure!(bytes <= BYTES_MAX, "the messages have {bytes} bytes, both sides counted: run takes up to {BYTES_MAX}");
    let messages = kinds().filter(|kind| matches!(kind, Kind::Send { .. })).count();
    let channels = Channels::of(&schedule).with_context(name)?;
    let bar = ProgressBar::new(ranks.into());
    let outcomes = World::threads(ranks as usize).run(|comm| {
        let rank = comm.rank();
        let outcome = play(comm, &schedule[rank], &channels, picture.is_some()).with_context(|| format!("rank {rank}"));
        bar.inc(1);
        outcome
    });
    bar.finish_and_clear();
    let (mut sent, mut received, mut traces) = (Vec::new(), Vec::new(), Vec::new());
    for outcome in outcomes {
        let ledger = outcome.with_context(name)?;
        sent.extend(ledger.sent);
        received.extend(ledger.received);
        traces.extend(ledger.trace);
    }
    if let Some(picture) = picture {
        file::write(picture, |into| Ok(Timeline::of_runs(&traces).svg(into)?))?;
    }
    compare(sent, received)?;
    Ok(format!("{}: {ranks} ranks, {messages} messages, all arrived as they were sent", name()))
}

/// Sender and receiver.
type Pair = (usize, usize);

/// What both sides of each pair of ranks must agree on. A compiled schedule has few tags, so the tags of a pair are numbered. It also says how
/// long each message is, while a receive in the text says how long the message may be.
struct Channels {
    tags: BTreeMap<Pair, BTreeMap<u32, Tag>>,
    /// The lengths of the messages that are sent, in the order of the statements.
    lengths: BTreeMap<(Pair, u32), Vec<u64>>,
}

impl Channels {
    fn of(schedule: &[Rank]) -> anyhow::Result<Self> {
        let mut channels = Self { tags: BTreeMap::new(), lengths: BTreeMap::new() };
        for (rank, operation) in
            schedule.iter().enumerate().flat_map(|(at, rank)| rank.operations.iter().map(move |op| (at, op)))
        {
            let (pair, tag) = match operation.kind {
                Kind::Calc { .. } => continue,
                Kind::Send { to, tag, bytes } => {
                    let pair = (rank, to as usize);
                    channels.lengths.entry((pair, tag)).or_default().push(bytes);
                    (pair, tag)
                }
                Kind::Recv { from: Some(from), tag: Some(tag), .. } => ((from as usize, rank), tag),
                Kind::Recv { .. } => bail!(
                    "rank {rank}: `{operation}` leaves open whose message it takes, which a compiled schedule cannot; simulate can"
                ),
            };
            let tags = channels.tags.entry(pair).or_default();
            let next = tags.len() as Tag;
            tags.entry(tag).or_insert(next);
            ensure!(
                tags.len() <= TAGS as usize,
                "from rank {} to {}: run takes up to {TAGS} different tags",
                pair.0,
                pair.1
            );
        }
        Ok(channels)
    }

    fn tag(&self, pair: Pair, tag: u32) -> Tag {
        self.tags[&pair][&tag]
    }

    /// The length of the message that the receive with this number gets, at most its room: the first send meets the first
    /// receive. If a schedule lets messages overtake each other, and their lengths differ, the run reports it.
    fn length(&self, pair: Pair, tag: u32, number: usize, room: u64) -> u64 {
        let sent = self.lengths.get(&(pair, tag)).and_then(|lengths| lengths.get(number));
        sent.map_or(room, |&bytes| bytes.min(room))
    }
}

/// A message as one of its sides saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) tag: u32,
    pub(super) bytes: usize,
    /// The hash of the bytes.
    pub(super) hash: u64,
}

impl Entry {
    fn of((from, to): Pair, tag: u32, content: &[u8]) -> Self {
        Self { from, to, tag, bytes: content.len(), hash: hash(content) }
    }
}

/// Checks that what was received is what was sent.
pub(super) fn compare(mut sent: Vec<Entry>, mut received: Vec<Entry>) -> anyhow::Result<()> {
    sent.sort_unstable();
    received.sort_unstable();
    if let Some((sent, received)) = sent.iter().zip(&received).find(|(sent, received)| sent != received) {
        bail!("sent, but not received so: {sent:?}; instead {received:?}");
    }
    ensure!(sent.len() == received.len(), "{} messages were sent, {} received", sent.len(), received.len());
    Ok(())
}

#[derive(Default)]
struct Ledger {
    sent: Vec<Entry>,
    received: Vec<Entry>,
    trace: Option<Trace>,
}

/// Runs the schedule of one rank.
fn play(comm: ThreadComm, rank: &Rank, channels: &Channels, traced: bool) -> anyhow::Result<Ledger> {
    let (me, size) = (comm.rank(), comm.size());
    let (mut builder, mut ledger) = (ScheduleBuilder::new(me, size), Ledger::default());
    let [out_bytes, in_bytes] = buffers(rank);
    let (out, into) = (builder.buffer::<u8>(out_bytes), builder.buffer::<u8>(in_bytes));
    let (mut outgoing, mut arrivals, mut taken) = (Vec::with_capacity(out_bytes), Vec::new(), 0);
    // How many messages of each channel have been received.
    let mut numbers: BTreeMap<(Pair, u32), usize> = BTreeMap::new();
    let mut ids: Vec<OpId> = Vec::with_capacity(rank.operations.len());
    for (number, operation) in (0..).zip(&rank.operations) {
        ids.push(match operation.kind {
            Kind::Send { bytes, to, tag } => {
                let (pair, begin) = ((me, to as usize), outgoing.len());
                outgoing.extend(content(me, number, bytes as usize));
                ledger.sent.push(Entry::of(pair, tag, &outgoing[begin..]));
                builder.send(out.slice(begin..outgoing.len()), pair.1, channels.tag(pair, tag))
            }
            Kind::Recv { bytes, from, tag } => {
                let (from, tag) = from.zip(tag).context("it was refused before")?;
                let pair = (from as usize, me);
                let next = numbers.entry((pair, tag)).or_default();
                let length = channels.length(pair, tag, *next, bytes) as usize;
                *next += 1;
                let region = into.slice(taken..taken + length);
                taken += length;
                arrivals.push((pair, tag, region));
                builder.recv(region, pair.0, channels.tag(pair, tag))
            }
            Kind::Calc { .. } => builder.join([]),
        });
    }
    for dependency in &rank.dependencies {
        let [after, before] = [dependency.operation, dependency.on].map(|number| ids[number as usize]);
        match dependency.moment {
            Moment::End => builder.requires(after, before),
            Moment::Start => builder.irequires(after, before),
        }
    }
    let mut run = builder.compile()?.prepare()?.with(out, outgoing)?.with(into, vec![0; in_bytes])?;
    run.trace(traced);
    let run = on_progress_thread(comm, run)?;
    let arrived = |(pair, tag, region): (Pair, u32, Region<u8>)| Entry::of(pair, tag, run.get(region));
    ledger.received.extend(arrivals.into_iter().map(arrived));
    ledger.trace = run.traced().cloned();
    Ok(ledger)
}

/// How many bytes are sent, and how many may be received.
fn buffers(rank: &Rank) -> [usize; 2] {
    rank.operations.iter().fold([0, 0], |[out, into], operation| match operation.kind {
        Kind::Send { bytes, .. } => [out + bytes as usize, into],
        Kind::Recv { bytes, .. } => [out, into + bytes as usize],
        Kind::Calc { .. } => [out, into],
    })
}

fn on_progress_thread(comm: ThreadComm, run: Run) -> anyhow::Result<Run> {
    let progress = Progress::spawn(comm, Settings::default())?;
    let outcome = Engine::new(progress.handle()).start(run).and_then(|running| running.wait());
    progress.shutdown();
    Ok(outcome?)
}

/// The bytes that an operation sends. If there are enough of them, no other operation sends the same.
fn content(rank: usize, number: u32, bytes: usize) -> impl Iterator<Item = u8> {
    let mut state = hash(&[rank as u64, u64::from(number)]) | 1;
    let step = move || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    };
    std::iter::repeat_with(step).take(bytes)
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
