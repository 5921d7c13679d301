//! `npvar learners`: what there is, and the options of one.

use anyhow::Result;
use npvar::learner::{
    KindDescription, LEARNERS, LearnerConfig, LearnerDescription, LearnerInfo, OptionDescription, Takes,
};
use serde::Serialize;
use serde_json::Value;

use crate::args::LearnersArguments;
use crate::output;
use crate::text::{self, Align, row};

pub(crate) fn run(arguments: &LearnersArguments) -> Result<()> {
    let Some(name) = &arguments.name else {
        return output::print(&if arguments.json { output::json(&LEARNERS)? } else { list() });
    };
    let learner = LearnerDescription::of(name)?;
    let listed = Listed::new(&learner);
    output::print(&if arguments.json { output::json(&listed)? } else { page(&listed, learner.reference) })
}

fn list() -> String {
    let mut page = String::new();
    for LearnerInfo { name, summary, assumes, .. } in LEARNERS {
        page += &format!("{name}\n  {summary}\n  assumes: {assumes}\n\n");
    }
    page + "`npvar learners NAME` lists a learner's options.\n"
}

fn page(Listed { info, options, kinds }: &Listed<'_>, reference: bool) -> String {
    let mut page = format!("{}\nassumes: {}\n\n{}", info.summary, info.assumes, table(options));
    for OtherKind { with, options } in kinds {
        page += &match options[..] {
            [] => format!("\n`{with}` has no options.\n"),
            _ => format!("\nWith `{with}`:\n\n{}", table(options)),
        };
    }
    page += "\nSet one with `--set option=value`, several in a TOML file for `--config`.\n";
    for preset in LearnerConfig::own_presets(info.name) {
        page += &format!("`--set preset={preset}` sets several of them at once; others can be set beside it.\n");
    }
    if reference {
        page += "`--set preset=reference` does what the public implementation does, `preset=paper` is the default.\n";
    }
    page
}

fn table(options: &[Line]) -> String {
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

/// A learner's options in lines, nested ones by their dotted names.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    info: &'a LearnerInfo,
    options: Vec<Line>,
    kinds: Vec<OtherKind>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    default: Value,
    description: String,
}

/// The options that take the place of the listed ones with another kind.
#[derive(Serialize)]
struct OtherKind {
    /// What to set.
    with: String,
    options: Vec<Line>,
}

impl<'a> Listed<'a> {
    fn new(learner: &'a LearnerDescription) -> Self {
        let mut listed = Listed { info: &learner.info, options: Vec::new(), kinds: Vec::new() };
        listed.add(&learner.options, "");
        listed
    }

    fn add(&mut self, options: &[OptionDescription], prefix: &str) {
        for OptionDescription { name, default, description, takes } in options {
            let name = format!("{prefix}{name}");
            match takes {
                Takes::Value { .. } => {
                    self.options.push(Line { name, default: default.clone(), description: description.clone() });
                }
                Takes::Table { options } => self.add(options, &format!("{name}.")),
                Takes::Kinds { of, kinds } => self.add_kinds(&name, &default["kind"], of, kinds),
            }
        }
    }

    fn add_kinds(&mut self, name: &str, default: &Value, of: &str, kinds: &[KindDescription]) {
        let words: Vec<String> = kinds.iter().map(|kind| format!("`{}`", kind.name)).collect();
        let description = format!("{of} {}", words.join(" or "));
        self.options.push(Line { name: format!("{name}.kind"), default: default.clone(), description });
        for kind in kinds {
            if *default == *kind.name {
                self.add(&kind.options, &format!("{name}."));
                continue;
            }
            let mut other = Listed { info: self.info, options: Vec::new(), kinds: Vec::new() };
            other.add(&kind.options, &format!("{name}."));
            self.kinds.push(OtherKind { with: format!("{name}={}", kind.name), options: other.options });
        }
    }
}
