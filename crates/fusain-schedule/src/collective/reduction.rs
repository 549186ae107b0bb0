//! The operations by which reductions combine elements.

use std::fmt;
use std::sync::Arc;

use fusain_comm::Plain;

use crate::{Element, OpId, Operator, Region, Result, ScheduleBuilder, Side};

type Combine<T> = Arc<dyn Fn(T, T) -> T + Send + Sync>;
type Apply<T> = fn(&mut ScheduleBuilder, Operator, Side, Region<T>, Region<T>) -> OpId;

/// An associative operation on elements.
///
/// Operators are also commutative, which rings and hierarchies need. A function need not be: its left operand always comes from lower
/// ranks.
///
/// ```
/// use fusain_schedule::collective::Reduction;
///
/// assert!(Reduction::<f64>::max().commutes());
/// let first = Reduction::function(|a: u64, _later: u64| a);
/// assert!(!first.commutes());
/// ```
#[derive(Clone)]
pub struct Reduction<T>(Kind<T>);

#[derive(Clone)]
enum Kind<T> {
    Operator(Operator, Apply<T>),
    Function(Combine<T>),
}

impl<T: Element> Reduction<T> {
    /// A reduction by an operator. [`Operator::Sub`] and [`Operator::Div`] are not associative, so their result depends on the algorithm. An allreduce
    /// gives all ranks the same result.
    pub fn operator(operator: Operator) -> Self {
        Self(Kind::Operator(operator, |builder, operator, side, into, with| match side {
            Side::Left => builder.apply(operator, into, with),
            Side::Right => builder.apply_before(operator, with, into),
        }))
    }

    /// The sum.
    pub fn sum() -> Self {
        Self::operator(Operator::Add)
    }

    /// The minimum.
    pub fn min() -> Self {
        Self::operator(Operator::Min)
    }

    /// The maximum.
    pub fn max() -> Self {
        Self::operator(Operator::Max)
    }
}

impl<T: Plain> Reduction<T> {
    /// An associative function of two elements.
    pub fn function(combine: impl Fn(T, T) -> T + Send + Sync + 'static) -> Self {
        Self(Kind::Function(Arc::new(combine)))
    }

    /// Whether operands may be exchanged.
    pub fn commutes(&self) -> bool {
        matches!(self.0, Kind::Operator(..))
    }

    /// `into = into ∘ later`, where `later` is from higher ranks.
    pub(super) fn append(&self, builder: &mut ScheduleBuilder, into: Region<T>, later: Region<T>) -> OpId {
        match &self.0 {
            Kind::Operator(operator, apply) => apply(builder, *operator, Side::Left, into, later),
            Kind::Function(combine) => {
                let combine = Arc::clone(combine);
                builder.call(each(move |into, later| combine(into, later)), into, later)
            }
        }
    }

    /// `into = earlier ∘ into`, where `earlier` is from lower ranks. Operators keep this order, too: of 0 and -0 the smaller is the one that comes first,
    /// and two ranks that exchange their data must get the same result.
    pub(super) fn prepend(&self, builder: &mut ScheduleBuilder, into: Region<T>, earlier: Region<T>) -> OpId {
        match &self.0 {
            Kind::Operator(operator, apply) => apply(builder, *operator, Side::Right, into, earlier),
            Kind::Function(combine) => {
                let combine = Arc::clone(combine);
                builder.call(each(move |into, earlier| combine(earlier, into)), into, earlier)
            }
        }
    }

    pub(super) fn must_commute(&self, why: &'static str) -> Result<()> {
        if self.commutes() { Ok(()) } else { Err(crate::Error::Unsuitable(why)) }
    }
}

fn each<T: Plain>(combine: impl Fn(T, T) -> T) -> impl Fn(&mut [T], &[T]) {
    move |target, source| target.iter_mut().zip(source).for_each(|(target, source)| *target = combine(*target, *source))
}

impl<T> fmt::Debug for Reduction<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Operator(operator, _) => operator.fmt(f),
            Kind::Function(_) => f.write_str("Function"),
        }
    }
}
