//! A node's name in its box: whole, in several lines where it is long.

use crate::layout::Size;
use crate::svg::text_width;

/// The size of a name's letters, in CSS pixels.
pub(crate) const LETTERS: f64 = 14.0;
/// From one line to the next.
pub(crate) const LINE: f64 = 16.0;
/// The greatest width of a line, unless a single word needs more.
const WIDEST: f64 = 150.0;
/// A word wider than this is broken.
const WIDEST_WORD: f64 = 210.0;
/// More lines than these are not shown; the title of a node has its whole name.
const MOST_LINES: usize = 4;
const PADDING: (f64, f64) = (26.0, 14.0);
const LEAST_WIDTH: f64 = 44.0;

/// The lines of a name and the box they need.
#[derive(Debug, Clone, PartialEq)]
pub struct Label {
    /// From top to bottom.
    pub lines: Vec<String>,
    /// The box around them.
    pub size: Size,
}

impl Label {
    /// Breaks a name after its spaces, dots, dashes, slashes and underscores, and within words only where one is too wide.
    ///
    /// ```
    /// use npvar_draw::Label;
    /// assert_eq!(Label::new("X1").lines, ["X1"]);
    /// assert_eq!(Label::new("mean_arterial_blood_pressure_mmHg").lines, ["mean_arterial_blood_", "pressure_mmHg"]);
    /// ```
    pub fn new(name: &str) -> Label {
        let width = |line: &str| text_width(line, LETTERS);
        let words = words(name);
        let mut lines = broken(&words, WIDEST);
        // No narrower than needs another line: lines of about one length.
        for share in 1..20 {
            let narrower = broken(&words, WIDEST * (1.0 - f64::from(share) / 20.0));
            if narrower.len() == lines.len() {
                lines = narrower;
            }
        }
        if lines.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            lines[MOST_LINES - 1] += "…";
        }
        let widest = lines.iter().map(|line| width(line)).fold(0.0, f64::max);
        let size =
            Size { width: (widest + PADDING.0).max(LEAST_WIDTH).ceil(), height: LINE * lines.len() as f64 + PADDING.1 };
        Label { lines, size }
    }
}

/// Words in lines, each as long as the width allows.
fn broken(words: &[String], width: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() || text_width(&(line.clone() + word.trim_end()), LETTERS) <= width {
            *line += word;
        } else {
            lines.push(word.clone());
        }
    }
    lines.iter().map(|line| line.trim().to_owned()).collect()
}

/// The parts that a name may be broken into.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        let word = words.last_mut().expect("there is always a word");
        if text_width(word, LETTERS) > WIDEST_WORD {
            words.push(String::from(letter));
            continue;
        }
        word.push(letter);
        if letter.is_whitespace() || matches!(letter, '_' | '-' | '.' | '/' | ':' | ',') {
            words.push(String::new());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_all_its_letters_and_fits_its_box() {
        for name in
            ["", "a", "a very long name of a column", "x".repeat(80).as_str(), "温度の平均値と標準偏差を記録した列"]
        {
            let label = Label::new(name);
            let kept: String = label.lines.concat();
            assert_eq!(kept.replace(' ', ""), name.replace(' ', ""));
            assert!(label.lines.iter().all(|line| text_width(line, LETTERS) < label.size.width));
            assert!(label.size.height >= LINE * label.lines.len() as f64);
        }
    }

    #[test]
    fn an_endless_name_ends_with_dots() {
        let label = Label::new(&"word ".repeat(100));
        assert_eq!(label.lines.len(), MOST_LINES);
        assert!(label.lines[MOST_LINES - 1].ends_with('…'));
    }
}
