//! Arrays by value, as vectors: one allocation, and no other code.

use super::vec;
use crate::collect::IntoParallelIterator;

impl<T: Send, const N: usize> IntoParallelIterator for [T; N] {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        Vec::from(self).into_par_iter()
    }
}
