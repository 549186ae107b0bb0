//! The actions of operations.

/// The number of tags that a schedule can use: 0 to 31.
pub const TAGS: u32 = 32;

/// What an operation of a [`Graph`](crate::Graph) does, without the memory that it works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Sends the source blocks, one after another, as one message.
    Send {
        /// The receiver's rank.
        to: u32,
        /// Distinguishes messages between the same two ranks.
        tag: u32,
    },
    /// Receives one message into the target blocks, one after another.
    Recv {
        /// The sender's rank.
        from: u32,
        /// The sender's tag.
        tag: u32,
    },
    /// Copies the source blocks into the target blocks.
    Copy,
    /// Element by element, `target = target ∘ source` or `target = source ∘ target`.
    Apply {
        /// The operator `∘`.
        operator: Operator,
        /// The type of the elements of both operands.
        element: ElementType,
        /// The side on which the target stands.
        side: Side,
    },
    /// Calls a function of the user on target and source.
    Call {
        /// The function's number in the graph's table of functions.
        function: u32,
    },
    /// Writes the nanoseconds since the run's start into the target, a `u64`.
    Timestamp,
    /// Computes for `duration_ns` in a simulation. In a run it takes no time, and only joins the operations that it requires.
    Calc {
        /// The duration.
        duration_ns: u64,
    },
}

/// The operators of [`Action::Apply`]. Integers wrap around; [`ElementType::has`] says which type has which operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`; a run that divides an integer by 0 fails.
    Div,
    /// The smaller one. Of a float and NaN: the float.
    Min,
    /// The larger one. Of a float and NaN: the float.
    Max,
    /// `a & b`; integers only.
    And,
    /// `a | b`; integers only.
    Or,
    /// `a ^ b`; integers only.
    Xor,
}

impl Operator {
    /// All operators, in the order of their numbers.
    pub const ALL: [Self; 9] =
        [Self::Add, Self::Sub, Self::Mul, Self::Div, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];
}

/// The types that operators work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "they are named after the types of Rust that they are")]
#[non_exhaustive]
pub enum ElementType {
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
}

impl ElementType {
    /// All types, in the order of their numbers.
    pub const ALL: [Self; 12] = [
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::I128,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::U128,
        Self::F32,
        Self::F64,
    ];

    /// The size of one element.
    pub fn bytes(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::I128 | Self::U128 => 16,
        }
    }

    /// Whether the type has the operator: floats have no bitwise operators.
    pub fn has(self, operator: Operator) -> bool {
        let bits = matches!(operator, Operator::And | Operator::Or | Operator::Xor);
        !(bits && matches!(self, Self::F32 | Self::F64))
    }
}

/// On which side of an operator the target stands; it matters for operators that do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Side {
    /// `target = target ∘ source`
    Left,
    /// `target = source ∘ target`
    Right,
}
