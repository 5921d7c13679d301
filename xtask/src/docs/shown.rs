//! Commands that pages show, other than `npvar`'s: what they name must exist.
//!
//! `npvar` commands are run, or at least parsed, by the tests of `npvar-cli`; `cargo run --release -- …` is one of them.

use std::collections::HashSet;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::markdown::{Found, Page};
use crate::HELP;
use crate::command::{cargo, output, root};

/// One sentence for each command that names something that is not there.
pub(crate) fn commands(pages: &[Page]) -> Result<Vec<String>> {
    let known = Known::read()?;
    let mut wrong = Vec::new();
    for page in pages {
        let in_blocks = page.blocks.iter().flat_map(lines);
        let in_prose = page.spans.iter().filter(|span| span.text.starts_with("cargo "));
        let in_prose = in_prose.map(|span| (span.line, span.text.clone()));
        for (line, command) in in_blocks.chain(in_prose) {
            if let Err(why) = known.check(&command) {
                wrong.push(format!("{}:{line}: `{command}`: {why}", page.path.display()));
            }
        }
    }
    Ok(wrong)
}

/// The commands of a block with their lines, without remarks; a line that ends with `\` goes on.
fn lines(block: &Found) -> Vec<(usize, String)> {
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in block.text.lines().enumerate() {
        let line = line.split(" #").next().unwrap_or_default().trim();
        let (words, more) = line.strip_suffix('\\').map_or((line, false), |words| (words.trim(), true));
        match commands.last_mut() {
            Some((_, command)) if goes_on => *command = format!("{command} {words}"),
            _ if words.is_empty() || words.starts_with('#') => {}
            _ => commands.push((block.line + index, words.to_owned())),
        }
        goes_on = more;
    }
    commands
}

/// What there is in the workspace.
struct Known {
    tasks: HashSet<&'static str>,
    /// Package and target.
    targets: HashSet<(String, String)>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

impl Known {
    fn read() -> Result<Self> {
        let text = output(cargo().args(["metadata", "--no-deps", "--offline", "--format-version", "1"]))?;
        let metadata: Metadata = serde_json::from_str(&text).context("unexpected output of cargo metadata")?;
        let named = |package: Package| {
            let Package { name, targets } = package;
            targets.into_iter().map(move |target| (name.clone(), target.name))
        };
        Ok(Self { tasks: tasks().collect(), targets: metadata.packages.into_iter().flat_map(named).collect() })
    }

    fn check(&self, command: &str) -> Result<(), String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["npvar", ..] | ["cargo", "run", "--release", "--", ..] => Ok(()),
            ["cargo", "xtask", task, ..] if self.tasks.contains(task) => Ok(()),
            ["cargo", "xtask", ..] => Err("there is no such task".to_owned()),
            ["cargo", "install", "--path", path]
            | ["pip", "install", path]
            | ["R", "CMD", "INSTALL", path]
            | ["python", path, ..] => {
                if root().join(path).exists() {
                    Ok(())
                } else {
                    Err(format!("there is no {path}"))
                }
            }
            ["cargo", "run" | "bench" | "test" | "doc" | "fmt" | "clippy", ..] => self.targets_of(&words),
            _ => Err("this command is one that no check knows".to_owned()),
        }
    }

    /// The package and the target that a cargo command names.
    fn targets_of(&self, words: &[&str]) -> Result<(), String> {
        let ours = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let after = |flags: &[&str]| {
            let at = words[..ours].iter().position(|word| flags.contains(word))?;
            words.get(at + 1).copied()
        };
        let target = after(&["--bin", "--example", "--bench", "--test"]);
        let Some(package) = after(&["-p", "--package"]) else {
            return if target.is_none() { Ok(()) } else { Err("the package is not named".to_owned()) };
        };
        let fits = |(of, name): &(String, String)| of == package && target.is_none_or(|target| name == target);
        if self.targets.iter().any(fits) { Ok(()) } else { Err("there is no such package or target".to_owned()) }
    }
}

/// The tasks that `cargo xtask help` lists.
fn tasks() -> impl Iterator<Item = &'static str> {
    let names = HELP.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.filter_map(|line| line.split(' ').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_names_must_exist() {
        let targets = HashSet::from([("npvar-lab".to_owned(), "stream".to_owned())]);
        let known = Known { tasks: tasks().collect(), targets };
        for right in [
            "npvar learn x.csv",
            "cargo run --release -- demo",
            "cargo xtask docs",
            "cargo run --release -p npvar-lab --bin stream -- learn --bin x",
            "pip install ./crates/npvar-python",
            "cargo bench",
        ] {
            assert_eq!(known.check(right), Ok(()), "{right}");
        }
        for wrong in
            ["cargo xtask dox", "cargo run -p npvar-lab --bin streem", "python benchmarks/absent.py", "make", "cargo"]
        {
            assert!(known.check(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_command_may_go_on_and_remarks_are_none() {
        let block =
            Found { line: 5, text: "# first\nnpvar learn a.csv \\\n    --json   # all\n\nnpvar demo\n".to_owned() };
        let expected = [(6, "npvar learn a.csv --json".to_owned()), (9, "npvar demo".to_owned())];
        assert_eq!(lines(&block), expected);
    }
}
