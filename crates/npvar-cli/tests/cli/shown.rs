//! The `npvar` commands that pages show.
//!
//! Two tests read them: one here runs those of README and guide, one in the program holds every one to its command line.

use std::path::{Path, PathBuf};

/// A fenced block.
pub(crate) struct Block {
    pub(crate) language: String,
    /// Its lines, each with its number on the page.
    pub(crate) lines: Vec<(usize, String)>,
    /// Why its commands are not run, from the line `<!-- not run: … -->` above it.
    pub(crate) not_run: Option<String>,
}

/// README, changelog and all pages of the book: the path from the root of the repository, and the text.
pub(crate) fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![root.join("README.md"), root.join("CHANGELOG.md"), root.join("CONTRIBUTING.md")];
    for folder in ["docs/src", "docs/src/guide", "docs/src/lab"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the book is there");
        paths.extend(entries.map(|entry| entry.expect("it can be listed").path()));
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a page can be read");
        (path.strip_prefix(&root).expect("it is in the repository").to_path_buf(), text)
    };
    paths.into_iter().map(read).collect()
}

/// The fenced blocks of a page.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut inside, mut above) = (false, "");
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(language) => {
                let remark = above.strip_prefix("<!-- not run: ").and_then(|remark| remark.strip_suffix(" -->"));
                let not_run = remark.map(str::to_owned);
                blocks.push(Block { language: language.to_owned(), lines: Vec::new(), not_run });
                inside = true;
            }
            None if inside => {
                let block = blocks.last_mut().expect("a block has begun");
                block.lines.push((number + 1, line.to_owned()));
            }
            None => {}
        }
        above = line;
    }
    blocks
}

/// The `npvar` commands of a block of shell commands, each with its line and without remarks.
pub(crate) fn commands(block: &Block) -> Vec<(usize, Vec<String>)> {
    if !matches!(&*block.language, "sh" | "console") {
        return Vec::new();
    }
    let of = |(line, text): &(usize, String)| {
        let command = text.split(" #").next().unwrap_or_default().replace("cargo run --release --", "npvar");
        let words = command.strip_prefix("npvar")?.split_whitespace();
        Some((*line, words.map(|word| word.trim_matches('"').to_owned()).collect()))
    };
    block.lines.iter().filter_map(of).collect()
}
