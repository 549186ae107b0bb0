//! Every adaptor gives what std's iterator gives, however it is cut, run or shared.

use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::{POOL, Step, cut_by, cut_everywhere, run_by, run_counted, script};

/// Runs a chain cut by a script, in sequence, and on the pool. The result is always `expected`.
///
/// The chain is written into the program once: each copy would have closures of other types and be compiled again. For the same reason each call of `collect` has a policy.
macro_rules! same {
    ($chain:expr, $expected:expr, $script:expr) => {
        let (chain, expected) = (|| $chain, $expected.collect::<Vec<_>>());
        same!(@ run_by, chain, expected, $script);
    };
    (@ $run:ident, $chain:ident, $expected:ident, $script:expr) => {
        prop_assert_eq!(&$run($chain(), $script), &$expected);
        prop_assert_eq!(&$chain().sequential().collect::<Vec<_>>(), &$expected);
        prop_assert_eq!(&$chain().on(&POOL).always().grain(5).collect::<Vec<_>>(), &$expected);
        prop_assert_eq!(&$chain().on(&POOL).collect::<Vec<_>>(), &$expected);
    };
}

/// As [`same`], for an indexed chain.
macro_rules! same_indexed {
    ($chain:expr, $expected:expr, $script:expr) => {
        let (chain, expected) = (|| $chain, $expected.collect::<Vec<_>>());
        same!(@ run_counted, chain, expected, $script);
        prop_assert_eq!(&cut_by(chain(), $script), &expected);
    };
}

/// In sequence, `separator` stands between the elements. If the chain is shared, each separator still comes before an element.
fn is_separated<I: ParallelIterator<Item = i32>>(
    chain: impl Fn() -> I,
    separator: i32,
    grain: usize,
    script: &[Step],
) -> Result<(), TestCaseError> {
    let mut expected: Vec<i32> =
        chain().sequential().collect::<Vec<_>>().iter().flat_map(|x| [*x, separator]).collect();
    expected.pop();
    let between = || chain().intersperse(separator);
    prop_assert_eq!(&between().sequential().collect::<Vec<_>>(), &expected);
    // Units of any length.
    prop_assert_eq!(&between().deterministic().grain(grain).sequential().collect::<Vec<_>>(), &expected);
    for shared in [run_by(between(), script), between().on(&POOL).always().grain(grain).collect()] {
        let mut pairs = shared.windows(2);
        prop_assert!(pairs.all(|pair| (pair[0] == separator) != (pair[1] == separator)), "{:?}", shared);
        prop_assert_ne!(shared.last(), Some(&separator));
    }
    Ok(())
}

fn numbers() -> impl Strategy<Value = Vec<i32>> {
    proptest::collection::vec(-50..50, 0..300)
}

