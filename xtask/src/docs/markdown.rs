//! A page of Markdown, as far as the checks and the book need it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::command::{command, output, root};

/// One Markdown file of the repository.
pub(crate) struct Page {
    /// From the root of the repository.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// Where its headings can be linked to.
    pub(crate) anchors: Vec<String>,
    pub(crate) links: Vec<Found>,
    /// Texts in backticks within prose.
    pub(crate) spans: Vec<Found>,
    /// Fenced blocks of shell commands.
    pub(crate) blocks: Vec<Found>,
}

/// Something on a page, with the line it begins on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Every Markdown file that is kept.
pub(crate) fn pages() -> Result<Vec<Page>> {
    let kept = output(command("git").args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]))?;
    let mut paths: Vec<PathBuf> = kept.lines().map(PathBuf::from).filter(|path| root().join(path).exists()).collect();
    paths.sort();
    paths.into_iter().map(|path| Page::read(&path)).collect()
}

impl Page {
    fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self::new(path, text))
    }

    pub(crate) fn new(path: &Path, text: String) -> Self {
        let mut page = Self {
            path: path.to_path_buf(),
            anchors: anchors(&text),
            links: Vec::new(),
            spans: Vec::new(),
            blocks: Vec::new(),
            text: String::new(),
        };
        let mut in_commands = false;
        for (event, range) in Parser::new_ext(&text, options()).into_offset_iter() {
            let found =
                |what: &str| Found { line: text[..range.start].matches('\n').count() + 1, text: what.to_owned() };
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(found(&dest_url))
                }
                Event::Code(span) => page.spans.push(found(&span)),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    in_commands = matches!(&*language, "sh" | "console");
                }
                Event::End(TagEnd::CodeBlock) => in_commands = false,
                Event::Text(block) if in_commands => page.blocks.push(found(&block)),
                _ => {}
            }
        }
        page.text = text;
        page
    }
}

/// What of Markdown's extensions the pages use.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
}

/// The anchors of a page's headings, in their order; one that occurs again is numbered.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let first = anchor(&heading.take().unwrap_or_default());
                let again = (1..).map(|count| format!("{first}-{count}"));
                let free = std::iter::once(first.clone()).chain(again).find(|anchor| !anchors.contains(anchor));
                anchors.extend(free);
            }
            _ => {}
        }
    }
    anchors
}

/// As GitHub and mdBook make it: small letters, digits, `-` and `_`; a blank becomes `-`, all else goes.
fn anchor(heading: &str) -> String {
    let kept = |sign: char| match sign {
        sign if sign.is_alphanumeric() || matches!(sign, '-' | '_') => Some(sign),
        sign if sign.is_whitespace() => Some('-'),
        _ => None,
    };
    heading.trim().to_lowercase().chars().filter_map(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let text = "# How `auto` decides\n## One: two, (three)\n### Twice\n### Twice\n";
        assert_eq!(anchors(text), ["how-auto-decides", "one-two-three", "twice", "twice-1"]);
    }

    #[test]
    fn links_spans_and_commands_are_found_with_their_lines() {
        let text = "# T\n\nSee [x](a.md#b) and `cargo doc`.\n\n```sh\nnpvar demo\n```\n\n```text\n[no](link)\n```\n";
        let page = Page::new(Path::new("p.md"), text.to_owned());
        let found = |line, text: &str| Found { line, text: text.to_owned() };
        assert_eq!(page.links, [found(3, "a.md#b")]);
        assert_eq!(page.spans, [found(3, "cargo doc")]);
        assert_eq!(page.blocks, [found(6, "npvar demo\n")]);
    }
}
