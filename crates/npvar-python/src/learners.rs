//! The learners and their options, for classes and keywords that are made from them.

use npvar::Error;
use npvar::learner::{LEARNERS, LearnerConfig, Setting};
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::errors::raised;
use crate::learn::text;

/// Every learner: its name, what it is and assumes, its options with their defaults and descriptions.
#[pyfunction]
pub(crate) fn learners(py: Python<'_>) -> PyResult<String> {
    let schema = schemars::schema_for!(LearnerConfig).to_value();
    let mut all = Vec::new();
    for info in LEARNERS {
        let config = LearnerConfig::resolve(info.name, &[]).map_err(|error| raised(py, error))?;
        let mut defaults = serde_json::to_value(&config).expect("a configuration is plain data");
        let options: Vec<Value> = match &mut defaults {
            Value::Object(table) => {
                table.remove("algorithm");
                let about = descriptions(&schema, info.name);
                let option = |(name, default): (&String, &Value)| json!({"name": name, "default": default, "description": about.get(name)});
                table.iter().map(option).collect()
            }
            _ => Vec::new(),
        };
        all.push(json!({"name": info.name, "summary": info.summary, "assumes": info.assumes, "options": options}));
    }
    Ok(text(&all))
}

/// The full configuration that options lead to.
#[pyfunction]
pub(crate) fn resolve(py: Python<'_>, learner: &str, options: &str) -> PyResult<String> {
    Ok(text(&config(learner, options).map_err(|error| raised(py, error))?))
}

/// The configuration of a learner after a JSON object of options. `estimator__sp` is `estimator.sp`.
///
/// # Errors
/// [`Error::Options`] when the learner, a key or a value is unknown; the message names the known ones.
pub(crate) fn config(learner: &str, options: &str) -> npvar::Result<LearnerConfig> {
    let wrong = |error: serde_json::Error| Error::Options { option: "options".to_owned(), problem: error.to_string() };
    let options: Map<String, Value> = serde_json::from_str(options).map_err(wrong)?;
    let mut settings: Vec<Setting> = options
        .into_iter()
        .map(|(key, value)| {
            let path = key.replace('.', "__").split("__").map(|part| part.replace('_', "-")).collect();
            Setting { written: format!("`{key}`"), path, value: with_hyphens(value) }
        })
        .collect();
    // A kind decides which other keys there are, so what stands further up comes first.
    settings.sort_by_key(|setting| (setting.path.len(), setting.path.last().is_some_and(|key| key != "kind")));
    LearnerConfig::resolve(learner, &settings)
}

/// The keys of nested tables as the options are written elsewhere.
fn with_hyphens(value: Value) -> Value {
    match value {
        Value::Object(table) => {
            table.into_iter().map(|(key, value)| (key.replace('_', "-"), with_hyphens(value))).collect()
        }
        other => other,
    }
}

/// What the schema says about a learner's options.
fn descriptions(schema: &Value, learner: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    for variant in variants.filter(|variant| variant["properties"]["algorithm"]["const"] == learner) {
        for part in [Some(variant), referred(schema, variant)].into_iter().flatten() {
            for (name, property) in part["properties"].as_object().into_iter().flatten() {
                let own = property["description"].as_str();
                let about = own.or_else(|| referred(schema, property)?["description"].as_str());
                if let Some(about) = about {
                    let about: Vec<&str> = about.split_whitespace().collect();
                    found.insert(name.clone(), about.join(" ").into());
                }
            }
        }
    }
    found
}

fn referred<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
}
