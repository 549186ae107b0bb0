//! Building a pool.

use crate::error::{Error, WORKERS_MAX};
use crate::handlers::Handlers;
use crate::platform;
use crate::platform::place;
use crate::pool::Pool;
use crate::worker::inner::{Inner, SPINS, Threads, Wait};
use crate::worker::victims::Victims;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// The options of a pool that is to be built. [`Pool::builder`] makes one with the default options.
///
/// ```
/// # use fusain_pool as fusain;
/// use std::time::Duration;
/// use fusain::{Pool, Wait};
///
/// let pool = Pool::builder()
///     .threads(2)
///     .wait(Wait::SpinThenPark(Duration::from_micros(500)))
///     .name("solver")
///     .stack_size(1 << 20)
///     .start_handler(|worker| println!("worker {worker} starts"))
///     .exit_handler(|worker| println!("worker {worker} ends"))
///     .panic_handler(|_payload| println!("a detached task has panicked"))
///     .build()?;
/// assert_eq!(pool.workers(), 2);
/// # Ok::<(), fusain::Error>(())
/// ```
#[doc(alias = "ThreadPoolBuilder")]
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder {
    threads: Option<usize>,
    wait: Wait,
    pin: bool,
    pin_to: Option<Vec<usize>>,
    victims: Option<Vec<Vec<usize>>>,
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
            pin_to: None,
            victims: None,
            name: "fusain".into(),
            stack_size: None,
            handlers: Handlers::default(),
        }
    }
}

impl Pool {
    /// The options of a new pool; [`Builder::build`] builds it.
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// let pool = fusain::Pool::builder().threads(2).build()?;
    /// assert_eq!(pool.workers(), 2);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::new()
    }
}

impl Builder {
    /// The default options, as [`Pool::builder`] gives them.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of workers, 1 to 4096, the calling thread included: `threads(2)` starts one thread. Where there are no threads (wasm32 without
    /// atomics, and builds with `--cfg fusain_single`) a pool has one worker, whatever is asked for.
    ///
    /// The default is the environment variable `FUSAIN_NUM_THREADS` if it is set, else the number of cores that the calling thread may use (usually those of the process)
    /// ([`std::thread::available_parallelism`]).
    ///
    /// With [`Wait::SpinThenPark`], workers beyond the number of cores stay asleep. [`Wait::Park`] and [`Wait::Spin`] use all of them;
    /// where closures block, `Park` lets more run than there are cores.
    #[doc(alias = "num_threads")]
    #[doc(alias = "omp_set_num_threads")]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets how idle workers wait. The default is [`Wait::SpinThenPark`] with 100 us.
    #[doc(alias = "OMP_WAIT_POLICY")]
    pub fn wait(mut self, wait: Wait) -> Self {
        self.wait = wait;
        self
    }

    /// Sets whether each started worker is pinned to a core of its own. The default is `false`.
    ///
    /// The calling thread is not pinned, and the first core that it may use is left to it. The first started thread gets the second core, and so on; after
    /// the last core it begins again. Linux only.
    #[doc(alias = "proc_bind")]
    pub fn pin(mut self, pin: bool) -> Self {
        self.pin = pin;
        self
    }

    /// Pins each started worker to a processing unit, by the operating system's number. `cores` names one unit for each worker. The first stands for the calling
    /// thread, which is not pinned; the second is for the first started thread, and so on. It overrides [`pin`](Self::pin). A worker whose number the process may not
    /// use stays where the system puts it. Linux only.
    ///
    /// How many workers share calls depends on the cores that the calling thread may use (see [`threads`](Self::threads)). So build the pool before that thread is bound to one of them.
    ///
    /// `Workers::cores` of feature `topology` gives such numbers: close together, spread, or packed.
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// use fusain::{Error, Pool};
    /// # if cfg!(target_os = "linux") {
    /// let pool = Pool::builder().threads(2).pin_to([0, 1]).build()?;
    /// assert!(matches!(Pool::builder().threads(3).pin_to([0, 1]).build(), Err(Error::PinTo { named: 2, workers: 3 })));
    /// # }
    /// # Ok::<(), fusain::Error>(())
    /// ```
    #[doc(alias = "OMP_PLACES")]
    pub fn pin_to(mut self, cores: impl IntoIterator<Item = usize>) -> Self {
        self.pin_to = Some(cores.into_iter().collect());
        self
    }

    /// Sets the order in which each worker turns to the others, both to ask for work and to hand out work. `victims` has one list for each worker, with all other
    /// workers, nearest first. In these lists worker 0 is any thread that calls, and worker `i` is the `i`-th thread that the pool starts (thread `name-i`). This is
    /// not the number of [`current_worker_index`](crate::current_worker_index). A worker that runs out of work first asks the nearest one that has work, and soon
    /// after that all others. The default is to ask all at once.
    ///
    /// `Workers::victims` of feature `topology` gives such lists. The pool keeps 2 bytes for each pair of workers.
    ///
    /// ```
    /// # use fusain_pool as fusain;
    /// use fusain::{Error, Pool};
    /// // Two packages: workers 0 and 1, workers 2 and 3.
    /// let victims = [vec![1, 2, 3], vec![0, 2, 3], vec![3, 0, 1], vec![2, 0, 1]];
    /// let pool = Pool::builder().threads(4).victims(victims.clone()).build()?;
    /// assert!(matches!(Pool::builder().threads(5).victims(victims).build(), Err(Error::Victims { worker: 4 })));
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn victims(mut self, victims: impl IntoIterator<Item = Vec<usize>>) -> Self {
        self.victims = Some(victims.into_iter().collect());
        self
    }

