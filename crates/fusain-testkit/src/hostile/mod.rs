//! Hostile callers: what safe code may do to an algorithm, over and over, and whether any memory is lost or broken by it.
//!
//! An operation is called under every [`Order`], most of which are inconsistent, at every [`Place`], with several grains and lengths, on
//! elements of several [kinds](elements); and again with a panic at one call of a closure, a comparison, a clone or a drop after
//! the other. After each case every element must have been dropped, and none twice: what an algorithm has neither returned nor put back it
//! drops, whatever panics.
//!
//! All counts are global, as elements without a size have no place for a reference: one [`Suite`] runs at a time.

pub mod elements;
mod ledger;
mod place;
mod suite;

pub use elements::Hostile;
pub use ledger::{callback, compare, same, says_yes};
pub use place::Place;
pub use suite::{Case, Setting, Suite};

/// Looks at all elements of `v`: what is there twice, perhaps in other places, is found out.
pub fn look_at<T: Hostile>(v: &[T]) {
    v.iter().for_each(|x| _ = x.key());
}

/// How elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Order {
    /// By their keys, a total order.
    Sane,
    /// Never equal: `a <= b` taken for `a < b`, a common slip.
    LessOrEqual,
    /// Whatever comes first is less.
    Less,
    /// Whatever comes first is greater.
    Greater,
    /// All are equal.
    Equal,
    /// A new answer each time.
    Random,
}

impl Order {
    /// All of them.
    pub const ALL: [Order; 6] =
        [Order::Sane, Order::LessOrEqual, Order::Less, Order::Greater, Order::Equal, Order::Random];

    /// Whether it is a total order, so that no call may panic because of it.
    pub fn is_total(self) -> bool {
        matches!(self, Order::Sane | Order::Equal)
    }
}
