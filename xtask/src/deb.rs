//! `cargo xtask deb`: a Debian package of the program, with a manual page for every command and completions for shells.
//!
//! What stands in it comes from the program itself: `npvar help` and `npvar completions`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, command, output, root, shown, target};
use crate::release::version;

/// Makes the package and returns where it is.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let program = match arguments {
        [] => {
            let mut build = cargo();
            build.args(["build", "--profile", "dist", "-p", "npvar-cli"]);
            if !build.status()?.success() {
                bail!("`{}` failed", shown(&build));
            }
            target().join("dist").join("npvar")
        }
        [option, file] if option == "--program" => PathBuf::from(file),
        _ => bail!("expected `--program FILE` or nothing, got `{}`", arguments.join(" ")),
    };
    let package = package(&fs::canonicalize(&program).with_context(|| format!("no {}", program.display()))?)?;
    println!("{}", package.display());
    Ok(())
}

fn package(program: &Path) -> Result<PathBuf> {
    let (version, architecture) = (version()?, output(command("dpkg").arg("--print-architecture"))?.trim().to_owned());
    let name = format!("npvar_{version}_{architecture}");
    let tree = target().join("deb").join(&name);
    if tree.exists() {
        fs::remove_dir_all(&tree)?;
    }
    let bin = tree.join("usr/bin/npvar");
    put(&bin, &fs::read(program)?)?;
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o755))?;
    let program = &bin; // under the name that it says of itself
    let shells = [
        ("bash", "usr/share/bash-completion/completions/npvar"),
        ("zsh", "usr/share/zsh/vendor-completions/_npvar"),
        ("fish", "usr/share/fish/vendor_completions.d/npvar.fish"),
    ];
    for (shell, place) in shells {
        put(&tree.join(place), output(Command::new(program).args(["completions", shell]))?.as_bytes())?;
    }
    put(&tree.join("usr/share/man/man1/npvar.1"), page(program, &[], &version)?.as_bytes())?;
    for words in commands(program)? {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let file = format!("usr/share/man/man1/npvar-{}.1", words.join("-"));
        put(&tree.join(file), page(program, &words, &version)?.as_bytes())?;
    }
    let licences =
        fs::read_to_string(root().join("LICENSE-MIT"))? + "\n" + &fs::read_to_string(root().join("LICENSE-APACHE"))?;
    put(&tree.join("usr/share/doc/npvar/copyright"), licences.as_bytes())?;
    put(&tree.join("usr/share/doc/npvar/changelog.md"), &fs::read(root().join("CHANGELOG.md"))?)?;
    must(Command::new("gzip").args(["-9n", "-r"]).arg(tree.join("usr/share/man")))?;
    put(&tree.join("DEBIAN/control"), control(&version, &architecture).as_bytes())?;
    let file = target().join("deb").join(format!("{name}.deb"));
    must(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&tree).arg(&file))?;
    Ok(file)
}

fn control(version: &str, architecture: &str) -> String {
    format!(
        "Package: npvar\nVersion: {version}\nArchitecture: {architecture}\nSection: science\nPriority: optional\n\
         Depends: libc6 (>= 2.36), libgcc-s1\nMaintainer: The npvar developers <npvar@example.org>\n\
         Description: learn causal graphs from tables by residual variances\n \
         Finds an order of the columns of a table by their residual variances (NPVAR), then the\n \
         parents of each along it; with the learners it is compared with, and a report.\n"
    )
}

/// The commands that the program's help lists, and theirs.
fn commands(program: &Path) -> Result<Vec<Vec<String>>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::new()];
    while let Some(words) = open.pop() {
        for name in listed(&help(program, &words)?) {
            let deeper: Vec<String> = words.iter().cloned().chain([name]).collect();
            found.push(deeper.clone());
            open.push(deeper);
        }
    }
    found.sort();
    Ok(found)
}

/// The names below `Commands:`.
fn listed(help: &str) -> Vec<String> {
    let below = help.lines().skip_while(|line| line.trim_end() != "Commands:").skip(1);
    let indented = below.take_while(|line| line.starts_with("  "));
    let names = indented.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

fn help(program: &Path, words: &[impl AsRef<std::ffi::OsStr>]) -> Result<String> {
    output(Command::new(program).args(words).arg("--help").env("NO_COLOR", "1").env("COLUMNS", "100"))
}

/// The help of a command as a manual page.
fn page(program: &Path, words: &[&str], version: &str) -> Result<String> {
    let help = help(program, words)?;
    let (about, rest) = help.split_once("\n").unwrap_or((&help, ""));
    let name = ["npvar"].iter().chain(words).copied().collect::<Vec<_>>().join("-");
    let mut page =
        format!(".TH {} 1 \"\" \"npvar {version}\" \"npvar\"\n.SH NAME\n", name.to_uppercase().replace('-', "\\-"));
    page += &format!("{} \\- {}\n.SH DESCRIPTION\n.nf\n", escaped(&name), escaped(about.trim_end_matches('.')));
    for line in rest.lines() {
        page += &escaped(line);
        page.push('\n');
    }
    Ok(page + ".fi\n")
}

/// A line that roff prints as it is.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

fn put(path: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().context("a path below the tree")?)?;
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

fn must(command: &mut Command) -> Result<()> {
    let text = shown(command);
    if !command.status().with_context(|| format!("cannot start `{text}`"))?.success() {
        bail!("`{text}` failed");
    }
    Ok(())
}
