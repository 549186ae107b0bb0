//! Whom a worker turns to first, where the pool has been told who is near whom.
//!
//! A list of a pool's user names workers: 0 is whoever calls, `i` the thread `i` that the pool has started, which has [slot](crate::worker::slots) `i - 1`.
//!
//! | where workers are looked at | what the order decides |
//! |---|---|
//! | a call hands out parts        | who gets one, where not all do; whoever gets one passes it on in the caller's order |
//! | a task is announced | who is told |
//! | a worker looks for a task | whose it takes |
//! | a worker begins to ask for parts of calls | whom it asks alone at first, see [`Inner::ask_nearest`](crate::worker::inner::Inner::ask_nearest) |
//! | sleepers are woken | who |

use crate::error::Error;

/// Whom one worker turns to.
#[derive(Debug, PartialEq)]
pub(crate) struct Order {
    /// The slots of all other started workers, nearest first. 16 bits hold the largest number of workers.
    pub(crate) workers: Box<[u16]>,
    /// How many of them are nearer than the callers.
    pub(crate) before_callers: usize,
}

/// An order for each slot of a started worker, and last the one of all callers.
#[derive(Debug)]
pub(crate) struct Victims {
    orders: Box<[Order]>,
}

impl Victims {
    /// From a list for each of `count` workers.
    pub(crate) fn new(count: usize, lists: &[Vec<usize>]) -> Result<Self, Error> {
        if lists.len() != count {
            return Err(Error::Victims { worker: lists.len().min(count) });
        }
        let order = |worker: usize| {
            let list = &lists[worker];
            let mut is_named = vec![false; count];
            is_named[worker] = true;
            let are_others = list.iter().all(|&other| other < count && !std::mem::replace(&mut is_named[other], true));
            if !are_others || list.len() + 1 != count {
                return Err(Error::Victims { worker });
            }
            // Callers are the nearest of a caller.
            let before_callers = list.iter().position(|&other| other == 0).unwrap_or(0);
            let workers = list.iter().filter(|&&other| other > 0).map(|&other| (other - 1) as u16).collect();
            Ok(Order { workers, before_callers })
        };
        let orders = (1..count).chain([0]).map(order).collect::<Result<_, _>>()?;
        Ok(Self { orders })
    }

    /// That of the one at slot `index`.
    pub(crate) fn of(&self, index: usize) -> &Order {
        &self.orders[index.min(self.orders.len() - 1)]
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
