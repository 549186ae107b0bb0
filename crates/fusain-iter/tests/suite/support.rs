//! Runs sources by a script on one thread, with any splits that a chain can meet on a pool, but the same each time.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use fusain_iter::iter::{IndexedParallelIterator, IndexedSource, ParallelIterator, Settings, Source};
use fusain_pool::{Pool, Wait};
use proptest::prelude::*;

/// A pool that may have more workers than the machine has cores, so that parts are split off all the time.
pub(crate) static POOL: LazyLock<Pool> =
    LazyLock::new(|| Pool::builder().threads(4).wait(Wait::Park).build().expect("four threads can be started"));

/// One step of a script: what is done, with which of the live parts, and with which number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Run(usize, usize),
    Fold(usize, usize),
    Split(usize),
    SplitAt(usize, usize),
}

/// A strategy for scripts.
pub(crate) fn script() -> impl Strategy<Value = Vec<Step>> {
    let grain = || prop_oneof![1..4_usize, 1..300_usize];
    let step = prop_oneof![
        (any::<usize>(), grain()).prop_map(|(part, grain)| Step::Run(part, grain)),
        (any::<usize>(), grain()).prop_map(|(part, grain)| Step::Fold(part, grain)),
        any::<usize>().prop_map(Step::Split),
        (any::<usize>(), any::<usize>()).prop_map(|(part, at)| Step::SplitAt(part, at)),
    ];
    proptest::collection::vec(step, 0..40)
}

/// The elements of `chain` in their order, when it is run by the script.
pub(crate) fn run_by<I: ParallelIterator>(chain: I, script: &[Step]) -> Vec<I::Item> {
    run_checked(chain, script, None)
}

/// As [`run_by`], and checks two lengths. `left` is always the number of elements that still come, since they are numbered by it. A unit has the length that was asked for, since
/// blocks are cut by it.
pub(crate) fn run_counted<I: IndexedParallelIterator>(chain: I, script: &[Step]) -> Vec<I::Item> {
    let len = chain.len();
    run_checked(chain, script, Some(len))
}

fn run_checked<I: ParallelIterator>(mut chain: I, script: &[Step], len: Option<usize>) -> Vec<I::Item> {
    let source = chain.source(&mut Settings::default());
    let mut parts = vec![(source, Vec::new())];
    for step in script {
        if let Some(len) = len {
            let all = parts.iter().map(|(source, given)| source.left() + given.len()).sum::<usize>();
            assert_eq!(all, len, "what has been given and what is left");
        }
        let (Step::Run(part, _) | Step::Fold(part, _) | Step::Split(part) | Step::SplitAt(part, _)) = *step;
        let part = part % parts.len();
        let (source, given) = &mut parts[part];
        let (left, before) = (source.left(), given.len());
        if left == 0 {
            continue;
        }
        match *step {
            Step::Run(_, grain) => run(source, grain.min(left), given),
            Step::Fold(_, grain) => {
                *given = source.fold(grain.min(left), std::mem::take(given), |mut given, x| {
                    given.push(x);
                    given
                });
            }
            Step::Split(_) => {
                if let Some(back) = source.split() {
                    parts.insert(part + 1, (back, Vec::new()));
                }
            }
            Step::SplitAt(_, at) => {
                if let Some(back) = source.split_at(at % left) {
                    parts.insert(part + 1, (back, Vec::new()));
                }
            }
        }
        if let (Some(_), Step::Run(_, grain) | Step::Fold(_, grain)) = (len, *step) {
            assert_eq!(parts[part].1.len() - before, grain.min(left), "elements of a unit");
        }
    }
    for (source, given) in &mut parts {
        while source.left() > 0 {
            run(source, 7.min(source.left()), given);
        }
    }
    parts.into_iter().flat_map(|(_, given)| given).collect()
}

