//! Ranges of integers, and of characters.

use std::ops::{ControlFlow, Range, RangeInclusive};

use super::indexed::{IndexedSource, Pieces};
use super::{ROW, Source};
use crate::adaptor::{ChainIndexed, ChainPiece};
use crate::collect::IntoParallelIterator;
use crate::exact::Exact;
use crate::indexed::IndexedParallelIterator;
use crate::parallel::ParallelIterator;
use crate::seal::Seal;
use crate::settings::Settings;

/// The numbers of a range.
///
/// It is indexed for numbers of up to 32 bits, `usize` and `isize`, as in std.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..10_u64).into_par_iter().sum::<u64>(), 45);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Iter<T>(Range<T>);

/// The numbers of a range that includes its end.
///
/// It is indexed for numbers of up to 16 bits, as in std.
///
/// ```
/// # use fusain_iter::prelude::*;
/// assert_eq!((0..=10_u64).into_par_iter().sum::<u64>(), 55);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a chain does nothing before it is run"]
pub struct Inclusive<T>(RangeInclusive<T>);

/// An integer type.
#[doc(hidden)]
pub trait Number: Copy + Send + Sync + Ord + 'static {
    /// The source of a range of such numbers.
    type Source: Source<Item = Self>;

    /// Makes the source of `range`.
    fn source(range: Range<Self>) -> Self::Source;

    /// `b - a`, or `usize::MAX` if that is less. Requires `a <= b`.
    fn distance(a: Self, b: Self) -> usize;

    /// `self + n`, which must fit in the type.
    fn plus(self, n: usize) -> Self;

    /// The middle between `a` and `b`, which is above `a`. Requires `a < b`.
    fn middle(a: Self, b: Self) -> Self;
}

/// Integers for which std's `Range` has an exact length.
#[doc(hidden)]
pub trait Counted: Number {}

/// Integers for which std's `RangeInclusive` has an exact length, too.
#[doc(hidden)]
pub trait Short: Counted {
    /// An empty range.
    const NONE: RangeInclusive<Self>;
}

/// The source of a range whose length may not fit in a `usize`.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RangeSource<T>(Range<T>);

/// The source of a range that may include its end.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct InclusiveSource<T> {
    range: Range<T>,
    /// Whether the end of `range` is included.
    ends: bool,
}

impl<T: Number> RangeSource<T> {
    fn front(&mut self, n: usize) -> Range<T> {
        let start = self.0.start;
        self.0.start = start.plus(n.min(self.left_now()));
        start..self.0.start
    }

    fn left_now(&self) -> usize {
        if self.0.start < self.0.end { T::distance(self.0.start, self.0.end) } else { 0 }
    }

    fn split_now(&mut self) -> Option<Self> {
        if self.left_now() < 2 {
            return None;
        }
        let middle = T::middle(self.0.start, self.0.end);
        Some(RangeSource(middle..std::mem::replace(&mut self.0.end, middle)))
    }
}

impl<T: Number> Source for RangeSource<T>
where
    Range<T>: Iterator<Item = T>,
{
    type Item = T;

    const EXACT: Exact = Exact::Sometimes;

    #[inline(always)]
    fn left(&self) -> usize {
        self.left_now()
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        self.front(grain).try_for_each(each)
    }

    fn split(&mut self) -> Option<Self> {
        self.split_now()
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if n >= self.left_now() {
            return None;
        }
        let at = self.0.start.plus(n);
        Some(RangeSource(at..std::mem::replace(&mut self.0.end, at)))
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, T) -> A) -> A {
        self.front(grain).fold(acc, step)
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        Some(self.left_now()).filter(|n| *n < usize::MAX)
    }
}

impl<T: Number> InclusiveSource<T> {
    /// Takes up to `n` numbers from the front. The end of the range is returned apart.
    #[inline(always)]
    fn take(&mut self, n: usize) -> (Range<T>, Option<T>) {
        let mut open = RangeSource(self.range.clone());
        let ends = self.ends && n > open.left_now();
        let front = open.front(n);
        self.range = open.0;
        self.ends &= !ends;
        (front, ends.then_some(self.range.end))
    }
}

impl<T: Number> Source for InclusiveSource<T>
where
    Range<T>: Iterator<Item = T>,
{
    type Item = T;

    const EXACT: Exact = Exact::Sometimes;

    #[inline(always)]
    fn left(&self) -> usize {
        RangeSource(self.range.clone()).left_now().saturating_add(usize::from(self.ends))
    }

    #[inline(always)]
    fn run(&mut self, grain: usize, each: impl FnMut(T) -> ControlFlow<()>) -> ControlFlow<()> {
        let (front, end) = self.take(grain);
        front.chain(end).try_for_each(each)
    }

    fn split(&mut self) -> Option<Self> {
        let mut open = RangeSource(self.range.clone());
        let RangeSource(range) = open.split_now()?;
        self.range = open.0;
        Some(InclusiveSource { range, ends: std::mem::take(&mut self.ends) })
    }

    fn split_at(&mut self, n: usize) -> Option<Self> {
        if n >= Source::left(self) {
            return None;
        }
        let at = self.range.start.plus(n);
        let range = at..std::mem::replace(&mut self.range.end, at);
        Some(InclusiveSource { range, ends: std::mem::take(&mut self.ends) })
    }

    #[inline(always)]
    fn fold<A>(&mut self, grain: usize, acc: A, step: impl FnMut(A, T) -> A) -> A {
        let (front, end) = self.take(grain);
        front.chain(end).fold(acc, step)
    }

    #[inline(always)]
    fn exact(&self, _: Seal) -> Option<usize> {
        Some(Source::left(self)).filter(|n| *n < usize::MAX)
    }
}

