//! What separates: one character, one of several, or what a function says.

/// Characters that are looked for.
///
/// As of std's patterns those that can be looked for from anywhere: a `char`, some of them in an array or a slice, or a function.
pub trait Pattern: Sync + Send + sealed::Sealed {
    /// Whether it is one of them.
    #[doc(hidden)]
    fn has(&self, c: char) -> bool;

    /// Where the first one begins, and where it ends.
    #[doc(hidden)]
    #[inline]
    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        let (at, c) = text.char_indices().find(|(_, c)| self.has(*c))?;
        Some((at, at + c.len_utf8()))
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
    fn has(&self, c: char) -> bool {
        c == *self
    }

    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        // std's way is faster by far.
        text.find(*self).map(|at| (at, at + self.len_utf8()))
    }
}

/// White space, of Unicode or of ASCII.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct White<const ASCII: bool>;

impl<const ASCII: bool> Pattern for White<ASCII> {
    fn has(&self, c: char) -> bool {
        if ASCII { c.is_ascii_whitespace() } else { c.is_whitespace() }
    }

    /// Goes by bytes, and looks at characters that are not in ASCII only.
    #[inline]
    fn find_in(&self, text: &str) -> Option<(usize, usize)> {
        let mut at = 0;
        loop {
            let bytes = &text.as_bytes()[at..];
            at += bytes.iter().position(|byte| if byte.is_ascii() { self.has(char::from(*byte)) } else { !ASCII })?;
            let c = text[at..].chars().next()?;
            let end = at + c.len_utf8();
            if self.has(c) {
                return Some((at, end));
            }
            at = end;
        }
    }
}

impl Pattern for &[char] {
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<const N: usize> Pattern for [char; N] {
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<const N: usize> Pattern for &[char; N] {
    fn has(&self, c: char) -> bool {
        self.contains(&c)
    }
}

impl<F: Sync + Send + Fn(char) -> bool> Pattern for F {
    fn has(&self, c: char) -> bool {
        self(c)
    }
}
