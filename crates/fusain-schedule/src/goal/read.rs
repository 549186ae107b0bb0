//! Reads the text form, a rank at a time.

use std::collections::HashMap;
use std::io::Read;

use super::scan::{Place, Scanner, Token};
use super::{Dependency, Error, Kind, Operation, Rank};
use crate::Moment;

/// Reads a schedule rank by rank: an iterator over [`Rank`]s, or [`Reader::read`] to reuse the memory of one.
///
/// Time O(bytes), memory O(the largest rank) whatever the length of the text. After an error the reader ends. It has its own buffer.
///
/// ```
/// use fusain_schedule::goal::Reader;
///
/// let text = "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b of 0\n}\n";
/// let mut ranks = Reader::new(text.as_bytes())?;
/// assert_eq!(ranks.ranks(), 2);
/// assert_eq!(ranks.next().unwrap()?.operations.len(), 1);
/// let error = ranks.next().unwrap().unwrap_err();
/// assert_eq!(error.to_string(), "line 6, column 9: expected `from`, found `of`");
/// # Ok::<(), fusain_schedule::goal::Error>(())
/// ```
pub struct Reader<R> {
    scanner: Scanner<R>,
    ranks: u32,
    next: u32,
    failed: bool,
    /// The labels of the current rank.
    labels: HashMap<Box<[u8]>, u32>,
    /// Labels used before they were set.
    early: Vec<Early>,
}

/// A label used before it was set: the dependency, and which of its two operations the label stands for.
struct Early {
    dependency: usize,
    waits: bool,
    label: Box<[u8]>,
    place: Place,
}

/// The number in a dependency that stands for a label not yet set.
const UNKNOWN: u32 = u32::MAX;

impl<R: Read> Reader<R> {
    /// Makes a reader, and reads the text up to the number of ranks.
    ///
    /// # Errors
    /// [`Error::Unexpected`] if the text begins with something else; [`Error::Io`].
    pub fn new(from: R) -> Result<Self, Error> {
        let mut scanner = Scanner::new(from);
        if next_line(&mut scanner)? != Token::Word || scanner.word() != b"num_ranks" {
            return Err(scanner.unexpected("`num_ranks`"));
        }
        scanner.advance()?;
        let ranks = number(&scanner, u64::from(u32::MAX), "the number of ranks")? as u32;
        if ranks == 0 {
            return Err(scanner.unexpected("at least one rank"));
        }
        Ok(Self { scanner, ranks, next: 0, failed: false, labels: HashMap::new(), early: Vec::new() })
    }

    /// The number of ranks of the schedule.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Reads the next rank into `rank`, whose memory it reuses. Returns `false` after the last.
    ///
    /// # Errors
    /// [`Error::Unexpected`] if the text is not a valid schedule; [`Error::Io`].
    pub fn read(&mut self, rank: &mut Rank) -> Result<bool, Error> {
        rank.clear();
        if self.failed {
            return Ok(false);
        }
        let outcome = self.block(rank);
        self.failed = outcome.is_err();
        outcome
    }

    /// Reads `rank 3 { ... }`, or the end of the text.
    fn block(&mut self, rank: &mut Rank) -> Result<bool, Error> {
        next_line(&mut self.scanner)?;
        if self.next == self.ranks {
            return match self.scanner.token() {
                Token::End => Ok(false),
                _ => Err(self.scanner.unexpected(format!("the end of the text after {} ranks", self.ranks))),
            };
        }
        if self.scanner.token() != Token::Word || self.scanner.word() != b"rank" {
            return Err(self.scanner.unexpected(format!("`rank {} {{`", self.next)));
        }
        if self.scanner.advance()? != Token::Number(u64::from(self.next)) {
            return Err(self.scanner.unexpected(format!("rank {}: ranks come in order", self.next)));
        }
        if next_line(&mut self.scanner)? != Token::Open {
            return Err(self.scanner.unexpected("`{`"));
        }
        self.labels.clear();
        loop {
            match next_line(&mut self.scanner)? {
                Token::Word => self.statement(rank)?,
                Token::Close => break,
                _ => return Err(self.scanner.unexpected("a statement, or `}`")),
            }
            match self.scanner.token() {
                Token::Line => {}
                Token::Close => break,
                _ => return Err(self.scanner.unexpected("the end of the line")),
            }
        }
        self.resolve(rank)?;
        self.next += 1;
        Ok(true)
    }

