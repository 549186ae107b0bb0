//! Vectors: filled in place where the length is known, else joined from the vectors of the parts.

use std::collections::LinkedList;
use std::marker::PhantomData;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::sink::fold::{Kernel, run};
use crate::sink::slots;
use crate::source::Source;

/// Each part makes a vector.
struct Push<T>(PhantomData<fn(T)>);

impl<S: Source<Item = T>, T: Send> Kernel<S> for Push<T> {
    type Part = Vec<T>;

    #[inline(always)]
    fn unit(&self, part: Option<Vec<T>>, source: &mut S, grain: usize) -> Vec<T> {
        source.fold(grain, part.unwrap_or_default(), |mut part, x| {
            part.push(x);
            part
        })
    }
}

/// The elements of `source`, part by part.
fn parts_of<S: Source<Item = T>, T: Send>(settings: &Settings<'_>, source: S) -> impl Iterator<Item = Vec<T>> {
    run(settings, source, Push(PhantomData))
}

/// The elements of `chain`, part by part.
pub(crate) fn parts<I: ParallelIterator>(mut chain: I) -> LinkedList<Vec<I::Item>> {
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    parts_of(&settings, source).collect()
}

/// Appends the elements of `chain` to `vector`.
#[inline]
pub(crate) fn append<I: ParallelIterator>(mut chain: I, vector: &mut Vec<I::Item>) {
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    append_source(&settings, source, vector);
}

/// The elements of `source`.
#[inline]
pub(crate) fn of_source<S: Source<Item: Send>>(settings: &Settings<'_>, source: S) -> Vec<S::Item> {
    let mut vector = Vec::new();
    append_source(settings, source, &mut vector);
    vector
}

#[inline]
fn append_source<S: Source<Item: Send>>(settings: &Settings<'_>, source: S, vector: &mut Vec<S::Item>) {
    if source.exact(Seal).is_some() {
        slots::append(settings, source, vector);
        return;
    }
    let mut parts: Vec<Vec<S::Item>> = parts_of(settings, source).collect();
    if vector.is_empty()
        && let Some(first) = parts.first_mut()
    {
        // The memory of the first part is used for all.
        std::mem::swap(vector, first);
    }
    vector.reserve_exact(parts.iter().map(Vec::len).sum());
    for part in &mut parts {
        vector.append(part);
    }
}

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    #[inline]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        let mut vector = Vec::new();
        append(chain.into_par_iter(), &mut vector);
        vector
    }
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        append(chain.into_par_iter(), self);
    }

    fn extend_by(&mut self, mut elements: Vec<T>) {
        if self.is_empty() {
            *self = elements;
        } else {
            self.append(&mut elements);
        }
    }
}

impl<'a, T: Copy + Send + Sync + 'a> ParallelExtend<&'a T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = &'a T>>(&mut self, chain: I) {
        append(chain.into_par_iter().copied(), self);
    }
}

impl<T: Send> FromParallelIterator<T> for Box<[T]> {
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Vec::from_par_iter(chain).into()
    }
}
