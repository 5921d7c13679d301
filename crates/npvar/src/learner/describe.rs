//! A learner's options, described once for whoever shows them: the terminal, the page's form, Python's classes.
//!
//! Names, descriptions and what a value may be come from the schema of the option structs; defaults come from the
//! configuration itself.

use schemars::schema_for;
use serde::Serialize;
use serde_json::Value;

use super::assignment::KIND;
use super::{Assignment, LEARNERS, LearnerConfig, LearnerInfo, keyword};
use crate::error::Result;

/// A learner and everything that can be said to it.
///
/// ```
/// use npvar::learner::{LearnerDescription, Takes};
/// let pc = LearnerDescription::of("pc")?;
/// let alpha = pc.options.iter().find(|option| option.name == "alpha").expect("PC has a level");
/// assert_eq!((&alpha.default, &alpha.takes), (&0.01.into(), &Takes::Value { number: true, words: vec![], none: false }));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnerDescription {
    /// Its name, what it is, and what it assumes.
    #[serde(flatten)]
    pub info: LearnerInfo,
    /// Whether there is a `preset=reference`.
    pub reference: bool,
    /// Its options.
    pub options: Vec<OptionDescription>,
}

/// An option of a learner, or of a table of options.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionDescription {
    /// The name, within its table.
    pub name: String,
    /// What happens without it; a table for a table.
    pub default: Value,
    /// What it does.
    pub description: String,
    /// What it may be.
    pub takes: Takes,
}

/// What an option may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Takes {
    /// A single value.
    Value {
        /// Whether it may be a number.
        number: bool,
        /// The words it may be.
        words: Vec<String>,
        /// Whether it may be left out.
        none: bool,
    },
    /// A table of options.
    Table {
        /// The options.
        options: Vec<OptionDescription>,
    },
    /// One of several kinds, each with options of its own.
    Kinds {
        /// What there are kinds of.
        of: String,
        /// The kinds.
        kinds: Vec<KindDescription>,
    },
}

/// A kind of something, such as an estimator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindDescription {
    /// Its name.
    pub name: String,
    /// The options it has.
    pub options: Vec<OptionDescription>,
}

impl LearnerDescription {
    /// The learner called `name`.
    ///
    /// # Errors
    /// [`Error::Options`](crate::Error::Options) when there is none; the message names those that there are.
    pub fn of(name: &str) -> Result<Self> {
        let config = LearnerConfig::resolve(name, &[])?;
        let root = schema_for!(LearnerConfig).to_value();
        let options = Schema { root: &root, at: &root, learner: name }.options(&config.to_value(), &[]);
        let reference = LearnerConfig::preset(name, Some("reference")).is_ok();
        Ok(LearnerDescription { info: config.info(), reference, options })
    }

    /// All learners.
    pub fn all() -> Vec<Self> {
        LEARNERS.iter().map(|info| LearnerDescription::of(info.name).expect("every learner has defaults")).collect()
    }

    /// The same with names as Python writes them.
    pub fn in_python(mut self) -> Self {
        self.options = self.options.into_iter().map(OptionDescription::in_python).collect();
        self
    }
}

impl OptionDescription {
    fn in_python(self) -> Self {
        let all = |options: Vec<OptionDescription>| options.into_iter().map(OptionDescription::in_python).collect();
        let takes = match self.takes {
            Takes::Table { options } => Takes::Table { options: all(options) },
            Takes::Kinds { of, kinds } => {
                let kinds = kinds.into_iter();
                let kinds = kinds.map(|kind| KindDescription { name: kind.name, options: all(kind.options) });
                Takes::Kinds { of, kinds: kinds.collect() }
            }
            value => value,
        };
        OptionDescription { name: keyword(&self.name), default: with_keywords(self.default), takes, ..self }
    }
}

fn with_keywords(value: Value) -> Value {
    match value {
        Value::Object(table) => table.into_iter().map(|(name, value)| (keyword(&name), with_keywords(value))).collect(),
        other => other,
    }
}

