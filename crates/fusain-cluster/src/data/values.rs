//! The values of stores on one rank: those that it has put there, and those that it has fetched.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

use crate::error::Result;
use crate::wire::codec;

/// The values of a store that a rank has, by rank and key.
pub(crate) struct Values<T> {
    values: Mutex<HashMap<(u32, u64), Arc<T>>>,
    next: AtomicU64,
    pub(crate) me: u32,
}

impl<T> Values<T> {
    pub(crate) fn new(me: u32) -> Self {
        Self { values: Mutex::default(), next: AtomicU64::new(0), me }
    }

    /// Keeps a value of this rank, and returns its key.
    pub(crate) fn put(&self, value: T) -> u64 {
        // Relaxed: the counter only ensures that no key is given twice.
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        self.lock().insert((self.me, key), Arc::new(value));
        key
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<(u32, u64), Arc<T>>> {
        // Values are inserted as a whole, and none is changed.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Values without their type, for the progress loop, which sends those that are asked for.
pub(crate) trait Encoded: Send + Sync {
    /// Encodes the value that this rank has put under `key`.
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

    /// Encodes a value of this rank.
    pub(crate) fn encode(&self, store: u32, key: u64) -> Option<Result<Vec<u8>>> {
        let values = self.all().get(store as usize).cloned()?;
        values.encode(key)
    }
}
