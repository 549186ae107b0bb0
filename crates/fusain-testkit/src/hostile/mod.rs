//! Hostile callers: everything that safe code may do to an algorithm, to check that no memory is lost or broken by it.
//!
//! An operation is called under every [`Order`], most of which are inconsistent, at every [`Place`], with several grains and lengths, on
//! elements of several [kinds](elements). It is called again with a panic at each call of a closure, a comparison, a clone or a drop in
//! turn. After each case every element must have been dropped, and none twice: an algorithm drops the elements that it has neither
//! returned nor put back, whatever panics.
//!
//! All counts are global, as zero-sized elements have no place for a reference. So one [`Suite`] runs at a time.

pub mod elements;
mod ledger;
mod place;
mod suite;

pub use elements::Hostile;
pub use ledger::{callback, compare, same, says_yes};
pub use place::Place;
pub use suite::{Case, Setting, Suite};

/// Looks at all elements of `v`, which detects elements that exist twice, perhaps in other places.
pub fn look_at<T: Hostile>(v: &[T]) {
    v.iter().for_each(|x| _ = x.key());
}

/// How elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Order {
    /// By their keys, a total order.
    Sane,
    /// Never equal: `a <= b` is used as `a < b`, a common mistake.
    LessOrEqual,
    /// The first operand is always less.
    Less,
    /// The first operand is always greater.
    Greater,
    /// All elements are equal.
    Equal,
    /// A new answer each time.
    Random,
}

impl Order {
    /// All orders.
    pub const ALL: [Order; 6] =
        [Order::Sane, Order::LessOrEqual, Order::Less, Order::Greater, Order::Equal, Order::Random];

    /// Whether it is a total order, so that no call may panic because of it.
    pub fn is_total(self) -> bool {
        matches!(self, Order::Sane | Order::Equal)
    }
}
