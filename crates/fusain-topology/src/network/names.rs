//! Slurm's lists of names: `tux[0-3,07],rack[0-3]_blade[0-1]`. A leading zero keeps the width.
//!
//! A few characters can stand for any number of names of any length, so there are limits. A list beyond them is a typing error, not a reason to
//! use up all memory.

/// The maximum number of names in one description of a network, all lists together.
const NAMES_MAX: usize = 1 << 20;
/// The maximum number of bytes of all names, and of all paths made of them.
const ALL_BYTES_MAX: usize = 1 << 26;
/// The maximum number of digits: those of the largest `u64`.
const DIGITS_MAX: usize = 20;
/// The maximum length of a name, as in the domain name system.
const BYTES_MAX: usize = 255;

/// Reads the lists of one description.
#[derive(Default)]
pub(super) struct Names {
    /// The number of names in all lists so far.
    count: usize,
    bytes: usize,
}

impl Names {
    /// Returns the names of a list, or what is wrong with it.
    pub(super) fn read(&mut self, text: &str) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let mut depth = 0;
            let end = rest.find(|c| {
                depth += i32::from(c == '[') - i32::from(c == ']');
                c == ',' && depth == 0
            });
            let (item, after) = end.map_or((rest, ""), |end| (&rest[..end], &rest[end + 1..]));
            names.extend(self.expand(item, text)?);
            rest = after;
        }
        names.iter().try_for_each(|name| check(name))?;
        Ok(names)
    }

    /// Returns the names of one item of the list `text`: each number of a bracket with each of the brackets behind it.
    fn expand(&mut self, item: &str, text: &str) -> Result<Vec<String>, String> {
        let wrong = || format!("{text:?} is no list of names");
        let (mut count, mut length) = (1_usize, 0_usize);
        let mut pieces = Vec::new();
        let mut rest = item;
        while !rest.is_empty() {
            let (plain, bracket) = rest.split_at(rest.find('[').unwrap_or(rest.len()));
            if plain.contains(']') {
                return Err(wrong());
            }
            length += plain.len();
            if length > BYTES_MAX {
                return Err(too_long(plain));
            }
            let mut ranges = Vec::new();
            rest = match bracket.strip_prefix('[') {
                None => "",
                Some(inside) => {
                    let (numbers, after) = inside.split_once(']').ok_or_else(wrong)?;
                    for range in numbers.split(',') {
                        ranges.push(Numbers::read(range, plain)?.ok_or_else(wrong)?);
                    }
                    count = count.saturating_mul(ranges.iter().map(Numbers::count).fold(0, usize::saturating_add));
                    length += ranges.iter().map(Numbers::digits).max().unwrap_or(0);
                    after
                }
            };
            pieces.push((plain, ranges));
        }
        if length == 0 {
            return Err(wrong());
        }
        self.take(count, length)?;
        let mut names = vec![String::new()];
        for (plain, ranges) in pieces {
            names.iter_mut().for_each(|name| name.push_str(plain));
            if !ranges.is_empty() {
                let with_numbers =
                    |name: String| ranges.iter().flat_map(Numbers::texts).map(move |text| format!("{name}{text}"));
                names = names.into_iter().flat_map(with_numbers).collect();
            }
        }
        Ok(names)
    }

    /// Counts `more` names, of at most `length` bytes each, before they are made.
    fn take(&mut self, more: usize, length: usize) -> Result<(), String> {
        self.count = self.count.saturating_add(more);
        if self.count > NAMES_MAX {
            return Err(format!("with its lists there are more than {NAMES_MAX} names"));
        }
        self.take_bytes(more.saturating_mul(length))
    }

    /// Counts `more` bytes of names and paths.
    pub(super) fn take_bytes(&mut self, more: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > ALL_BYTES_MAX {
            return Err(format!("all names and paths up to here have more than {ALL_BYTES_MAX} bytes"));
        }
        Ok(())
    }
}

