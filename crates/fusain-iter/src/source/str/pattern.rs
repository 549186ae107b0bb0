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
