//! What one source file says of others: its modules, its items, its `use` lines and its paths.

use super::tokens::{Token, tokens};

/// A file of a module tree.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its place below `src`, with `/` between folders.
    pub(crate) file: String,
    /// `["regress", "gp", "fit"]` for `regress/gp/fit.rs`, `["regress", "gp"]` for `regress/gp/mod.rs`.
    pub(crate) module: Vec<String>,
    /// The modules it declares, tests apart.
    pub(crate) children: Vec<String>,
    /// The modules it declares for tests only.
    pub(crate) test_modules: Vec<String>,
    /// What it defines at its top.
    pub(crate) items: Vec<String>,
    /// Whether a macro of its own may define more.
    pub(crate) has_macros: bool,
    pub(crate) imports: Vec<Import>,
    /// Paths of two or more names outside `use` lines.
    pub(crate) paths: Vec<Path>,
}

/// One name of a `use` line, braces expanded.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) path: Path,
    /// The name it has in this file; `*` for all that the path holds.
    pub(crate) name: String,
    pub(crate) shown: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(crate) names: Vec<String>,
    pub(crate) line: usize,
}

impl Source {
    pub(crate) fn new(file: &str, text: &str) -> Self {
        let (tokens, test_modules) = tokens(text);
        let mut source = Self {
            file: file.to_owned(),
            module: module_of(file),
            children: Vec::new(),
            test_modules: test_modules.into_iter().map(str::to_owned).collect(),
            items: Vec::new(),
            has_macros: false,
            imports: Vec::new(),
            paths: Vec::new(),
        };
        source.read(&tokens);
        source
    }

    /// Whether it is a folder's `mod.rs`, whose `pub use` lines show what the folder holds.
    pub(crate) fn is_facade(&self) -> bool {
        self.file == "mod.rs" || self.file.ends_with("/mod.rs") || self.file == "lib.rs"
    }

    fn read(&mut self, tokens: &[Token<'_>]) {
        let word = |at: usize| tokens.get(at).map_or("", |token| token.text);
        let (mut at, mut depth, mut shown) = (0, 0, false);
        while at < tokens.len() {
            let (text, before) = (word(at), if at == 0 { "" } else { word(at - 1) });
            match text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "pub" => shown = true,
                ";" => shown = false,
                "use" => {
                    at = self.read_use(tokens, at + 1, &[], shown);
                    shown = false;
                    continue;
                }
                "mod" if depth == 0 => {
                    assert_eq!(word(at + 2), ";", "{}:{}: a module is a file of its own", self.file, tokens[at].line);
                    self.children.push(word(at + 1).to_owned());
                }
                "struct" | "enum" | "trait" | "type" | "union" | "fn" | "static" | "const" if depth == 0 => {
                    self.items.push(word(at + 1).to_owned());
                }
                "macro_rules" => {
                    self.items.push(word(at + 2).to_owned());
                    self.has_macros = true;
                }
                _ if word(at + 1) == "::" && before != "::" && is_name(text) => {
                    let mut names = vec![text.to_owned()];
                    let line = tokens[at].line;
                    while word(at + 1) == "::" && is_name(word(at + 2)) {
                        names.push(word(at + 2).to_owned());
                        at += 2;
                    }
                    self.paths.push(Path { names, line });
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Reads a tree of names from `at` on, below the names `above`; returns the place behind it and its `,` or `;`.
    fn read_use(&mut self, tokens: &[Token<'_>], mut at: usize, above: &[String], shown: bool) -> usize {
        let mut names = above.to_vec();
        let line = tokens[at].line;
        loop {
            match tokens[at].text {
                "::" => at += 1,
                "{" => {
                    at += 1;
                    while tokens[at].text != "}" {
                        at = self.read_use(tokens, at, &names, shown);
                        at += usize::from(tokens[at].text == ",");
                    }
                    return at + 1;
                }
                "," | ";" | "}" => {
                    let name = if names.last().is_some_and(|last| last == "self") {
                        names.pop();
                        names.last()
                    } else {
                        names.last()
                    };
                    let name = name.cloned().unwrap_or_default();
                    self.imports.push(Import { path: Path { names, line }, name, shown });
                    return at;
                }
                "as" => {
                    let name = tokens[at + 1].text.to_owned();
                    self.imports.push(Import { path: Path { names, line }, name, shown });
                    return at + 2;
                }
                name => {
                    names.push(name.to_owned());
                    at += 1;
                }
            }
        }
    }
}

fn module_of(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    if stem == "lib" { Vec::new() } else { stem.split('/').map(str::to_owned).collect() }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|sign: char| sign == '_' || sign.is_alphabetic())
}