/// A place in the schema of all configurations.
#[derive(Clone, Copy)]
struct Schema<'a> {
    root: &'a Value,
    at: &'a Value,
    learner: &'a str,
}

impl<'a> Schema<'a> {
    /// The options of the table that is here; `defaults` are what they are at `path`.
    fn options(self, defaults: &Value, path: &[&str]) -> Vec<OptionDescription> {
        let table = defaults.as_object().into_iter().flatten();
        let options = table.filter(|(name, _)| !["algorithm", KIND].contains(&name.as_str()));
        let described = options.map(|(name, default)| {
            let schema = self.property(name, defaults);
            OptionDescription {
                name: name.clone(),
                default: default.clone(),
                description: schema.description(),
                takes: schema.takes(default, &[path, &[name]].concat()),
            }
        });
        described.collect()
    }

    fn takes(self, default: &Value, path: &[&str]) -> Takes {
        if !default.is_object() {
            let (mut number, mut words, mut none) = (false, Vec::new(), false);
            for part in self.parts(&|_| true) {
                let types = part["type"].as_array().map_or(std::slice::from_ref(&part["type"]), Vec::as_slice);
                number |= types.iter().any(|name| name == "number" || name == "integer");
                none |= types.iter().any(|name| name == "null");
                let listed = part["enum"].as_array().into_iter().flatten().chain(part.get("const"));
                words.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            }
            return Takes::Value { number, words, none };
        }
        let kinds = self.parts(&|_| true).into_iter().filter_map(|part| {
            let kind = part["properties"][KIND]["const"].as_str()?;
            // A learner may have no use for a kind.
            let chosen = Assignment::new(&path.join("."), kind.into());
            let config = LearnerConfig::resolve(self.learner, &[chosen]).ok()?.to_value();
            let defaults = path.iter().fold(&config, |value, name| &value[name]);
            Some(KindDescription {
                name: kind.to_owned(),
                options: Schema { at: part, ..self }.options(defaults, path),
            })
        });
        let kinds: Vec<KindDescription> = kinds.collect();
        if kinds.is_empty() {
            return Takes::Table { options: self.options(default, path) };
        }
        Takes::Kinds { of: self.referred().unwrap_or(self).description(), kinds }
    }

    /// The schema of an option of the table.
    fn property(self, name: &str, table: &Value) -> Self {
        let fits = |part: &Value| {
            let properties = part["properties"].as_object().into_iter().flatten();
            properties.into_iter().all(|(name, schema)| schema.get("const").is_none_or(|word| table[name] == *word))
        };
        let found = self.parts(&fits).into_iter().find_map(|part| part["properties"].get(name));
        Schema { at: found.unwrap_or(&Value::Null), ..self }
    }

