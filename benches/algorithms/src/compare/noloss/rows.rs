//! Twelve algorithms, each on numbers and with closures that a user might write.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::mem::MaybeUninit;

use fusain::algorithms::Par;
use fusain::pool::Pool;

use super::policy;
use crate::data;
use crate::suite::copies;
use fusain_harness::{Scratch, Side};

/// The rows: the algorithm, and whether it is the version with more expensive closures.
pub(super) const ROWS: [(&str, bool); 24] = [
    ("min", false),
    ("min", true),
    ("reduce", false),
    ("reduce", true),
    ("count_if", false),
    ("count_if", true),
    ("for_each_mut", false),
    ("for_each_mut", true),
    ("map", false),
    ("map", true),
    ("inclusive_scan", false),
    ("inclusive_scan", true),
    ("filter", false),
    ("filter", true),
    ("merge", false),
    ("merge", true),
    ("sort", false),
    ("sort", true),
    ("position", false),
    ("position", true),
    ("eq", false),
    ("eq", true),
    ("map_reduce", false),
    ("map_reduce", true),
];

/// The data of all rows of one length.
pub(super) struct Input {
    numbers: Vec<i32>,
    reals: Vec<f64>,
    /// Equal to `numbers` and `reals`.
    same_numbers: Vec<i32>,
    same_reals: Vec<f64>,
    /// Two ascending halves.
    number_halves: Vec<i32>,
    real_halves: Vec<f64>,
    /// Modified in place.
    number_scratch: Scratch<i32>,
    real_scratch: Scratch<f64>,
    /// Output.
    number_room: RefCell<Vec<MaybeUninit<i32>>>,
    real_room: RefCell<Vec<MaybeUninit<f64>>>,
}

/// The value that `position` searches; it is at two thirds of the numbers.
const WANTED: i32 = i32::MAX;

impl Input {
    /// `n` elements in each vector.
    pub(super) fn new(n: usize) -> Self {
        let mut numbers: Vec<i32> = data::random(n);
        numbers.iter_mut().filter(|x| **x == WANTED).for_each(|x| *x = 0);
        numbers[n * 2 / 3] = WANTED;
        let reals: Vec<f64> = data::random(n);
        let (mut number_halves, mut real_halves) = (numbers.clone(), reals.clone());
        number_halves.chunks_mut(n / 2).for_each(<[i32]>::sort);
        real_halves.chunks_mut(n / 2).for_each(|half| half.sort_by(f64::total_cmp));
        Input {
            same_numbers: numbers.clone(),
            same_reals: reals.clone(),
            numbers,
            reals,
            number_halves,
            real_halves,
            number_scratch: Scratch::new(data::random(n * copies(n)), n),
            real_scratch: Scratch::new(data::random(n * copies(n)), n),
            number_room: RefCell::new(vec![MaybeUninit::uninit(); n]),
            real_room: RefCell::new(vec![MaybeUninit::uninit(); n]),
        }
    }
}

/// What a user might do with an element, in a function that no compiler vectorises. All policies call the same code: copies would differ, by their position in
/// memory, more than what is measured.
///
/// All numbers take the same path through it. The logarithm has a second path for arguments from 1 to 1.4. A branch predictor would learn which of the same few
/// thousand elements take it, if all calls were alike; the data of a program differ from call to call.
#[inline(never)]
fn weigh(x: f64) -> f64 {
    (x * x + 3.0).sqrt().ln()
}

/// A separate function for each policy, as the closures are.
fn by_weight<const POLICY: usize>(a: &f64, b: &f64) -> Ordering {
    weigh(*a).total_cmp(&weigh(*b))
}

/// The logarithm of the sum of two numbers that are given as logarithms: associative, and twice as expensive as `weigh`.
#[inline(never)]
fn add_logarithms(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p()
}

