//! As much of XML as graph files need: elements, attributes, text, comments, CDATA and character references.
//!
//! Not read: document type definitions (skipped up to their `>`), entities beyond the five of XML, and namespaces (a prefix is
//! dropped). Well-formedness is checked no further than finding the elements takes.

/// A piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    /// `<name attribute="value">`; an empty element is followed by its end.
    Start { name: String, attributes: Vec<(String, String)> },
    /// `</name>`.
    End { name: String },
    /// Text between tags.
    Text(String),
}

/// The pieces of a document with their lines.
pub(super) fn pieces(text: &str) -> Result<Vec<(usize, Piece)>, String> {
    let mut pieces = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while !rest.is_empty() {
        let at = |problem: String| format!("line {line}: {problem}");
        let until =
            |end: &str| rest.find(end).map(|start| start + end.len()).ok_or_else(|| at(format!("`{end}` is missing")));
        let length = if rest.starts_with("<!--") {
            until("-->")?
        } else if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let length = until("]]>")?;
            let end = length - "<![CDATA[".len() - "]]>".len();
            pieces.push((line, Piece::Text(normalised(&data[..end]))));
            length
        } else if rest.starts_with("<?") {
            until("?>")?
        } else if rest.starts_with("<!") {
            until(">")?
        } else if rest.starts_with('<') {
            let length = tag_length(rest).ok_or_else(|| at("a tag is not closed".to_owned()))?;
            pieces.extend(tag(&rest[1..length - 1]).map_err(at)?.into_iter().map(|piece| (line, piece)));
            length
        } else {
            let length = rest.find('<').unwrap_or(rest.len());
            pieces.push((line, Piece::Text(unescaped(&rest[..length]).map_err(at)?)));
            length
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    Ok(pieces)
}

/// Text as it stands between tags. Characters that XML 1.0 does not allow at all are written as references, which [`pieces`]
/// takes back but a strict reader may refuse.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(char),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped += &format!("&#{};", u32::from(char)),
            _ => escaped.push(char),
        }
    }
    escaped
}

/// How long the tag at the start is; a `>` in an attribute does not end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (position, char) in text.char_indices() {
        match (quote, char) {
            (None, '>') => return Some(position + 1),
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            _ => {}
        }
    }
    None
}

/// The inside of a tag, without its angle brackets.
fn tag(inside: &str) -> Result<Vec<Piece>, String> {
    if let Some(name) = inside.strip_prefix('/') {
        return Ok(vec![Piece::End { name: local(name.trim()) }]);
    }
    let (inside, empty) = inside.strip_suffix('/').map_or((inside, false), |inside| (inside, true));
    let name_length = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let name = local(&inside[..name_length]);
    if name.is_empty() {
        return Err("a tag has no name".to_owned());
    }
    let mut attributes = Vec::new();
    let mut rest = inside[name_length..].trim_start();
    while !rest.is_empty() {
        let problem = || format!("expected attribute=\"value\" in `<{name}>`, found `{rest}`");
        let (key, after) = rest.split_once('=').ok_or_else(problem)?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|char| matches!(char, '"' | '\'')).ok_or_else(problem)?;
        let (value, after) = after[1..].split_once(quote).ok_or_else(problem)?;
        attributes.push((local(key.trim()), unescaped(value)?));
        rest = after.trim_start();
    }
    let mut pieces = vec![Piece::Start { name: name.clone(), attributes }];
    if empty {
        pieces.push(Piece::End { name });
    }
    Ok(pieces)
}

/// A name without its namespace prefix.
fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut parts = text.split('&');
    let mut plain = normalised(parts.next().unwrap_or(""));
    for part in parts {
        let (entity, after) = part.split_once(';').ok_or("`&` starts no character reference")?;
        plain.push(character(entity).ok_or_else(|| format!("`&{entity};` is not a character reference"))?);
        plain += &normalised(after);
    }
    Ok(plain)
}

fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = entity.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// Line ends as XML reads them: all are `\n`.
fn normalised(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_text_are_found() {
        let text = "<?xml version='1.0'?>\n<!-- <a> -->\n<x:a k = 'v>&quot;'><b/>t &lt;&#65;&#x42;<![CDATA[<&]]></x:a>";
        let pieces: Vec<_> = pieces(text).expect("a document").into_iter().collect();
        let text = |text: &str| Piece::Text(text.to_owned());
        let end = |name: &str| Piece::End { name: name.to_owned() };
        let start = |name: &str, attributes| Piece::Start { name: name.to_owned(), attributes };
        let expected = [
            (1, text("\n")),
            (2, text("\n")),
            (3, start("a", vec![("k".to_owned(), "v>\"".to_owned())])),
            (3, start("b", vec![])),
            (3, end("b")),
            (3, text("t <AB")),
            (3, text("<&")),
            (3, end("a")),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn problems_name_the_line() {
        let problem = |text| pieces(text).expect_err("not XML");
        assert_eq!(problem("\n<a"), "line 2: a tag is not closed");
        assert_eq!(problem("<a>&b;</a>"), "line 1: `&b;` is not a character reference");
        assert_eq!(problem("<a b></a>"), "line 1: expected attribute=\"value\" in `<a>`, found `b`");
        assert_eq!(problem("<!-- x"), "line 1: `-->` is missing");
    }
}
