//! `cargo xtask release --dry-run`: what is published, made and checked without publishing any of it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use toml::Table;

use crate::command::{cargo, command, output, root, shown, target};

const PUBLISHED: [&str; 5] = ["npvar", "npvar-draw", "npvar-study", "npvar-web", "npvar-cli"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if arguments != ["--dry-run"] {
        bail!(
            "only `release --dry-run` is a task; it leaves in target/published what a person then publishes (`cargo publish \
             --workspace`, `twine upload`, a tag)"
        );
    }
    let version = version()?;
    same_versions(&version)?;
    changelog(&version)?;
    let folder = target().join("published");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    crates(&folder, &version)?;
    for (what, made) in [("python/wheels", ".whl"), ("r/source", ".tar.gz"), ("deb", ".deb")] {
        let count = gather(&target().join(what), made, &folder)?;
        if count == 0 {
            println!("no *{made} in target/{what}: see `cargo xtask help` for the task that makes one");
        }
    }
    fs::write(folder.join(format!("npvar-{version}.cdx.json")), sbom(&version)?)?;
    checksums(&folder)?;
    println!("npvar {version}: {}", folder.display());
    Ok(())
}

/// The version of the workspace.
pub(crate) fn version() -> Result<String> {
    let manifest: Table = toml::from_str(&fs::read_to_string(root().join("Cargo.toml"))?)?;
    let version = manifest.get("workspace").and_then(|table| table.get("package")?.get("version")?.as_str());
    Ok(version.context("Cargo.toml states no version")?.to_owned())
}

/// Every file that states a version states this one.
fn same_versions(version: &str) -> Result<()> {
    let stated = [
        ("crates/npvar-r/DESCRIPTION", format!("Version: {version}")),
        ("CITATION.cff", format!("version: {version}")),
    ];
    for (file, line) in stated {
        if !fs::read_to_string(root().join(file))?.lines().any(|found| found == line) {
            bail!("{file} does not say `{line}`");
        }
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    for name in &PUBLISHED[..4] {
        let wanted = format!("{name} = {{ path = \"crates/{name}\", version = \"{version}\" }}");
        if !manifest.lines().any(|line| line == wanted) {
            bail!("Cargo.toml does not say `{wanted}`");
        }
    }
    Ok(())
}

/// The changelog has lines for this version, or for what becomes it.
fn changelog(version: &str) -> Result<()> {
    let text = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let heading = |line: &str| line.starts_with(&format!("## [{version}]")) || line.starts_with("## [Unreleased]");
    let below = text.lines().skip_while(|line| !heading(line)).skip(1).take_while(|line| !line.starts_with("## "));
    if below.filter(|line| line.starts_with("- ")).count() == 0 {
        bail!("CHANGELOG.md says nothing of {version}");
    }
    Ok(())
}

/// The crates as they would be uploaded. They are not built again: the tests built them.
fn crates(folder: &Path, version: &str) -> Result<()> {
    let mut package = cargo();
    package.args(["package", "--quiet", "--no-verify", "--allow-dirty"]);
    for name in PUBLISHED {
        package.args(["-p", name]);
    }
    if !package.status()?.success() {
        bail!("`{}` failed", shown(&package));
    }
    for name in PUBLISHED {
        let file = format!("{name}-{version}.crate");
        fs::copy(target().join("package").join(&file), folder.join(&file)).with_context(|| format!("no {file}"))?;
    }
    Ok(())
}

/// Copies files with an ending, and says how many there were.
fn gather(from: &Path, ending: &str, folder: &Path) -> Result<usize> {
    let Ok(entries) = fs::read_dir(from) else { return Ok(0) };
    let mut count = 0;
    for entry in entries {
        let path = entry?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.ends_with(ending) {
            fs::copy(&path, folder.join(name))?;
            count += 1;
        }
    }
    Ok(count)
}

/// What the program is made of, as a CycloneDX bill of materials.
fn sbom(version: &str) -> Result<String> {
    let metadata = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists packages")?;
    let components: Vec<Value> = packages
        .iter()
        .filter(|package| !package["source"].is_null())
        .map(|package| {
            let (name, version) = (package["name"].as_str().unwrap_or(""), package["version"].as_str().unwrap_or(""));
            let licence = package["license"].as_str().unwrap_or("NOASSERTION").replace('/', " OR ");
            json!({
                "type": "library", "name": name, "version": version,
                "purl": format!("pkg:cargo/{name}@{version}"), "licenses": [{"expression": licence}],
            })
        })
        .collect();
    let bill = json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "npvar", "version": version}},
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// `SHA256SUMS`, which `sha256sum --check` reads.
fn checksums(folder: &Path) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let sums = output(command("sha256sum").current_dir(folder).args(&names))?;
    Ok(fs::write(folder.join("SHA256SUMS"), sums)?)
}
