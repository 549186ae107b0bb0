//! Strings from characters and from strings.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend, extended};
use crate::parallel::run;
use crate::sink::fold::{self, Gather};

/// A string that std's `Extend` fills: each part makes a string, and these are joined in order.
macro_rules! strings {
    ($($string:ty: $([$($generics:tt)*] $item:ty),*;)*) => {$($(
        impl<$($generics)*> FromParallelIterator<$item> for $string {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(chain: I) -> Self {
                extended(chain)
            }
        }

        impl<$($generics)*> ParallelExtend<$item> for $string {
            fn par_extend<I: IntoParallelIterator<Item = $item>>(&mut self, chain: I) {
                let push = Gather::new(|part: &mut $string, x| part.extend(std::iter::once(x)));
                for part in run(&mut chain.into_par_iter(), |settings, source| fold::run(settings, source, push)) {
                    self.extend(std::iter::once(part));
                }
            }
        }
    )*)*};
}

strings! {
    String: [] char, ['a] &'a char, ['a] &'a str, [] String, [] Box<str>, ['a] Cow<'a, str>;
    OsString: ['a] &'a OsStr, [] OsString, ['a] Cow<'a, OsStr>;
}

impl<'a, C: ?Sized + ToOwned + Sync, T: Send> FromParallelIterator<T> for Cow<'a, C>
where
    C::Owned: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        Cow::Owned(C::Owned::from_par_iter(chain))
    }
}

impl<T: Send> FromParallelIterator<T> for Box<str>
where
    String: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = T>>(chain: I) -> Self {
        String::from_par_iter(chain).into_boxed_str()
    }
}
