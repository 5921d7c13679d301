//! The page: its bundle is what its sources give, and it does in Debian's Chromium what the tests say.
//!
//! Installs the npm packages and Chromium where they are absent.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::{cargo, command, output, root, shown, succeeds};

const CHROMIUM: &str = "/usr/bin/chromium";
const INSTALL: &str = "apt-get update && apt-get install -y --no-install-recommends chromium";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`test-page` takes no options, got `{}`", arguments.join(" "));
    }
    if !succeeds(command("node").arg("--version")) {
        bail!("the page's tests need Node 20 or newer");
    }
    install_packages()?;
    install_chromium()?;
    must(npm().args(["run", "--silent", "check"]))?;
    must(npm().args(["test", "--silent"]).env("NPVAR", program()?).env("CHROMIUM", CHROMIUM))
}

fn page() -> PathBuf {
    root().join("crates").join("npvar-web").join("page")
}

fn npm() -> Command {
    let mut npm = command("npm");
    npm.current_dir(page());
    npm
}

fn must(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed", shown(command));
    }
    Ok(())
}

/// The packages of the lock file, unless they stand there already.
fn install_packages() -> Result<()> {
    let wanted = fs::read_to_string(page().join("package-lock.json"))?;
    let installed = page().join("node_modules").join(".installed-lock.json");
    if fs::read_to_string(&installed).is_ok_and(|lock| lock == wanted) {
        return Ok(());
    }
    must(npm().args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]))?;
    Ok(fs::write(installed, wanted)?)
}

fn install_chromium() -> Result<()> {
    let has_chromium = || succeeds(command(CHROMIUM).arg("--version"));
    if has_chromium() {
        return Ok(());
    }
    let is_root = output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !is_root || !succeeds(command("apt-get").arg("--version")) {
        bail!("Chromium is not installed; on Debian, as root:\n  {INSTALL}");
    }
    println!("installing Chromium: {INSTALL}");
    let status = command("sh").args(["-c", INSTALL]).stdout(Stdio::null()).status()?;
    if !status.success() || !has_chromium() {
        bail!("Chromium could not be installed with `{INSTALL}`");
    }
    Ok(())
}

#[derive(Deserialize)]
struct BuildMessage {
    executable: Option<PathBuf>,
}

/// The program as the tests before built it.
fn program() -> Result<PathBuf> {
    let mut build = cargo();
    // With the tests, so that dependencies have the features the tests before gave them and nothing is built twice.
    build.args([
        "build",
        "--workspace",
        "--exclude",
        "npvar-lab",
        "--bins",
        "--tests",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let result = build.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !result.status.success() {
        bail!("`{}` failed", shown(&build));
    }
    for line in String::from_utf8(result.stdout)?.lines() {
        let message: BuildMessage = serde_json::from_str(line).context("unexpected message of cargo build")?;
        if let Some(path) = message.executable.filter(|path| path.file_stem().is_some_and(|name| name == "npvar")) {
            return Ok(path);
        }
    }
    bail!("the workspace built no program `npvar`")
}
