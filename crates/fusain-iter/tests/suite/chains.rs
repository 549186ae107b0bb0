//! Random chains of up to four adaptors, each behind the same erased type, compared with the same chains of std.

use fusain_iter::iter::{IndexedSource, Settings, from_indexed_source};
use fusain_iter::prelude::*;
use proptest::prelude::*;

use crate::support::{POOL, cut_by, run_by, script};

/// An indexed source behind a trait object.
trait Any: Send {
    fn left(&self) -> usize;
    fn front(&mut self, n: usize) -> Box<dyn Both + '_>;
    fn back(&mut self, n: usize) -> Box<dyn Both + '_>;
    fn split_at(&mut self, n: usize) -> Box<dyn Any>;
}

trait Both: DoubleEndedIterator<Item = i64> + ExactSizeIterator {}
impl<P: DoubleEndedIterator<Item = i64> + ExactSizeIterator> Both for P {}

impl<S: IndexedSource<Item = i64> + 'static> Any for S {
    fn left(&self) -> usize {
        IndexedSource::left(self)
    }

    fn front(&mut self, n: usize) -> Box<dyn Both + '_> {
        Box::new(IndexedSource::front(self, n))
    }

    fn back(&mut self, n: usize) -> Box<dyn Both + '_> {
        Box::new(IndexedSource::back(self, n))
    }

    fn split_at(&mut self, n: usize) -> Box<dyn Any> {
        Box::new(IndexedSource::split_at(self, n))
    }
}

struct Erased(Box<dyn Any>);

impl IndexedSource for Erased {
    type Item = i64;
    type Piece<'p> = Box<dyn Both + 'p>;

    fn left(&self) -> usize {
        self.0.left()
    }

    fn front(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.front(n)
    }

    fn back(&mut self, n: usize) -> Self::Piece<'_> {
        self.0.back(n)
    }

    fn split_at(&mut self, n: usize) -> Self {
        Erased(self.0.split_at(n))
    }
}

/// The source of a chain. The chain is never freed, which is fine in a test.
fn erased(chain: impl IndexedParallelIterator<Item = i64> + 'static) -> Erased {
    let chain = Box::leak(Box::new(chain));
    Erased(Box::new(chain.indexed(&mut Settings::default())))
}

/// An adaptor.
#[derive(Clone, Debug)]
enum Adaptor {
    Map(i64),
    Enumerate,
    Rev,
    Take(usize),
    Skip(usize),
    StepBy(usize),
    Chain(Vec<i64>),
    Zip(Vec<i64>),
    Interleave(Vec<i64>),
    Chunks(usize),
    Intersperse(i64),
    MapInit,
    Inspect,
}

fn adaptor() -> impl Strategy<Value = Adaptor> {
    let some = || proptest::collection::vec(-9..9_i64, 0..60);
    prop_oneof![
        any::<i8>().prop_map(|n| Adaptor::Map(n.into())),
        Just(Adaptor::Enumerate),
        Just(Adaptor::Rev),
        (0..150_usize).prop_map(Adaptor::Take),
        (0..60_usize).prop_map(Adaptor::Skip),
        (1..5_usize).prop_map(Adaptor::StepBy),
        some().prop_map(Adaptor::Chain),
        some().prop_map(Adaptor::Zip),
        some().prop_map(Adaptor::Interleave),
        (1..9_usize).prop_map(Adaptor::Chunks),
        (-9..9_i64).prop_map(Adaptor::Intersperse),
        Just(Adaptor::MapInit),
        Just(Adaptor::Inspect),
    ]
}

fn ours(source: Erased, adaptor: &Adaptor) -> Erased {
    let chain = from_indexed_source(source);
    match adaptor.clone() {
        Adaptor::Map(n) => erased(chain.map(move |x| x * 3 + n)),
        Adaptor::Enumerate => erased(chain.enumerate().map(|(i, x)| x + i as i64)),
        Adaptor::Rev => erased(chain.rev()),
        Adaptor::Take(n) => erased(chain.take(n)),
        Adaptor::Skip(n) => erased(chain.skip(n)),
        Adaptor::StepBy(n) => erased(chain.step_by(n)),
        Adaptor::Chain(v) => erased(chain.chain(v)),
        Adaptor::Zip(v) => erased(chain.zip(v).map(|(a, b)| a - b)),
        Adaptor::Interleave(v) => erased(chain.interleave(v)),
        Adaptor::Chunks(n) => erased(chain.chunks(n).map(|c| c.iter().fold(0, |a, x| a * 2 + x))),
        Adaptor::Intersperse(x) => erased(chain.intersperse(x)),
        Adaptor::MapInit => erased(chain.map_init(|| 7, |seven, x| x + *seven)),
        Adaptor::Inspect => erased(chain.inspect(|_| ())),
    }
}

fn stds(v: Vec<i64>, adaptor: &Adaptor) -> Vec<i64> {
    let v = v.into_iter();
    match adaptor.clone() {
        Adaptor::Map(n) => v.map(|x| x * 3 + n).collect(),
        Adaptor::Enumerate => v.enumerate().map(|(i, x)| x + i as i64).collect(),
        Adaptor::Rev => v.rev().collect(),
        Adaptor::Take(n) => v.take(n).collect(),
        Adaptor::Skip(n) => v.skip(n).collect(),
        Adaptor::StepBy(n) => v.step_by(n).collect(),
        Adaptor::Chain(w) => v.chain(w).collect(),
        Adaptor::Zip(w) => v.zip(w).map(|(a, b)| a - b).collect(),
        Adaptor::Interleave(w) => {
            let (mut a, mut b) = (v, w.into_iter());
            let mut all = Vec::new();
            while a.len() + b.len() > 0 {
                all.extend(a.next());
                all.extend(b.next());
            }
            all
        }
        Adaptor::Chunks(n) => v.as_slice().chunks(n).map(|c| c.iter().fold(0, |a, x| a * 2 + x)).collect(),
        Adaptor::Intersperse(x) => {
            let mut all: Vec<i64> = v.flat_map(|y| [y, x]).collect();
            all.pop();
            all
        }
        Adaptor::MapInit => v.map(|x| x + 7).collect(),
        Adaptor::Inspect => v.collect(),
    }
}

proptest! {
    #[test]
    fn chains_of_up_to_four(
        v in proptest::collection::vec(-9..9_i64, 0..120),
        adaptors in proptest::collection::vec(adaptor(), 0..=4),
        script in script(),
    ) {
        let expected = adaptors.iter().fold(v.clone(), stds);
        let chain = || from_indexed_source(adaptors.iter().fold(erased(v.clone().into_par_iter()), ours));
        prop_assert_eq!(&cut_by(chain(), &script), &expected);
        prop_assert_eq!(&run_by(chain(), &script), &expected);
        prop_assert_eq!(&chain().on(&POOL).always().grain(4).collect::<Vec<_>>(), &expected);
        let filtered: Vec<i64> = expected.iter().copied().filter(|x| x % 2 == 0).collect();
        prop_assert_eq!(&run_by(chain().filter(|x| x % 2 == 0), &script), &filtered);
    }
}
