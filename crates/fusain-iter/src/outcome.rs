//! Values that say whether to go on: `Option`, `Result` and the like.

use std::ops::ControlFlow;
use std::task::Poll;

/// The types that the `?` operator accepts. A value says whether to go on.
///
/// It stands in for std's trait of this name, which is not stable. It is implemented for `Option`, `Result`, `ControlFlow`, and
/// `Poll` of a `Result` or of an `Option` of one.
///
/// ```
/// # use fusain_iter as fusain;
/// use std::ops::ControlFlow;
/// use fusain::iter::Try;
///
/// assert_eq!(Try::branch(Some(7)), ControlFlow::Continue(7));
/// assert!(Try::branch(None::<i32>).is_break());
/// ```
pub trait Try: Sized + sealed::Sealed {
    /// The value to go on with.
    type Output;

    /// The value that ends the operation, such as the error of a `Result`.
    type Residual;

    /// Makes a value that says: go on with `output`.
    fn from_output(output: Self::Output) -> Self;

    /// Makes a value that says: end with `residual`.
    fn from_residual(residual: Self::Residual) -> Self;

    /// Says whether to go on.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;
}

/// Converts `result` to a `ControlFlow` whose `Break` holds the whole `result`.
pub(crate) fn unbroken<R: Try>(result: R) -> ControlFlow<R, R::Output> {
    match result.branch() {
        ControlFlow::Continue(x) => ControlFlow::Continue(x),
        ControlFlow::Break(residual) => ControlFlow::Break(R::from_residual(residual)),
    }
}

/// Combines the parts until `op` fails.
pub(crate) fn try_combine<R: Try>(
    mut parts: impl Iterator<Item = R::Output>,
    op: impl Fn(R::Output, R::Output) -> R,
) -> Option<R> {
    let first = parts.next()?;
    let all = parts.try_fold(first, |a, b| unbroken(op(a, b)));
    Some(match all {
        ControlFlow::Continue(all) => R::from_output(all),
        ControlFlow::Break(broken) => broken,
    })
}

mod sealed {
    use super::{ControlFlow, Poll};

    pub trait Sealed {}
    impl<T> Sealed for Option<T> {}
    impl<T, E> Sealed for Result<T, E> {}
    impl<B, C> Sealed for ControlFlow<B, C> {}
    impl<T, E> Sealed for Poll<Result<T, E>> {}
    impl<T, E> Sealed for Poll<Option<Result<T, E>>> {}
}

impl<T> Try for Option<T> {
    type Output = T;
    type Residual = ();

    fn from_output(output: T) -> Self {
        Some(output)
    }

    fn from_residual((): ()) -> Self {
        None
    }

    fn branch(self) -> ControlFlow<(), T> {
        self.map_or(ControlFlow::Break(()), ControlFlow::Continue)
    }
}

impl<T, E> Try for Result<T, E> {
    type Output = T;
    type Residual = E;

    fn from_output(output: T) -> Self {
        Ok(output)
    }

    fn from_residual(residual: E) -> Self {
        Err(residual)
    }

    fn branch(self) -> ControlFlow<E, T> {
        match self {
            Ok(output) => ControlFlow::Continue(output),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

impl<B, C> Try for ControlFlow<B, C> {
    type Output = C;
    type Residual = B;

    fn from_output(output: C) -> Self {
        ControlFlow::Continue(output)
    }

    fn from_residual(residual: B) -> Self {
        ControlFlow::Break(residual)
    }

    fn branch(self) -> ControlFlow<B, C> {
        self
    }
}

impl<T, E> Try for Poll<Result<T, E>> {
    type Output = Poll<T>;
    type Residual = E;

    fn from_output(output: Poll<T>) -> Self {
        output.map(Ok)
    }

    fn from_residual(residual: E) -> Self {
        Poll::Ready(Err(residual))
    }

    fn branch(self) -> ControlFlow<E, Poll<T>> {
        match self {
            Poll::Pending => ControlFlow::Continue(Poll::Pending),
            Poll::Ready(Ok(output)) => ControlFlow::Continue(Poll::Ready(output)),
            Poll::Ready(Err(error)) => ControlFlow::Break(error),
        }
    }
}

impl<T, E> Try for Poll<Option<Result<T, E>>> {
    type Output = Poll<Option<T>>;
    type Residual = E;

    fn from_output(output: Poll<Option<T>>) -> Self {
        match output {
            Poll::Pending => Poll::Pending,
            Poll::Ready(output) => Poll::Ready(output.map(Ok)),
        }
    }

    fn from_residual(residual: E) -> Self {
        Poll::Ready(Some(Err(residual)))
    }

    fn branch(self) -> ControlFlow<E, Poll<Option<T>>> {
        match self {
            Poll::Pending => ControlFlow::Continue(Poll::Pending),
            Poll::Ready(None) => ControlFlow::Continue(Poll::Ready(None)),
            Poll::Ready(Some(Ok(output))) => ControlFlow::Continue(Poll::Ready(Some(output))),
            Poll::Ready(Some(Err(error))) => ControlFlow::Break(error),
        }
    }
}
