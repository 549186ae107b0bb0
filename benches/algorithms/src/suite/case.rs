//! What one row runs on: the input of pSTL-Bench for it, made once, seen by all sides.

use std::cell::RefCell;

use super::Number;
use crate::data;
use fusain_harness::{Answer, Scratch, Side};

/// In which order the elements 1, 2, ..., n come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they are.
    Ascending,
    /// In random order.
    Shuffled,
    /// Dealt at random into two halves, each ascending: what shuffling and sorting each half gives.
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
                    // As likely as the room that is left: every choice of a half is equally probable.
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
    /// Half as many elements from n/4 on: mostly contained in the first.
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

/// Which sequences a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// What is only read.
    pub data: Option<Order>,
    /// What is only read, too.
    pub second: Option<Second>,
    /// What is worked on in place.
    pub scratch: Option<Order>,
    /// What is written elsewhere.
    pub out: bool,
}

impl Input {
    /// One sequence, read.
    pub const READ: Input = Input { data: Some(Order::Ascending), second: None, scratch: None, out: false };
    /// One, read, and one of the same length, written.
    pub const WRITE: Input = Input { out: true, ..Input::READ };

    /// One sequence, worked on in place.
    pub const fn in_place(order: Order) -> Input {
        Input { data: None, second: None, scratch: Some(order), out: false }
    }

    /// As this one, and a second sequence to read.
    pub const fn and(self, second: Second) -> Input {
        Input { second: Some(second), ..self }
    }

    /// Elements a call reads or writes, for throughput; where it may end early, those it would look at without.
    pub fn elements(self, n: usize) -> usize {
        let sequences = [self.data.is_some(), self.scratch.is_some(), self.out].into_iter().filter(|x| *x).count();
        sequences * n + self.second.map_or(0, |second| second.len(n))
    }

    /// Elements that are kept in memory: in place there is a source besides, from which the sequence is made again.
    pub fn elements_kept(self, n: usize) -> usize {
        let several = self.scratch.is_some() || self.data == Some(Order::Halves);
        self.elements(n) + if several { n.max(SCRATCH_ELEMENTS) } else { 0 }
    }
}

/// Elements in the copies of a short input that is different each time: 512 KiB of f64. A branch predictor learns fewer: with
/// four permutations of 4,096 elements GNU's parallel sort took 13 us instead of 60.
const SCRATCH_ELEMENTS: usize = 1 << 16;

/// The sequences of one row, and where its hits are.
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
            // From the value n/4 on, which stands at index n/4 - 1; of fewer than four elements, from the first one on.
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

    /// Given elements: `source` is cut into inputs of `n`, the first of which is what is read, too.
    pub fn of(source: Vec<T>, n: usize) -> Self {
        let data = source[..n].to_vec();
        let out = RefCell::new(vec![T::default(); n]);
        Case { n, data, second: Vec::new(), scratch: Scratch::new(source, n), out, draws: Draws::TwoThirds }
    }

    /// How many elements.
    pub fn n(&self) -> usize {
        self.n
    }

    /// What is read.
    pub fn data(&self) -> &[T] {
        &self.data[..self.n]
    }

    /// What is read besides.
    pub fn second(&self) -> &[T] {
        &self.second
    }

    /// Where the second half begins.
    pub fn middle(&self) -> usize {
        self.n / 2
    }

    /// A side that is given, at each call, another element to look for.
    pub fn wanting<'a, R: Answer>(&'a self, mut call: impl FnMut(T) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        let mut draw = self.draws.indices(self.n);
        reading(move || call(self.data()[draw()]))
    }

    /// A side that is told, at each call, where its hit shall be, an index below `below`, and works on a sequence, which it leaves as it was.
    pub fn drawing_in_place<'a, R: Answer>(
        &'a self,
        below: usize,
        mut call: impl FnMut(&mut [T], usize) -> R + 'a,
    ) -> impl FnOnce(&str) -> Side<'a> {
        let mut draw = self.draws.indices(below);
        self.in_place(move |v| call(v, draw()))
    }

    /// A side that writes elsewhere.
    pub fn writing<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::writing(name, &self.out, call)
    }

    /// A side that reads two halves, others at each call until all have been, and writes elsewhere.
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

    /// A side that works in place and may find what the call before left.
    pub fn in_place<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::in_place(name, &self.scratch, call)
    }

    /// A side that works in place and needs fresh input each time.
    pub fn consuming<'a, R: Answer>(&'a self, call: impl FnMut(&mut [T]) -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
        move |name| Side::consuming(name, &self.scratch, call)
    }

    /// Makes everything that is written as it was at first.
    pub fn reset(&self) {
        self.out.borrow_mut().fill(T::default());
        self.scratch.restore_first();
    }

    /// What was written elsewhere.
    pub fn written(&self) -> Vec<T> {
        self.out.borrow().clone()
    }

    /// What was made of the sequence worked on in place.
    pub fn worked_on(&self) -> Vec<T> {
        self.scratch.first()
    }
}

/// A side whose call leaves everything as it was.
pub(super) fn reading<'a, R: Answer>(call: impl FnMut() -> R + 'a) -> impl FnOnce(&str) -> Side<'a> {
    move |name| Side::reading(name, call)
}

/// How many different inputs of `n` elements a side that consumes them gets.
pub fn copies(n: usize) -> usize {
    (SCRATCH_ELEMENTS / n.max(1)).max(1)
}

/// Where the hits are.
#[derive(Clone, Copy, Debug)]
enum Draws {
    /// Anew at each call: uniform, and even over any few dozen calls, so that sides with more samples and sides with fewer
    /// see the same mean. Multiples of the golden ratio, modulo one (Weyl's sequence).
    Spread,
    /// Always there.
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
