//! Splits the text into words, numbers and marks, each with its place.
//!
//! The text goes through one buffer of fixed size, and each word into another. So memory does not grow with the text.

use std::io::{self, Read};

use super::Error;

/// One piece of the text. A word's letters are in [`Scanner::word`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word,
    Number(u64),
    /// A number of 2^64 or more.
    TooLarge,
    /// `-1`, which stands for any rank or tag.
    Any,
    Colon,
    Open,
    Close,
    Line,
    End,
    /// A byte with which no token begins.
    Other(u8),
}

/// Where a token begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    line: u64,
    column: u64,
}

/// The maximum length of a word; longer words are refused.
pub(super) const WORD_BYTES_MAX: usize = 1024;

const BUFFER_BYTES: usize = 1 << 16;

pub(super) struct Scanner<R> {
    from: R,
    buffer: Box<[u8]>,
    at: usize,
    filled: usize,
    /// The number of bytes of the text before the buffer.
    before: u64,
    line: u64,
    /// Where the current line begins, in bytes from the beginning of the text.
    line_begins: u64,
    /// The word read last.
    word: Vec<u8>,
    /// The token read last, and where it begins.
    token: Token,
    place: Place,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(from: R) -> Self {
        Self {
            from,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            at: 0,
            filled: 0,
            before: 0,
            line: 1,
            line_begins: 0,
            word: Vec::new(),
            token: Token::Line,
            place: Place::default(),
        }
    }

    pub(super) fn token(&self) -> Token {
        self.token
    }

    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// An error which says that something else should stand where the last token stands.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> Error {
        self.unexpected_at(self.place, expected, self.describe())
    }

    pub(super) fn unexpected_at(&self, place: Place, expected: impl Into<String>, found: String) -> Error {
        Error::Unexpected { line: place.line, column: place.column, expected: expected.into(), found }
    }

    fn describe(&self) -> String {
        match self.token {
            Token::Word => format!("`{}`", String::from_utf8_lossy(&self.word)),
            Token::Number(number) => format!("`{number}`"),
            Token::TooLarge => "a number past 2^64".into(),
            Token::Any => "`-1`".into(),
            Token::Colon => "`:`".into(),
            Token::Open => "`{`".into(),
            Token::Close => "`}`".into(),
            Token::Line => "the end of the line".into(),
            Token::End => "the end of the text".into(),
            Token::Other(byte) => format!("`{}`", byte.escape_ascii()),
        }
    }

    /// Reads the next token.
    pub(super) fn advance(&mut self) -> Result<Token, Error> {
        self.skip()?;
        self.place = self.here();
        self.token = match self.peek()? {
            None => Token::End,
            Some(b'\n') => {
                self.bump();
                Token::Line
            }
            Some(byte) if byte.is_ascii_alphabetic() => self.scan_word()?,
            Some(byte) if byte.is_ascii_digit() => self.scan_number()?,
            Some(byte) => {
                self.bump();
                match byte {
                    b':' => Token::Colon,
                    b'{' => Token::Open,
                    b'}' => Token::Close,
                    b'-' if self.peek()? == Some(b'1') => {
                        // `-1`, but not the front of `-12`.
                        match self.scan_number()? {
                            Token::Number(1) => Token::Any,
                            _ => Token::Other(b'-'),
                        }
                    }
                    byte => Token::Other(byte),
                }
            }
        };
        Ok(self.token)
    }

    fn scan_word(&mut self) -> Result<Token, Error> {
        self.word.clear();
        while let Some(byte) = self.peek()? {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                break;
            }
            if self.word.len() == WORD_BYTES_MAX {
                let expected = format!("a word of at most {WORD_BYTES_MAX} letters");
                return Err(self.unexpected_at(self.place, expected, "a longer one".into()));
            }
            self.word.push(byte);
            self.bump();
        }
        Ok(Token::Word)
    }

    fn scan_number(&mut self) -> Result<Token, Error> {
        let mut number = Some(0u64);
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_digit() {
                break;
            }
            number = number.and_then(|number| number.checked_mul(10)?.checked_add(u64::from(byte - b'0')));
            self.bump();
        }
        Ok(number.map_or(Token::TooLarge, Token::Number))
    }

    /// Skips spaces and comments, and the `\r` of a `\r\n`.
    fn skip(&mut self) -> Result<(), Error> {
        loop {
            match self.peek()? {
                Some(b' ' | b'\t' | b'\r') => self.bump(),
                Some(b'/') => {
                    self.place = self.here();
                    self.bump();
                    match self.peek()? {
                        Some(b'/') => {
                            while self.peek()?.is_some_and(|byte| byte != b'\n') {
                                self.bump()
                            }
                        }
                        Some(b'*') => self.skip_block()?,
                        _ => return Err(self.unexpected_at(self.place, "`//` or `/*`", "a single `/`".into())),
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips the rest of a `/*` comment, which may contain line ends.
    fn skip_block(&mut self) -> Result<(), Error> {
        let begin = self.place;
        self.bump();
        let mut star = false;
        loop {
            let Some(byte) = self.peek()? else {
                return Err(self.unexpected_at(begin, "a comment that ends with `*/`", "the end of the text".into()));
            };
            self.bump();
            match byte {
                b'/' if star => return Ok(()),
                byte => star = byte == b'*',
            }
        }
    }

    fn here(&self) -> Place {
        Place { line: self.line, column: self.before + self.at as u64 - self.line_begins + 1 }
    }

    #[inline]
    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.filled && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Goes past the byte that `peek` returned last.
    #[inline]
    fn bump(&mut self) {
        let ends_line = self.buffer[self.at] == b'\n';
        self.at += 1;
        if ends_line {
            self.line += 1;
            self.line_begins = self.before + self.at as u64;
        }
    }

    #[cold]
    fn fill(&mut self) -> io::Result<bool> {
        self.before += self.filled as u64;
        (self.at, self.filled) = (0, 0);
        loop {
            match self.from.read(&mut self.buffer) {
                Ok(filled) => {
                    self.filled = filled;
                    return Ok(filled > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