    /// Names the threads `name-1`, `name-2`, ... The default name is `fusain`.
    #[doc(alias = "thread_name")]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the size of the stack of each started thread, in bytes. The default is that of [`std::thread`]. Calling threads keep their own.
    pub fn stack_size(mut self, bytes: usize) -> Self {
        self.stack_size = Some(bytes);
        self
    }

    /// Calls `handler` on each started worker before it does anything else. The argument is the number that [`current_worker_index`](crate::current_worker_index)
    /// returns there: 0 for the first started thread.
    ///
    /// The handler must not wait for other workers, as [`broadcast`](crate::broadcast()) does: they may have ended. A panic in it aborts the process, since other threads
    /// would wait for that worker for ever.
    pub fn start_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.handlers.start = Arc::new(or_abort(handler));
        self
    }

    /// Calls `handler` on each started worker that ends, with the same number as [`start_handler`](Self::start_handler). As there, it must not wait for other workers, and a
    /// panic in it aborts the process.
    pub fn exit_handler(mut self, handler: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.handlers.exit = Arc::new(or_abort(handler));
        self
    }

    /// Gives the payload of each panic in a [detached task](Pool::spawn) to `handler`. By default payloads are dropped.
    pub fn panic_handler(mut self, handler: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static) -> Self {
        self.handlers.panic = Arc::new(handler);
        self
    }

    /// Builds the pool and starts its threads.
    ///
    /// # Errors
    /// [`Error::ThreadsOutOfRange`] for no threads or too many; [`Error::BadThreadCount`] if `FUSAIN_NUM_THREADS` is used and is not a
    /// valid number; [`Error::Spawn`] if the operating system refuses a thread (those already started are ended); [`Error::Pin`] if pinning
    /// is not possible here; [`Error::PinTo`] and [`Error::Victims`] if there is not one entry for each worker, or a list of victims does not name each other worker
    /// once.
    ///
    /// # Panics
    /// If a thread is to be started whose name has a zero byte, as [`std::thread::Builder::spawn`] does.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// use fusain::{Pool, Wait};
    /// let pool = Pool::builder().threads(2).wait(Wait::Park).name("render").build()?;
    /// assert_eq!(pool.workers(), 2);
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn build(self) -> Result<Pool, Error> {
        let mut pool = self.build_unannounced().map_err(|unbuilt| unbuilt.error)?;
        pool.announce();
        Ok(pool)
    }

    /// As [`build`](Self::build), without telling `tracing` yet.
    pub(crate) fn build_unannounced(self) -> Result<Pool, Unbuilt> {
        let workers = match self.threads {
            Some(threads) => threads,
            None => threads_by_environment()?,
        };
        if !(1..=WORKERS_MAX).contains(&workers) {
            return Err(Error::ThreadsOutOfRange { asked: workers }.into());
        }
        let victims = self.victims.map(|lists| Victims::new(workers, &lists)).transpose()?;
        let cores = match self.pin_to {
            Some(cores) if cores.len() != workers => return Err(Error::PinTo { named: cores.len(), workers }.into()),
            None if !self.pin => None,
            named => {
                let allowed = place::allowed().ok_or(Error::Pin)?;
                Some(named.unwrap_or(allowed))
            }
        };
        let (workers, victims) = if platform::HAS_THREADS { (workers, victims) } else { (1, None) };
        let mut inner = Inner::new(workers - 1, self.wait, Threads::Own, self.handlers);
        inner.victims = victims;
        let mut pool = Pool::of(Arc::new(inner), Vec::with_capacity(workers - 1));
        for index in 0..workers - 1 {
            let mut thread = thread::Builder::new().name(format!("{}-{}", self.name, index + 1));
            if let Some(bytes) = self.stack_size {
                thread = thread.stack_size(bytes);
            }
            let core = cores.as_ref().map(|cores| cores[(index + 1) % cores.len()]);
            let inner = pool.inner.clone();
            let started = thread.spawn(move || {
                if let Some(core) = core {
                    place::pin(core);
                }
                inner.visit(index);
            });
            match started {
                Ok(thread) => pool.add_thread(thread),
                Err(source) => {
                    return Err(Unbuilt { error: Error::Spawn { index: index + 1, source }, _pool: Some(pool) });
                }
            }
        }
        Ok(pool)
    }
}

/// Why a pool was not built. To drop this waits for the threads that have been started, and these may use the global pool.
pub(crate) struct Unbuilt {
    pub(crate) error: Error,
    pub(crate) _pool: Option<Pool>,
}

impl From<Error> for Unbuilt {
    fn from(error: Error) -> Self {
        Self { error, _pool: None }
    }
}

/// `handler`, but a panic in it aborts the process: there is nowhere to unwind to.
fn or_abort(handler: impl Fn(usize)) -> impl Fn(usize) {
    move |index| {
        if catch_unwind(AssertUnwindSafe(|| handler(index))).is_err() {
            std::process::abort();
        }
    }
}

/// The default number of workers: that of the environment variable, or else the number of cores that this thread may use.
fn threads_by_environment() -> Result<usize, Error> {
    match std::env::var_os("FUSAIN_NUM_THREADS") {
        Some(value) => value
            .to_str()
            .and_then(|text| text.trim().parse().ok())
            .filter(|threads| (1..=WORKERS_MAX).contains(threads))
            .ok_or_else(|| Error::BadThreadCount { value: value.to_string_lossy().into_owned() }),
        // Where the number of cores is not known, this is 1, which is right everywhere.
        None => Ok(platform::cores().min(WORKERS_MAX)),
    }
}
