//! The tasks of a fork and their values: arrays, which need no memory of their own, or vectors.

use std::array;

/// Some tasks, and in the same form their values: an array, or a vector.
pub trait Batch<T> {
    /// As many values.
    type Values<V>;

    /// Puts all but the last on a stack; returns how many they are, and that.
    fn lay_down(self, tasks: &mut Vec<T>) -> (usize, Option<T>);

    /// Collects so many values: `first` if it is there, and then from a stack, the last of it first.
    fn gather<V>(count: usize, first: Option<V>, stack: &mut Vec<V>) -> Self::Values<V>;
}

impl<T, const N: usize> Batch<T> for [T; N] {
    type Values<V> = [V; N];

    #[inline]
    fn lay_down(self, tasks: &mut Vec<T>) -> (usize, Option<T>) {
        let mut all = self.into_iter();
        let last = all.next_back();
        tasks.extend(all);
        (N, last)
    }

    #[inline]
    fn gather<V>(_: usize, mut first: Option<V>, stack: &mut Vec<V>) -> [V; N] {
        array::from_fn(|_| match first.take().or_else(|| stack.pop()) {
            Some(value) => value,
            None => unreachable!("a value for each task"),
        })
    }
}

impl<T> Batch<T> for Vec<T> {
    type Values<V> = Vec<V>;

    #[inline]
    fn lay_down(mut self, tasks: &mut Vec<T>) -> (usize, Option<T>) {
        let (count, last) = (self.len(), self.pop());
        tasks.append(&mut self);
        (count, last)
    }

    #[inline]
    fn gather<V>(count: usize, first: Option<V>, stack: &mut Vec<V>) -> Vec<V> {
        let others = count - usize::from(first.is_some());
        first.into_iter().chain(stack.drain(stack.len() - others..).rev()).collect()
    }
}
