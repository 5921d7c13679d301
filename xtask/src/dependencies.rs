//! `cargo xtask dependencies`: the lock file held to `deny.toml`, without a network: licences, versions, bans, sources.
//!
//! Known vulnerabilities are no part of it: their database has to be downloaded (`cargo deny check advisories`, `cargo audit`).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::command::{cargo, output, root};

/// The parts of `deny.toml` that need no network.
#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct Bans {
    skip: Vec<Named>,
    deny: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// What `cargo metadata` says.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("`dependencies` takes no options, got `{}`", arguments.join(" "));
    }
    let rules: Rules = toml::from_str(&fs::read_to_string(root().join("deny.toml"))?).context("deny.toml")?;
    // The lock file names packages of every system, and a build has fetched those of one.
    let metadata = ["metadata", "--format-version", "1", "--locked"];
    let offline = output(cargo().args(metadata).arg("--offline"));
    let metadata = offline.or_else(|_| output(cargo().args(metadata)))?;
    let metadata: Metadata = serde_json::from_str(&metadata)?;
    let problems = problems(&rules, &metadata.packages);
    if !problems.is_empty() {
        bail!("the dependencies are not what deny.toml says:\n  {}", problems.join("\n  "));
    }
    println!("{} packages: licences, versions, bans and sources are as deny.toml says", metadata.packages.len());
    Ok(())
}

fn problems(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for Package { name, version, license, source } in packages {
        versions.entry(name).or_default().insert(version);
        let allowed = |license: &str| rules.licenses.allow.iter().any(|known| known == license);
        match license.as_deref().map(|license| is_allowed(license, &allowed)) {
            Some(Ok(true)) => {}
            Some(Ok(false)) => {
                problems.push(format!("{name} {version}: the licence {}", license.as_deref().unwrap_or("")))
            }
            Some(Err(error)) => problems.push(format!("{name} {version}: {error:#}")),
            None => problems.push(format!("{name} {version} states no licence")),
        }
        if rules.bans.deny.iter().any(|banned| banned.name == *name) {
            problems.push(format!("{name} {version} is banned"));
        }
        // What has no source stands in this repository.
        let registry = source.as_deref().map(|source| source.trim_start_matches("registry+"));
        if registry.is_some_and(|registry| !rules.sources.allow_registry.iter().any(|known| known == registry)) {
            problems.push(format!("{name} {version} comes from {}", registry.unwrap_or("")));
        }
    }
    for (name, versions) in versions {
        let skipped = rules.bans.skip.iter().any(|skipped| skipped.name == name);
        match (versions.len() > 1, skipped) {
            (true, false) => {
                problems.push(format!("{name} is there as {}", versions.into_iter().collect::<Vec<_>>().join(" and ")));
            }
            (false, true) => problems.push(format!("{name} is there once: take it out of `skip`")),
            _ => {}
        }
    }
    problems
}

/// Whether an expression of licences (`MIT OR (Apache-2.0 AND Zlib)`; of old also `MIT/Apache-2.0`) can be met.
fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let met = any(&mut rest, allowed)?;
    if !rest.is_empty() {
        bail!("the licence `{expression}` cannot be read");
    }
    Ok(met)
}

fn any(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let mut met = all(words, allowed)?;
    while words.first() == Some(&"OR") {
        *words = &words[1..];
        met |= all(words, allowed)?;
    }
    Ok(met)
}

fn all(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let mut met = one(words, allowed)?;
    while words.first() == Some(&"AND") {
        *words = &words[1..];
        met &= one(words, allowed)?;
    }
    Ok(met)
}

fn one(words: &mut &[&str], allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let Some((&first, rest)) = words.split_first() else { bail!("a licence ends too early") };
    *words = rest;
    if first == "(" {
        let met = any(words, allowed)?;
        if words.first() != Some(&")") {
            bail!("a parenthesis of a licence is not closed");
        }
        *words = &words[1..];
        return Ok(met);
    }
    if let [with, exception, rest @ ..] = *words
        && *with == "WITH"
    {
        *words = rest;
        return Ok(allowed(&format!("{first} WITH {exception}")));
    }
    Ok(allowed(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, version: &str, license: &str, source: &str) -> Package {
        let source = (!source.is_empty()).then(|| source.to_owned());
        Package { name: name.to_owned(), version: version.to_owned(), license: Some(license.to_owned()), source }
    }

    #[test]
    fn expressions_of_licences_are_read() {
        let allowed = |license: &str| ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&license);
        let met = |expression: &str| is_allowed(expression, &allowed).ok();
        for expression in
            ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-2.0", "(GPL-3.0 OR MIT) AND Zlib", "Apache-2.0 WITH LLVM-exception"]
        {
            assert_eq!(met(expression), Some(true), "{expression}");
        }
        for expression in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "MIT AND (GPL-3.0 OR BSD)"] {
            assert_eq!(met(expression), Some(false), "{expression}");
        }
        for expression in ["", "MIT OR", "(MIT", "MIT MIT", "MIT)"] {
            assert_eq!(met(expression), None, "{expression}");
        }
    }

    #[test]
    fn every_rule_can_be_broken() {
        let rules: Rules = toml::from_str(
            "licenses = { allow = [\"MIT\"] }\nbans = { skip = [{ name = \"twice\" }, { name = \"once\" }], deny = [{ name = \"bad\" }] }\n\
             sources = { allow-registry = [\"https://here\"] }",
        )
        .expect("rules");
        let here = "registry+https://here";
        let found = problems(
            &rules,
            &[
                package("own", "1", "MIT", ""),
                package("twice", "1", "MIT", here),
                package("twice", "2", "MIT", here),
                package("once", "1", "MIT", here),
                package("again", "1", "MIT", here),
                package("again", "2", "MIT", here),
                package("bad", "1", "MIT", here),
                package("copyleft", "1", "GPL-3.0", here),
                package("far", "1", "MIT", "git+https://there"),
            ],
        );
        assert_eq!(
            found,
            [
                "bad 1 is banned",
                "copyleft 1: the licence GPL-3.0",
                "far 1 comes from git+https://there",
                "again is there as 1 and 2",
                "once is there once: take it out of `skip`"
            ]
        );
    }
}
