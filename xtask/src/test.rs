//! `cargo xtask test`: everything that must hold before a change goes in. Needs the Rust toolchain, Node for the page and Python for its package.
//!
//! Runs from cheap to dear and stops at the first failure. rustfmt, clippy and nextest are used when installed.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{cargo, shown, succeeds};
use crate::{python, r};

struct Step {
    name: &'static str,
    command: Command,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`test` takes no options, got `{}`", arguments.join(" "));
    }
    let start = Instant::now();
    let (steps, skipped) = plan();
    let mut passed = Vec::new();
    for Step { name, mut command } in steps {
        println!("\n== {name}: {}", shown(&command));
        let status = command.status().with_context(|| format!("cannot start `{}`", shown(&command)))?;
        if !status.success() {
            bail!("{name} failed after {} (`{}`)", minutes(start.elapsed()), shown(&command));
        }
        passed.push(name);
    }
    println!("\n== python: cargo xtask python");
    python::run(&[]).with_context(|| format!("python failed after {}", minutes(start.elapsed())))?;
    passed.push("python");
    println!("\n== R: cargo xtask r");
    r::run(&[]).with_context(|| format!("R failed after {}", minutes(start.elapsed())))?;
    passed.push("R");
    let skipped = if skipped.is_empty() { String::new() } else { format!("; skipped: {}", skipped.join(", ")) };
    println!("\n== passed in {}: {}{skipped}", minutes(start.elapsed()), passed.join(", "));
    Ok(())
}

/// The steps in order, and the names of those left out.
fn plan() -> (Vec<Step>, Vec<&'static str>) {
    let mut steps = Vec::new();
    let mut skipped = Vec::new();
    for (name, component, words) in [
        ("format", "rustfmt", "fmt --all --check"),
        ("lints", "clippy", "clippy --workspace --all-targets -- -D warnings"),
    ] {
        let step = step(name, words);
        let program = words.split(' ').next().expect("the words begin with a subcommand");
        if succeeds(cargo().args([program, "--version"])) {
            steps.push(step);
        } else {
            println!("== {name}: skipped, {component} is not installed (`rustup component add {component}`)");
            skipped.push(name);
        }
    }
    if succeeds(cargo().args(["nextest", "--version"])) {
        steps.push(step("tests", "nextest run --workspace"));
        steps.push(step("documentation tests", "test --workspace --doc"));
    } else {
        steps.push(step("tests", "test --workspace"));
    }
    steps.push(step("dependencies", "xtask dependencies"));
    steps.push(step("documentation", "xtask docs"));
    steps.push(step("browser", "xtask test-page"));
    (steps, skipped)
}

fn step(name: &'static str, words: &str) -> Step {
    let mut command = cargo();
    command.args(words.split(' '));
    Step { name, command }
}

fn minutes(time: Duration) -> String {
    format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
}
