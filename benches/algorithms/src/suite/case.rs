//! The data of one row: pSTL-Bench's input for it, created once and used by all sides.

use std::cell::RefCell;

use super::Number;
use crate::data;
use fusain_harness::{Answer, Scratch, Side};

/// The order of the elements 1, 2, ..., n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In ascending order.
    Ascending,
    /// In random order.
    Shuffled,
    /// Distributed at random into two halves, each ascending: as if shuffled, with each half sorted.
    Halves,
}

impl Order {
    fn fill<T: Number>(self, v: &mut [T], rng: &mut fastrand::Rng) {
        v.iter_mut().enumerate().for_each(|(index, x)| *x = T::nth(index));
        match self {
            Order::Ascending => {}
            Order::Shuffled => rng.shuffle(v),
            Order::Halves => {
                let middle = v.len() / 2;
                let (mut low, mut high) = (0, middle);
                for index in 0..v.len() {
                    // The probability is the share of the free room that the half has, which makes every choice of halves equally probable.
                    let goes_low = rng.usize(..v.len() - index) < middle - low;
                    let at = if goes_low { &mut low } else { &mut high };
                    v[*at] = T::nth(index);
                    *at += 1;
                }
            }
        }
    }
}

/// The second sequence of algorithms that read two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// The same as the first.
    Same,
    /// Half as many elements, from n/4 on; most are contained in the first.
    Quarters,
}

impl Second {
    fn len(self, n: usize) -> usize {
        match self {
            Second::Same => n,
            Second::Quarters => n / 2,
        }
    }
}

/// The sequences of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The sequence that is only read.
    pub data: Option<Order>,
    /// The second sequence that is only read.
    pub second: Option<Second>,
    /// The sequence that is modified in place.
    pub scratch: Option<Order>,
    /// Whether there is an output sequence.
    pub out: bool,
}

impl Input {
    /// One sequence, which is read.
    pub const READ: Input = Input { data: Some(Order::Ascending), second: None, scratch: None, out: false };
    /// One sequence that is read, and an output of the same length.
    pub const WRITE: Input = Input { out: true, ..Input::READ };

    /// One sequence that is modified in place.
    pub const fn in_place(order: Order) -> Input {
        Input { data: None, second: None, scratch: Some(order), out: false }
    }

    /// This input with a second sequence to read.
    pub const fn and(self, second: Second) -> Input {
        Input { second: Some(second), ..self }
    }

    /// The number of elements that a call reads or writes, for the throughput. For an algorithm that may end early, it is that of a full
    /// run.
    pub fn elements(self, n: usize) -> usize {
        let sequences = [self.data.is_some(), self.scratch.is_some(), self.out].into_iter().filter(|x| *x).count();
        sequences * n + self.second.map_or(0, |second| second.len(n))
    }

    /// The number of elements kept in memory. For work in place this includes the source, from which the sequence is restored.
    pub fn elements_kept(self, n: usize) -> usize {
        let several = self.scratch.is_some() || self.data == Some(Order::Halves);
        self.elements(n) + if several { n.max(SCRATCH_ELEMENTS) } else { 0 }
    }
}

/// The number of elements in all copies of a short input that differs at each call: 512 KiB of f64. With few copies, a branch predictor
/// would learn them.
const SCRATCH_ELEMENTS: usize = 1 << 16;

/// The sequences of one row, and the positions of its hits.
#[derive(Debug)]
pub struct Case<T> {
    n: usize,
    data: Vec<T>,
    second: Vec<T>,
    scratch: Scratch<T>,
    out: RefCell<Vec<T>>,
    draws: Draws,
}

impl<T: Number> Case<T> {
    /// `n` elements of each sequence in `input`.
    pub fn new(input: Input, n: usize) -> Self {
        let mut rng = data::rng();
        let mut sequence = |order: Option<Order>, copies: usize| {
            let mut v = vec![T::default(); order.map_or(0, |_| n * copies)];
            v.chunks_exact_mut(n.max(1))
                .for_each(|copy| order.into_iter().for_each(|order| order.fill(copy, &mut rng)));
            v
        };
        let second = match input.second {
            None => Vec::new(),
            Some(Second::Same) => (0..n).map(T::nth).collect(),
            // The sequence starts at the value n/4, which is at index n/4 - 1; for fewer than four elements, at the first element.
            Some(Second::Quarters) => (0..n / 2).map(|index| T::nth((index + n / 4).saturating_sub(1))).collect(),
        };
        Case {
            n,
            data: sequence(input.data, if input.data == Some(Order::Halves) { copies(n) } else { 1 }),
            second,
            scratch: Scratch::new(sequence(input.scratch, copies(n)), if input.scratch.is_some() { n } else { 0 }),
            out: RefCell::new(vec![T::default(); if input.out { n } else { 0 }]),
            draws: Draws::Spread,
        }
    }