    /// Reads a statement, whose first word was read, up to the token after its end.
    fn statement(&mut self, rank: &mut Rank) -> Result<(), Error> {
        if matches!(self.scanner.word(), b"send" | b"recv" | b"calc") {
            return self.operation(rank);
        }
        let (label, place) = (Box::from(self.scanner.word()), self.scanner.place());
        match self.scanner.advance()? {
            Token::Colon => {
                let number = rank.operations.len() as u32;
                if self.labels.contains_key(&label) {
                    let expected = "a label that no statement of the rank has yet";
                    return Err(self.scanner.unexpected_at(place, expected, quoted(&label)));
                }
                self.labels.insert(label, number);
                self.scanner.advance()?;
                self.operation(rank)
            }
            Token::Word if self.scanner.word() == b"requires" => self.dependency(rank, Moment::End, label, place),
            Token::Word if self.scanner.word() == b"irequires" => self.dependency(rank, Moment::Start, label, place),
            _ => Err(self.scanner.unexpected("`:`, `requires` or `irequires` after a label")),
        }
    }

    /// Reads an operation, whose verb was read, up to the token after its end.
    fn operation(&mut self, rank: &mut Rank) -> Result<(), Error> {
        let scanner = &mut self.scanner;
        let verb = match (scanner.token(), scanner.word()) {
            (Token::Word, b"send") => Verb::Send,
            (Token::Word, b"recv") => Verb::Recv,
            (Token::Word, b"calc") => Verb::Calc,
            _ => return Err(scanner.unexpected("`send`, `recv` or `calc`")),
        };
        scanner.advance()?;
        let kind = match verb {
            Verb::Calc => Kind::Calc { time: number(scanner, u64::MAX, "how long it calculates")? },
            Verb::Send => {
                let bytes = bytes(scanner)?;
                word(scanner, b"to")?;
                scanner.advance()?;
                Kind::Send { bytes, to: peer(scanner, self.ranks)?, tag: 0 }
            }
            Verb::Recv => {
                let bytes = bytes(scanner)?;
                word(scanner, b"from")?;
                let from = if scanner.advance()? == Token::Any { None } else { Some(peer(scanner, self.ranks)?) };
                Kind::Recv { bytes, from, tag: Some(0) }
            }
        };
        let operation = attributes(scanner, kind.into(), verb)?;
        if rank.operations.len() >= u32::MAX as usize - 1 {
            return Err(scanner.unexpected("fewer than 2^32 operations in a rank"));
        }
        rank.operations.push(operation);
        Ok(())
    }

    /// Reads a dependency, whose verb was read, up to the token after its end.
    fn dependency(&mut self, rank: &mut Rank, moment: Moment, waits: Box<[u8]>, place: Place) -> Result<(), Error> {
        if self.scanner.advance()? != Token::Word {
            return Err(self.scanner.unexpected("a label"));
        }
        let dependency = rank.dependencies.len();
        let operation = self.labels.get(&waits).copied().unwrap_or(UNKNOWN);
        if operation == UNKNOWN {
            self.early.push(Early { dependency, waits: true, label: waits, place });
        }
        let on = self.labels.get(self.scanner.word()).copied().unwrap_or(UNKNOWN);
        if on == UNKNOWN {
            let (label, place) = (self.scanner.word().into(), self.scanner.place());
            self.early.push(Early { dependency, waits: false, label, place });
        }
        rank.dependencies.push(Dependency { operation, on, moment });
        self.scanner.advance()?;
        Ok(())
    }