/// The row at index `at` under one policy. Its closures have different types for each policy, so that the pool uses nothing that it remembers of one for
/// another.
pub(super) fn side<'a, const POLICY: usize>(at: usize, input: &'a Input, pool: &'a Pool) -> Side<'a> {
    let par: Par<'a> = policy::<POLICY>(pool);
    let name = super::POLICIES[POLICY];
    let (numbers, reals) = (&input.numbers[..], &input.reals[..]);
    match ROWS[at] {
        ("min", false) => Side::reading(name, move || par.min(numbers).map(|(at, _)| at)),
        ("min", true) => Side::reading(name, move || par.min_by(reals, by_weight::<POLICY>).map(|(at, _)| at)),
        ("reduce", false) => {
            Side::reading(name, move || f64::from(par.reduce(numbers, 0, |a: i32, b| a.wrapping_add(b))))
        }
        ("reduce", true) => {
            Side::reading(name, move || par.reduce(reals, f64::MIN, |a: f64, b: f64| add_logarithms(a, b)))
        }
        ("count_if", false) => Side::reading(name, move || par.count_if(numbers, |x| x % 3 == 0)),
        ("count_if", true) => Side::reading(name, move || par.count_if(reals, |x| weigh(*x) > 0.585)),
        ("for_each_mut", false) => {
            let change = |x: &mut i32| *x = x.wrapping_mul(3).wrapping_add(1);
            Side::in_place(name, &input.number_scratch, move |v| par.for_each_mut(v, change))
        }
        ("for_each_mut", true) => {
            Side::in_place(name, &input.real_scratch, move |v| par.for_each_mut(v, |x| *x = weigh(*x) + 0.5))
        }
        ("map", false) => Side::writing(name, &input.number_room, move |room| {
            par.map_into(numbers, room, |x| x.wrapping_mul(3)).len()
        }),
        ("map", true) => {
            Side::writing(name, &input.real_room, move |room| par.map_into(reals, room, |x| weigh(*x)).len())
        }
        ("inclusive_scan", false) => Side::writing(name, &input.number_room, move |room| {
            par.inclusive_scan_into(numbers, room, |a, b| a.wrapping_add(*b)).len()
        }),
        ("inclusive_scan", true) => Side::writing(name, &input.real_room, move |room| {
            par.inclusive_scan_into(reals, room, |a, b| add_logarithms(*a, *b)).len()
        }),
        ("filter", false) => {
            Side::writing(name, &input.number_room, move |room| par.filter_into(numbers, room, |x| x % 2 == 0).len())
        }
        ("filter", true) => {
            Side::writing(name, &input.real_room, move |room| par.filter_into(reals, room, |x| weigh(*x) > 0.585).len())
        }
        ("merge", false) => {
            let (a, b) = input.number_halves.split_at(numbers.len() / 2);
            Side::writing(name, &input.number_room, move |room| par.merge_into(a, b, room).len())
        }
        ("merge", true) => {
            let (a, b) = input.real_halves.split_at(reals.len() / 2);
            Side::writing(name, &input.real_room, move |room| par.merge_into_by(a, b, room, by_weight::<POLICY>).len())
        }
        ("sort", false) => Side::consuming(name, &input.number_scratch, move |v| par.sort(v)),
        ("sort", true) => Side::consuming(name, &input.real_scratch, move |v| par.sort_by(v, by_weight::<POLICY>)),
        ("position", false) => Side::reading(name, move || par.position(numbers, |x| *x == WANTED)),
        ("position", true) => Side::reading(name, move || par.position(reals, |x| weigh(*x) < 0.0)),
        ("eq", false) => Side::reading(name, move || par.eq(numbers, &input.same_numbers)),
        ("eq", true) => Side::reading(name, move || par.eq_by(reals, &input.same_reals, |a, b| weigh(*a) == weigh(*b))),
        ("map_reduce", false) => {
            Side::reading(name, move || par.map_reduce(numbers, 0, |x| i64::from(*x), |a, b| a + b) as f64)
        }
        ("map_reduce", true) => Side::reading(name, move || par.map_reduce(reals, 0.0, |x| weigh(*x), |a, b| a + b)),
        (other, _) => unreachable!("no such row: {other}"),
    }
}
