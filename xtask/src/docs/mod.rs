//! `cargo xtask docs`: the book in `docs` and the Rust pages, side by side in `target/doc`, after checking every page.
//!
//! The book has mdBook's layout (`book.toml`, `src/SUMMARY.md`), and mdBook builds it too. It is rendered here because
//! mdBook takes minutes to compile and what the book needs of it is a list of pages at their side.

mod book;
mod check;
mod markdown;
mod shown;

use anyhow::{Result, bail};

use crate::command::{cargo, shown, target};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`docs` takes no options, got `{}`", arguments.join(" "));
    }
    let pages = markdown::pages()?;
    let mut wrong = check::pages(&pages);
    wrong.extend(shown::commands(&pages)?);
    if !wrong.is_empty() {
        bail!("the pages have {} faults:\n{}", wrong.len(), wrong.join("\n"));
    }
    let mut rust = cargo();
    rust.args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    if !rust.status()?.success() {
        bail!("`{}` failed", shown(&rust));
    }
    let folder = target().join("doc").join("book");
    book::build(&folder)?;
    println!("{} pages checked; the book is {}", pages.len(), folder.join("index.html").display());
    Ok(())
}