/// A range of numbers in brackets, such as `08-11`.
struct Numbers {
    first: u64,
    last: u64,
    width: usize,
}

impl Numbers {
    /// Reads a range of the bracket behind `prefix`; `None` if it is not one.
    fn read(range: &str, prefix: &str) -> Result<Option<Self>, String> {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if first.len().max(last.len()) > DIGITS_MAX {
            return Err(format!("a number behind {prefix:?} has more than {DIGITS_MAX} digits"));
        }
        let width = if first.starts_with('0') { first.len() } else { 0 };
        let number = |digits: &str| digits.parse::<u64>().ok().filter(|_| !digits.starts_with('+'));
        let numbers = number(first).zip(number(last)).filter(|(first, last)| first <= last);
        Ok(numbers.map(|(first, last)| Self { first, last, width }))
    }

    fn count(&self) -> usize {
        usize::try_from(self.last - self.first).unwrap_or(usize::MAX).saturating_add(1)
    }

    /// The maximum number of digits.
    fn digits(&self) -> usize {
        self.last.to_string().len().max(self.width)
    }

    fn texts(&self) -> impl Iterator<Item = String> {
        let width = self.width;
        (self.first..=self.last).map(move |number| format!("{number:0width$}"))
    }
}

/// Refuses a name that is too long.
pub(super) fn check(name: &str) -> Result<(), String> {
    if name.len() > BYTES_MAX { Err(too_long(name)) } else { Ok(()) }
}

fn too_long(name: &str) -> String {
    let begin: String = name.chars().take(20).collect();
    format!("the name {begin:?}... has more than {BYTES_MAX} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        Names::default().read(text)
    }

    #[test]
    fn lists() {
        assert_eq!(read("tux[0-2,7],login").unwrap(), ["tux0", "tux1", "tux2", "tux7", "login"]);
        assert_eq!(read("n[08-11]-ib").unwrap(), ["n08-ib", "n09-ib", "n10-ib", "n11-ib"]);
        assert_eq!(read("r[0-1]_b[08,9]x,s").unwrap(), ["r0_b08x", "r0_b9x", "r1_b08x", "r1_b9x", "s"]);
        for wrong in [
            "tux[3-1]",
            "tux[1",
            "a,,b",
            "tux[x]",
            "tux[]",
            "tux[+1-3]",
            "tux[0-1]rack[2-3",
            "tux[0-[1]]",
            "tux0]",
            "tux[0-1]]",
        ] {
            assert_eq!(read(wrong), Err(format!("{wrong:?} is no list of names")));
        }
    }

    #[test]
    fn limits() {
        let reason = |text: &str| read(text).unwrap_err();
        assert!(reason("n[0-9999999]").contains("more than 1048576 names"));
        assert!(reason("n[0-18446744073709551615]").contains("more than 1048576 names"));
        assert!(reason("n[0-1999]m[0-1999]").contains("more than 1048576 names"));
        assert!(reason("n[0-18446744073709551615][0-18446744073709551615]").contains("more than 1048576 names"));
        let zeros = |count| format!("n[{}-1]", "0".repeat(count));
        assert_eq!(read(&zeros(20)).unwrap()[1].len(), 21);
        assert!(reason(&zeros(21)).contains("behind \"n\" has more than 20 digits"));
        assert!(reason(&format!("n[0-{}1]", "0".repeat(70_000))).contains("20 digits"));
        assert_eq!(read(&"n".repeat(255)).unwrap().len(), 1);
        for long in ["n".repeat(256), "n".repeat(255) + "[0-9]", format!("n[0-9]{}", "é".repeat(200))] {
            assert!(reason(&long).contains("more than 255 bytes"), "{long}");
        }
    }

    #[test]
    fn all_lists_together() {
        let mut names = Names { count: NAMES_MAX - 1, bytes: 0 };
        assert_eq!(names.read("b").unwrap(), ["b"]);
        assert!(names.read("c").unwrap_err().contains("more than 1048576 names"));
    }
}
