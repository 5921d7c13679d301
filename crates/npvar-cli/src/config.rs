//! Which learner with which options: the command line, and before it a TOML file.

use std::path::Path;

use anyhow::Result;
use npvar::Error;
use npvar::learner::{Assignment, LearnerConfig};
use npvar::text_file::{self, WRITTEN_BYTES};
use serde::Deserialize;
use serde_json::Value;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::args::LearnArguments;

const DEFAULT_LEARNER: &str = "npvar";

/// The configuration that the arguments describe.
pub(crate) fn resolve(arguments: &LearnArguments) -> Result<LearnerConfig> {
    let (mut learner, mut assignments) = (None, Vec::new());
    if let Some(path) = &arguments.config {
        let text =
            text_file::read(path, WRITTEN_BYTES).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        (learner, assignments) = written(path, &text)?;
    }
    assignments.extend(arguments.assignments.iter().cloned());
    let learner = arguments.learner.as_ref().or(learner.as_ref());
    Ok(LearnerConfig::resolve(learner.map_or(DEFAULT_LEARNER, String::as_str), &assignments)?)
}

/// What a TOML file says: the learner, and every other key as an assignment that knows its line.
fn written(path: &Path, text: &str) -> Result<(Option<String>, Vec<Assignment>)> {
    let at = |offset: usize| format!("{}, line {}", path.display(), 1 + text[..offset].matches('\n').count());
    let wrong = |offset: usize, problem: String| Error::Options { option: at(offset), problem };
    let table = DeTable::parse(text).map_err(|error| {
        wrong(error.span().map_or(0, |span| span.start.min(text.len())), error.message().replace('\n', ", "))
    })?;
    let mut keys = Vec::new();
    collect(table.into_inner(), "", &mut keys);
    keys.sort_by_key(|(offset, ..)| *offset);
    let (mut learner, mut assignments) = (None, Vec::new());
    for (offset, key, value) in keys {
        let value = Value::deserialize(value).map_err(|error| wrong(offset, error.message().to_owned()))?;
        match (&key[..], value) {
            ("learner", Value::String(name)) => learner = Some(name),
            ("learner", other) => return Err(wrong(offset, format!("`learner` is a name, got {other}")).into()),
            (_, value) => assignments.push(Assignment::new(&key, value).written_at(at(offset))),
        }
    }
    Ok((learner, Assignment::in_any_order(assignments)))
}

/// Every key that holds a value, nested ones by their dotted name, with the place where it stands.
fn collect<'a>(table: DeTable<'a>, prefix: &str, keys: &mut Vec<(usize, String, ValueDeserializer<'a>)>) {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        if matches!(value.get_ref(), DeValue::Table(_)) {
            let DeValue::Table(inner) = value.into_inner() else { unreachable!("it was one") };
            collect(inner, &format!("{name}."), keys);
        } else {
            keys.push((key.span().start, name, ValueDeserializer::from(value)));
        }
    }
}
