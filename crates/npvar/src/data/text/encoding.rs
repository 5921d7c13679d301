//! Texts in UTF-16, as UTF-8. What extends ASCII byte by byte (UTF-8, Latin-1, Windows-1252) needs nothing here: separators
//! and numbers are the same bytes in all of them.

use std::io::{self, BufRead, BufReader, Read};

/// How the characters of a text are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// One byte for every character of ASCII.
    Utf8,
    /// Two bytes, the low one first.
    Utf16Le,
    /// Two bytes, the high one first.
    Utf16Be,
}

impl Encoding {
    /// By the byte order mark, or by where the zeros stand in a text that begins with ASCII.
    pub(super) fn of(beginning: &[u8]) -> Encoding {
        match beginning {
            [0xff, 0xfe, ..] => Encoding::Utf16Le,
            [0xfe, 0xff, ..] => Encoding::Utf16Be,
            [a, 0, b, 0, ..] if *a != 0 && *b != 0 => Encoding::Utf16Le,
            [0, a, 0, b, ..] if *a != 0 && *b != 0 => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        }
    }
}

/// The text as bytes that extend ASCII, without its byte order mark.
pub(super) fn decoded<'r>(mut input: Box<dyn BufRead + Send + 'r>, encoding: Encoding) -> Box<dyn BufRead + Send + 'r> {
    if encoding == Encoding::Utf8 {
        let has_mark = input.fill_buf().is_ok_and(|buffer| buffer.starts_with("\u{feff}".as_bytes()));
        if has_mark {
            input.consume(3);
        }
        return input;
    }
    let decoder = Utf16 { input, encoding, high: None, begun: false, waiting: Vec::new(), given: 0 };
    Box::new(BufReader::with_capacity(1 << 18, decoder))
}

struct Utf16<R> {
    input: R,
    encoding: Encoding,
    /// The first half of a character that takes two.
    high: Option<u16>,
    begun: bool,
    /// UTF-8 that has not been handed out.
    waiting: Vec<u8>,
    given: usize,
}

impl<R: BufRead> Utf16<R> {
    fn unit(&mut self) -> io::Result<Option<u16>> {
        let mut pair = [0; 2];
        match self.input.read(&mut pair[..1])? {
            0 => return Ok(None),
            _ => self.input.read_exact(&mut pair[1..])?,
        }
        Ok(Some(if self.encoding == Encoding::Utf16Le { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }))
    }

    fn push(&mut self, unit: u16) {
        let mut add = |c: char| self.waiting.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        let units = self.high.take().into_iter().chain([unit]);
        if (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
            return;
        }
        char::decode_utf16(units).for_each(|c| add(c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.given == self.waiting.len() {
            self.waiting.clear();
            self.given = 0;
            while self.waiting.len() < into.len().min(1 << 16) {
                let Some(unit) = self.unit()? else { break };
                if !std::mem::replace(&mut self.begun, true) && unit == 0xfeff {
                    continue;
                }
                self.push(unit);
            }
        }
        let count = into.len().min(self.waiting.len() - self.given);
        into[..count].copy_from_slice(&self.waiting[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_with_and_without_a_mark() {
        let text = "größe,𝛽\n1,2\n";
        for (encoding, mark) in [
            (Encoding::Utf16Le, true),
            (Encoding::Utf16Be, true),
            (Encoding::Utf16Le, false),
            (Encoding::Utf16Be, false),
        ] {
            let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            let bytes: Vec<u8> = units
                .flat_map(|unit| if encoding == Encoding::Utf16Le { unit.to_le_bytes() } else { unit.to_be_bytes() })
                .collect();
            assert_eq!(Encoding::of(&bytes), encoding);
            let mut read = String::new();
            decoded(Box::new(&bytes[..]), encoding).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
        assert_eq!(Encoding::of(b"a,b\n"), Encoding::Utf8);
    }
}
