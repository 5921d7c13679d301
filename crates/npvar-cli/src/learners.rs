//! `npvar learners`: what there is, and the options of one, read from its configuration struct.

use anyhow::Result;
use npvar::learner::{LEARNERS, LearnerConfig, LearnerInfo, Setting};
use serde_json::{Map, Value, json};

use crate::args::LearnersArguments;
use crate::output;
use crate::text::{self, Align, row};

pub(crate) fn run(arguments: &LearnersArguments) -> Result<()> {
    let Some(name) = &arguments.name else {
        return output::print(&if arguments.json { output::json(&LEARNERS)? } else { list() });
    };
    // An unknown name is answered with the known ones.
    let config = LearnerConfig::resolve(name, &[])?;
    let Some(info) = LEARNERS.iter().find(|learner| learner.name == name) else {
        unreachable!("every learner is listed")
    };
    let options = options(&config)?;
    if arguments.json {
        let LearnerInfo { name, summary, assumes } = info;
        let options: Vec<Value> = options
            .into_iter()
            .map(|option| json!({"name": option.name, "default": option.default, "description": option.description}))
            .collect();
        let object = json!({"name": name, "summary": summary, "assumes": assumes, "options": options});
        return output::print(&output::json(&object)?);
    }
    let mut page = format!("{}\nassumes: {}\n\n", info.summary, info.assumes);
    let mut rows = vec![row(["option", "default", ""])];
    rows.extend(options.into_iter().map(|option| {
        let default = option.default.as_str().map_or_else(|| option.default.to_string(), str::to_owned);
        row([&option.name, &default, &option.description])
    }));
    page += &text::table(&[Align::Left; 3], &rows);
    page += "\nSet one with `--set option=value`, several in a TOML file for `--config`.\n";
    if LearnerConfig::resolve(info.name, &[Setting::parse("preset=reference")?]).is_ok() {
        page += "`--set preset=reference` does what the public implementation does, `preset=paper` is the default.\n";
    }
    output::print(&page)
}

fn list() -> String {
    let mut page = String::new();
    for LearnerInfo { name, summary, assumes } in LEARNERS {
        page += &format!("{name}\n  {summary}\n  assumes: {assumes}\n\n");
    }
    page + "`npvar learners NAME` lists a learner's options.\n"
}

struct LearnerOption {
    name: String,
    default: Value,
    description: String,
}

/// Every option with its default and description, nested ones by their dotted name.
fn options(config: &LearnerConfig) -> Result<Vec<LearnerOption>> {
    let schema = schemars::schema_for!(LearnerConfig).to_value();
    let defaults = serde_json::to_value(config)?;
    let mut options = Vec::new();
    if let Value::Object(table) = &defaults {
        flatten(&schema, &schema, table, "", &mut options);
    }
    options.retain(|option| option.name != "algorithm");
    Ok(options)
}

fn flatten(root: &Value, schema: &Value, table: &Map<String, Value>, prefix: &str, options: &mut Vec<LearnerOption>) {
    for (key, default) in table {
        let name = format!("{prefix}{key}");
        let property = property(root, schema, table, key).unwrap_or(&Value::Null);
        match default {
            Value::Object(inner) => flatten(root, property, inner, &format!("{name}."), options),
            default => {
                let description = match key.as_str() {
                    "kind" => kinds(root, schema),
                    _ => description(root, property),
                };
                options.push(LearnerOption { name, default: default.clone(), description });
            }
        }
    }
}

/// The schema of a property, looked for behind references and in the variant that the table is of.
fn property<'a>(root: &'a Value, schema: &'a Value, table: &Map<String, Value>, key: &str) -> Option<&'a Value> {
    if let Some(found) = schema["properties"].get(key) {
        return Some(found);
    }
    if let Some(found) = referred(root, schema).and_then(|schema| property(root, schema, table, key)) {
        return Some(found);
    }
    let is_of = |variant: &Value| {
        let constants = variant["properties"].as_object().into_iter().flatten();
        constants.into_iter().all(|(name, schema)| schema.get("const").is_none_or(|word| table.get(name) == Some(word)))
    };
    variants(schema).filter(|variant| is_of(variant)).find_map(|variant| property(root, variant, table, key))
}

fn referred<'a>(root: &'a Value, schema: &Value) -> Option<&'a Value> {
    root.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

fn description(root: &Value, schema: &Value) -> String {
    let own = schema["description"].as_str();
    let text = own.or_else(|| referred(root, schema)?["description"].as_str()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words a `kind` may be.
fn kinds(root: &Value, schema: &Value) -> String {
    let schema = referred(root, schema).unwrap_or(schema);
    let words = variants(schema).filter_map(|variant| variant["properties"]["kind"]["const"].as_str());
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    let about = description(root, schema);
    format!("{} {}", if about.is_empty() { "One of:" } else { &about }, words.join(" or "))
}
