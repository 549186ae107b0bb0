//! The run of a suite: in each of many settings every operation, with and without a panic.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use fusain_pool::Pool;

use super::ledger::{self, Planned};
use super::{Hostile, Order, Place};
use crate::sorts::noise;

/// The number of elements up to which the whole suite makes every single call panic in turn.
const FEW: usize = 33;

/// The number of calls that panic in turn if there are more elements.
const SAMPLED: usize = 3;

/// The maximum number of failures that are described. Further ones are only counted.
const TOLD_MAX: usize = 20;

/// Held by the suite that runs: the counts are global.
static TURN: Mutex<()> = Mutex::new(());

/// Lengths and grains of calls: lengths around the thresholds of algorithms, and grains from one element to more than there are.
const SHORT: [(usize, usize); 4] = [(24, 1), (33, 17), (20, 7), (17, 0)];
const LONG: [(usize, usize); 10] = [
    (0, 1),
    (1, 1),
    (2, 1),
    (65, 3),
    (129, usize::MAX / 2 + 2),
    (300, 1),
    (300, 64),
    (640, 0),
    (1_025, 65),
    (1_025, usize::MAX),
];

/// How calls are made.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The order of elements.
    pub order: Order,
    /// Where calls are made.
    pub place: Place,
    /// The number of elements in an input.
    pub len: usize,
    /// The number of elements in a unit; 0 leaves it to the pool.
    pub grain: usize,
}

/// What an operation makes its inputs from.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The number of elements in an input.
    pub len: usize,
    order: Order,
    seed: u64,
}

impl Case {
    /// Elements in no particular order, about two of each key. Each value of `which` gives another input.
    pub fn elements<T: Hostile>(&self, which: u64) -> Vec<T> {
        self.keys(which).map(T::new).collect()
    }

    /// Elements by rising key.
    pub fn sorted<T: Hostile>(&self, which: u64) -> Vec<T> {
        let mut keys: Vec<u32> = self.keys(which).collect();
        keys.sort_unstable();
        keys.into_iter().map(T::new).collect()
    }

    /// Like [`sorted`](Case::sorted) if the order of the case is total, otherwise like [`elements`](Case::elements).
    pub fn at_most_sorted<T: Hostile>(&self, which: u64) -> Vec<T> {
        if self.order.is_total() { self.sorted(which) } else { self.elements(which) }
    }

    fn keys(&self, which: u64) -> impl Iterator<Item = u32> {
        let kinds = self.len as u64 / 2 + 3;
        noise(self.len, self.seed + which).map(move |x| (x % kinds) as u32)
    }
}

/// A run of cases: all of them, or some.
#[derive(Debug)]
pub struct Suite {
    is_whole: bool,
    setting: Setting,
    /// The number of calls that each operation made when it was run last.
    calls: HashMap<(&'static str, &'static str), usize>,
    cases: usize,
    panics: usize,
    failures: Vec<String>,
    failed: usize,
}

impl Suite {
    /// Runs `operations` in many settings, on the pool that they are given. If `is_whole`, all calls that can panic do so in turn,
    /// otherwise some of them. Returns how many cases there were, and how many of them panicked.
    ///
    /// # Panics
    ///
    /// If a case failed.
    pub fn run(is_whole: bool, operations: impl Fn(&mut Suite, &Pool) + Sync) -> (usize, usize) {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let setting = Setting { order: Order::Sane, place: Place::Alone, len: 0, grain: 0 };
        let (calls, failures) = (HashMap::new(), Vec::new());
        let mut suite = Suite { is_whole, setting, calls, cases: 0, panics: 0, failures, failed: 0 };
        // With an inconsistent order std's sorts panic, and other calls may.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        for place in Place::ALL {
            place.visit(|pool| suite.visit(place, pool, &operations));
        }
        std::panic::set_hook(hook);
        assert!(suite.failed == 0, "{} of {} cases failed:\n{}", suite.failed, suite.cases, suite.failures.join("\n"));
        (suite.cases, suite.panics)
    }

    fn visit(&mut self, place: Place, pool: &Pool, operations: &impl Fn(&mut Suite, &Pool)) {
        for (i, order) in Order::ALL.into_iter().enumerate() {
            // Other lengths for each order and place, so that in the end each has had its turn.
            let turn = i + 2 * place as usize;
            let (short, long) = if self.is_whole { (2, 1) } else { (SHORT.len(), LONG.len() / 2) };
            let every = |all: &'static [(usize, usize)], step| all.iter().copied().skip(turn % step).step_by(step);
            for (len, grain) in every(&SHORT, short).chain(every(&LONG, long)) {
                self.setting = Setting { order, place, len, grain };
                operations(self, pool);
            }
        }
    }

    /// The setting of the calls made now.
    pub fn setting(&self) -> Setting {
        self.setting
    }

    /// Runs the cases of one operation on one kind of elements in this setting.
    pub fn check(&mut self, kind: &'static str, name: &'static str, operation: &dyn Fn(Case)) {
        let Setting { len, .. } = self.setting;
        if self.is_whole {
            let calls = self.case(kind, name, None, operation);
            let fatal = if len <= FEW { calls } else { calls.min(SAMPLED) };
            for k in 0..fatal {
                self.case(kind, name, Some(k * calls / fatal), operation);
            }
        } else {
            let turn = self.cases;
            let last = self.calls.get(&(kind, name)).copied().unwrap_or(0);
            let fatal = (!turn.is_multiple_of(3)).then(|| turn.wrapping_mul(0x9E37_79B1) % (last + 1));
            let calls = self.case(kind, name, fatal, operation);
            self.calls.insert((kind, name), calls);
        }
    }

    /// Runs one case. Returns how many calls it has made.
    fn case(&mut self, kind: &str, name: &str, fatal: Option<usize>, operation: &dyn Fn(Case)) -> usize {
        let Setting { order, len, .. } = self.setting;
        self.cases += 1;
        ledger::open(order, fatal);
        let result = catch_unwind(AssertUnwindSafe(|| operation(Case { len, order, seed: len as u64 })));
        let account = ledger::close();
        self.panics += usize::from(result.is_err());
        let came = fatal.is_some_and(|fatal| account.calls > fatal);
        let complaint = match result {
            _ if account.broken > 0 => {
                format!("{} elements dropped twice, doubled, or looked at when gone", account.broken)
            }
            _ if account.alive != 0 => format!("{} elements left over", account.alive),
            Ok(()) if came => "the panic did not come out".to_owned(),
            Err(payload) if order.is_total() && !payload.is::<Planned>() => {
                let text = payload.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
                format!("a panic that nobody planned: {}", text.unwrap_or("no text"))
            }
            _ => return account.calls,
        };
        self.failed += 1;
        if self.failures.len() < TOLD_MAX {
            let Setting { place, grain, .. } = self.setting;
            self.failures.push(format!(
                "{name} of {len} {kind}, {order:?}, {place:?}, grain {grain}, panic at call {fatal:?}: {complaint}"
            ));
        }
        account.calls
    }
}