proptest! {
    #[test]
    fn elements(v in numbers(), script in script()) {
        same_indexed!(v.par_iter(), v.iter(), &script);
        same_indexed!(v.clone().into_par_iter(), v.iter().copied(), &script);
        same_indexed!(v.par_iter().copied(), v.iter().copied(), &script);
        same_indexed!(v.par_iter().cloned(), v.iter().cloned(), &script);
        let mut a = v.clone();
        let twice: Vec<i32> = v.iter().map(|x| x * 2).collect();
        a.par_iter_mut().on(&POOL).always().grain(3).for_each(|x| *x *= 2);
        prop_assert_eq!(&a, &twice);
        let seen: Vec<i32> = run_by(a.par_iter_mut(), &script).into_iter().map(|x| *x).collect();
        prop_assert_eq!(&seen, &twice);
    }

    #[test]
    fn one_to_one(v in numbers(), script in script()) {
        same_indexed!(v.par_iter().map(|x| x * 3), v.iter().map(|x| x * 3), &script);
        same_indexed!(v.par_iter().rev(), v.iter().rev(), &script);
        same_indexed!(v.par_iter().inspect(|_| ()), v.iter(), &script);
        same_indexed!(v.par_iter().copied().update(|x| *x += 1), v.iter().map(|x| x + 1), &script);
        same_indexed!(v.par_iter().enumerate(), v.iter().enumerate(), &script);
        same_indexed!(v.par_iter().map_with(1, |a, x| x + *a), v.iter().map(|x| x + 1), &script);
        same_indexed!(v.par_iter().map_init(|| std::rc::Rc::new(1), |a, x| x + **a), v.iter().map(|x| x + 1), &script);
        same_indexed!(v.par_iter().map_worker(|| 1, |a, x| x + *a), v.iter().map(|x| x + 1), &script);
        same!(v.par_iter().panic_fuse(), v.iter(), &script);
        same!(v.par_iter().copied().map(Some).while_some(), v.iter().copied(), &script);
    }

    #[test]
    fn two_chains(v in numbers(), w in numbers(), script in script()) {
        same_indexed!(v.par_iter().zip(&w), v.iter().zip(&w), &script);
        same_indexed!(v.clone().into_par_iter().zip(w.clone()), v.iter().copied().zip(w.iter().copied()), &script);
        same_indexed!(v.par_iter().chain(&w), v.iter().chain(&w), &script);
        same!(v.par_iter().filter(|x| **x > 0).chain(&w), v.iter().filter(|x| **x > 0).chain(&w), &script);
        let n = v.len().min(w.len());
        same_indexed!(v[..n].par_iter().zip_eq(&w[..n]), v.iter().zip(&w), &script);
        let mut interleaved: Vec<i32> = v.iter().zip(&w).flat_map(|(a, b)| [*a, *b]).collect();
        let mut shortest = interleaved.clone();
        interleaved.extend(&v[n..]);
        interleaved.extend(&w[n..]);
        shortest.extend(v.get(n));
        same_indexed!(v.par_iter().interleave(&w).copied(), interleaved.iter().copied(), &script);
        same_indexed!(v.par_iter().interleave_shortest(&w).copied(), shortest.iter().copied(), &script);
    }

    #[test]
    fn fewer(v in numbers(), n in 0..400_usize, step in 1..9_usize, script in script()) {
        same_indexed!(v.par_iter().take(n), v.iter().take(n), &script);
        same_indexed!(v.par_iter().skip(n), v.iter().skip(n), &script);
        same_indexed!(v.par_iter().step_by(step), v.iter().step_by(step), &script);
        same_indexed!(v.par_iter().with_min_len(step).with_max_len(n), v.iter(), &script);
        same!(v.par_iter().filter(|x| **x % 3 == 0), v.iter().filter(|x| **x % 3 == 0), &script);
        let third = |x: &i32| (x % 3 == 0).then_some(x / 3);
        same!(v.par_iter().filter_map(third), v.iter().filter_map(third), &script);
        // Collected in the memory of the vector: numbers, and elements that have to be dropped.
        same!(v.clone().into_par_iter().filter(|x| x % 3 == 0), v.iter().copied().filter(|x| x % 3 == 0), &script);
        let by_value = |x| third(&x).map(i32::unsigned_abs);
        same!(v.clone().into_par_iter().filter_map(by_value), v.iter().copied().filter_map(by_value), &script);
        let texts = || v.iter().map(i32::to_string);
        let (long, twice) = (|s: &String| s.len() > 1, |s: String| s.repeat(2));
        same!(texts().collect::<Vec<_>>().into_par_iter().filter(long).map(twice), texts().filter(long).map(twice), &script);
        let even = |(i, s): (usize, String)| (i % 2 == 0).then_some(s);
        same!(texts().collect::<Vec<_>>().into_par_iter().enumerate().filter_map(even), texts().step_by(2), &script);
        let lengthened = || texts().collect::<Vec<_>>().into_par_iter().filter(long).update(|s| s.push('!'));
        let add = |n: &mut usize, s: String| s + &"?".repeat(*n);
        same!(lengthened().map_with(1, add), texts().filter(long).map(|s| s + "!?"), &script);
        let hits = v.iter().enumerate().filter(|(_, x)| **x > 0).map(|(i, _)| i);
        same!(v.par_iter().positions(|x| *x > 0), hits.clone(), &script);
    }

    #[test]
    fn more(v in proptest::collection::vec(0..20_i32, 0..100), script in script()) {
        same!(v.par_iter().flat_map(|x| 0..*x), v.iter().flat_map(|x| 0..*x), &script);
        same!(v.par_iter().flat_map_iter(|x| 0..*x), v.iter().flat_map(|x| 0..*x), &script);
        let nested: Vec<Vec<i32>> = v.iter().map(|x| (0..*x).collect()).collect();
        same!(nested.par_iter().flatten(), nested.iter().flatten(), &script);
        same!(nested.par_iter().flatten_iter(), nested.iter().flatten(), &script);
        // Inner chains of a known number of elements; longer ones may be shared.
        same!(v.par_iter().flat_map(|x| [*x, -x, 7]), v.iter().flat_map(|x| [*x, -x, 7]), &script);
        same!(v.par_iter().flat_map(|x| [*x; 20]), v.iter().flat_map(|x| [*x; 20]), &script);
        same!(v.par_iter().flat_map(|_| [0; 0]), v.iter().flat_map(|_| [0; 0]), &script);
        let pairs = || v.iter().map(|x| [x.to_string(), String::new()]);
        same!(pairs().collect::<Vec<_>>().into_par_iter().flatten(), pairs().flatten(), &script);
        let third = |x: &i32| (x % 3 == 0).then_some(x / 3);
        let fifth = |x: &i32| if x % 5 == 0 { Ok(*x) } else { Err(()) };
        same!(v.par_iter().flat_map(third), v.iter().flat_map(third), &script);
        same!(v.par_iter().map(fifth).flatten(), v.iter().flat_map(fifth), &script);
        let mut between: Vec<i32> = v.iter().flat_map(|x| [*x, -1]).collect();
        between.pop();
        same_indexed!(v.par_iter().copied().intersperse(-1), between.iter().copied(), &script);
        let numbered = v.par_iter().copied().intersperse(-1).on(&POOL).always().grain(5).enumerate();
        prop_assert!(numbered.collect::<Vec<_>>().into_iter().eq(between.iter().copied().enumerate()));
    }

    /// What ends early still knows how many elements its base has left, but these do not come.
    #[test]
    fn separators_of_chains_that_end_early(v in proptest::collection::vec(0..40_i32, 0..100), grain in 1..20_usize, script in script()) {
        let some = || v.par_iter().map(|x| (x % 30 > 0).then_some(*x)).while_some();
        is_separated(some, -1, grain, &script)?;
        is_separated(|| some().panic_fuse().map(|x| x + 1), -1, grain, &script)?;
        is_separated(|| some().chain(v.par_iter().copied()), -1, grain, &script)?;
        is_separated(|| v.par_iter().copied().take_any_while(|x| x % 30 > 0), -1, grain, &script)?;
        is_separated(|| v.par_iter().copied().take_any(20), -1, grain, &script)?;
    }

    #[test]
    fn together(v in numbers(), size in 1..50_usize, script in script()) {
        let chunks = || v.chunks(size).map(<[i32]>::to_vec);
        same_indexed!(v.par_iter().copied().chunks(size), chunks(), &script);
        let sums = || v.chunks(size).map(|c| c.iter().sum::<i32>());
        same_indexed!(v.par_iter().fold_chunks(size, || 0, |a, b| a + b), sums(), &script);
        same_indexed!(v.par_iter().fold_chunks_with(size, 0, |a, b| a + b), sums(), &script);
        let three = |w: &[i32; 3]| w[0] + 10 * w[1] + 100 * w[2];
        let expected = || v.windows(3).map(|w| w[0] + 10 * w[1] + 100 * w[2]);
        same!(v.par_iter().copied().map_windows(three), expected(), &script);
        same!(v.clone().into_par_iter().map_windows(|[x]| *x), v.iter().copied(), &script);
    }

    #[test]
    fn parts_of_slices(v in numbers(), size in 1..50_usize, script in script()) {
        same_indexed!(v.par_chunks(size), v.chunks(size), &script);
        same_indexed!(v.par_chunks_exact(size), v.chunks_exact(size), &script);
        same_indexed!(v.par_rchunks(size), v.rchunks(size), &script);
        same_indexed!(v.par_rchunks_exact(size), v.rchunks_exact(size), &script);
        same_indexed!(v.par_windows(size), v.windows(size), &script);
        // Small sizes have separate loops.
        let small = 1 + size % 9;
        same_indexed!(v.par_chunks(small), v.chunks(small), &script);
        same_indexed!(v.par_rchunks_exact(small), v.rchunks_exact(small), &script);
        same_indexed!(v.par_windows(small), v.windows(small), &script);
        // The oldest supported compiler has no `array_windows`.
        let windows = || v.windows(4).map(|window| <&[_; 4]>::try_from(window).expect("four"));
        same_indexed!(v.par_array_windows::<4>(), windows(), &script);
        same!(v.par_split(|x| x % 5 == 0), v.split(|x| x % 5 == 0), &script);
        same!(v.par_split_inclusive(|x| x % 5 == 0), v.split_inclusive(|x| x % 5 == 0), &script);
        same!(v.par_chunk_by(|a, b| a < b), v.chunk_by(|a, b| a < b), &script);
    }

    #[test]
    fn parts_of_slices_to_change(v in numbers(), size in 1..50_usize) {
        macro_rules! reversed {
            ($par:ident, $std:ident, $argument:expr) => {
                let (mut a, mut b) = (v.clone(), v.clone());
                a.$par($argument).on(&POOL).always().grain(1).for_each(<[i32]>::reverse);
                b.$std($argument).for_each(<[i32]>::reverse);
                prop_assert_eq!(a, b);
            };
        }
        reversed!(par_chunks_mut, chunks_mut, size);
        reversed!(par_chunks_exact_mut, chunks_exact_mut, size);
        reversed!(par_rchunks_mut, rchunks_mut, size);
        reversed!(par_rchunks_exact_mut, rchunks_exact_mut, size);
        reversed!(par_split_mut, split_mut, |x| x % 5 == 0);
        reversed!(par_split_inclusive_mut, split_inclusive_mut, |x| x % 5 == 0);
        reversed!(par_chunk_by_mut, chunk_by_mut, |a, b| a < b);
    }

    #[test]
    fn ranges(a: i8, b: i8, script in script()) {
        same_indexed!((a..b).into_par_iter(), a..b, &script);
        same_indexed!((a..=b).into_par_iter(), a..=b, &script);
        let (a, b) = (i64::from(a), i64::from(b));
        same!((a..b).into_par_iter(), a..b, &script);
        same!((a..=b).into_par_iter(), a..=b, &script);
        let (a, b) = (i128::from(a), i128::from(b));
        same!((a..b).into_par_iter(), a..b, &script);
        let (a, b) = (u32::from(a as u8), u32::from(b as u8));
        same_indexed!((a..b).into_par_iter(), a..b, &script);
        same_indexed!((a..b).into_par_iter().map(|x| x * 3), (a..b).map(|x| x * 3), &script);
        same!((a..=b).into_par_iter(), a..=b, &script);
        same!((u64::MAX - 300 + u64::from(a)..=u64::MAX).into_par_iter(), u64::MAX - 300 + u64::from(a)..=u64::MAX, &script);
    }

    #[test]
    fn ranges_of_characters(a in 0xD700..0xD7FF_u32, b in 0xE000..0xE100_u32, script in script()) {
        let (a, b) = (char::from_u32(a).unwrap(), char::from_u32(b).unwrap());
        same_indexed!((a..b).into_par_iter(), a..b, &script);
        same_indexed!((a..=b).into_par_iter(), a..=b, &script);
        same_indexed!((b..=a).into_par_iter(), b..=a, &script);
    }

    #[test]
    fn strings(text in "[ab \n\r\u{b}\u{1c}\u{85}\u{a0}\u{e9}\u{3000}\u{1F600}]{0,200}", script in script()) {
        let text = text.as_str();
        same!(text.par_chars(), text.chars(), &script);
        same!(text.par_char_indices(), text.char_indices(), &script);
        same_indexed!(text.par_bytes(), text.bytes(), &script);
        let mut spaced: String = text.chars().flat_map(|c| [c, '-']).collect();
        spaced.pop();
        same!(text.par_chars().intersperse('-'), spaced.chars(), &script);
        same!(text.par_encode_utf16(), text.encode_utf16(), &script);
        same!(text.par_split('a'), text.split('a'), &script);
        same!(text.par_split(['a', '\u{e9}']), text.split(['a', '\u{e9}']), &script);
        same!(text.par_split_inclusive('a'), text.split_inclusive('a'), &script);
        same!(text.par_split_terminator('a'), text.split_terminator('a'), &script);
        same!(text.par_lines(), text.lines(), &script);
        same!(text.par_split_whitespace(), text.split_whitespace(), &script);
        same!(text.par_split_ascii_whitespace(), text.split_ascii_whitespace(), &script);
        same!(text.par_matches(char::is_alphabetic), text.matches(char::is_alphabetic), &script);
        same!(text.par_match_indices('\u{e9}'), text.match_indices('\u{e9}'), &script);
    }
}