fn run<S: Source>(source: &mut S, grain: usize, given: &mut Vec<S::Item>) {
    let flow = source.run(grain, |x| {
        given.push(x);
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue(), "nobody has broken off");
}

/// Runs a unit of the source of `chain`, and cuts what is left in three, in all ways. Each cut must succeed, and each part must have the length that it was cut to: a deterministic
/// run is shared in no other way.
pub(crate) fn cut_everywhere<I>(chain: impl Fn() -> I, expected: &[I::Item])
where
    I: ParallelIterator<Item: PartialEq + std::fmt::Debug>,
{
    let len = chain().source(&mut Settings::default()).left();
    for (unit, first) in (0..len).flat_map(|unit| (1..len - unit).map(move |first| (unit, first))) {
        for second in 1..len - unit - first {
            let mut chain = chain();
            let mut front = chain.source(&mut Settings::default());
            let mut given = Vec::new();
            if unit > 0 {
                run(&mut front, unit, &mut given);
            }
            // Once the front is cut again, once the back.
            let (mut middle, mut back) = if unit % 2 == 0 {
                let mut middle = front.split_at(first).expect("it can be cut");
                let back = middle.split_at(second).expect("its back can be cut");
                (middle, back)
            } else {
                let back = front.split_at(first + second).expect("it can be cut");
                (front.split_at(first).expect("its front can be cut"), back)
            };
            let lengths = [front.left(), middle.left(), back.left()];
            assert_eq!(lengths, [first, second, len - unit - first - second]);
            for (part, len) in [&mut front, &mut middle, &mut back].into_iter().zip(lengths) {
                run(part, len, &mut given);
                assert_eq!(part.left(), 0);
            }
            assert_eq!(given, expected);
        }
    }
}

/// The elements of `chain` in their order, taken in pieces from both ends of parts cut anywhere.
pub(crate) fn cut_by<I: IndexedParallelIterator>(mut chain: I, script: &[Step]) -> Vec<I::Item> {
    let len = chain.len();
    let source = chain.indexed(&mut Settings::default());
    assert_eq!(source.left(), len, "a chain knows how long it is");
    // What came from the front, what is left, and what came from the back.
    let mut parts = vec![(Vec::new(), source, Vec::new())];
    for step in script {
        let (part, n) = match *step {
            Step::Run(part, n) | Step::Fold(part, n) | Step::SplitAt(part, n) => (part, n),
            Step::Split(part) => (part, 0),
        };
        let part = part % parts.len();
        let (front, source, back) = &mut parts[part];
        let left = source.left();
        match *step {
            Step::Run(..) => {
                let piece = source.front(n % (left + 1));
                assert_eq!(piece.len(), n % (left + 1));
                front.extend(ends_in(piece));
            }
            Step::Fold(..) => {
                let n = n % (left + 1);
                let piece = source.back(n);
                assert_eq!(piece.len(), n);
                let mut piece: Vec<_> = piece.collect();
                piece.append(back);
                *back = piece;
            }
            Step::Split(_) => {
                let rest = source.split_at(left / 2);
                let back = std::mem::take(back);
                parts.insert(part + 1, (Vec::new(), rest, back));
            }
            Step::SplitAt(_, at) => {
                let rest = source.split_at(at % (left + 1));
                let back = std::mem::take(back);
                parts.insert(part + 1, (Vec::new(), rest, back));
            }
        }
    }
    let mut all = Vec::new();
    for (front, mut source, back) in parts {
        all.extend(front);
        let left = source.left();
        all.extend(source.front(left));
        assert_eq!(source.left(), 0);
        all.extend(back);
    }
    assert_eq!(all.len(), len);
    all
}

/// The elements of a piece in their order, taken in turn from both ends.
fn ends_in<P: DoubleEndedIterator + ExactSizeIterator>(mut piece: P) -> Vec<P::Item> {
    let (mut front, mut back) = (Vec::new(), Vec::new());
    loop {
        let left = piece.len();
        match piece.next() {
            Some(x) => front.push(x),
            None => break,
        }
        assert_eq!(piece.len(), left - 1);
        match piece.next_back() {
            Some(x) => back.push(x),
            None => break,
        }
        assert_eq!(piece.len(), left - 2);
    }
    back.reverse();
    front.extend(back);
    front
}
