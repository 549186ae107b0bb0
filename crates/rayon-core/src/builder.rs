//! Describing a pool before it is built.

use crate::handlers::{NumberHandler, PanicHandler};
use crate::threads::{CustomSpawn, DefaultSpawn, ThreadBuilder};
use std::any::Any;
use std::{env, fmt, io, thread};

/// Describes a pool of threads.
///
/// ```
/// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(3).thread_name(|i| format!("worker {i}")).build()?;
/// assert_eq!(pool.current_num_threads(), 3);
/// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
/// ```
pub struct ThreadPoolBuilder<S = DefaultSpawn> {
    /// 0: the number is taken from the environment or the machine.
    num_threads: usize,
    pub(crate) use_current_thread: bool,
    pub(crate) panic_handler: Option<Box<PanicHandler>>,
    pub(crate) thread_name: Option<Box<dyn FnMut(usize) -> String>>,
    pub(crate) stack_size: Option<usize>,
    pub(crate) start_handler: Option<Box<NumberHandler>>,
    pub(crate) exit_handler: Option<Box<NumberHandler>>,
    pub(crate) spawn_handler: S,
}

impl Default for ThreadPoolBuilder {
    fn default() -> Self {
        Self {
            num_threads: 0,
            use_current_thread: false,
            panic_handler: None,
            thread_name: None,
            stack_size: None,
            start_handler: None,
            exit_handler: None,
            spawn_handler: DefaultSpawn,
        }
    }
}

impl ThreadPoolBuilder {
    /// A builder with the default [`num_threads`](Self::num_threads), and without names and handlers.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<S> ThreadPoolBuilder<S> {
    /// Has `spawn` start the threads.
    pub fn spawn_handler<F>(self, spawn: F) -> ThreadPoolBuilder<CustomSpawn<F>>
    where
        F: FnMut(ThreadBuilder) -> io::Result<()>,
    {
        ThreadPoolBuilder {
            num_threads: self.num_threads,
            use_current_thread: self.use_current_thread,
            panic_handler: self.panic_handler,
            thread_name: self.thread_name,
            stack_size: self.stack_size,
            start_handler: self.start_handler,
            exit_handler: self.exit_handler,
            spawn_handler: CustomSpawn(spawn),
        }
    }

    /// Names each thread, by its number.
    pub fn thread_name<F>(mut self, name: F) -> Self
    where
        F: FnMut(usize) -> String + 'static,
    {
        self.thread_name = Some(Box::new(name));
        self
    }

    /// Sets the number of threads. With 0, which is the default, it is that of the environment variable `RAYON_NUM_THREADS`, or else of `RAYON_RS_NUM_CPUS`, or else the number of
    /// cores that the process may use.
    pub fn num_threads(mut self, num_threads: usize) -> Self {
        self.num_threads = num_threads;
        self
    }

    /// Makes the calling thread the pool's thread number 0 for the rest of its life. It works for the pool when it waits or yields.
    /// The start and exit handlers are not called for it.
    ///
    /// # Example
    /// ```
    /// let pool = rayon_core::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?;
    /// let here = std::thread::current().id();
    /// assert_eq!(pool.install(|| std::thread::current().id()), here);
    /// # Ok::<(), rayon_core::ThreadPoolBuildError>(())
    /// ```
    pub fn use_current_thread(mut self) -> Self {
        self.use_current_thread = true;
        self
    }

    /// Gives panics of detached tasks and of the other handlers to `panic_handler`. Without it they abort the process.
    pub fn panic_handler<H>(mut self, panic_handler: H) -> Self
    where
        H: Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    {
        self.panic_handler = Some(Box::new(panic_handler));
        self
    }

    /// Sets the size of each thread's stack, in bytes. The default is that of std.
    pub fn stack_size(mut self, stack_size: usize) -> Self {
        self.stack_size = Some(stack_size);
        self
    }

    /// Has no effect here.
    #[deprecated(note = "use `scope_fifo` and `spawn_fifo` for similar effect")]
    pub fn breadth_first(self) -> Self {
        self
    }

    /// Calls `start_handler` on each thread, with the thread's number, before anything else runs there.
    pub fn start_handler<H>(mut self, start_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.start_handler = Some(Box::new(start_handler));
        self
    }

    /// Calls `exit_handler` on each thread, with the thread's number, when it ends.
    pub fn exit_handler<H>(mut self, exit_handler: H) -> Self
    where
        H: Fn(usize) + Send + Sync + 'static,
    {
        self.exit_handler = Some(Box::new(exit_handler));
        self
    }

    /// The number of threads, at least 1.
    pub(crate) fn count(&self) -> usize {
        let of_machine = || thread::available_parallelism().map_or(1, |n| n.get());
        let of_environment = |name| env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
        let asked = match self.num_threads {
            0 => of_environment("RAYON_NUM_THREADS").or_else(|| of_environment("RAYON_RS_NUM_CPUS")),
            threads => Some(threads),
        };
        asked.filter(|&threads| threads > 0).unwrap_or_else(of_machine)
    }
}

impl<S> fmt::Debug for ThreadPoolBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadPoolBuilder")
            .field("num_threads", &self.num_threads)
            .field("use_current_thread", &self.use_current_thread)
            .field("stack_size", &self.stack_size)
            .finish_non_exhaustive()
    }
}
