//! The words of a Rust source: names, `::` and single signs, without comments, strings and attributes.

/// A word and the line it stands in, 1-based.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
}

/// The words that the compiler sees outside tests: items under `#[cfg(test)]` are left out, all but `mod name;`, which come second.
pub(crate) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<&str>) {
    let all = words(text);
    let (mut kept, mut test_modules) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < all.len() {
        if all[at].text != "#" {
            kept.push(all[at]);
            at += 1;
            continue;
        }
        let open = at + 1 + usize::from(all[at + 1].text == "!");
        let end = closing(&all, open);
        let attribute: Vec<&str> = all[open..end].iter().map(|token| token.text).collect();
        at = end;
        if attribute == ["[", "cfg", "(", "test", ")", "]"] {
            let item = at..item_end(&all, at);
            if let Some(mod_at) = item.clone().find(|&i| all[i].text == "mod") {
                test_modules.push(all[mod_at + 1].text);
            }
            at = item.end;
        }
    }
    (kept, test_modules)
}

/// Behind the bracket that closes the one at `open`.
fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i + 1;
        }
    }
    tokens.len()
}

/// Behind the item that begins at `start`: behind its `;` or its block.
fn item_end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut at = start;
    while at < tokens.len() {
        match tokens[at].text {
            ";" => return at + 1,
            "{" => return closing(tokens, at),
            "(" | "[" => at = closing(tokens, at),
            _ => at += 1,
        }
    }
    at
}

fn words(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut tokens, mut line, mut at) = (Vec::new(), 1, 0);
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if text[at..].starts_with("//") => text[at..].find('\n').map_or(bytes.len(), |length| at + length),
            b'/' if text[at..].starts_with("/*") => block_comment_end(text, at),
            b'"' => string_end(bytes, at),
            b'r' | b'b' if raw_string_end(text, at).is_some() => raw_string_end(text, at).unwrap(),
            b'\'' => quote_end(text, at),
            byte if is_name(byte) => at + bytes[at..].iter().take_while(|&&byte| is_name(byte)).count(),
            b':' if text[at..].starts_with("::") => at + 2,
            _ => at + text[at..].chars().next().unwrap().len_utf8(),
        };
        let word = &text[at..end];
        if is_name(bytes[at]) && !word.contains('"')
            || word.len() <= 2 && word.trim() == word && !word.contains(['"', '\''])
        {
            tokens.push(Token { text: word, line });
        }
        line += word.matches('\n').count();
        at = end;
    }
    tokens
}

fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn block_comment_end(text: &str, start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < text.len() {
        let step = &text.as_bytes()[at..text.len().min(at + 2)];
        depth += i32::from(step == b"/*") - i32::from(step == b"*/");
        at += if step == b"/*" || step == b"*/" { 2 } else { 1 };
        if depth == 0 {
            break;
        }
    }
    at
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// Behind `r"…"`, `r#"…"#`, `b"…"` or `br"…"`, where one begins at `start`.
fn raw_string_end(text: &str, start: usize) -> Option<usize> {
    let rest = text[start..].strip_prefix('b').unwrap_or(&text[start..]);
    let opening = text.len() - rest.len();
    if rest.starts_with('"') && opening > start {
        return Some(string_end(text.as_bytes(), opening));
    }
    let rest = rest.strip_prefix('r')?;
    let hashes = &rest[..rest.find(|sign| sign != '#')?];
    let body = rest[hashes.len()..].strip_prefix('"')?;
    let end = body.find(&format!("\"{hashes}"))?;
    Some(text.len() - body.len() + end + 1 + hashes.len())
}

/// Behind a character (`'a'`, `'\n'`) or, where it is a lifetime, behind the quote.
fn quote_end(text: &str, start: usize) -> usize {
    let mut signs = text[start + 1..].char_indices();
    match (signs.next(), signs.next()) {
        (Some((_, '\\')), Some((after, escaped))) => {
            let rest = start + 1 + after + escaped.len_utf8();
            rest + text[rest..].find('\'').map_or(0, |length| length + 1)
        }
        (Some(_), Some((after, '\''))) => start + 1 + after + 1,
        _ => start + 1,
    }
}
