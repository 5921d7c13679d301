//! `cargo xtask python`: the Python package, type-checked and tested against the library and program of this tree.
//!
//! The module is built together with the tests of the workspace, so that nothing is compiled twice, and laid beside the
//! Python sources under `target`; `cargo xtask wheel` builds and tries what is published.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, command, root, shown, succeeds, target};

const PACKAGE: &str = "crates/npvar-python";

/// Types and tests.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let folder = target().join("python");
    let site = folder.join("site");
    must(cargo().args("build --quiet --workspace --exclude npvar-lab --lib --bins --tests".split(' ')))?;
    stage(&site)?;
    let python = environment(&folder.join("venv"), "requirements.txt")?;
    install_java()?;
    let tool = |name: &str| {
        let mut tool = Command::new(&python);
        tool.current_dir(root().join(PACKAGE)).args(["-m", name]).env("PYTHONPATH", &site);
        tool.env("NPVAR_PROGRAM", target().join("debug").join(format!("npvar{}", env::consts::EXE_SUFFIX)));
        tool.env("MYPYPATH", root().join(PACKAGE).join("python"));
        tool
    };
    if arguments.is_empty() {
        must(tool("mypy").args(["--cache-dir"]).arg(folder.join("mypy")))?;
        must(
            tool("pytest").args(["-p", "no:cacheprovider", "--doctest-modules"]).arg(site.join("npvar")).arg("tests"),
        )?;
        return Ok(());
    }
    must(tool("pytest").args(["-p", "no:cacheprovider"]).args(arguments))
}

/// The published wheel, tried in a fresh environment with nothing else in it. Options are for maturin, such as `--profile dev`.
pub(crate) fn wheel(arguments: &[String]) -> Result<()> {
    let shipped = ["--profile".to_owned(), "dist".to_owned()];
    let arguments = if arguments.is_empty() { &shipped[..] } else { arguments };
    let folder = target().join("python");
    let python = environment(&folder.join("venv"), "requirements.txt")?;
    let (wheels, fresh) = (folder.join("wheels"), folder.join("fresh"));
    for old in [&wheels, &fresh] {
        if old.exists() {
            fs::remove_dir_all(old).with_context(|| format!("cannot remove {}", old.display()))?;
        }
    }
    let manifest = format!("{PACKAGE}/Cargo.toml");
    must(
        Command::new(&python)
            .current_dir(root())
            .args(["-m", "maturin", "build", "--manifest-path", &manifest])
            .args(arguments)
            .arg("--out")
            .arg(&wheels),
    )?;
    must(command("python3").args(["-m", "venv"]).arg(&fresh))?;
    let python = fresh.join("bin/python");
    let wheel = fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
    must(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-index"]).arg(&wheel))?;
    let code = "import npvar; print(npvar.learn(npvar.simulate('ER-SIN-1', nodes=10, samples=1000, seed=1).data))";
    must(Command::new(&python).args(["-c", code]))?;
    println!("{}", wheel.display());
    Ok(())
}

/// Lays the Python sources and the module in one folder.
fn stage(site: &Path) -> Result<()> {
    if site.exists() {
        fs::remove_dir_all(site).with_context(|| format!("cannot remove {}", site.display()))?;
    }
    let package = site.join("npvar");
    copy_folder(&root().join(PACKAGE).join("python/npvar"), &package)?;
    let built = target().join("debug").join(format!("{}_npvar{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX));
    let module = package.join(if cfg!(windows) { "_npvar.pyd" } else { "_npvar.abi3.so" });
    fs::copy(&built, &module).with_context(|| format!("cannot copy {}", built.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let name = path.file_name().context("an entry has a name")?;
        match path.is_dir() {
            true if name == "__pycache__" => {}
            true => copy_folder(&path, &to.join(name))?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

/// The interpreter of a virtual environment with these packages; made once, and again when the list changes.
fn environment(venv: &Path, requirements: &str) -> Result<PathBuf> {
    let list = root().join(PACKAGE).join("tests").join(requirements);
    let wanted = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let installed = venv.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    if !python.exists() {
        must(command("python3").args(["-m", "venv"]).arg(venv))?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "-r"];
    must(Command::new(&python).args(pip).arg(&list))?;
    fs::write(installed, wanted)?;
    Ok(python)
}

/// Spark runs on Java.
fn install_java() -> Result<()> {
    if succeeds(command("java").arg("-version")) {
        return Ok(());
    }
    println!("Spark's tests need Java: installing default-jre-headless");
    must(command("apt-get").args(["update", "-qq"]))?;
    must(command("apt-get").args(["install", "-y", "-qq", "--no-install-recommends", "default-jre-headless"]))
}

fn must(command: &mut Command) -> Result<()> {
    let text = shown(command);
    let status = command.status().with_context(|| format!("cannot start `{text}`"))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}
