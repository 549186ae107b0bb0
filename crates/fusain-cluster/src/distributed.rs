//! What an algorithm needs beside its five callbacks to run on several ranks.

use fusain_pool::Algorithm;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An [`Algorithm`] whose parts can be worked off by another process: a state can be put into bytes (serde), and what was found can be taken out of the
/// shared value, sent, and joined to what was found elsewhere.
///
/// Every rank makes the same algorithm. A part that was split off by [`split`](Algorithm::split) may be worked off by another rank's value of it: so a state says
/// *which* work it is (a range, a path, a seed), and the shared value holds what all ranks have (the data, the problem).
///
/// # Bytes
///
/// States and outputs are written by [postcard](https://postcard.jamesmunns.com), compactly and without the names of fields. So their `Deserialize` has to know
/// what comes. `#[serde(untagged)]`, `#[serde(tag = ..)]`, `#[serde(flatten)]`, `#[serde(skip_serializing_if = ..)]` and `serde_json::Value` do not work: the
/// run ends with [`Error::Encode`](crate::Error::Encode) or [`Error::Corrupt`](crate::Error::Corrupt), or reads something else. One rank writes nothing: try a
/// new type on two. Values nested in each other more than some 100 times, as the links of a list, are refused, and so is a list of many elements that take no bytes.
///
/// # Order
///
/// Results arrive in any order. Where order matters it is the output that knows it: keyed by position, say, joined when neighbours meet. That is what the
/// pool asks of a `commit` too, and how [`Cluster::reduce`](crate::Cluster::reduce) does it.
///
/// # Example
///
/// The sum of a range of numbers, on any number of ranks:
///
/// ```
/// use fusain_cluster::{Cluster, Distributed};
/// use fusain_comm::World;
/// use fusain_pool::Algorithm;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// #[derive(Default)]
/// struct Sum(AtomicU64);
///
/// impl Algorithm for Sum {
///     type Local = (std::ops::Range<u64>, u64);
///     fn has_local_work(&self, (range, _): &Self::Local) -> bool { !range.is_empty() }
///     fn do_unit(&self, (range, sum): &mut Self::Local, grain: usize) {
///         *sum += range.by_ref().take(grain).sum::<u64>();
///     }
///     fn commit(&self, (_, sum): &mut Self::Local) {
///         self.0.fetch_add(std::mem::take(sum), Relaxed);
///     }
///     fn split(&self, (range, _): &mut Self::Local) -> Option<Self::Local> {
///         let middle = range.start + (range.end - range.start) / 2;
///         let stolen = middle..std::mem::replace(&mut range.end, middle);
///         (!stolen.is_empty()).then_some((stolen, 0))
///     }
/// }
///
/// impl Distributed for Sum {
///     type Output = u64;
///     fn take(&self) -> u64 { self.0.swap(0, Relaxed) }
///     fn merge(&self, sum: &mut u64, part: u64) { *sum += part; }
/// }
///
/// let sums = World::threads(3).run(|comm| Cluster::over(comm).run(&Sum::default(), (0..100_000, 0)).unwrap());
/// assert_eq!(sums, [4_999_950_000; 3]);
/// ```
pub trait Distributed: Algorithm<Local: Serialize + DeserializeOwned> {
    /// What a part of the work finds.
    type Output: Serialize + DeserializeOwned + Send;

    /// Takes out what has been committed since it was last taken, and leaves nothing.
    ///
    /// Called when no worker has a state.
    fn take(&self) -> Self::Output;

    /// Joins what a part has found, which was split off the same work and ran elsewhere.
    ///
    /// Called when no worker has a state; associative, as nothing is known of how the work is split.
    fn merge(&self, whole: &mut Self::Output, part: Self::Output);

    /// A state for work that merging has made possible, if there is any: how a computation goes on that has waited for a part.
    ///
    /// Called after each [`merge`](Self::merge), until it gives none.
    fn resume(&self) -> Option<Self::Local> {
        None
    }

    /// About how many elements of work are left in a state, in the sense of [`do_unit`](Algorithm::do_unit)'s grain; `None` if nobody can tell.
    ///
    /// Where it is known a part is sent to another rank only if it is worth a message: its elements, at what the last ones took, against what it took
    /// this rank lately to be answered by another. Where it is not known, a thief whose part lasted hardly longer than it took to be read rests.
    fn weight(&self, state: &Self::Local) -> Option<usize> {
        let _ = state;
        None
    }

    /// Whether another rank can work this state off. One that can not is kept on its rank, whoever asks: it may still be split, and what is split off may travel.
    ///
    /// Say false for a state that holds something that is not in its bytes: a frame that waits, a place in a tree. Keep that in an [`Unsent`](crate::Unsent), which
    /// refuses to be lost.
    fn travels(&self, state: &Self::Local) -> bool {
        let _ = state;
        true
    }

    /// Whether a state from another rank makes sense: is the range within the data, is the path legal? One that does not ends the run with
    /// [`Error::Corrupt`](crate::Error::Corrupt). Messages are protected by a checksum; this is for what can not be trusted.
    fn accepts(&self, state: &Self::Local) -> bool {
        let _ = state;
        true
    }
}
