//! What `fusain-iter` and the benches share with this crate. Not part of the public interface.

use std::mem::MaybeUninit;

use fusain_pool::Algorithm;
pub use fusain_pool::decide::{Plan, Team, Watch};

pub use crate::platform::Body;
use crate::policy::Par;
pub use crate::reduce::in_halves;

/// Decides how a call over `work` elements runs; `K` names the call site.
#[inline(always)]
pub fn plan<'p, K: ?Sized>(policy: &Par<'p>, work: usize) -> Plan<'p> {
    policy.plan::<K>(work)
}

/// Runs `algorithm` from `local` in sequence. `watch` checks midway whether it is better to share the rest.
#[inline]
pub fn run_looking<A: Algorithm>(policy: &Par<'_>, watch: Watch, algorithm: &A, local: A::Local) {
    policy.run_looking(watch, algorithm, local);
}

/// Like [`plan`], for algorithms whose units are not proportional to elements.
#[inline(always)]
pub fn plan_tiles<'p, K: ?Sized>(policy: &Par<'p>, work: usize) -> Plan<'p> {
    policy.plan_tiles::<K>(work)
}

/// Like [`plan`], for calls without a closure of the user.
#[inline(always)]
pub fn plan_plain<'p, K: ?Sized>(policy: &Par<'p>, work: usize) -> Plan<'p> {
    policy.plan_plain::<K>(work)
}

/// Whether reductions must give the same result for any number of workers.
#[inline]
pub fn is_deterministic(policy: &Par<'_>) -> bool {
    policy.is_deterministic()
}

/// Whether the pool decides if the call is shared, and how long its units are.
#[inline]
pub fn chooses(policy: &Par<'_>) -> bool {
    policy.chooses()
}

/// The grain that the caller has set.
#[inline]
pub fn fixed_grain(policy: &Par<'_>) -> Option<usize> {
    policy.fixed_grain()
}

/// Sorts pairs by their first members, stably.
pub fn sort_pairs<K: Ord + Send, V: Send>(policy: &Par<'_>, pairs: &mut [(K, V)]) {
    crate::sort::pairs(policy, pairs);
}

/// Runs `body` compiled for the widest vectors of the machine.
#[inline(always)]
pub fn widest<B: Body>(body: B) -> B::Output {
    crate::platform::simd::widest(body)
}

/// With `true`, kernels run from now on as on a machine without wide vectors; with `false`, as on this one again.
pub fn set_plain(is_plain: bool) {
    crate::platform::set_plain(is_plain);
}

/// Whether `T` is the primitive type `U`.
#[inline(always)]
pub fn is<T, U: 'static>() -> bool {
    crate::element::primitive::is::<T, U>()
}

/// Tells the system that `room` will be written from end to end.
#[inline]
pub fn expect_writes<T>(room: &mut [MaybeUninit<T>]) {
    crate::memory::huge_pages::expect_writes(room);
}
