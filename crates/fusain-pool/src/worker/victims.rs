//! The order in which a worker turns to others, if the pool has been told which workers are near each other.
//!
//! The user's lists name workers: 0 is the caller, `i` the thread `i` that the pool has started, which has [slot](crate::worker::slots) `i - 1`.
//!
//! | where workers are looked at | what the order decides |
//! |---|---|
//! | a call hands out parts | which workers get one, if not all do; a worker that gets one passes parts on in the caller's order |
//! | a task is announced | which worker is told |
//! | a worker looks for a task | whose task it takes |
//! | a worker begins to ask for parts of calls | which worker it asks alone at first, see [`Inner::ask_nearest`](crate::worker::inner::Inner::ask_nearest) |
//! | sleepers are woken | which ones |

use crate::error::Error;

/// The order in which one worker turns to others.
#[derive(Debug, PartialEq)]
pub(crate) struct Order {
    /// The slots of all other started workers, nearest first. 16 bits hold the largest number of workers.
    pub(crate) workers: Box<[u16]>,
    /// How many of them are nearer than callers.
    pub(crate) before_callers: usize,
}

/// An order for each started worker's slot, and at the end the one of all callers.
#[derive(Debug)]
pub(crate) struct Victims {
    orders: Box<[Order]>,
}

impl Victims {
    /// From the lists of `count` workers, one for each.
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
            // To a caller, other callers are the nearest.
            let before_callers = list.iter().position(|&other| other == 0).unwrap_or(0);
            let workers = list.iter().filter(|&&other| other > 0).map(|&other| (other - 1) as u16).collect();
            Ok(Order { workers, before_callers })
        };
        let orders = (1..count).chain([0]).map(order).collect::<Result<_, _>>()?;
        Ok(Self { orders })
    }

    /// The order of the worker or caller at slot `index`.
    pub(crate) fn of(&self, index: usize) -> &Order {
        &self.orders[index.min(self.orders.len() - 1)]
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
