//! What every drawing is written with: text, numbers, the frame around a picture.

use std::fmt::Write;

/// The first of these that there is; Roboto travels with the program.
pub(crate) const FONT: &str = "Roboto, Helvetica, Arial, sans-serif";
pub(crate) const INK: &str = "#222222";

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

/// A picture on white paper.
pub(crate) fn picture(title: &str, (width, height): (f64, f64), body: &str) -> String {
    let title = escaped(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" font-family=\"{FONT}\">\n<title>{title}</title>\n<rect width=\"100%\" \
         height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

/// Writes a text; `more` are further attributes.
pub(crate) fn text(svg: &mut String, at: (f64, f64), size: f64, anchor: &str, colour: &str, more: &str, words: &str) {
    if !words.is_empty() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{colour}\"{more}>{}</text>",
            at.0,
            at.1,
            escaped(words)
        );
    }
}

/// About how wide a text is.
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