    /// Sets the labels used early, at the end of a rank, where every label is known.
    fn resolve(&mut self, rank: &mut Rank) -> Result<(), Error> {
        for early in self.early.drain(..) {
            let Some(&number) = self.labels.get(&early.label) else {
                let expected = "a label of the rank";
                return Err(self.scanner.unexpected_at(early.place, expected, quoted(&early.label)));
            };
            let dependency = &mut rank.dependencies[early.dependency];
            *(if early.waits { &mut dependency.operation } else { &mut dependency.on }) = number;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Send,
    Recv,
    Calc,
}

/// Reads `tag`, `cpu` and `nic`, each at most once, up to the token after them.
fn attributes<R: Read>(scanner: &mut Scanner<R>, mut operation: Operation, verb: Verb) -> Result<Operation, Error> {
    let expected = match verb {
        Verb::Calc => "`cpu` or the end of the line",
        _ => "`tag`, `cpu`, `nic` (each once) or the end of the line",
    };
    let (mut tag, mut cpu, mut nic) = (verb == Verb::Calc, false, verb == Verb::Calc);
    while scanner.advance()? == Token::Word {
        match scanner.word() {
            b"tag" if !std::mem::replace(&mut tag, true) => {
                scanner.advance()?;
                match &mut operation.kind {
                    Kind::Recv { tag, .. } if scanner.token() == Token::Any => *tag = None,
                    _ => operation = operation.tag(number(scanner, u64::from(u32::MAX) - 1, "a tag")? as u32),
                }
            }
            b"cpu" if !std::mem::replace(&mut cpu, true) => {
                scanner.advance()?;
                operation.cpu = number(scanner, u64::from(u8::MAX), "the number of a processor")? as u8;
            }
            b"nic" if !std::mem::replace(&mut nic, true) => {
                scanner.advance()?;
                operation.nic = number(scanner, u64::from(u8::MAX), "the number of a network card")? as u8;
            }
            _ => return Err(scanner.unexpected(expected)),
        }
    }
    match scanner.token() {
        Token::Line | Token::Close => Ok(operation),
        _ => Err(scanner.unexpected(expected)),
    }
}

/// Reads the next token that is not the end of a line.
fn next_line<R: Read>(scanner: &mut Scanner<R>) -> Result<Token, Error> {
    while scanner.advance()? == Token::Line {}
    Ok(scanner.token())
}

/// Reads the next token, which must be this word.
fn word<R: Read>(scanner: &mut Scanner<R>, expected: &[u8]) -> Result<(), Error> {
    if scanner.advance()? == Token::Word && scanner.word() == expected {
        return Ok(());
    }
    Err(scanner.unexpected(quoted(expected)))
}

/// Returns the current token, which must be a number up to `max`.
fn number<R: Read>(scanner: &Scanner<R>, max: u64, what: &str) -> Result<u64, Error> {
    match scanner.token() {
        Token::Number(number) if number <= max => Ok(number),
        Token::Number(_) | Token::TooLarge => Err(scanner.unexpected(format!("{what}, at most {max}"))),
        _ => Err(scanner.unexpected(what)),
    }
}

/// Reads the current token and the next one, as in `1024b`.
fn bytes<R: Read>(scanner: &mut Scanner<R>) -> Result<u64, Error> {
    let bytes = number(scanner, u64::MAX, "how many bytes, as in `1024b`")?;
    word(scanner, b"b")?;
    Ok(bytes)
}

/// Returns the current token, which must be one of `ranks` ranks.
fn peer<R: Read>(scanner: &Scanner<R>, ranks: u32) -> Result<u32, Error> {
    match scanner.token() {
        Token::Number(number) if number < u64::from(ranks) => Ok(number as u32),
        _ => Err(scanner.unexpected(format!("a rank below {ranks}"))),
    }
}

fn quoted(word: &[u8]) -> String {
    format!("`{}`", String::from_utf8_lossy(word))
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Rank, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut rank = Rank::default();
        self.read(&mut rank).map(|more| more.then_some(rank)).transpose()
    }
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("ranks", &self.ranks).field("next", &self.next).finish_non_exhaustive()
    }
}
