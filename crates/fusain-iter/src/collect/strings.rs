//! Strings made of characters and of strings.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::{FromParallelIterator, IntoParallelIterator, ParallelExtend, extended};
use crate::parallel::run;
use crate::sink::fold::{self, Gather};

/// String types to which elements of several types can be added. Each part makes a string, and these are joined in order.
macro_rules! strings {
    ($($string:ident { $([$($generics:tt)*] $item:ty: |$text:ident, $x:ident| $push:expr;)* })*) => {$($(
        impl<$($generics)*> FromParallelIterator<$item> for $string {
            fn from_par_iter<I: IntoParallelIterator<Item = $item>>(chain: I) -> Self {
                extended(chain)
            }
        }

        impl<$($generics)*> ParallelExtend<$item> for $string {
            fn par_extend<I: IntoParallelIterator<Item = $item>>(&mut self, chain: I) {
                let push = |$text: &mut $string, $x: $item| $push;
                for part in run(&mut chain.into_par_iter(), |settings, source| fold::run(settings, source, Gather::new(push))) {
                    self.extend(std::iter::once(part));
                }
            }
        }
    )*)*};
}

strings! {
    String {
        [] char: |text, x| text.push(x);
        ['a] &'a char: |text, x| text.push(*x);
        ['a] &'a str: |text, x| text.push_str(x);
        [] String: |text, x| text.push_str(&x);
        [] Box<str>: |text, x| text.push_str(&x);
        ['a] Cow<'a, str>: |text, x| text.push_str(&x);
    }
    OsString {
        ['a] &'a OsStr: |text, x| text.push(x);
        [] OsString: |text, x| text.push(x);
        ['a] Cow<'a, OsStr>: |text, x| text.push(x);
    }
}

impl<'a, C: ?Sized + ToOwned, T: Send> FromParallelIterator<T> for Cow<'a, C>
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