#[test]
fn windows_can_be_cut_anywhere() {
    fn windows<const N: usize>(v: &[u32]) {
        let sum = |window: &[u32]| window.iter().fold(0, |sum, x| 10 * sum + x);
        let expected: Vec<u32> = v.windows(N).map(sum).collect();
        cut_everywhere(|| v.par_iter().copied().map_windows(|window: &[u32; N]| sum(window)), &expected);
    }

    for len in 0..20 {
        let v: Vec<u32> = (0..len).collect();
        windows::<1>(&v);
        windows::<2>(&v);
        windows::<5>(&v);
    }
}

#[test]
fn characters_can_be_cut_anywhere() {
    for text in ["", "a", "\u{1F600}", "ab\u{e9}\u{3000}x\u{1F600}\u{1F600}", "\u{3000}ab\u{e9}y"] {
        cut_everywhere(|| text.par_chars(), &text.chars().collect::<Vec<_>>());
        cut_everywhere(|| text.par_char_indices(), &text.char_indices().collect::<Vec<_>>());
        cut_everywhere(|| text.par_encode_utf16(), &text.encode_utf16().collect::<Vec<_>>());
        let letter = |c: char| c.is_alphabetic();
        cut_everywhere(|| text.par_matches(letter), &text.matches(letter).collect::<Vec<_>>());
        cut_everywhere(|| text.par_match_indices(letter), &text.match_indices(letter).collect::<Vec<_>>());
    }
}
