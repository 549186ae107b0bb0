//! Whether a source can tell how many elements come out, and whether a type does.

/// What is known before the program runs of what a source will answer.
///
/// `collect` has two ways, and each is much to compile: with a constant, only what may be needed is.
/// No other crate can name this type, so none can say of its own source what memory is then written by.
#[derive(Clone, Copy, Debug)]
pub enum Exact {
    /// It never can.
    Never,
    /// It depends: a range of 128-bit numbers may be longer than a `usize` can say.
    Sometimes,
    /// As [`Sometimes`](Exact::Sometimes), and a chain that ends early gives fewer: so there may be room for what comes where there is none for that many.
    AtMost,
    /// It always can.
    Always,
}

impl Exact {
    /// Of a source that can tell if both can.
    pub(crate) const fn and(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Never, _) | (_, Exact::Never) => Exact::Never,
            (Exact::Always, Exact::Always) => Exact::Always,
            (Exact::AtMost, _) | (_, Exact::AtMost) => Exact::AtMost,
            _ => Exact::Sometimes,
        }
    }

    /// Of a source that is one or the other.
    pub(crate) const fn or(self, other: Exact) -> Exact {
        match (self, other) {
            (Exact::Never, Exact::Never) => Exact::Never,
            (Exact::Always, Exact::Always) => Exact::Always,
            (Exact::AtMost, _) | (_, Exact::AtMost) => Exact::AtMost,
            _ => Exact::Sometimes,
        }
    }

    /// Of a source that makes something with `few` elements of each element of this one. Together they may be more than a `usize` can say.
    pub(crate) const fn of_each(self, few: Few) -> Exact {
        match (self, few) {
            (Exact::Always, Few::Exactly(_)) => Exact::Sometimes,
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

/// What the type of something that a chain can be made of says of the number of its elements.
///
/// No other crate can name this type, either.
#[derive(Clone, Copy, Debug)]
pub enum Few {
    /// There may be any number.
    No,
    /// There is one, or none.
    AtMostOne,
    /// There are so many.
    Exactly(usize),
}
