//! Data that is fetched when a task uses it: a task carries a handle instead of the value.
//!
//! A task that carries its input sends all of it, even if the task is split again at once and the larger part moves on. With a handle the
//! input is sent to each rank that uses it, once. The first worker that uses it asks the rank that has it, and waits; other workers that use
//! it meanwhile wait too. After that the value is there. The progress loop of the other rank answers, between two units of its workers. (The
//! papers on Tascell over MPI leave this open.)

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use fusain_comm::Communicator;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cluster::Cluster;
use crate::data::values::{Encoded, Values};
use crate::error::{Ended, Error, Result};
use crate::rank_state::RankState;
use crate::wire::codec;

/// Values of one type that ranks fetch from each other when they need them; [`Cluster::store`] makes one.
///
/// Memory: every value stays on each rank that has used it until the cluster is dropped.
///
/// A handle moves to other ranks in a state, a task, or a result. A closure stays on its rank, and so do the handles in it: in `reduce`, each
/// rank would read the value that it has itself put into the store.
///
/// ```
/// use fusain_cluster::{Cluster, ForkJoin, Remote, Step, Store};
/// use fusain_comm::World;
///
/// /// The sum of a part of a vector. A task holds the handle, which is some bytes; the rank that runs it fetches the vector.
/// struct Sum<'a>(&'a Store<Vec<f64>>);
///
/// impl ForkJoin for Sum<'_> {
///     type Task = (Remote<Vec<f64>>, usize, usize);
///     type Tasks = [Self::Task; 2];
///     type Value = f64;
///     type Frame = ();
///     fn begin(&self, (all, begin, end): Self::Task) -> Step<Self> {
///         if end - begin < 10 { return Step::Done(self.0.get(all)[begin..end].iter().sum()) }
///         let middle = (begin + end) / 2;
///         Step::Fork { tasks: [(all, begin, middle), (all, middle, end)], frame: () }
///     }
///     fn join(&self, (): (), [a, b]: [f64; 2]) -> Step<Self> { Step::Done(a + b) }
/// }
///
/// let sums = World::threads(2).run(|comm| {
///     let cluster = Cluster::over(comm);
///     let store = cluster.store();
///     // Rank 0's task counts, and so does what rank 0 has put there.
///     let all = store.put(if cluster.rank() == 0 { vec![0.5; 100] } else { Vec::new() });
///     cluster.fork_join(&Sum(&store), (all, 0, 100)).unwrap()
/// });
/// assert_eq!(sums, [50.0; 2]);
/// ```
pub struct Store<T> {
    values: Arc<Values<T>>,
    number: u32,
    state: Arc<RankState>,
}

/// A handle of a value in a [`Store`], valid on any rank. It takes a few bytes.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Remote<T> {
    /// The store's number.
    store: u32,
    rank: u32,
    key: u64,
    value: PhantomData<fn() -> T>,
}

impl<C: Communicator> Cluster<'_, C> {
    /// Collective: makes an empty store. It lives as long as the cluster, over several runs.
    pub fn store<T: Serialize + DeserializeOwned + Send + Sync + 'static>(&self) -> Store<T> {
        let values = Arc::new(Values::new(self.rank() as u32));
        let number = self.state.stores.add(Arc::clone(&values) as Arc<dyn Encoded>);
        Store { values, number, state: Arc::clone(&self.state) }
    }
}

impl<T: Serialize + DeserializeOwned + Send + Sync + 'static> Store<T> {
    /// Keeps `value` on this rank and returns a handle for it. Nothing is sent or encoded before another rank fetches it.
    pub fn put(&self, value: T) -> Remote<T> {
        Remote { store: self.number, rank: self.values.me, key: self.values.put(value), value: PhantomData }
    }

    /// Returns the value. If this rank has not used it before, it is fetched, and the calling thread waits for about a round trip. Meanwhile it may
    /// drive the progress loop: hold no lock that the encoding of a stored value takes.
    ///
    /// # Errors
    /// The error that ended the run while this waited; [`Error::Corrupt`] if there is no such value in this store, or it cannot be decoded;
    /// [`Error::Transport`] if it would have to be fetched before the cluster's first run, or after the cluster was dropped.
    pub fn fetch(&self, handle: Remote<T>) -> Result<Arc<T>> {
        let at = (handle.rank, handle.key);
        if handle.store != self.number {
            // This store may have another value with the same key.
            let why = format!("it names a value of store {}, and store {} was asked for it", handle.store, self.number);
            return Err(self.state.fail_with(Error::Corrupt { from: handle.rank as usize, why }));
        }
        loop {
            if let Some(value) = self.values.lock().get(&at) {
                return Ok(Arc::clone(value));
            }
            if handle.rank == self.values.me || handle.rank >= self.state.size {
                let why = format!("it names value {} of rank {}, which is not there", handle.key, handle.rank);
                return Err(self.state.fail_with(Error::Corrupt { from: handle.rank as usize, why }));
            }
            // Returns nothing if another thread has fetched the value in the meantime.
            let Some(bytes) = self.state.await_data((self.number, handle.rank, handle.key))? else { continue };
            // If the decoding unwinds, no other thread reads the value, and threads that wait for it would wait for ever, since the run ends
            // only when its workers do.
            let value = catch_unwind(AssertUnwindSafe(|| codec::decode(&bytes))).unwrap_or_else(|payload| {
                self.state.give_up("it panicked");
                resume_unwind(payload)
            });
            match value {
                Ok(value) => drop(self.values.lock().insert(at, Arc::new(value))),
                Err(why) => {
                    return Err(self.state.fail_with(Error::Corrupt { from: handle.rank as usize, why }));
                }
            }
            self.state.has_data((self.number, handle.rank, handle.key));
        }
    }

    /// Like [`fetch`](Self::fetch), for the callbacks of an algorithm: an error ends the run, which returns it.
    pub fn get(&self, handle: Remote<T>) -> Arc<T> {
        match self.fetch(handle) {
            Ok(value) => value,
            // Caught by the function that began the run.
            Err(error) => resume_unwind(Box::new(Ended(error))),
        }
    }
}

impl<T> Clone for Remote<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Remote<T> {}

impl<T> PartialEq for Remote<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.store, self.rank, self.key) == (other.store, other.rank, other.key)
    }
}

impl<T> Eq for Remote<T> {}

impl<T> Hash for Remote<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.store, self.rank, self.key).hash(state);
    }
}

impl<T> fmt::Debug for Remote<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("store", &self.store).field("rank", &self.rank).field("key", &self.key).finish()
    }
}

impl<T> fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("values", &self.values.lock().len()).finish_non_exhaustive()
    }
}
