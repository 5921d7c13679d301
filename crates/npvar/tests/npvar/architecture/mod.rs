//! Who may know whom: the table of `ARCHITECTURE.md`, held against the sources of this library.

mod rule;
mod source;
mod tokens;
mod tree;

use std::path::Path;

use rule::{Rule, circles};
use tree::Tree;

fn library() -> Tree {
    Tree::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

fn written_rule() -> Rule {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    Rule::read(&std::fs::read_to_string(path).unwrap())
}

#[test]
fn every_module_has_a_row_and_knows_what_it_says() {
    let (library, rule) = (library(), written_rule());
    let (mut modules, mut rows) = (library.modules(), rule.modules());
    modules.sort_unstable();
    rows.sort_unstable();
    assert_eq!(modules, rows);
    let breaches = rule.breaches(&library);
    assert!(breaches.is_empty(), "against the table of ARCHITECTURE.md:\n{}", breaches.join("\n"));
}

#[test]
fn the_table_allows_nothing_that_no_source_uses() {
    let unused = written_rule().unused(&library());
    assert!(unused.is_empty(), "ARCHITECTURE.md allows more than there is:\n{}", unused.join("\n"));
}

#[test]
fn no_files_of_a_module_know_each_other_in_a_circle() {
    let circles = circles(&library());
    assert!(circles.is_empty(), "files that know each other:\n{}", circles.join("\n"));
}

const RULE: &str = "| module | what it holds | knows |\n|---|---|---|\n| `error` | | |\n| `run` | | `error` |\n\
                    | `data` | | |\n| `regress` | | `data` |\n| `order` | | `data` |\n";

/// A library with the given `order/mod.rs` and `order/search.rs`.
fn made_up<'a>(facade: &'a str, search: &'a str) -> Tree {
    Tree::new([
        ("lib.rs", "pub mod data; mod error; pub mod order; pub mod regress; mod run; pub use error::Error;"),
        ("error.rs", "pub enum Error {}"),
        ("run.rs", "use crate::Error; pub struct Run;"),
        ("data.rs", "pub struct Dataset; pub fn read() {}"),
        ("regress/mod.rs", "mod mean;\npub use mean::{FittedMean, Mean};\npub(crate) mod lasso;"),
        ("regress/mean.rs", "use crate::data::Dataset; pub struct Mean; pub struct FittedMean;"),
        ("regress/lasso.rs", "pub fn path() {}"),
        ("order/mod.rs", facade),
        ("order/search.rs", search),
    ])
}

#[test]
fn a_forbidden_use_is_found_with_its_file_and_line_however_it_is_written() {
    let rule = Rule::read(RULE);
    for (search, line, known) in [
        ("use crate::data::Dataset;\n\nuse crate::regress::Mean;", 3, "regress/mean.rs"),
        (
            "use crate::{\n    data::{self, read},\n    regress::{lasso::path, FittedMean as Fitted},\n};",
            3,
            "regress/mean.rs",
        ),
        ("fn f() -> u8 {\n    let x = 'a'; crate::regress::lasso::path()\n}", 2, "regress/lasso.rs"),
        ("use super::super::regress::lasso;", 1, "regress/lasso.rs"),
        ("pub use crate::regress::*;", 1, "regress/mod.rs"),
    ] {
        let breaches = rule.breaches(&made_up("mod search;", search));
        let expected = format!("order/search.rs:{line}: `order` may not know `regress` ({known})");
        assert!(breaches.contains(&expected), "{search}: {breaches:?}");
    }
}

#[test]
fn what_the_compiler_does_not_see_is_not_known() {
    let rule = Rule::read(RULE);
    let search = "// use crate::regress::Mean;\n/* crate::regress::Mean /* */ */ const S: &str = \"crate::regress::Mean\";\n\
                  const R: &str = r#\"use \"crate::regress::Mean;\"#;\nfn f<'a>(x: &'a str) -> char { '\"' }\n\
                  #[cfg(test)]\nmod tests { use crate::regress::Mean; fn g() { [0; 2]; } }\nuse crate::{Error, run::Run};";
    assert_eq!(rule.breaches(&made_up("mod search;", search)), [""; 0]);
    let test_file = made_up("#[cfg(test)] mod search;", "use crate::regress::Mean;");
    assert_eq!(rule.breaches(&test_file), [""; 0]);
}

#[test]
fn what_the_table_allows_and_nobody_uses_is_found() {
    let tree = made_up("mod search;", "fn f() {}");
    assert_eq!(Rule::read(RULE).unused(&tree), ["`order` does not know `data`"]);
}

#[test]
fn a_circle_of_files_is_found_and_shown() {
    let circle = ["order/mod.rs → order/search.rs → order/mod.rs"];
    // What a folder shows of its files is no circle; what it defines for them is, and so is what both know of each other.
    assert_eq!(circles(&made_up("mod search;\npub use search::Sink;", "pub struct Sink;")), [""; 0]);
    assert_eq!(circles(&made_up("mod search;\npub trait Rule {}", "use super::Rule;")), circle);
    assert_eq!(circles(&made_up("mod search;\npub trait Rule {}", "impl crate::order::Rule for u8 {}")), circle);
    assert_eq!(circles(&made_up("mod search;\npub trait Rule {}", "use super::*;")), circle);
    assert_eq!(circles(&made_up("mod search;\npub use search::Sink;", "use super::Sink;\npub struct Sink;")), [""; 0]);
}

#[test]
#[should_panic(expected = "`order` stands in no row above the one of `data`")]
fn a_table_with_a_circle_is_refused() {
    Rule::read("| module | what it holds | knows |\n|---|---|---|\n| `data` | | `order` |\n| `order` | | `data` |\n");
}
