//! Binds threads temporarily, by a guard. The guard corresponds to `qv_bind_push` and `qv_bind_pop` of quo-vadis.

use std::marker::PhantomData;

use crate::{CpuSet, Error, Result};

/// A thread of this process, by its number in the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(os::Id);

impl ThreadId {
    /// The calling thread.
    pub fn current() -> Self {
        Self(os::current())
    }
}

/// Binds threads until it is dropped. After that each thread may run again where it could before. A panic drops the guard, too.
///
/// Guards of one thread nest: drop them in the reverse order, as nested scopes do.
///
/// ```
/// use fusain_topology::{BindingGuard, CpuSet};
/// let before = BindingGuard::current()?;
/// let one: CpuSet = before.iter().take(1).collect();
/// {
///     let _bound = BindingGuard::push(&one)?;
///     assert_eq!(BindingGuard::current()?, one);
/// }
/// assert_eq!(BindingGuard::current()?, before);
/// # Ok::<(), fusain_topology::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "dropped at once, it binds nothing"]
pub struct BindingGuard {
    /// The threads and their former bindings, in the order in which they were bound.
    before: Vec<(ThreadId, os::Set)>,
    /// Not `Send`: another thread could drop nested guards in any order.
    _stays: PhantomData<*const ()>,
}

impl BindingGuard {
    /// The processing units that the calling thread may use.
    ///
    /// # Errors
    /// [`Error::Binding`] if the operating system does not tell.
    pub fn current() -> Result<CpuSet> {
        os::get(ThreadId::current()).map(|set| os::to_cpuset(&set))
    }

    /// Binds the calling thread.
    ///
    /// # Errors
    /// [`Error::Binding`] if the operating system refuses, has none of the processing units, or cannot bind threads.
    pub fn push(cpuset: &CpuSet) -> Result<Self> {
        Self::push_threads([(ThreadId::current(), cpuset)])
    }

    /// Binds other threads, such as those of a pool, each to its own set. If one cannot be bound, none is. Threads that have ended by the
    /// time the guard is dropped are skipped.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_threads<'a>(threads: impl IntoIterator<Item = (ThreadId, &'a CpuSet)>) -> Result<Self> {
        // From here on an error drops the guard, which undoes the bindings made so far.
        let mut bound = Self { before: Vec::new(), _stays: PhantomData };
        for (thread, cpuset) in threads {
            let set = os::from_cpuset(cpuset).ok_or_else(|| wrong(cpuset, "a number is too high"))?;
            let before = os::get(thread)?;
            os::set(thread, &set).map_err(|reason| wrong(cpuset, &reason))?;
            bound.before.push((thread, before));
        }
        Ok(bound)
    }

    /// Undoes the binding now, and returns whether that worked.
    ///
    /// # Errors
    /// [`Error::Binding`].
    pub fn pop(mut self) -> Result<()> {
        self.put_back()
    }

    fn put_back(&mut self) -> Result<()> {
        let mut result = Ok(());
        while let Some((thread, set)) = self.before.pop() {
            // Its number may belong to another thread by now.
            if os::has_ended(thread) {
                continue;
            }
            if let Err(reason) = os::set(thread, &set)
                && !os::has_ended(thread)
            {
                result = Err(wrong(&os::to_cpuset(&set), &reason));
            }
        }
        result
    }
}

impl Drop for BindingGuard {
    fn drop(&mut self) {
        // A destructor cannot return an error; `pop` returns it.
        let _ = self.put_back();
    }
}

fn wrong(cpuset: &CpuSet, reason: &str) -> Error {
    Error::Binding { cpuset: cpuset.to_string(), reason: reason.to_owned() }
}

#[cfg(target_os = "linux")]
mod os {
    use std::path::Path;

    use rustix::process::Pid;
    use rustix::thread::{CpuSet as Affinity, gettid, sched_getaffinity, sched_setaffinity};

    use super::ThreadId;
    use crate::{CpuSet, Result};

    pub(super) type Id = Pid;
    pub(super) type Set = Affinity;

    pub(super) fn current() -> Id {
        gettid()
    }

    pub(super) fn has_ended(thread: ThreadId) -> bool {
        let is_listed = |id: Pid| Path::new("/proc/self/task").join(id.as_raw_nonzero().to_string()).exists();
        // Where `/proc` is missing, or that of other processes' numbers, it says nothing.
        is_listed(gettid()) && !is_listed(thread.0)
    }

    pub(super) fn get(thread: ThreadId) -> Result<Set> {
        sched_getaffinity(Some(thread.0)).map_err(|error| super::wrong(&CpuSet::default(), &error.to_string()))
    }

    pub(super) fn set(thread: ThreadId, set: &Set) -> Result<(), String> {
        sched_setaffinity(Some(thread.0), set).map_err(|error| error.to_string())
    }

    pub(super) fn from_cpuset(cpuset: &CpuSet) -> Option<Set> {
        let mut set = Affinity::new();
        for pu in cpuset.iter() {
            if pu >= Affinity::MAX_CPU {
                return None;
            }
            set.set(pu);
        }
        Some(set)
    }

    pub(super) fn to_cpuset(set: &Set) -> CpuSet {
        (0..Affinity::MAX_CPU).filter(|&pu| set.is_set(pu)).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use super::ThreadId;
    use crate::{CpuSet, Result};

    pub(super) type Id = ();
    pub(super) type Set = ();

    const NOT_HERE: &str = "threads are bound on Linux only";

    pub(super) fn current() -> Id {}

    pub(super) fn has_ended(_thread: ThreadId) -> bool {
        false
    }

    pub(super) fn get(_thread: ThreadId) -> Result<Set> {
        Err(super::wrong(&CpuSet::default(), NOT_HERE))
    }

    pub(super) fn set(_thread: ThreadId, _set: &Set) -> Result<(), String> {
        Err(NOT_HERE.to_owned())
    }

    pub(super) fn from_cpuset(_cpuset: &CpuSet) -> Option<Set> {
        Some(())
    }

    pub(super) fn to_cpuset(_set: &Set) -> CpuSet {
        CpuSet::default()
    }
}
