//! The tasks of a fork and their values: arrays, which need no heap memory, or vectors.

use std::array;

/// A number of tasks, in an array or a vector. Their values come in the same form.
pub trait Batch<T> {
    /// The same kind of collection, for values.
    type Values<V>;

    /// Pushes all tasks but the last on a stack. Returns the number of tasks, and the last one.
    fn push_onto(self, tasks: &mut Vec<T>) -> (usize, Option<T>);

    /// Collects `count` values: `first` if there is one, then values from the top of a stack.
    fn gather<V>(count: usize, first: Option<V>, stack: &mut Vec<V>) -> Self::Values<V>;
}

impl<T, const N: usize> Batch<T> for [T; N] {
    type Values<V> = [V; N];

    #[inline]
    fn push_onto(self, tasks: &mut Vec<T>) -> (usize, Option<T>) {
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
    fn push_onto(mut self, tasks: &mut Vec<T>) -> (usize, Option<T>) {
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