    /// This schema, what it refers to, and its alternatives, as far as they fit.
    fn parts(self, fits: &dyn Fn(&Value) -> bool) -> Vec<&'a Value> {
        if !fits(self.at) {
            return Vec::new();
        }
        let alternatives = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| self.at[key].as_array()).flatten();
        let below = self.referred().into_iter().chain(alternatives.map(|at| Schema { at, ..self }));
        std::iter::once(self.at).chain(below.flat_map(|schema| schema.parts(fits))).collect()
    }

    fn description(self) -> String {
        let own = self.at["description"].as_str();
        let text = own.or_else(|| self.referred()?.at["description"].as_str()).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn referred(self) -> Option<Self> {
        let at = self.root.pointer(self.at["$ref"].as_str()?.strip_prefix('#')?)?;
        Some(Schema { at, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every option of every table and kind, with the assignments that lead there.
    fn visit(
        options: &[OptionDescription],
        before: &[Assignment],
        path: &str,
        see: &mut dyn FnMut(&[Assignment], &str, &OptionDescription),
    ) {
        for option in options {
            let name = format!("{path}{}", option.name);
            see(before, &name, option);
            match &option.takes {
                Takes::Value { .. } => {}
                Takes::Table { options } => visit(options, before, &format!("{name}."), see),
                Takes::Kinds { kinds, .. } => {
                    for kind in kinds {
                        let before = [before, &[Assignment::new(&name, kind.name.as_str().into())]].concat();
                        visit(&kind.options, &before, &format!("{name}."), see);
                    }
                }
            }
        }
    }

    #[test]
    fn every_option_is_described_and_may_be_what_it_is_by_default() {
        for learner in LearnerDescription::all() {
            let mut seen = 0;
            visit(&learner.options, &[], "", &mut |before, name, option| {
                seen += 1;
                let place = format!("{}: {name}", learner.info.name);
                assert!(!option.description.is_empty(), "{place}");
                if let Takes::Value { number, words, none } = &option.takes {
                    let taken = match &option.default {
                        Value::Null => *none,
                        Value::Number(_) => *number,
                        Value::String(word) => words.contains(word),
                        _ => false,
                    };
                    assert!(taken, "{place}: {option:?}");
                }
                let default = Assignment::new(name, option.default.clone());
                let reached = LearnerConfig::resolve(learner.info.name, before).unwrap();
                let again = LearnerConfig::resolve(learner.info.name, &[before, &[default]].concat()).unwrap();
                assert_eq!(reached, again, "{place}");
            });
            assert!(seen > 0, "{}", learner.info.name);
        }
    }

    /// Whatever the schema leaves out would be missing above without a trace.
    #[test]
    fn every_option_of_a_configuration_is_described() {
        for learner in LearnerDescription::all() {
            let config = LearnerConfig::resolve(learner.info.name, &[]).unwrap().to_value();
            let names: Vec<&String> = config.as_object().unwrap().keys().filter(|key| *key != "algorithm").collect();
            assert_eq!(learner.options.iter().map(|option| &option.name).collect::<Vec<_>>(), names);
        }
    }

    #[test]
    fn a_value_may_be_a_number_a_word_or_either_and_a_kind_has_options_of_its_own() {
        let npvar = LearnerDescription::of("npvar").unwrap();
        let takes = |name: &str| &npvar.options.iter().find(|option| option.name == name).unwrap().takes;
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let eta = Takes::Value { number: true, words: words(&["node-by-node", "adaptive"]), none: false };
        assert_eq!(takes("eta"), &eta);
        let split = Takes::Value { number: false, words: words(&["none", "half", "fresh"]), none: false };
        assert_eq!(takes("split"), &split);
        let Takes::Kinds { of, kinds } = takes("estimator") else { panic!("{:?}", takes("estimator")) };
        assert_eq!(of, "The estimator of the conditional means.");
        let knn = &kinds.iter().find(|kind| kind.name == "knn").unwrap().options;
        assert_eq!(knn[0].takes, Takes::Value { number: true, words: vec![], none: true });
    }

    #[test]
    fn a_kind_that_the_learner_refuses_is_no_choice() {
        let kinds = |learner: &str| {
            let options = LearnerDescription::of(learner).unwrap().options;
            let estimator = options.into_iter().find(|option| option.name == "estimator").unwrap();
            let Takes::Kinds { kinds, .. } = estimator.takes else { panic!("{estimator:?}") };
            kinds.into_iter().map(|kind| kind.name).collect::<Vec<_>>()
        };
        let (npvar, resit) = (kinds("npvar"), kinds("resit"));
        assert_eq!((npvar.last().unwrap().as_str(), &npvar[..npvar.len() - 1]), ("auto", &resit[..]));
    }

    #[test]
    fn python_writes_names_as_keywords() {
        let npvar = LearnerDescription::of("npvar").unwrap().in_python();
        let option = |name: &str| npvar.options.iter().find(|option| option.name == name).unwrap();
        assert_eq!(option("eta_scaler").default, 1.0);
        assert_eq!(option("estimator").default["few_valued"], "saturated");
        assert_eq!(option("negative_variance").default, "clip");
    }
}
