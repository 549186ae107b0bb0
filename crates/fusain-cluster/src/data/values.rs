//! The values of stores on one rank: what it has put there, and what it has fetched.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::error::Result;
use crate::wire::codec;

/// What a rank has of a store's values, by rank and key.
pub(crate) struct Values<T> {
    values: Mutex<HashMap<(u32, u64), Arc<T>>>,
    next: AtomicU64,
    pub(crate) me: u32,
}

impl<T> Values<T> {
    pub(crate) fn new(me: u32) -> Self {
        Self { values: Mutex::default(), next: AtomicU64::new(0), me }
    }

    /// Keeps a value of this rank, and says under which key.
    pub(crate) fn put(&self, value: T) -> u64 {
        // Relaxed: only that no key comes twice.
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert((self.me, key), Arc::new(value));
        key
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<(u32, u64), Arc<T>>> {
        // Whole values are put in; none is changed.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Values whose type is forgotten: for the progress loop, which sends what is asked for.
pub(crate) trait Encoded: Send + Sync {
    /// The value that this rank has put there as `key`, as bytes.
    fn encode(&self, key: u64) -> Option<Result<Vec<u8>>>;
}

impl<T: Serialize + Send + Sync + 'static> Encoded for Values<T> {
    fn encode(&self, key: u64) -> Option<Result<Vec<u8>>> {
        let value = self.lock().get(&(self.me, key)).cloned()?;
        Some(codec::encode(&*value))
    }
}

/// All stores of a rank.
#[derive(Default)]
pub(crate) struct Stores(Mutex<Vec<Arc<dyn Encoded>>>);

impl Stores {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<dyn Encoded>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, values: Arc<dyn Encoded>) -> u32 {
        let mut all = self.all();
        all.push(values);
        all.len() as u32 - 1
    }

    /// A value of this rank, as bytes.
    pub(crate) fn encode(&self, store: u32, key: u64) -> Option<Result<Vec<u8>>> {
        let values = self.all().get(store as usize).cloned()?;
        values.encode(key)
    }
}
