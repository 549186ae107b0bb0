//! Vectors: filled in place where the length is known, else joined from the vectors of the parts.

use std::collections::LinkedList;
use std::marker::PhantomData;

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend};
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;
use crate::sink::fold::{Kernel, Parts, run};
use crate::sink::slots;
use crate::source::Source;

/// Each part makes a vector.
struct Push<T>(PhantomData<fn(T)>);

impl<S: Source<Item = T>, T: Send> Kernel<S> for Push<T> {
    type Part = Vec<T>;

    #[inline(always)]
    fn unit(&self, part: Option<Vec<T>>, source: &mut S, grain: usize) -> Vec<T> {
        let mut part = part.unwrap_or_default();
        source.fold(grain, (), |(), x| {
            if part.len() == part.capacity() {
                grow(&mut part);
            }
            part.push(x);
        });
        part
    }
}

/// What a part gets room for at first, in bytes: one allocation instead of the five that growing from four numbers on takes.
const FIRST_BYTES: usize = 1 << 10;

#[cold]
fn grow<T>(part: &mut Vec<T>) {
    let first = FIRST_BYTES.checked_div(size_of::<T>()).unwrap_or(0);
    part.reserve(part.len().max(first).max(1));
}

/// The elements of `source`, part by part.
#[inline(always)]
fn parts_of<S: Source<Item = T>, T: Send>(settings: &Settings<'_>, source: S) -> Parts<Vec<T>> {
    run(settings, source, Push(PhantomData))
}

/// The elements of `chain`, part by part.
pub(crate) fn parts<I: ParallelIterator>(mut chain: I) -> LinkedList<Vec<I::Item>> {
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    parts_of(&settings, source).into_iter().collect()
}

/// Appends the elements of `chain` to `vector`.
#[inline(always)]
pub(crate) fn append<I: ParallelIterator>(mut chain: I, vector: &mut Vec<I::Item>) {
    let mut settings = Settings::default();
    let source = chain.source(&mut settings);
    append_source(&settings, source, vector);
}

/// The elements of `source`.
#[inline(always)]
pub(crate) fn of_source<S: Source<Item: Send>>(settings: &Settings<'_>, source: S) -> Vec<S::Item> {
    let mut vector = Vec::with_capacity(source.exact(Seal).unwrap_or(0));
    append_source(settings, source, &mut vector);
    vector
}

#[inline(always)]
fn append_source<S: Source<Item: Send>>(settings: &Settings<'_>, source: S, vector: &mut Vec<S::Item>) {
    if source.exact(Seal).is_some() {
        slots::append(settings, source, vector);
        return;
    }
    let parts = parts_of(settings, source);
    let mut more = parts.iter().map(Vec::len).sum::<usize>();
    for part in parts {
        more -= part.len();
        vector.extend_by(part);
        vector.reserve_exact(more);
    }
}

impl<T: Send> FromParallelIterator<T> for Vec<T> {
    #[inline(always)]
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        let mut chain = chain.into_par_iter();
        let mut settings = Settings::default();
        let source = chain.source(&mut settings);
        of_source(&settings, source)
    }
}

impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, chain: I) {
        append(chain.into_par_iter(), self);
    }

    #[inline]
    fn extend_by(&mut self, mut elements: Vec<T>) {
        if self.is_empty() && self.capacity() < elements.len() {
            // Their memory serves for all.
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
