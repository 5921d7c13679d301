//! Which learner with which options: the command line, and before it a TOML file.

use std::path::Path;

use anyhow::Result;
use npvar::Error;
use npvar::learner::{LearnerConfig, Setting};
use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::args::LearnArguments;

const DEFAULT_LEARNER: &str = "npvar";

/// The configuration that the arguments describe.
pub(crate) fn resolve(arguments: &LearnArguments) -> Result<LearnerConfig> {
    let (mut learner, mut settings) = (DEFAULT_LEARNER.to_owned(), Vec::new());
    if let Some(path) = &arguments.config {
        let text = std::fs::read_to_string(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        settings = settings_of(path, &text)?;
        if let Some(named) = take_learner(&mut settings)? {
            learner = named;
        }
    }
    settings.extend(arguments.settings.iter().cloned());
    Ok(LearnerConfig::resolve(arguments.learner.as_deref().unwrap_or(&learner), &settings)?)
}

/// Every key of a TOML file as a setting that knows its line.
fn settings_of(path: &Path, text: &str) -> Result<Vec<Setting>> {
    let at = |offset: usize| format!("{}, line {}", path.display(), 1 + text[..offset].matches('\n').count());
    let table = DeTable::parse(text).map_err(|error| Error::Options {
        option: at(error.span().map_or(0, |span| span.start.min(text.len()))),
        problem: error.message().replace('\n', ", "),
    })?;
    let mut settings = Vec::new();
    collect(table.into_inner(), &[], &at, &mut settings)?;
    Ok(settings)
}

fn collect(
    table: DeTable<'_>,
    path: &[String],
    at: &dyn Fn(usize) -> String,
    settings: &mut Vec<Setting>,
) -> Result<()> {
    let mut entries: Vec<(Spanned<_>, Spanned<DeValue<'_>>)> = table.into_iter().collect();
    // A kind decides which other keys there are, so it comes first; the rest as written.
    entries.sort_by_key(|(key, _)| (key.get_ref() as &str != "kind", key.span().start));
    for (key, value) in entries {
        let written = at(key.span().start);
        let path = [path, &[key.get_ref().replace('_', "-")]].concat();
        if matches!(value.get_ref(), DeValue::Table(_)) {
            let DeValue::Table(inner) = value.into_inner() else { unreachable!("it was one") };
            collect(inner, &path, at, settings)?;
            continue;
        }
        let value = Value::deserialize(ValueDeserializer::from(value))
            .map_err(|error| Error::Options { option: written.clone(), problem: error.message().to_owned() })?;
        settings.push(Setting { written, path, value });
    }
    Ok(())
}

/// Removes `learner = "…"`.
fn take_learner(settings: &mut Vec<Setting>) -> Result<Option<String>> {
    let Some(position) = settings.iter().position(|setting| setting.path == ["learner"]) else { return Ok(None) };
    let Setting { written, value, .. } = settings.remove(position);
    match value {
        Value::String(name) => Ok(Some(name)),
        other => Err(Error::Options { option: written, problem: format!("`learner` is a name, got {other}") }.into()),
    }
}
