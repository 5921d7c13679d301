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
    let others = of_other_kinds(info.name, &options)?;
    if arguments.json {
        let LearnerInfo { name, summary, assumes } = info;
        let with = others.iter().map(|(with, options)| json!({"with": with, "options": described(options)}));
        let with: Vec<Value> = with.collect();
        let object = json!({
            "name": name, "summary": summary, "assumes": assumes, "options": described(&options), "kinds": with,
        });
        return output::print(&output::json(&object)?);
    }
    let mut page = format!("{}\nassumes: {}\n\n", info.summary, info.assumes);
    page += &table(&options);
    for (with, options) in &others {
        page += &match options[..] {
            [] => format!("\n`{with}` has no options.\n"),
            _ => format!("\nWith `{with}`:\n\n{}", table(options)),
        };
    }
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

fn table(options: &[LearnerOption]) -> String {
    let mut rows = vec![row(["option", "default", ""])];
    rows.extend(options.iter().map(|option| {
        let default = match &option.default {
            Value::String(word) => word.clone(),
            Value::Null => "none".to_owned(),
            other => other.to_string(),
        };
        row([&option.name, &default, &option.description])
    }));
    text::table(&[Align::Left; 3], &rows)
}

fn described(options: &[LearnerOption]) -> Vec<Value> {
    let described = |option: &LearnerOption| {
        let LearnerOption { name, default, description, .. } = option;
        json!({"name": name, "default": default, "description": description})
    };
    options.iter().map(described).collect()
}

/// The options that take the place of the listed ones where another `kind` is set, by that setting.
fn of_other_kinds(learner: &str, listed: &[LearnerOption]) -> Result<Vec<(String, Vec<LearnerOption>)>> {
    let mut others = Vec::new();
    for option in listed.iter().filter(|option| !option.kinds.is_empty()) {
        let Some(prefix) = option.name.strip_suffix("kind") else { continue };
        for kind in option.kinds.iter().filter(|kind| option.default != **kind) {
            let with = format!("{}={kind}", prefix.trim_end_matches('.'));
            // Some learners have no use for some kinds.
            let Ok(config) = LearnerConfig::resolve(learner, &[Setting::parse(&with)?]) else { continue };
            let mut own = options(&config)?;
            own.retain(|own| own.name.starts_with(prefix) && own.name != option.name);
            others.push((with, own));
        }
    }
    Ok(others)
}

struct LearnerOption {
    name: String,
    default: Value,
    description: String,
    /// The words it may be, for a `kind`.
    kinds: Vec<String>,
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
                let kinds = if key == "kind" { kinds(root, schema) } else { Vec::new() };
                let description = match kinds[..] {
                    [] => description(root, property),
                    _ => one_of(root, schema, &kinds),
                };
                options.push(LearnerOption { name, default: default.clone(), description, kinds });
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
fn kinds(root: &Value, schema: &Value) -> Vec<String> {
    let schema = referred(root, schema).unwrap_or(schema);
    let words = variants(schema).filter_map(|variant| variant["properties"]["kind"]["const"].as_str());
    words.map(str::to_owned).collect()
}

fn one_of(root: &Value, schema: &Value, kinds: &[String]) -> String {
    let words: Vec<String> = kinds.iter().map(|word| format!("`{word}`")).collect();
    let about = description(root, referred(root, schema).unwrap_or(schema));
    format!("{} {}", if about.is_empty() { "One of:" } else { &about }, words.join(" or "))
}
