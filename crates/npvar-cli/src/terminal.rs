//! What a terminal can do that a pipe cannot: colours, and lines of its width. `NO_COLOR` and `CLICOLOR_FORCE` are respected.

use std::io::IsTerminal;

use console::{Style, Term};

/// Lines longer than this are hard to read, however wide the terminal.
const WIDEST: usize = 110;
/// Narrower than this nothing is wrapped.
const NARROWEST: usize = 20;

/// What the tones are written with, and how they end.
pub(crate) const OWN_COLOURS: [&str; 6] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

/// Where a text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// How a word stands out.
#[derive(Clone, Copy)]
pub(crate) enum Tone {
    Good,
    Doubtful,
    Bad,
    Quiet,
    Strong,
}

impl Stream {
    /// The width that text is wrapped at; none where nobody looks at it in a terminal.
    pub(crate) fn width(self) -> Option<usize> {
        let (term, looked_at) = match self {
            Stream::Out => (Term::stdout(), std::io::stdout().is_terminal()),
            Stream::Err => (Term::stderr(), std::io::stderr().is_terminal()),
        };
        let width = usize::from(term.size_checked()?.1).min(WIDEST);
        (looked_at && width >= NARROWEST).then_some(width)
    }

    /// The text in a colour, where colours are shown.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let style = match tone {
            Tone::Good => Style::new().green().bold(),
            Tone::Doubtful => Style::new().yellow().bold(),
            Tone::Bad => Style::new().red().bold(),
            Tone::Quiet => Style::new().dim(),
            Tone::Strong => Style::new().bold(),
        };
        let style = if self == Stream::Err { style.for_stderr() } else { style };
        style.apply_to(text).to_string()
    }

    /// The text in lines of the terminal's width, all but the first indented.
    pub(crate) fn wrapped(self, text: &str, indent: usize) -> String {
        self.width().map_or_else(|| text.to_owned(), |width| wrap(text, width, indent))
    }
}

/// Breaks lines at spaces. Colours take no room.
fn wrap(text: &str, width: usize, indent: usize) -> String {
    let mut lines = vec![String::new()];
    let mut room = width;
    for word in text.split(' ') {
        let length = console::measure_text_width(word);
        let line = lines.last_mut().expect("there is always one");
        if line.trim().is_empty() {
            line.push_str(word);
            room = room.saturating_sub(length);
        } else if length < room {
            line.push(' ');
            line.push_str(word);
            room -= length + 1;
        } else {
            lines.push(" ".repeat(indent) + word);
            room = width.saturating_sub(indent + length);
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_words_stay_whole() {
        assert_eq!(wrap("one two three four", 9, 2), "one two\n  three\n  four");
        assert_eq!(wrap("incomprehensibility is long", 6, 0), "incomprehensibility\nis\nlong");
        for line in wrap(&"word ".repeat(50), 31, 4).lines() {
            assert!(line.len() <= 31, "{line}");
        }
        assert_eq!(wrap("\u{1b}[1mred\u{1b}[0m and blue", 12, 0).lines().count(), 1);
    }
}
