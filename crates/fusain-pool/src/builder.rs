//! Building a pool.

use crate::error::{Error, WORKERS_MAX};
use crate::handlers::Handlers;
use crate::place;
use crate::platform;
use crate::pool::{Inner, Pool, Threads, Wait, set_global};
use crate::trace;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long an idle worker of the default pool spins before it parks.
///
/// A few times what a wake costs (some 5 to 50 us), so that short gaps need none and a long one wastes little. Of the lengths in
/// `compare tick`, half took 6 % less CPU time in the same time, four times as much 6 % less time for 13 % more CPU time.
pub(crate) const SPINS: Duration = Duration::from_micros(100);

/// Describes a pool before it is built; see [`Pool::builder`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder {
    threads: Option<usize>,
    wait: Wait,
    pin: bool,
    name: String,
    stack_size: Option<usize>,
    handlers: Handlers,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            threads: None,
            wait: Wait::SpinThenPark(SPINS),
            pin: false,
            name: "fusain".into(),
            stack_size: None,
            handlers: Handlers::default(),
        }
    }
}

impl Builder {
    /// Number of workers, the caller among them: `threads(2)` starts one thread. Where there are no threads (wasm32 without atomics, and
    /// builds with `--cfg fusain_single`) a pool has one worker, whatever is asked for.
    ///
    /// Without it: `FUSAIN_NUM_THREADS` if set, else what the process may use by its affinity mask and cgroup
    /// quota ([`std::thread::available_parallelism`]).
    ///
    /// Workers that would have to share a core with others are not called, unless idle ones [wait](Self::wait) as [`Wait::Park`] or
    /// [`Wait::Spin`] say: where closures block, `Park` lets more of them run than there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// How idle workers wait; by default [`Wait::SpinThenPark`] for 100 us.
    pub fn wait(mut self, wait: Wait) -> Self {
        self.wait = wait;
        self
    }

    /// Whether each started worker is pinned to a core of its own (worker `i` to the `i + 1`st core this process may
    /// use, so that the first is left to the caller); by default not. On Linux only.
    pub fn pin(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    /// Names the threads `name-1`, `name-2`, ...; by default `fusain`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Bytes of stack of each started thread; by default what std gives.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Calls `handler` with its number on each worker that starts, before it does anything else.
    ///
    /// A panic of the handler ends the process, for a worker that is not there would be waited for.
    pub fn start_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.handlers.start = Arc::new(or_abort(handler));
        self
    }

    /// Calls `handler` with its number on each worker that ends; a panic of it ends the process.
    pub fn exit_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.handlers.exit = Arc::new(or_abort(handler));
        self
    }

    /// Gives the payload of each panic of a [detached task](Pool::spawn) to `handler`; without it they are dropped.
    pub fn panic_handler(mut self, handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static) -> Self {
        self.handlers.panic = Arc::new(handler);
        self
    }

    /// Makes this the pool that calls use when none is named.
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and [`Error::GlobalIsThere`] if there is one, by an earlier call of this or because it has been used.
    ///
    /// # Example
    /// ```
    /// use fusain_pool::{Pool, join};
    /// Pool::builder().threads(2).name("main").build_global()?;
    /// assert_eq!(join(|| 1, || 2), (1, 2));
    /// assert!(Pool::builder().build_global().is_err());
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    pub fn build_global(self) -> Result<(), Error> {
        set_global(self)
    }

    /// Starts the threads.
    ///
    /// # Errors
    /// [`Error::ThreadsOutOfRange`] for none or too many, [`Error::BadThreadCount`] if the variable is to be used and
    /// is no count, [`Error::Spawn`] if the operating system refuses a thread (those already started are ended), and
    /// [`Error::Pin`] if pinning is asked for where it cannot be done.
    ///
    /// # Example
    /// ```
    /// use fusain_pool::{Pool, Wait};
    /// let pool = Pool::builder().threads(2).wait(Wait::Park).name("render").build()?;
    /// assert_eq!(pool.workers(), 2);
    /// # Ok::<(), fusain_pool::Error>(())
    /// ```
    pub fn build(self) -> Result<Pool, Error> {
        let workers = match self.threads {
            Some(threads) => threads,
            None => threads_by_environment()?,
        };
        if !(1..=WORKERS_MAX).contains(&workers) {
            return Err(Error::ThreadsOutOfRange { asked: workers });
        }
        let workers = if platform::HAS_THREADS { workers } else { 1 };
        let cores = if self.pin { Some(place::allowed().ok_or(Error::Pin)?) } else { None };
        let inner = Arc::new(Inner::new(workers - 1, self.wait, Threads::Own, self.handlers));
        let mut pool = Pool::of(inner, Vec::with_capacity(workers - 1));
        for index in 0..workers - 1 {
            let mut thread = thread::Builder::new().name(format!("{}-{}", self.name, index + 1));
            if let Some(bytes) = self.stack_size {
                thread = thread.stack_size(bytes);
            }
            let core = cores.as_ref().map(|cores| cores[(index + 1) % cores.len()]);
            let inner = pool.inner.clone();
            let handle = thread
                .spawn(move || {
                    if let Some(core) = core {
                        place::pin(core);
                    }
                    inner.visit(index);
                })
                .map_err(|source| Error::Spawn { index: index + 1, source })?;
            pool.add_thread(handle);
        }
        trace::started(workers);
        Ok(pool)
    }
}

/// `handler`, which has nowhere to unwind to.
fn or_abort(handler: impl Fn(usize)) -> impl Fn(usize) {
    move |index| {
        if catch_unwind(AssertUnwindSafe(|| handler(index))).is_err() {
            std::process::abort();
        }
    }
}

/// Workers of a pool that is not told: the variable, else what the process may use.
fn threads_by_environment() -> Result<usize, Error> {
    match std::env::var_os("FUSAIN_NUM_THREADS") {
        Some(value) => value
            .to_str()
            .and_then(|text| text.trim().parse().ok())
            .filter(|threads| (1..=WORKERS_MAX).contains(threads))
            .ok_or_else(|| Error::BadThreadCount { value: value.to_string_lossy().into_owned() }),
        // Not known means not worth a guess: one worker is right everywhere.
        None => Ok(platform::cores().min(WORKERS_MAX)),
    }
}
