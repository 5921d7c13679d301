//! What must hold of every page: links and anchors lead somewhere, named paths exist, prose lines are not too long.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use super::markdown::{Found, Page};
use crate::command::root;

/// The columns of a line of prose.
const WIDTH: usize = 120;

/// The folder of the book's pages: they link to each other only, because nothing else is in the book.
const BOOK: &str = "docs/src";

/// One sentence for each thing that does not hold.
pub(crate) fn pages(pages: &[Page]) -> Vec<String> {
    let anchors: HashMap<&Path, &[String]> = pages.iter().map(|page| (&*page.path, &*page.anchors)).collect();
    let mut wrong = Vec::new();
    for page in pages {
        let mut tell = |line: usize, what: String| wrong.push(format!("{}:{line}: {what}", page.path.display()));
        for Found { line, text } in &page.links {
            if let Err(why) = link(&page.path, text, &anchors) {
                tell(*line, format!("the link `{text}` {why}"));
            }
        }
        for Found { line, text } in &page.spans {
            if is_path(text) && !root().join(text).exists() {
                tell(*line, format!("there is no `{text}`"));
            }
        }
        for line in long_lines(&page.text) {
            tell(line, format!("is longer than {WIDTH} columns"));
        }
    }
    wrong
}

fn link(from: &Path, link: &str, anchors: &HashMap<&Path, &[String]>) -> Result<(), String> {
    if link.contains("://") {
        return Ok(());
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let folder = from.parent().unwrap_or(Path::new(""));
    let target = if file.is_empty() { from.to_path_buf() } else { plain(&folder.join(file)) };
    if !root().join(&target).is_file() {
        return Err(format!("leads to no file ({})", target.display()));
    }
    if from.starts_with(BOOK) && !target.starts_with(BOOK) {
        return Err("leads out of the book".to_owned());
    }
    match anchor {
        Some(anchor) if !anchors.get(&*target).is_some_and(|known| known.iter().any(|known| known == anchor)) => {
            Err(format!("has no such heading in {}", target.display()))
        }
        _ => Ok(()),
    }
}

/// The path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Whether a text in backticks names a file or folder of the repository.
fn is_path(text: &str) -> bool {
    let begins = ["crates/", "docs/", "studies/", "benchmarks/", "reference/", "tests/", "examples/", "xtask/", ".ci/"];
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "./_-".contains(sign);
    begins.iter().any(|begin| text.starts_with(begin)) && text.chars().all(plain)
}

/// Lines of prose beyond the width; blocks, tables, headings, pictures and lines of a single word may be as long as they are.
fn long_lines(text: &str) -> Vec<usize> {
    let mut in_block = false;
    let mut long = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.trim_start();
        if content.starts_with("```") {
            in_block = !in_block;
        }
        let may = in_block || content.starts_with(['|', '#']) || content.starts_with("![") || !content.contains(' ');
        if !may && line.chars().count() > WIDTH {
            long.push(index + 1);
        }
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_must_lead_to_a_file_and_a_heading() {
        let page = Page::new(Path::new("docs/src/guide/a.md"), "# One two\n".to_owned());
        let anchors = HashMap::from([(&*page.path, &*page.anchors)]);
        let check = |text| link(Path::new("docs/src/SUMMARY.md"), text, &anchors);
        assert_eq!(check("https://example.org/x"), Ok(()));
        assert_eq!(check("SUMMARY.md"), Ok(()));
        assert!(check("SUMMARY.md#nowhere").unwrap_err().contains("no such heading"));
        assert!(check("absent.md").unwrap_err().contains("no file"));
        assert!(check("../../README.md").unwrap_err().contains("out of the book"));
        assert!(link(Path::new("README.md"), "docs/src/SUMMARY.md", &anchors).is_ok());
        assert!(link(&page.path, "#one-two", &anchors).is_err(), "the page is not on disk");
    }

    #[test]
    fn prose_is_wrapped_and_tables_need_not_be() {
        let long = "word ".repeat(30);
        let text = format!("{long}\n| {long} |\n```\n{long}\n```\n{}\n", "x".repeat(200));
        assert_eq!(long_lines(&text), [1]);
    }

    #[test]
    fn paths_are_told_from_other_words() {
        assert!(is_path("crates/npvar/src/lib.rs"));
        assert!(!is_path("crates/*/tests") && !is_path("data/csv") && !is_path("studies/x.toml --quick"));
    }
}
