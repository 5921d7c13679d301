//! `cargo xtask r`: the R package, tested under Debian's R against the library of this tree; and the source package that
//! builds without a network.
//!
//! The compiled half is built together with the tests of the workspace, so that nothing is compiled twice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use crate::command::{cargo, command, root, shown, succeeds, target};

const PACKAGE: &str = "crates/npvar-r";
const DEBIAN: &str = "r-base-core r-cran-testthat r-cran-jsonlite r-cran-igraph r-cran-knitr r-cran-markdown";
/// The crates that the compiled half is made of.
const CRATES: [&str; 2] = ["npvar", "npvar-draw"];

/// Installs the package into `target/r/library` and runs its tests there.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`r` takes no options, got `{}`", arguments.join(" "));
    }
    install_r()?;
    let library = target().join("r").join("library");
    fs::create_dir_all(&library)?;
    let package = copied(&target().join("r").join("npvar"))?;
    install(&package, &library, &compiled_half()?)?;
    must(
        Command::new("Rscript")
            .current_dir(package.join("tests"))
            .env("R_LIBS", &library)
            .args(["-e", "options(testthat.progress.max_fails = 1000)", "-e"])
            .arg("testthat::test_dir('testthat', package = 'npvar', reporter = 'summary', stop_on_failure = TRUE)"),
    )
}

/// Makes the source package with everything it needs, checks it, and installs it without a network.
pub(crate) fn package(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`r-package` takes no options, got `{}`", arguments.join(" "));
    }
    install_r()?;
    let folder = target().join("r").join("source");
    let package = copied(&folder.join("npvar"))?;
    carry_sources(&package.join("src"))?;
    let half = compiled_half()?;
    let r = |words: &[&str]| {
        let mut r = Command::new("R");
        r.current_dir(&folder).arg("CMD").args(words).env("NPVAR_R_LIBRARY", &half);
        r.env("_R_CHECK_FORCE_SUGGESTS_", "false");
        r
    };
    must(&mut r(&["build", "npvar"]))?;
    let tarball = format!("npvar_{}.tar.gz", version(&package)?);
    must(&mut r(&["check", "--no-manual", &tarball]))?;
    println!("{}", folder.join(&tarball).display());
    Ok(())
}

/// The version that DESCRIPTION states.
fn version(package: &Path) -> Result<String> {
    let description = fs::read_to_string(package.join("DESCRIPTION"))?;
    let version = description.lines().find_map(|line| line.strip_prefix("Version: "));
    Ok(version.context("DESCRIPTION states no version")?.to_owned())
}

fn install_r() -> Result<()> {
    let packages = "c('testthat', 'jsonlite', 'igraph', 'knitr', 'markdown')";
    let has_all = format!("quit(status = !all({packages} %in% rownames(installed.packages())))");
    if succeeds(command("Rscript").args(["-e", &has_all])) {
        return Ok(());
    }
    println!("the R package's tests need R: installing {DEBIAN}");
    must(command("apt-get").args(["update", "-qq"]))?;
    let mut install = command("apt-get");
    install.args(["install", "-y", "-qq", "--no-install-recommends"]).args(DEBIAN.split(' '));
    must(install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// `libnpvar_r.a`, as the tests of the workspace build it.
fn compiled_half() -> Result<PathBuf> {
    must(cargo().args("build --quiet --workspace --exclude npvar-lab --lib --bins --tests".split(' ')))?;
    Ok(target().join("debug").join("libnpvar_r.a"))
}

/// The package's files, in a folder of their own, so that R writes none beside the sources.
fn copied(into: &Path) -> Result<PathBuf> {
    if into.exists() {
        fs::remove_dir_all(into).with_context(|| format!("cannot remove {}", into.display()))?;
    }
    copy_folder(&root().join(PACKAGE), into)?;
    Ok(into.to_path_buf())
}

fn install(package: &Path, library: &Path, half: &Path) -> Result<()> {
    let mut install = Command::new("R");
    install.args(["CMD", "INSTALL", "--no-docs", "--no-test-load", "--library"]).arg(library).arg(package);
    must(install.env("NPVAR_R_LIBRARY", half))
}

/// Lays beside the compiled half's sources the crates of this workspace it is made of, and all others.
fn carry_sources(src: &Path) -> Result<()> {
    for name in CRATES {
        let (from, to) = (root().join("crates").join(name), src.join("crates").join(name));
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let path = entry?.path();
            let name = path.file_name().context("an entry has a name")?;
            if !["tests", "benches", "examples", "Cargo.toml"].iter().any(|left_out| name == *left_out) {
                copy_folder(&path, &to.join(name))?;
            }
        }
        let mut manifest: Table = toml::from_str(&fs::read_to_string(from.join("Cargo.toml"))?)?;
        manifest.remove("dev-dependencies");
        manifest.remove("bench");
        fs::write(to.join("Cargo.toml"), toml::to_string(&manifest)?)?;
    }
    let mut workspace: Table = toml::from_str(&fs::read_to_string(root().join("Cargo.toml"))?)?;
    let members = CRATES.iter().map(|name| format!("crates/{name}")).chain(["rust".to_owned()]);
    let table = workspace.get_mut("workspace").and_then(Value::as_table_mut).context("the root is a workspace")?;
    table.insert("members".to_owned(), Value::Array(members.map(Value::String).collect()));
    table.remove("default-members");
    workspace.remove("profile");
    let release: Table = toml::from_str("[release]\ncodegen-units = 4\nstrip = true\n")?;
    workspace.insert("profile".to_owned(), Value::Table(release));
    fs::write(src.join("Cargo.toml"), toml::to_string(&workspace)?)?;
    fs::copy(root().join("Cargo.lock"), src.join("Cargo.lock"))?;
    must(cargo().current_dir(src).args(["vendor", "--quiet", "vendor"]))?;
    must(Command::new("tar").current_dir(src).args(["-cJf", "vendor.tar.xz", "vendor"]))?;
    Ok(fs::remove_dir_all(src.join("vendor"))?)
}

/// Copies a file, or a folder without what builds left there.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        fs::copy(from, to)?;
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let built = path.extension().is_some_and(|ending| ending == "o" || ending == "so" || ending == "a");
        if !built {
            copy_folder(&path, &to.join(path.file_name().context("an entry has a name")?))?;
        }
    }
    Ok(())
}

fn must(command: &mut Command) -> Result<()> {
    let text = shown(command);
    let status = command.status().with_context(|| format!("cannot start `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}
