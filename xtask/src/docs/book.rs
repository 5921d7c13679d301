//! The book as HTML: a page for every entry of `SUMMARY.md`, the list of all at its side, figures and tables copied.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pulldown_cmark::{CowStr, Event, Parser, Tag, TagEnd, html};

use super::markdown::{anchors, options};
use crate::command::root;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("book.css");

/// An entry of `SUMMARY.md`.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Part(String),
    Chapter { title: String, path: PathBuf },
}

/// Builds the book of `docs` into a folder, which is emptied first.
pub(crate) fn build(folder: &Path) -> Result<()> {
    let source = root().join("docs").join("src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).context("cannot read docs/src/SUMMARY.md")?;
    let entries = entries(&summary);
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    for file in files(&source)? {
        let path = file.strip_prefix(&source).context("a file of the book is in its folder")?;
        let listed = |entry: &Entry| matches!(entry, Entry::Chapter { path: of, .. } if of == path);
        if path.extension().is_none_or(|ending| ending != "md") {
            write(&folder.join(path), &fs::read(&file)?)?;
        } else if path != Path::new("SUMMARY.md") && !entries.iter().any(listed) {
            bail!("docs/src/SUMMARY.md does not list {}", path.display());
        }
    }
    let mut first = true;
    for entry in &entries {
        let Entry::Chapter { title, path } = entry else { continue };
        let text = fs::read_to_string(source.join(path))
            .with_context(|| format!("docs/src/SUMMARY.md lists {}, which cannot be read", path.display()))?;
        let page = page(title, path, &text, &entries);
        write(&folder.join(path).with_extension("html"), page.as_bytes())?;
        if std::mem::take(&mut first) {
            write(&folder.join("index.html"), page.as_bytes())?;
        }
    }
    write(&folder.join("book.css"), STYLE.as_bytes())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file stands in a folder")?)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

/// Headings are parts (but for the title of the summary itself), links are chapters.
fn entries(summary: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut words = String::new();
    for event in Parser::new_ext(summary, options()) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::Link { .. }) => {
                words.clear();
                if let Event::Start(Tag::Link { dest_url, .. }) = event {
                    entries.push(Entry::Chapter { title: String::new(), path: PathBuf::from(&*dest_url) });
                }
            }
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::End(TagEnd::Link) => {
                if let Some(Entry::Chapter { title, .. }) = entries.last_mut() {
                    *title = std::mem::take(&mut words);
                }
            }
            Event::End(TagEnd::Heading(_)) if words != "Summary" => entries.push(Entry::Part(words.clone())),
            _ => {}
        }
    }
    entries
}

fn page(title: &str, path: &Path, text: &str, entries: &[Entry]) -> String {
    let to_root = "../".repeat(path.components().count() - 1);
    let mut list = String::new();
    for entry in entries {
        match entry {
            Entry::Part(title) => list.push_str(&format!("<li class=\"part\">{}</li>\n", escaped(title))),
            Entry::Chapter { title, path: to } => {
                let here = if to == path { " aria-current=\"page\"" } else { "" };
                let address = to.with_extension("html");
                let title = escaped(title);
                list.push_str(&format!("<li><a href=\"{to_root}{}\"{here}>{title}</a></li>\n", address.display()));
            }
        }
    }
    let filled = TEMPLATE.replace("{{title}}", &escaped(title)).replace("{{root}}", &to_root);
    filled.replace("{{chapters}}", &list).replace("{{content}}", &content(text))
}

/// The page's text as HTML, its headings with anchors, its links to other pages with the ending they have here.
fn content(text: &str) -> String {
    let mut anchors = anchors(text).into_iter();
    let events = Parser::new_ext(text, options()).map(|event| match event {
        Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
            Event::Start(Tag::Heading { level, id: anchors.next().map(CowStr::from), classes, attrs })
        }
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: address(&dest_url).into(), title, id })
        }
        other => other,
    });
    let mut written = String::new();
    html::push_html(&mut written, events);
    // A wide table scrolls by itself.
    written.replace("<table>", "<div class=\"wide\"><table>").replace("</table>", "</table></div>")
}

fn address(link: &str) -> String {
    let (file, anchor) = link.split_at(link.find('#').unwrap_or(link.len()));
    match file.strip_suffix(".md") {
        Some(page) if !file.contains("://") => format!("{page}.html{anchor}"),
        _ => link.to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::target;

    #[test]
    fn the_summary_lists_parts_and_chapters() {
        let chapter = |title: &str, path: &str| Entry::Chapter { title: title.to_owned(), path: path.into() };
        let expected =
            [chapter("A `b`".replace('`', "").as_str(), "a.md"), Entry::Part("Two".into()), chapter("C", "c/d.md")];
        assert_eq!(entries("# Summary\n\n[A `b`](a.md)\n\n# Two\n\n- [C](c/d.md)\n"), expected);
    }

    #[test]
    fn links_between_pages_lead_to_pages() {
        let written = content("# One two\n\n[x](../a.md#b) [y](https://example.org/z.md) [z](#one-two)\n");
        assert!(written.contains("<h1 id=\"one-two\">"), "{written}");
        for address in ["../a.html#b", "https://example.org/z.md", "#one-two"] {
            assert!(written.contains(&format!("href=\"{address}\"")), "{written}");
        }
    }

    #[test]
    fn every_address_in_the_book_is_there() {
        let folder = target().join("tmp").join("book");
        build(&folder).expect("the book builds");
        let pages: Vec<PathBuf> =
            files(&folder).expect("it is there").into_iter().filter(|path| is_html(path)).collect();
        assert!(pages.len() > 20, "{pages:?}");
        for page in pages {
            let text = fs::read_to_string(&page).expect("a page can be read");
            let addresses = text.split("href=\"").skip(1).chain(text.split("src=\"").skip(1));
            for address in addresses.filter_map(|rest| rest.split(['"', '#']).next()) {
                let beside = address.is_empty() || address.contains("://") || address.ends_with("../npvar/index.html");
                let there = page.parent().is_some_and(|folder| folder.join(address).is_file());
                assert!(beside || there, "{}: {address}", page.display());
            }
        }
    }

    fn is_html(path: &Path) -> bool {
        path.extension().is_some_and(|ending| ending == "html")
    }
}
