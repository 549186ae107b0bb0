//! `goal run`: a thread for each rank, real messages, and a look at every byte that arrives.
//!
//! Each send has bytes of its own. Afterwards, of every sender, receiver and tag, what was received must be what was sent: as many
//! messages, of the same lengths, with the same bytes. Calculations take no time.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use fusain::comm::{Communicator, FIRST_LIBRARY_TAG, Source, Tag, TagMatch, ThreadComm, World};
use fusain::schedule::Moment;
use fusain::schedule::goal::{Kind, Rank};
use indicatif::ProgressBar;

use super::file;

const RANKS_MAX: u32 = 1024;
const BYTES_MAX: u64 = 4 << 30;

/// Runs a schedule in one process.
///
/// # Errors
/// What is wrong with the text; more ranks or bytes than a process should be asked for; a schedule that does not end; bytes that arrive
/// otherwise than they were sent.
pub(super) fn run(file: &Path) -> anyhow::Result<String> {
    let reader = file::open(file)?;
    let ranks = reader.ranks();
    ensure!(ranks <= RANKS_MAX, "{ranks} ranks are too many threads: run takes up to {RANKS_MAX}; simulate takes more");
    let name = || file.display().to_string();
    let schedule = reader.collect::<Result<Vec<Rank>, _>>().with_context(name)?;
    let tags = tags(&schedule)?;
    let kinds = || schedule.iter().flat_map(|rank| rank.operations.iter().map(|operation| operation.kind));
    let bytes = kinds().fold(0u64, |sum, kind| match kind {
        Kind::Send { bytes, .. } | Kind::Recv { bytes, .. } => sum.saturating_add(bytes),
        Kind::Calc { .. } => sum,
    });
    ensure!(bytes <= BYTES_MAX, "the messages have {bytes} bytes, both sides counted: run takes up to {BYTES_MAX}");
    let messages = kinds().filter(|kind| matches!(kind, Kind::Send { .. })).count();
    let bar = ProgressBar::new(messages as u64);
    let outcomes = World::threads(ranks as usize).run(|comm| {
        let rank = comm.rank();
        Player::new(&comm, &schedule[rank], &tags, &bar).play().with_context(|| format!("rank {rank}"))
    });
    bar.finish_and_clear();
    let [mut sent, mut received] = [Vec::new(), Vec::new()];
    for outcome in outcomes {
        let ledger = outcome.with_context(name)?;
        sent.extend(ledger.sent);
        received.extend(ledger.received);
    }
    compare(sent, received)?;
    Ok(format!("{}: {ranks} ranks, {messages} messages, all arrived as they were sent", name()))
}

/// The transport has fewer tags than the text: those in use are numbered.
fn tags(schedule: &[Rank]) -> anyhow::Result<BTreeMap<u32, Tag>> {
    let mut tags = BTreeMap::new();
    for operation in schedule.iter().flat_map(|rank| &rank.operations) {
        if let Kind::Send { tag, .. } | Kind::Recv { tag: Some(tag), .. } = operation.kind {
            let next = tags.len();
            tags.entry(tag).or_insert(next as Tag);
            ensure!(next < usize::from(FIRST_LIBRARY_TAG), "run takes up to {FIRST_LIBRARY_TAG} different tags");
        }
    }
    Ok(tags)
}

/// A message as one of its sides saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) tag: Tag,
    pub(super) bytes: usize,
    /// Of the bytes.
    pub(super) hash: u64,
}

/// Whether what was received is what was sent.
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
}

/// One rank at work.
struct Player<'a> {
    comm: &'a ThreadComm,
    rank: &'a Rank,
    tags: &'a BTreeMap<u32, Tag>,
    bar: &'a ProgressBar,
    /// Of each operation, how many it waits for, and who waits for it.
    missing: Vec<usize>,
    waiting: Vec<Vec<(u32, Moment)>>,
    ready: VecDeque<u32>,
    ledger: Ledger,
}

impl<'a> Player<'a> {
    fn new(comm: &'a ThreadComm, rank: &'a Rank, tags: &'a BTreeMap<u32, Tag>, bar: &'a ProgressBar) -> Self {
        let mut missing = vec![0; rank.operations.len()];
        let mut waiting = vec![Vec::new(); rank.operations.len()];
        for dependency in &rank.dependencies {
            missing[dependency.operation as usize] += 1;
            waiting[dependency.on as usize].push((dependency.operation, dependency.moment));
        }
        let ready = (0..).zip(&missing).filter(|&(_, &missing)| missing == 0).map(|(number, _)| number).collect();
        Self { comm, rank, tags, bar, missing, waiting, ready, ledger: Ledger::default() }
    }

    fn play(mut self) -> anyhow::Result<Ledger> {
        // Under way, and which operation each is.
        let (mut requests, mut numbers, mut started) = (Vec::new(), Vec::new(), 0);
        loop {
            while let Some(number) = self.ready.pop_front() {
                started += 1;
                match self.rank.operations[number as usize].kind {
                    Kind::Calc { .. } => {}
                    Kind::Send { bytes, to, tag } => {
                        let (content, tag) = (content(self.comm.rank(), number, bytes as usize), self.tags[&tag]);
                        let (from, to) = (self.comm.rank(), to as usize);
                        self.ledger.sent.push(Entry { from, to, tag, bytes: content.len(), hash: hash(&content) });
                        requests.push(self.comm.isend(content, to, tag)?);
                        numbers.push(number);
                    }
                    Kind::Recv { bytes, from, tag } => {
                        let from = from.map_or(Source::Any, |from| Source::Rank(from as usize));
                        let tag = tag.map_or(TagMatch::Any, |tag| TagMatch::Is(self.tags[&tag]));
                        requests.push(self.comm.irecv(vec![0; bytes as usize], from, tag)?);
                        numbers.push(number);
                    }
                }
                self.tell(number, Moment::Start);
                if matches!(self.rank.operations[number as usize].kind, Kind::Calc { .. }) {
                    self.tell(number, Moment::End);
                }
            }
            if requests.is_empty() {
                let left = self.rank.operations.len() - started;
                ensure!(left == 0, "{left} operations wait, directly or not, for themselves");
                return Ok(self.ledger);
            }
            let (index, completion) = self.comm.wait_any(&mut requests)?;
            let number = numbers.swap_remove(index);
            if let Kind::Recv { .. } = self.rank.operations[number as usize].kind {
                let (from, to, tag) = (completion.status.source, self.comm.rank(), completion.status.tag);
                let bytes = completion.status.bytes;
                self.ledger.received.push(Entry { from, to, tag, bytes, hash: hash(completion.received()) });
                self.bar.inc(1);
            }
            self.tell(number, Moment::End);
        }
    }

    /// Tells those that wait for this moment of an operation.
    fn tell(&mut self, number: u32, moment: Moment) {
        for (after, _) in self.waiting[number as usize].iter().filter(|(_, awaited)| *awaited == moment) {
            self.missing[*after as usize] -= 1;
            if self.missing[*after as usize] == 0 {
                self.ready.push_back(*after);
            }
        }
    }
}

/// What an operation sends: bytes that no other one does, if there are enough of them.
fn content(rank: usize, number: u32, bytes: usize) -> Vec<u8> {
    let mut state = hash(&[rank as u64, u64::from(number)]) | 1;
    let step = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    };
    std::iter::repeat_with(step).take(bytes).collect()
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
