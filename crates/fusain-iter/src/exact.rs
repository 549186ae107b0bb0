//! What is known at compile time about the number of elements of a source or of a type.

/// Whether a source can tell exactly how many elements come out, as far as this is known at compile time.
///
/// `collect` has two ways, and each is much to compile. Since this is a constant, only what may be needed is compiled.
/// Memory is written by this promise. So no other crate can name this type, and make the promise for its own source.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    /// The source can never tell.
    Never,
    /// It depends on the value: the length of a range of 128-bit numbers may not fit in a `usize`.
    Sometimes,
    /// Like [`Sometimes`](Exact::Sometimes), but the chain may end early and give fewer elements. So memory may suffice for these even if it does not for the known length.
    AtMost,
    /// The source can always tell.
    Always,
}

impl Exact {
    /// For a source that can tell if both parts can.
    pub(crate) const fn and(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Never, _) | (_, Exact::Never) => Exact::Never,
            (Exact::Always, Exact::Always) => Exact::Always,
            (Exact::AtMost, _) | (_, Exact::AtMost) => Exact::AtMost,
            _ => Exact::Sometimes,
        }
    }

    /// For a source that is one of the two.
    pub(crate) const fn or(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Never, Exact::Never) => Exact::Never,
            (Exact::Always, Exact::Always) => Exact::Always,
            (Exact::AtMost, _) | (_, Exact::AtMost) => Exact::AtMost,
            _ => Exact::Sometimes,
        }
    }

    /// For a source that makes, of each element of this one, something with `few` elements. Their total may not fit in a `usize`.
    pub(crate) const fn of_each(self, bound: LengthBound) -> Exact {
        match (self, bound) {
            (Exact::Always, LengthBound::Exactly(_)) => Exact::Sometimes,
            _ => Exact::Never,
        }
    }

    pub(crate) const fn is_never(self) -> bool {
        matches!(self, Exact::Never)
    }

    pub(crate) const fn is_at_most(self) -> bool {
        matches!(self, Exact::AtMost)
    }

    pub(crate) const fn is_always(self) -> bool {
        matches!(self, Exact::Always)
    }
}

/// What is known at compile time about the length of a chain, from the type that it is made of: an upper bound, or the exact number.
///
/// No other crate can name this type, as with [`Exact`].
#[derive(Clone, Copy, Debug)]
pub enum LengthBound {
    /// There may be any number of elements.
    Unbounded,
    /// There is one element, or none.
    AtMostOne,
    /// There are exactly this many elements.
    Exactly(usize),
}
