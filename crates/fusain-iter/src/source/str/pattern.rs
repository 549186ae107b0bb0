//! Patterns to search strings for: one character, one of several, or one that a function accepts.

/// Characters to search a string for.
///
/// Of std's patterns, these are the ones that can be searched for from any position: a `char`, some `char`s in an array or a slice, or a function.
pub trait Pattern: Sync + Send + sealed::Sealed {
    /// Whether `c` is one of them.
    #[doc(hidden)]
    fn has(&self, c: char) -> bool;

    /// The start and the end of the first match, in bytes. It goes byte by byte, and decodes only characters outside ASCII.
    #[doc(hidden)]
    #[inline]
    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        let mut at = 0;
        loop {
            let byte = *text.as_bytes().get(at)?;
            let (is_one, len) = if byte.is_ascii() {
                (self.has(char::from(byte)), 1)
            } else {
                let c = text[at..].chars().next()?;
                (self.has(c), c.len_utf8())
            };
            if is_one {
                return Some((at, at + len));
            }
            at += len;
        }
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for char {}
    impl Sealed for &[char] {}
    impl<const N: usize> Sealed for [char; N] {}
    impl<const N: usize> Sealed for &[char; N] {}
    impl<const ASCII: bool> Sealed for super::White<ASCII> {}
    impl<F: Sync + Send + Fn(char) -> bool> Sealed for F {}
}

impl Pattern for char {
    #[inline]
    fn has(&self, c: char) -> bool {
        c == *self
    }

    #[inline]
    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        match u8::try_from(*self) {
            Ok(byte) if byte.is_ascii() => find_byte(text.as_bytes(), byte).map(|at| (at, at + 1)),
            _ => text.find(*self).map(|at| (at, at + self.len_utf8())),
        }
    }
}

/// The index of the first `byte`. It checks eight bytes at a time. `str::find` does more before it begins, which does not pay for short parts.
#[inline]
fn find_byte(bytes: &[u8], byte: u8) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    let wanted = u64::from_le_bytes([byte; 8]);
    let (chunks, rest) = bytes.as_chunks();
    let mut at = 0;
    for chunk in chunks {
        let differs = u64::from_le_bytes(*chunk) ^ wanted;
        // Marks the highest bit of the first byte that is 0, and perhaps of some bytes after it.
        let found = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
        if found > 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    rest.iter().position(|x| *x == byte).map(|behind| at + behind)
}

/// White space, of Unicode or of ASCII.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct White<const ASCII: bool>;

impl Pattern for White<false> {
    #[inline]
    fn has(&self, c: char) -> bool {
        c.is_whitespace()
    }
}

impl Pattern for White<true> {
    #[inline]
    fn has(&self, c: char) -> bool {
        c.is_ascii_whitespace()
    }

    #[inline]
    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        text.bytes().position(|byte| byte.is_ascii_whitespace()).map(|at| (at, at + 1))
    }
}

impl Pattern for &[char] {
    #[inline]
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<const N: usize> Pattern for [char; N] {
    #[inline]
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<const N: usize> Pattern for &[char; N] {
    #[inline]
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<F: Sync + Send + Fn(char) -> bool> Pattern for F {
    #[inline]
    fn has(&self, c: char) -> bool {
        self(c)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // Neighbours of the byte, and others that differ from it by the highest bit only.
        #[test]
        fn the_first_such_byte_is_found(bytes in proptest::collection::vec(prop_oneof![0..3_u8, 126..131_u8], 0..40), byte in prop_oneof![0..3_u8, 126..131_u8]) {
            prop_assert_eq!(find_byte(&bytes, byte), bytes.iter().position(|x| *x == byte));
        }

        #[test]
        fn patterns_find_what_std_finds(text in "[a-c \t\u{b}\u{85}\u{a0}\u{3000}é]{0,30}") {
            let first = |is: fn(char) -> bool| text.char_indices().find(|(_, c)| is(*c)).map(|(at, c)| (at, at + c.len_utf8()));
            prop_assert_eq!(White::<false>.find_in(&text), first(char::is_whitespace));
            prop_assert_eq!(White::<true>.find_in(&text), first(|c| c.is_ascii_whitespace()));
            prop_assert_eq!('b'.find_in(&text), first(|c| c == 'b'));
            prop_assert_eq!('é'.find_in(&text), first(|c| c == 'é'));
            prop_assert_eq!(['c', '\u{a0}'].find_in(&text), first(|c| ['c', '\u{a0}'].contains(&c)));
        }
    }
}
