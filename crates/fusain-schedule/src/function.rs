//! Functions of the user, called by number.

use std::fmt;
use std::sync::Arc;

use bytemuck::{cast_slice, cast_slice_mut, try_cast_slice, try_cast_slice_mut};
use fusain_comm::Plain;

type OnBytes = dyn Fn(&mut [u8], &[u8]) + Send + Sync;

/// A function of the user with a target and a source, on bytes.
pub(crate) struct Function(Box<OnBytes>);

impl Function {
    pub(crate) fn new<T: Plain + 'static>(function: impl Fn(&mut [T], &[T]) + Send + Sync + 'static) -> Self {
        Self(Box::new(move |target, source| with_elements(&function, target, source)))
    }

    pub(crate) fn call(&self, target: &mut [u8], source: &[u8]) {
        (self.0)(target, source);
    }
}

/// Calls the function with slices of elements. The memory of a run is aligned for the elements that the builder declared. A schedule that
/// came as bytes may use other elements: those are copied to aligned memory and back, and bytes at the end that are no whole element are
/// left alone.
fn with_elements<T: Plain>(function: &impl Fn(&mut [T], &[T]), target: &mut [u8], source: &[u8]) {
    if size_of::<T>() == 0 {
        return function(&mut [], &[]);
    }
    let whole = |bytes: usize| bytes - bytes % size_of::<T>();
    let (target_end, source_end) = (whole(target.len()), whole(source.len()));
    let (target, source) = (&mut target[..target_end], &source[..source_end]);
    let owned;
    let elements: &[T] = match try_cast_slice(source) {
        Ok(elements) => elements,
        Err(_) => {
            owned = aligned(source);
            &owned
        }
    };
    match try_cast_slice_mut(target) {
        Ok(target) => function(target, elements),
        Err(_) => {
            let mut copy = aligned(target);
            function(&mut copy, elements);
            target.copy_from_slice(cast_slice(&copy));
        }
    }
}

fn aligned<T: Plain>(bytes: &[u8]) -> Vec<T> {
    let mut elements = vec![T::zeroed(); bytes.len() / size_of::<T>()];
    cast_slice_mut::<T, u8>(&mut elements).copy_from_slice(bytes);
    elements
}

/// The functions that a schedule calls. The bytes of a schedule name them by number only.
#[derive(Clone, Debug, Default)]
pub struct Functions(Arc<[Function]>);

impl Functions {
    pub(crate) fn new(functions: Vec<Function>) -> Self {
        Self(functions.into())
    }

    /// The number of functions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no functions.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Function> {
        self.0.get(number as usize)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_aligned_are_elements_all_the_same() {
        let double = Function::new(|target: &mut [u64], source: &[u64]| {
            target.iter_mut().zip(source).for_each(|(target, source)| *target = 2 * source);
        });
        let (mut target, source) = ([0u64; 4], [7u64, 8, 9, 10]);
        let target_bytes: &mut [u8] = cast_slice_mut(&mut target);
        let shifted: Vec<u8> = [0].into_iter().chain(cast_slice(&source).iter().copied()).collect();
        double.call(&mut target_bytes[..24], &shifted[1..25]);
        assert_eq!(target, [14, 16, 18, 0]);
        let mut odd = [1u8; 9];
        double.call(&mut odd[1..], &shifted[1..9]);
        assert_eq!(odd, [1, 14, 0, 0, 0, 0, 0, 0, 0]);
    }
}
