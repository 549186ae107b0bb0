//! The pool that is used where no other is named.

use crate::error::Error;
use crate::pool::Pool;
use crate::pool::builder::Builder;
use crate::trace;
use crate::worker::handle::Handle;
use crate::worker::inner::Inner;
use std::sync::OnceLock;

static GLOBAL: OnceLock<Result<Pool, Error>> = OnceLock::new();

/// The global pool, built by `builder` if there was none, and whether this call has built it.
#[cold]
#[inline(never)]
fn global_or(builder: Builder) -> (&'static Result<Pool, Error>, bool) {
    let mut is_first = false;
    let mut unbuilt = None;
    let global = GLOBAL.get_or_init(|| {
        is_first = true;
        builder.build_unannounced().map_err(|failure| {
            let error = failure.error.again();
            unbuilt = Some(failure);
            error
        })
    });
    // Not during the initialisation: threads that have been started, which this waits for, may use the global pool.
    drop(unbuilt);
    // Not during the initialisation: a subscriber may use the global pool.
    if is_first && let Ok(pool) = global {
        trace::started(pool.workers());
    }
    (global, is_first)
}

impl Builder {
    /// Builds the global pool: the one that calls use when no other is named.
    ///
    /// # Errors
    /// Those of [`build`](Self::build), and [`Error::GlobalAlreadyInitialized`] if the global pool has been built or used before. If the first attempt to build it failed,
    /// that error stays: all later ones return it, and [`Pool::global`] panics with it.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// use fusain::{Pool, join};
    /// Pool::builder().threads(2).name("main").build_global()?;
    /// assert_eq!(join(|| 1, || 2), (1, 2));
    /// assert!(Pool::builder().build_global().is_err());
    /// # Ok::<(), fusain::Error>(())
    /// ```
    pub fn build_global(self) -> Result<(), Error> {
        let (global, is_first) = global_or(self);
        match global {
            Ok(_) if is_first => Ok(()),
            Err(error) => Err(error.again()),
            Ok(_) => Err(Error::GlobalAlreadyInitialized),
        }
    }
}

impl Pool {
    /// The pool that calls use when no other is named. It is built at first use, with the options of [`Builder::default`].
    ///
    /// # Panics
    /// If it cannot be built, with the message of the [`Error`]. [`Pool::try_global`] returns the error instead.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// assert!(fusain::Pool::global().workers() >= 1);
    /// ```
    #[inline]
    pub fn global() -> &'static Pool {
        match Pool::try_global() {
            Ok(pool) => pool,
            Err(error) => panic!("the global pool: {error}"),
        }
    }

    /// Like [`global`](Pool::global), but returns an error where `global` panics.
    ///
    /// # Errors
    /// Those of [`Builder::build`]. The result of the first attempt is kept.
    ///
    /// # Example
    /// ```
    /// # use fusain_pool as fusain;
    /// assert!(fusain::Pool::try_global().is_ok());
    /// ```
    #[inline]
    pub fn try_global() -> Result<&'static Pool, &'static Error> {
        GLOBAL.get().unwrap_or_else(|| global_or(Pool::builder()).0).as_ref()
    }

    /// Runs `f` with the pool whose work the calling thread is doing, else with the global one.
    #[inline]
    pub(crate) fn here<R>(f: impl FnOnce(&Inner) -> R) -> R {
        Handle::current(|handle| match handle {
            Some(handle) => f(handle.pool),
            None => f(&Pool::global().inner),
        })
    }

    /// As [`here`](Self::here), but with `pool` if that is given.
    #[inline]
    pub(crate) fn named_or_here<R>(pool: Option<&Pool>, f: impl FnOnce(&Inner) -> R) -> R {
        match pool {
            Some(pool) => f(&pool.inner),
            None => Pool::here(f),
        }
    }
}
