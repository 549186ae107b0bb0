//! The methods that an algorithm needs beside its five callbacks to run on several ranks.

use fusain_pool::Algorithm;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// An [`Algorithm`] whose parts can run in another process. A state can be encoded as bytes (serde). Results can be taken out of the shared
/// value, sent, and merged with those of other ranks.
///
/// Every rank makes the same algorithm. A part that [`split`](Algorithm::split) returns may run on another rank, with that rank's value of
/// the algorithm. So a state says *which* work it is (a range, a path, a seed), and the shared value holds what all ranks have (the data,
/// the problem).
///
/// # Bytes
///
/// States and outputs are encoded by [postcard](https://postcard.jamesmunns.com), compactly and without field names, so their `Deserialize`
/// must know the type of each value that follows. `#[serde(untagged)]`, `#[serde(tag = ..)]`, `#[serde(flatten)]`,
/// `#[serde(skip_serializing_if = ..)]` and `serde_json::Value` do not work: the run ends with [`Error::Encode`](crate::Error::Encode) or
/// [`Error::Corrupt`](crate::Error::Corrupt), or reads a wrong value. Test a new type on two ranks, since one rank encodes nothing. The
/// receiving rank refuses values nested more than some 100 deep, such as linked lists; writing them takes stack in proportion to their
/// depth. It also refuses lists of many elements that take no bytes.
///
/// # Order
///
/// Results arrive in any order. If order matters, the output must contain it: for example as pieces with their positions, joined when
/// neighbours meet. A `commit` has the same duty in the pool. [`Cluster::reduce`](crate::Cluster::reduce) is made this way.
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
    /// The result of a part of the work.
    type Output: Serialize + DeserializeOwned + Send;

    /// Takes what has been committed since the last call out of the shared value, and leaves it empty.
    ///
    /// Called when no worker has a state.
    fn take(&self) -> Self::Output;

    /// Merges the result of a part that was split off and ran on another rank.
    ///
    /// It is called when no worker has a state. It must be associative, since the work may be split in any way.
    fn merge(&self, whole: &mut Self::Output, part: Self::Output);

    /// Returns a state for work that a merge has made possible, if there is any. In this way a computation that waited for a part goes on.
    ///
    /// It is called after each [`merge`](Self::merge), until it returns `None`.
    fn resume(&self) -> Option<Self::Local> {
        None
    }

    /// The approximate number of elements of work that a state has left, as [`do_unit`](Algorithm::do_unit) counts its grain; `None` if it
    /// is unknown.
    ///
    /// If it is known, a part is sent to another rank only if it is worth a message: the time for its elements, as measured recently, is
    /// compared with the time that this rank has recently waited for an answer. If it is unknown, a thief pauses after a part that lasted
    /// little longer than its decoding took.
    fn weight(&self, state: &Self::Local) -> Option<usize> {
        let _ = state;
        None
    }

    /// Whether this state may move to another rank. A state that may not can still be split, and the parts may move.
    ///
    /// Return false for a state that holds something that is not in its bytes, such as a place in a tree. Keep that in an
    /// [`Unsent`](crate::Unsent), which refuses to be encoded.
    fn can_migrate(&self, state: &Self::Local) -> bool {
        let _ = state;
        true
    }

    /// Whether a state from another rank is valid, for example whether its range lies within the data, or its path is legal. An invalid one
    /// ends the run with [`Error::Corrupt`](crate::Error::Corrupt). A checksum protects messages from damage; this check is for senders
    /// that cannot be trusted.
    fn accepts(&self, state: &Self::Local) -> bool {
        let _ = state;
        true
    }
}
