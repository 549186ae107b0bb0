//! The library's own sources in a user's chain, which misuses them: it takes more elements than there are, splits behind the end, and lies about the length. What the sources
//! give afterwards is unspecified, but it is no more than there is room for.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use fusain_iter::iter::{IndexedSource, Pieces, Settings, Source, from_indexed_source, from_source, repeat_n};
use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::POOL;

/// How a source is misused before it runs.
#[derive(Clone, Copy, Debug)]
enum Misuse {
    Front(usize),
    FirstOf(usize),
    Back(usize),
    LastOf(usize),
    CutOff(usize),
    KeepBack(usize),
}

#[derive(Clone, Debug)]
struct Misused<I> {
    chain: I,
    misuses: Vec<Misuse>,
    /// The number of elements that it claims to have.
    says: usize,
}

impl<I: IndexedParallelIterator> ParallelIterator for Misused<I> {
    type Item = I::Item;
    type Source<'s>
        = Pieces<I::Indexed<'s>>
    where
        Self: 's;

    fn source<'s>(&'s mut self, _: &mut Settings<'s>) -> Self::Source<'s> {
        unreachable!("chains that are reversed are cut by number")
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for Misused<I> {
    type Indexed<'s>
        = I::Indexed<'s>
    where
        Self: 's;

    fn indexed<'s>(&'s mut self, settings: &mut Settings<'s>) -> Self::Indexed<'s> {
        let mut source = self.chain.indexed(settings);
        for misuse in &self.misuses {
            match *misuse {
                Misuse::Front(n) => drop(source.front(n)),
                Misuse::FirstOf(n) => drop(source.front(n).next()),
                Misuse::Back(n) => drop(source.back(n)),
                Misuse::LastOf(n) => drop(source.back(n).next()),
                Misuse::CutOff(n) => drop(source.split_at(n)),
                Misuse::KeepBack(n) => source = source.split_at(n),
            }
        }
        source
    }

    fn len(&self) -> usize {
        self.says
    }
}

/// Strings are written one by one, and for each it is checked that there is a place. A source may panic in any other way.
fn has_room<I: IndexedParallelIterator<Item = String>>(what: &str, chain: impl Fn() -> I) {
    let sequential = || chain().rev().sequential().collect::<Vec<_>>();
    let shared = || chain().rev().on(&POOL).always().grain(2).collect::<Vec<_>>();
    for result in [catch_unwind(AssertUnwindSafe(sequential)), catch_unwind(AssertUnwindSafe(shared))] {
        let Err(panic) = result else { continue };
        assert!(!overflows(&*panic), "{what}");
    }
}

fn overflows(panic: &(dyn Any + Send)) -> bool {
    panic.downcast_ref::<&str>().is_some_and(|panic| panic.contains("no more than it has"))
}

/// The chain alone, and within others.
fn has_room_within<I: IndexedParallelIterator<Item = String>>(chain: impl Fn() -> I) {
    let strings = || (0..10).into_par_iter().map(|i| i.to_string());
    has_room("alone", &chain);
    has_room("chain", || chain().chain(strings()));
    has_room("chained", || strings().chain(chain()));
    has_room("zip", || chain().zip(strings()).map(|(x, y)| x + &y));
    has_room("chunks", || chain().chunks(3).map(|chunk| chunk.concat()));
    has_room("chunks of a chain", || chain().chain(strings()).fold_chunks(3, String::new, |all, x| all + &x));
    has_room("step_by", || chain().step_by(3));
    has_room("interleave", || strings().interleave(chain()));
    has_room("intersperse", || chain().intersperse("and".to_owned()));
}

fn misuse() -> impl Strategy<Value = Misuse> {
    let n = || prop_oneof![0..4_usize, 0..60_usize, 1_000..1_001_usize];
    prop_oneof![
        n().prop_map(Misuse::Front),
        n().prop_map(Misuse::FirstOf),
        n().prop_map(Misuse::Back),
        n().prop_map(Misuse::LastOf),
        n().prop_map(Misuse::CutOff),
        n().prop_map(Misuse::KeepBack),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_misused_source_gives_no_more_than_there_is_room_for(
        misuses in proptest::collection::vec(misuse(), 0..5),
        says in prop_oneof![Just(0), 0..30_usize, Just(10)],
    ) {
        let range = || (0..10_usize).into_par_iter();
        let pairs = || range().zip(repeat_n(1, 10)).map(|(x, y)| (x + y).to_string());
        has_room_within(|| Misused { chain: range().map(|x| x.to_string()), misuses: misuses.clone(), says });
        let short = || (250..255_u8).into_par_iter().map(|x| x.to_string());
        has_room_within(|| Misused { chain: short(), misuses: misuses.clone(), says });
        let inclusive = || (250..=255_u8).into_par_iter().map(|x| x.to_string());
        has_room_within(|| Misused { chain: inclusive(), misuses: misuses.clone(), says });
        has_room_within(|| Misused { chain: pairs(), misuses: misuses.clone(), says });
        has_room_within(|| Misused { chain: pairs().chain(pairs()), misuses: misuses.clone(), says });
        has_room_within(|| Misused { chain: pairs().chunks(3).map(|v| v.concat()), misuses: misuses.clone(), says });
        has_room_within(|| Misused { chain: repeat_n("1".to_owned(), 1).intersperse("2".to_owned()), misuses: misuses.clone(), says });
    }
}

/// This once wrote behind the end of its vector.
#[test]
fn chunks_end_where_the_elements_do() {
    // After that cut the range once claimed 1000 numbers, while the chain that it is zipped with still had 10.
    let pairs = || (0..10_usize).into_par_iter().zip(repeat_n("one", 10));
    let chain = || Misused { chain: pairs(), misuses: vec![Misuse::CutOff(1000)], says: 10 }.chain(pairs());
    let chunks: Vec<Vec<(usize, &str)>> = chain().chunks(3).collect();
    assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
    assert_eq!(chunks.concat().len(), 20);
}

/// This also once wrote behind the end of its vector: a panic between two changes of a source leaves it with too few elements.
#[test]
fn separators_end_where_the_elements_do() {
    static FAILS: AtomicBool = AtomicBool::new(false);

    struct Fragile(String);

    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(!FAILS.load(Ordering::Relaxed), "a clone fails");
            Fragile(self.0.clone())
        }
    }

    let numbers: Vec<u64> = (0..1000).collect();
    let word = |word: &str| Fragile(word.to_owned());
    let mut chain = numbers.par_iter().zip(repeat_n(word("one"), 1000)).intersperse((&5, word("and")));
    let mut settings = Settings::default();
    let mut source = chain.indexed(&mut settings);
    FAILS.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(source.split_at(1000)))).is_err());
    FAILS.store(false, Ordering::Relaxed);
    let most = source.left() - 2;
    let _ = catch_unwind(AssertUnwindSafe(|| drop(source.front(most))));
    let left = source.left();
    let words = catch_unwind(AssertUnwindSafe(|| from_indexed_source(source).rev().sequential().collect::<Vec<_>>()));
    match words {
        Ok(words) => assert!(words.len() <= left && words.iter().all(|(_, word)| !word.0.is_empty())),
        Err(panic) => assert!(!overflows(&*panic)),
    }
}

/// This also once wrote behind the end of its vector: a panic in the middle of a unit left a source with more elements than it had before.
#[test]
fn windows_end_where_the_elements_do() {
    let mut chain = (0..66_u32).into_par_iter().map_windows(|[a, b, c]: &[u32; 3]| (a + b + c).to_string());
    let mut settings = Settings::default();
    let mut source = chain.source(&mut settings);
    assert!(catch_unwind(AssertUnwindSafe(|| source.run(64, |_| panic!("a window fails")))).is_err());
    let left = source.left();
    let windows = catch_unwind(AssertUnwindSafe(|| from_source(source).on(&POOL).always().collect::<Vec<String>>()));
    match windows {
        Ok(windows) => assert!(windows.len() <= left),
        Err(panic) => assert!(!overflows(&*panic)),
    }
}
