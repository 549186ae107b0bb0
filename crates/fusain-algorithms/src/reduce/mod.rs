//! One value out of many: sums, products, any associative operation, counts.

mod count;
mod fold;
mod parts;
mod pieces;
mod sum;
#[cfg(test)]
mod tests;

use crate::memory::streams::UnitLen;
use crate::platform::simd::widest_of;
use crate::policy::{Par, Plan};
use fold::{Fold, FoldRun, Ordered};

pub use sum::in_halves;

/// # Reducing
///
/// Many values become one, by any associative operation.
impl Par<'_> {
    /// Combines `identity` and all elements of `v` by `op`, in order.
    ///
    /// `op` must be associative. It need not be commutative: operands keep their order. `identity` is used exactly once, as the leftmost
    /// operand, so it may be any value to start from.
    ///
    /// How operands are grouped depends on the number of elements, on the workers, and on timing. So results may differ from run to run if
    /// `op` is not quite associative, such as the sum of floats; [`deterministic`](Par::deterministic) prevents that.
    ///
    /// O(n) work, span O(log n), one clone of each element ([`map_reduce`](Par::map_reduce) makes none), extra memory for one result for each part. A panic in `op`
    /// propagates. If an operand is dropped after `op` has made its result, and that `drop` panics, the result is leaked, as in [`Iterator::fold`].
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let words = ["par", "al", "lel"].map(String::from);
    /// assert_eq!(fusain::par().reduce(&words, String::new(), |a, b| a + &b), "parallel");
    /// ```
    #[doc(alias = "fold")]
    #[doc(alias = "reduction")]
    #[doc(alias = "accumulate")]
    #[inline]
    pub fn reduce<T, F>(&self, v: &[T], identity: T, op: F) -> T
    where
        T: Clone + Send + Sync,
        F: Fn(T, T) -> T + Sync,
    {
        self.map_reduce(v, identity, T::clone, op)
    }

    /// Combines `identity` and `map(x)` of all elements of `v` by `op`, in order.
    ///
    /// A sum of computed numbers is faster as an iterator, `v.par_iter().map(f).sum()`, which need not keep the order. Otherwise like [`reduce`](Par::reduce).
    ///
    /// ```
    /// # use fusain_algorithms as fusain;
    /// let squares = fusain::par().map_reduce(&[1, 2, 3], 0, |x| x * x, |a, b| a + b);
    /// assert_eq!(squares, 14);
    /// ```
    #[doc(alias = "sum")]
    #[doc(alias = "reduction")]
    #[doc(alias = "transform_reduce")]
    #[inline]
    pub fn map_reduce<T, U, M, F>(&self, v: &[T], identity: U, map: M, op: F) -> U
    where
        T: Sync,
        U: Send,
        M: Fn(&T) -> U + Sync,
        F: Fn(U, U) -> U + Sync,
    {
        let plan = self.plan::<(Reduction, T, U, M, F)>(v.len());
        by(self, plan, v, identity, Ordered { map, op })
    }
}

/// Names call sites.
enum Reduction {}

/// Reduces as `policy` and `plan` say.
#[inline]
fn by<T: Sync, U: Send>(policy: &Par<'_>, plan: Plan<'_>, v: &[T], identity: U, by: impl Fold<T, U>) -> U {
    match plan {
        Plan::Sequential(watch) if policy.is_deterministic() => {
            watch.time(|| parts::sequential(v, policy.fixed_grain(), identity, by))
        }
        Plan::Sequential(watch) if watch.looks_up() => pieces::looking(policy, watch, v, identity, by),
        Plan::Sequential(watch) => {
            watch.time(|| match widest_of(v.len(), FoldRun::new(v, UnitLen::of(v, None).is_long(), &by)) {
                Some(all) => by.both(identity, all),
                None => identity,
            })
        }
        Plan::Parallel(team) if policy.is_deterministic() => parts::parallel(&team, v, identity, by),
        Plan::Parallel(team) => pieces::parallel(&team, v, identity, by),
    }
}
