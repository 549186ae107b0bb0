//! A user's closures that a pool calls when workers start, when they end, and when a detached task panics.

use crate::panics::{Payload, discard};
use std::sync::Arc;

/// See the [module](self).
#[derive(Clone)]
pub(crate) struct Handlers {
    pub(crate) start: Arc<dyn Fn(usize) + Send + Sync>,
    pub(crate) exit: Arc<dyn Fn(usize) + Send + Sync>,
    pub(crate) panic: Arc<dyn Fn(Payload) + Send + Sync>,
}

impl Default for Handlers {
    fn default() -> Self {
        Self { start: Arc::new(|_| ()), exit: Arc::new(|_| ()), panic: Arc::new(discard) }
    }
}

impl std::fmt::Debug for Handlers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handlers").finish_non_exhaustive()
    }
}