    /// A case of given elements: `source` is cut into inputs of `n` elements, of which the first is also the sequence that is read.
    pub fn of(source: Vec<T>, n: usize) -> Self {
        let data = source[..n].to_vec();
        let out = RefCell::new(vec![T::default(); n]);
        Case { n, data, second: Vec::new(), scratch: Scratch::new(source, n), out, draws: Draws::TwoThirds }
    }

    /// The number of elements.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The sequence that is read.
    pub fn data(&self) -> &[T] {
        &self.data[..self.n]
    }

    /// The second sequence that is read.
    pub fn second(&self) -> &[T] {
        &self.second
    }

    /// The start of the second half.
    pub fn middle(&self) -> usize {
        self.n / 2
    }

    /// A side that gets another element to search at each call.
    pub fn wanting<'a, R: Answer>(&'a self, mut call: impl FnMut(T) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        let mut draw = self.draws.indices(self.n);
        reading(move || call(self.data()[draw()]))
    }

    /// A side that gets at each call the index of its hit, which is less than `below`. It works on a sequence and leaves it unchanged.
    pub fn drawing_in_place<'a, R: Answer>(
        &'a self,
        below: usize,
        mut call: impl FnMut(&mut [T], usize) -> R + 'a,
    ) -> impl FnOnce(&str) -> Side<'a> {
        let mut draw = self.draws.indices(below);
        self.in_place(move |v| call(v, draw()))
    }

    /// A side that writes to the output.
    pub fn writing<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::writing(name, &self.out, call)
    }

    /// A side that reads two halves, of the next copy at each call, and writes to the output.
    pub fn merging<'a, R: Answer>(
        &'a self,
        mut call: impl FnMut(&[T], &[T], &mut [T]) -> R + 'a,
    ) -> impl FnOnce(&str) -> Side<'a> {
        let mut copies = self.data.chunks_exact(self.n.max(1)).cycle();
        self.writing(move |out| {
            let (a, b) = copies.next().unwrap_or_default().split_at(self.n / 2);
            call(a, b, out)
        })
    }

    /// A side that works in place on whatever the previous call left.
    pub fn in_place<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::in_place(name, &self.scratch, call)
    }

    /// A side that works in place and needs fresh input each time.
    pub fn consuming<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::consuming(name, &self.scratch, call)
    }

    /// Restores the initial state of everything that is written.
    pub fn reset(&self) {
        self.out.borrow_mut().fill(T::default());
        self.scratch.restore_first();
    }

    /// The output.
    pub fn written(&self) -> Vec<T> {
        self.out.borrow().clone()
    }

    /// The sequence that was modified in place.
    pub fn worked_on(&self) -> Vec<T> {
        self.scratch.first()
    }
}

/// A side whose call changes nothing.
pub(super) fn reading<'a, R: Answer>(call: impl FnMut() -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
    move |name| Side::reading(name, call)
}

/// The number of different inputs of `n` elements for a side that consumes its input.
pub fn copies(n: usize) -> usize {
    (SCRATCH_ELEMENTS / n.max(1)).max(1)
}

/// The positions of the hits.
#[derive(Clone, Copy, Debug)]
enum Draws {
    /// A new position at each call: uniform, and evenly spread over any few dozen calls, so that sides with more and with fewer samples
    /// have the same mean. Multiples of the golden ratio, modulo one (Weyl's sequence).
    Spread,
    /// Always at two thirds.
    TwoThirds,
}

impl Draws {
    fn indices(self, below: usize) -> impl FnMut() -> usize {
        const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut fraction = GOLDEN;
        move || match self {
            Draws::Spread => {
                fraction = fraction.wrapping_add(GOLDEN);
                ((u128::from(fraction) * below as u128) >> 64) as usize
            }
            Draws::TwoThirds => below * 2 / 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_ascending_and_hold_everything_once() {
        let case = Case::<i32>::new(Input::in_place(Order::Halves), 1001);
        let v = case.worked_on();
        assert!(v[..500].is_sorted() && v[500..].is_sorted());
        assert!(!v.is_sorted());
        let mut all = v;
        all.sort_unstable();
        assert!(all.into_iter().eq(1..=1001));
    }

    #[test]
    fn second_range_lies_in_the_middle() {
        let case = Case::<i32>::new(Input::READ.and(Second::Quarters), 16);
        assert_eq!(case.second(), [4, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn draws_are_spread_evenly() {
        let mut draw = Draws::Spread.indices(100);
        let mut hits = [0; 10];
        (0..50).for_each(|_| hits[draw() / 10] += 1);
        assert!(hits.iter().all(|count| (3..=7).contains(count)), "{hits:?}");
    }

    #[test]
    fn throughput_counts_each_sequence_once() {
        assert_eq!(Input::READ.elements(8), 8);
        assert_eq!(Input::WRITE.and(Second::Quarters).elements(8), 20);
        assert_eq!(Input::in_place(Order::Shuffled).elements(8), 8);
    }
}