// One implementation for all integers, so that the type of a literal is inferred from later code. With an implementation for each type, the compiler would take `i32`.
impl<T: Number> ParallelIterator for Iter<T> {
    type Item = T;
    type Source<'s> = T::Source;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> T::Source {
        T::source(self.0.clone())
    }

    fn opt_len(&self) -> Option<usize> {
        T::source(self.0.clone()).exact(Seal)
    }
}

impl<T: Counted> IndexedParallelIterator for Iter<T>
where
    Range<T>: DoubleEndedIterator<Item = T> + ExactSizeIterator,
{
    type Indexed<'s> = Range<T>;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> Range<T> {
        self.0.clone()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T: Counted> IndexedSource for Range<T>
where
    Range<T>: DoubleEndedIterator<Item = T> + ExactSizeIterator,
{
    type Item = T;
    type Piece<'p> = Range<T>;

    const EXACT: Exact = Exact::Always;

    #[inline(always)]
    fn left(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> Range<T> {
        let start = self.start;
        self.start = start.plus(n.min(self.len()));
        start..self.start
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> Range<T> {
        let end = self.end;
        self.end = self.start.plus(self.len().saturating_sub(n));
        self.end..end
    }

    #[inline(always)]
    fn split_at(&mut self, n: usize) -> Self {
        let at = self.start.plus(n.min(self.len()));
        at..std::mem::replace(&mut self.end, at)
    }

    #[inline(always)]
    fn row<U>(&mut self, mut map: impl FnMut(T) -> U, _: Seal) -> Option<[U; ROW]> {
        if self.len() < ROW {
            return None;
        }
        let start = self.start;
        self.start = start.plus(ROW);
        Some(std::array::from_fn(|i| map(start.plus(i))))
    }
}

impl<T: Number> ParallelIterator for Inclusive<T>
where
    Range<T>: Iterator<Item = T>,
{
    type Item = T;
    type Source<'s> = InclusiveSource<T>;

    fn source<'s>(&'s mut self, _settings: &mut Settings<'s>) -> InclusiveSource<T> {
        let (start, end) = self.0.clone().into_inner();
        InclusiveSource { range: start..end, ends: !self.0.is_empty() }
    }

    fn opt_len(&self) -> Option<usize> {
        self.clone().source(&mut Settings::default()).exact(Seal)
    }
}

impl<T: Short> IndexedParallelIterator for Inclusive<T>
where
    Range<T>: Iterator<Item = T>,
    RangeInclusive<T>: DoubleEndedIterator<Item = T> + ExactSizeIterator,
{
    type Indexed<'s> = InclusiveSource<T>;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> InclusiveSource<T> {
        self.source(settings)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl<T: Short> IndexedSource for InclusiveSource<T>
where
    Range<T>: Iterator<Item = T>,
    RangeInclusive<T>: DoubleEndedIterator<Item = T> + ExactSizeIterator,
{
    type Item = T;
    type Piece<'p> = RangeInclusive<T>;

    const EXACT: Exact = Exact::Always;

    fn left(&self) -> usize {
        Source::left(self)
    }

    #[inline(always)]
    fn front(&mut self, n: usize) -> RangeInclusive<T> {
        let rest = IndexedSource::split_at(self, n);
        std::mem::replace(self, rest).all()
    }

    #[inline(always)]
    fn back(&mut self, n: usize) -> RangeInclusive<T> {
        IndexedSource::split_at(self, IndexedSource::left(self).saturating_sub(n)).all()
    }

    fn split_at(&mut self, n: usize) -> Self {
        // The type may have no number after the end.
        let open = RangeSource(self.range.clone()).left_now();
        if n > open {
            return InclusiveSource { range: self.range.end..self.range.end, ends: false };
        }
        let at = self.range.start.plus(n);
        let range = at..std::mem::replace(&mut self.range.end, at);
        InclusiveSource { range, ends: std::mem::take(&mut self.ends) }
    }
}

impl<T: Short> InclusiveSource<T> {
    fn all(self) -> RangeInclusive<T> {
        let Range { start, end } = self.range;
        match RangeSource(start..end).left_now() {
            _ if self.ends => start..=end,
            0 => T::NONE,
            n => start..=start.plus(n - 1),
        }
    }
}

/// The source of a range whose length fits in a `usize`.
type CountedSource<T> = Pieces<Range<T>>;

/// The functions of integer types that no trait of std gives.
macro_rules! numbers {
    ($source:ident, $make:ident: $($t:ident $unsigned:ident),*) => {$(
        impl Number for $t {
            type Source = $source<$t>;

            fn source(range: Range<$t>) -> $source<$t> {
                $make(range)
            }

            #[inline(always)]
            fn distance(a: $t, b: $t) -> usize {
                usize::try_from(b.wrapping_sub(a) as $unsigned).unwrap_or(usize::MAX)
            }

            #[inline(always)]
            fn plus(self, n: usize) -> $t {
                self.wrapping_add(n as $t)
            }

            #[inline(always)]
            fn middle(a: $t, b: $t) -> $t {
                a.wrapping_add((b.wrapping_sub(a) as $unsigned).div_ceil(2) as $t)
            }
        }
    )*};
}

numbers!(CountedSource, Pieces: u8 u8, u16 u16, u32 u32, usize usize, i8 u8, i16 u16, i32 u32, isize usize);
// Std gives these ranges no exact length.
numbers!(RangeSource, RangeSource: u64 u64, u128 u128, i64 u64, i128 u128);

impl Counted for u8 {}
impl Counted for u16 {}
impl Counted for u32 {}
impl Counted for usize {}
impl Counted for i8 {}
impl Counted for i16 {}
impl Counted for i32 {}
impl Counted for isize {}

impl Short for u8 {
    const NONE: RangeInclusive<u8> = RangeInclusive::new(1, 0);
}

impl Short for u16 {
    const NONE: RangeInclusive<u16> = RangeInclusive::new(1, 0);
}

impl Short for i8 {
    const NONE: RangeInclusive<i8> = RangeInclusive::new(1, 0);
}

impl Short for i16 {
    const NONE: RangeInclusive<i16> = RangeInclusive::new(1, 0);
}

// One implementation for all types, so that the type of a literal can be inferred from later code.
impl<T> IntoParallelIterator for Range<T>
where
    Iter<T>: ParallelIterator,
{
    type Iter = Iter<T>;
    type Item = <Iter<T> as ParallelIterator>::Item;

    fn into_par_iter(self) -> Iter<T> {
        Iter(self)
    }
}

impl<T> IntoParallelIterator for RangeInclusive<T>
where
    Inclusive<T>: ParallelIterator,
{
    type Iter = Inclusive<T>;
    type Item = <Inclusive<T> as ParallelIterator>::Item;

    fn into_par_iter(self) -> Inclusive<T> {
        Inclusive(self)
    }
}

/// The source of a range of characters: the code points below the gap in Unicode, and those above it.
#[doc(hidden)]
#[derive(Debug)]
pub struct CharSource(ChainIndexed<Range<u32>, Range<u32>>);

/// The code points that are no characters: surrogates.
const GAP: Range<u32> = 0xD800..0xE000;

impl CharSource {
    /// The characters with code points from `start` up to, but without, `end`.
    fn new(start: u32, end: u32) -> Self {
        let below = start.min(GAP.start)..end.min(GAP.start);
        let above = start.max(GAP.end)..end.max(GAP.end);
        CharSource(ChainIndexed::new(below, above))
    }
}

fn to_char(number: u32) -> char {
    char::from_u32(number).expect("outside of the gap every number is a character")
}

impl IndexedSource for CharSource {
    type Item = char;
    type Piece<'p> = std::iter::Map<ChainPiece<Range<u32>, Range<u32>>, fn(u32) -> char>;

    const EXACT: Exact = Exact::Always;

    fn left(&self) -> usize {
        self.0.left()
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.front(n).map(to_char)
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.back(n).map(to_char)
    }

    fn split_at(&mut self, n: usize) -> Self {
        CharSource(self.0.split_at(n))
    }
}

impl ParallelIterator for Iter<char> {
    type Item = char;
    type Source<'s> = Pieces<CharSource>;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl IndexedParallelIterator for Iter<char> {
    type Indexed<'s> = CharSource;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> CharSource {
        CharSource::new(self.0.start.into(), self.0.end.into())
    }

    fn len(&self) -> usize {
        CharSource::new(self.0.start.into(), self.0.end.into()).left()
    }
}

/// The characters of a range, including its end.
fn inclusive_chars(range: &RangeInclusive<char>) -> CharSource {
    if range.is_empty() {
        CharSource::new(0, 0)
    } else {
        CharSource::new((*range.start()).into(), u32::from(*range.end()) + 1)
    }
}

impl ParallelIterator for Inclusive<char> {
    type Item = char;
    type Source<'s> = Pieces<CharSource>;

    fn source<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Source<'s> {
        Pieces(self.indexed(settings))
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl IndexedParallelIterator for Inclusive<char> {
    type Indexed<'s> = CharSource;

    fn indexed<'s>(&'s mut self, _settings: &mut Settings<'s>) -> CharSource {
        inclusive_chars(&self.0)
    }

    fn len(&self) -> usize {
        inclusive_chars(&self.0).left()
    }
}
