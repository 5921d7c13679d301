//! A picture as SVG: no scripts, nothing to load, no names that could clash beside another picture on a page.

use std::fmt::{self, Display, Write};

use crate::layout::Point;
use crate::picture::{Anchor, Figure, Fill, Line, Path, Picture, Shape, Step, Text};

/// The first of these that there is; Roboto travels with the program.
const FONT: &str = "Roboto, Helvetica, Arial, sans-serif";

/// Text that may stand in XML, SVG and HTML, between tags or inside quotes. Characters that no XML text may hold are left out
/// as a replacement character.
///
/// ```
/// assert_eq!(npvar_draw::escaped("a < \"b\""), "a &lt; &quot;b&quot;");
/// ```
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' | '\r' => escaped.push(letter),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

impl Picture {
    /// As SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (self.width.round(), self.height.round());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\" font-family=\"{FONT}\">\n<title>{}</title>\n<rect width=\"100%\" \
             height=\"100%\" fill=\"#ffffff\"/>\n",
            escaped(&self.title)
        );
        self.shapes.iter().for_each(|shape| write_shape(&mut svg, shape));
        svg + "</svg>\n"
    }
}

fn write_shape(svg: &mut String, shape: &Shape) {
    // Writing to a string does not fail.
    let _ = match shape {
        Shape::Drawn { figure, line, fill } => writeln!(svg, "{figure}{}/>", Paint(*line, *fill)),
        Shape::Text(text) => writeln!(svg, "{text}"),
        Shape::Named { name, shapes } => {
            *svg += &format!("<g><title>{}</title>", escaped(name));
            shapes.iter().for_each(|shape| write_shape(svg, shape));
            writeln!(svg, "</g>")
        }
    };
}

/// To a hundredth of a pixel.
struct Rounded(f64);

impl Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero makes -0 plain.
        write!(f, "{}", (self.0 * 100.0).round() / 100.0 + 0.0)
    }
}

struct Place(Point);

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", Rounded(self.0[0]), Rounded(self.0[1]))
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            match *step {
                Step::Move(to) => write!(f, "M{}", Place(to)),
                Step::Line(to) => write!(f, "L{}", Place(to)),
                Step::Curve(first, second, to) => write!(f, "C{} {} {}", Place(first), Place(second), Place(to)),
                Step::Close => f.write_char('Z'),
            }?;
        }
        Ok(())
    }
}

/// An element that is not closed.
impl Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Path(path) => write!(f, "<path d=\"{path}\""),
            Figure::Circle { middle: [x, y], radius } => {
                write!(f, "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", Rounded(*x), Rounded(*y), Rounded(*radius))
            }
            Figure::Box { corner: [x, y], size: [width, height], radius } => {
                let [x, y, width, height, radius] = [*x, *y, *width, *height, *radius].map(Rounded);
                write!(f, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\"")
            }
        }
    }
}

struct Paint(Option<Line>, Option<Fill>);

impl Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            None => write!(f, " fill=\"none\"")?,
            Some(Fill { colour, opacity: 1.0 }) => write!(f, " fill=\"{colour}\"")?,
            Some(Fill { colour, opacity }) => write!(f, " fill=\"{colour}\" fill-opacity=\"{opacity}\"")?,
        }
        let Some(Line { colour, width, dash }) = self.0 else { return Ok(()) };
        write!(f, " stroke=\"{colour}\" stroke-width=\"{}\"", Rounded(width))?;
        if dash.is_empty() {
            return Ok(());
        }
        let dash: Vec<String> = dash.iter().map(f64::to_string).collect();
        write!(f, " stroke-dasharray=\"{}\"", dash.join(" "))
    }
}

impl Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y] = self.at.map(Rounded);
        let anchor = match self.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        write!(f, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" text-anchor=\"{anchor}\"", self.size)?;
        write!(f, " fill=\"{}\"", self.colour)?;
        if self.bold {
            write!(f, " font-weight=\"bold\"")?;
        }
        if self.upwards {
            write!(f, " transform=\"rotate(-90 {x} {y})\"")?;
        }
        write!(f, ">{}</text>", escaped(&self.words))
    }
}

/// About how wide a text is, whatever font a reader has.
pub(crate) fn text_width(words: &str, size: f64) -> f64 {
    let share = |letter: char| match letter {
        'i' | 'l' | 'j' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' | '(' | ')' => 0.29,
        'm' | 'w' | 'M' | 'W' => 0.86,
        'f' | 't' | 'r' | '-' => 0.36,
        letter if letter.is_uppercase() => 0.66,
        // East Asian scripts and pictures.
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' => 1.0,
        '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..='\u{3ffff}' => 1.1,
        _ => 0.56,
    };
    words.chars().map(share).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_could_be_markup_or_break_it() {
        assert_eq!(escaped("<a b=\"c\" d='e'>&\u{1}"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\u{fffd}");
    }
}
