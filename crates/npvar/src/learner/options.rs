//! From what a user wrote (TOML tables, `key=value`) to a learner's configuration.

use serde_json::{Map, Value};

use super::LearnerConfig;
use crate::error::{Error, Result};

/// A setting as the user wrote it: a dotted key (or none, for a whole table) and a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// How to name it in an error.
    pub written: String,
    /// `["estimator", "sp"]` for `estimator.sp`.
    pub path: Vec<String>,
    /// The value.
    pub value: Value,
}

impl Setting {
    /// Reads `key=value`; the value is a number, `true`, `false`, `null` (for an option that may be left out), or else a word.
    ///
    /// ```
    /// use npvar::learner::Setting;
    /// let setting = Setting::parse("estimator.sp=1.5")?;
    /// assert_eq!((setting.path.join("."), setting.value), ("estimator.sp".to_owned(), 1.5.into()));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Options`] when there is no `=`.
    pub fn parse(text: &str) -> Result<Self> {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
            return Err(Error::Options { option: format!("`{text}`"), problem: "expected `key=value`".to_owned() });
        };
        let value = value.trim();
        let value = match serde_json::from_str(value) {
            Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => value,
            _ => Value::String(value.to_owned()),
        };
        Ok(Setting {
            written: format!("`{text}`"),
            path: key.trim().split('.').map(|part| part.replace('_', "-")).collect(),
            value,
        })
    }

    /// A whole table, as read from a file.
    pub fn table(written: &str, table: Map<String, Value>) -> Self {
        Setting { written: written.to_owned(), path: Vec::new(), value: Value::Object(table) }
    }
}

impl LearnerConfig {
    /// The configuration of the learner called `algorithm` after these settings, applied in order; a `preset` comes first
    /// wherever it stands.
    ///
    /// ```
    /// use npvar::learner::{LearnerConfig, Setting};
    /// let settings = [Setting::parse("estimator.sp=1.5")?, Setting::parse("preset=reference")?];
    /// let LearnerConfig::Npvar(config) = LearnerConfig::resolve("npvar", &settings)? else { unreachable!() };
    /// assert_eq!(config.selection.sp, 0.6);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Options`] when the learner, a key or a value is unknown; the message names the known ones.
    pub fn resolve(algorithm: &str, settings: &[Setting]) -> Result<Self> {
        let mut settings = settings.to_vec();
        let preset = take_preset(&mut settings)?;
        let mut config = LearnerConfig::preset(algorithm, preset.as_deref())?;
        let mut refused = None;
        for setting in settings {
            let mut value = serde_json::to_value(&config).expect("a configuration is plain data");
            apply(&mut value, &setting.path, setting.value);
            config = serde_json::from_value(value).map_err(|error| Error::Options {
                option: setting.written.clone(),
                problem: in_words(&error.to_string()),
            })?;
            // A later setting may make room for this one, so that their order does not matter.
            refused = match (config.check(), refused) {
                (Ok(()), _) => None,
                (Err(error), None) => Some(Error::Options { option: setting.written, problem: error.to_string() }),
                (Err(_), earlier) => earlier,
            };
        }
        refused.map_or(Ok(config), Err)
    }
}

/// What serde says, without the names of Rust's types.
fn in_words(message: &str) -> String {
    const WORDS: [(&str, &str); 6] = [
        ("expected usize", "expected a whole number, 0 or more"),
        ("expected u64", "expected a whole number, 0 or more"),
        ("expected f64", "expected a number"),
        ("expected string or map", "expected a word"),
        ("expected internally tagged enum EstimatorConfig", "expected the word for an estimator"),
        ("there are no fields", "it has no options"),
    ];
    WORDS.iter().fold(message.to_owned(), |message, (theirs, ours)| message.replace(theirs, ours))
}

/// Removes every `preset` from the settings and returns the last.
fn take_preset(settings: &mut Vec<Setting>) -> Result<Option<String>> {
    let mut preset = None;
    let mut found = |value: Value| match value {
        Value::String(word) => {
            preset = Some(word);
            Ok(())
        }
        other => {
            Err(Error::Options { option: "`preset`".to_owned(), problem: format!("expected a word, got {other}") })
        }
    };
    for setting in settings.iter_mut() {
        if let (true, Value::Object(table)) = (setting.path.is_empty(), &mut setting.value)
            && let Some(value) = table.remove("preset")
        {
            found(value)?;
        } else if setting.path == ["preset"] {
            found(setting.value.clone())?;
        }
    }
    settings.retain(|setting| setting.path != ["preset"]);
    Ok(preset)
}

/// Puts `value` at `path`. A word for something that has kinds (`estimator=linear`) is short for its `kind`.
fn apply(target: &mut Value, path: &[String], value: Value) {
    if let [key, rest @ ..] = path {
        if !target.is_object() {
            *target = Value::Object(Map::new());
        }
        let table = target.as_object_mut().expect("just made one");
        if let (true, Value::String(kind), []) = (key == "kind" && table.contains_key("kind"), &value, rest) {
            return set_kind(table, kind.clone());
        }
        return apply(table.entry(key.clone()).or_insert(Value::Null), rest, value);
    }
    match (target, value) {
        (Value::Object(table), Value::String(kind)) if table.contains_key("kind") => set_kind(table, kind),
        (Value::Object(table), Value::Object(mut patch)) => {
            if let (true, Some(Value::String(kind))) = (table.contains_key("kind"), patch.remove("kind")) {
                set_kind(table, kind);
            }
            for (key, value) in patch {
                apply(table.entry(key.replace('_', "-")).or_insert(Value::Null), &[], value);
            }
        }
        (target, value) => *target = value,
    }
}

/// Another kind has other options; the present ones go.
fn set_kind(table: &mut Map<String, Value>, kind: String) {
    if table["kind"] != Value::String(kind.clone()) {
        table.clear();
        table.insert("kind".to_owned(), Value::String(kind));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::{EstimatorConfig, NpvarConfig};
    use crate::order::Eta;

    fn resolve(settings: &[&str]) -> Result<LearnerConfig> {
        let settings: Vec<Setting> = settings.iter().map(|text| Setting::parse(text)).collect::<Result<_>>()?;
        LearnerConfig::resolve("npvar", &settings)
    }

    fn npvar(settings: &[&str]) -> NpvarConfig {
        match resolve(settings) {
            Ok(LearnerConfig::Npvar(config)) => config,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn settings_change_what_they_name_and_nothing_else() {
        assert_eq!(npvar(&["eta=0.05"]), NpvarConfig { eta: Eta::Fixed(0.05), ..NpvarConfig::default() });
        assert_eq!(npvar(&["eta=0"]).eta, Eta::Fixed(0.0));
        assert_eq!(npvar(&["selection.few_valued=spline"]).estimator, EstimatorConfig::default());
    }

    #[test]
    fn a_word_for_the_estimator_is_its_kind() {
        assert!(matches!(npvar(&["estimator=linear"]).estimator, EstimatorConfig::Linear(_)));
        assert!(matches!(npvar(&["estimator.kind=linear"]).estimator, EstimatorConfig::Linear(_)));
    }

    #[test]
    fn a_preset_comes_first_wherever_it_stands() {
        assert_eq!(
            npvar(&["cutoff=0.01", "preset=reference"]),
            NpvarConfig { cutoff: 0.01, ..NpvarConfig::reference() }
        );
    }

    #[test]
    fn options_that_belong_together_may_come_in_any_order() {
        let one = npvar(&["residual-variance=own", "estimator.smoothing=reml"]);
        assert_eq!(one, npvar(&["estimator.smoothing=reml", "residual-variance=own"]));
    }

    #[test]
    fn unknown_keys_and_values_name_the_known_ones() {
        for (settings, expected) in [
            (&["etta=1"][..], "unknown field `etta`, expected one of `eta`"),
            (&["estimator=spline"], "unknown variant `spline`, expected one of `gam`, `linear`"),
            (&["estimator=linear", "estimator.sp=1"], "unknown field `sp`, it has no options"),
            (&["estimator=5"], "expected the word for an estimator"),
            (&["selection.k=x"], "expected a whole number, 0 or more"),
            (&["cutoff=x"], "expected a number"),
            (&["parents=3"], "expected a word"),
            (&["eta=-1"], "`eta` must be `node-by-node`, `adaptive` or a number that is not negative, got -1"),
            (&["split=thirds"], "unknown variant `thirds`, expected one of `none`, `half`, `fresh`"),
            (&["cutoff=2"], "`cutoff` must be above 0 and at most 1, got 2"),
            (&["selection.k=3"], "`k` must be between 4 and 60, got 3"),
            (&["preset=r"], "unknown preset `r`; the presets are `paper` and `reference`"),
            (&["eta"], "expected `key=value`"),
            (&["residual-variance=own"], "can be `own` for `gam` with `smoothing=reml`"),
            (&["estimator=linear", "residual-variance=undersmoothed"], "where there is smoothing to take back"),
            (&["residual-variance=cross-fitted", "split=half"], "the others hold rows out themselves"),
            (&["residual-variance=nearest-neighbour", "split=fresh"], "the others use all rows"),
            (&["folds=1"], "`folds` must be at least 2, got 1"),
        ] {
            let message = resolve(settings).expect_err(&format!("{settings:?} must be refused")).to_string();
            assert!(message.contains(expected), "{message}");
        }
        let message = LearnerConfig::resolve("np", &[]).expect_err("no such learner").to_string();
        assert!(message.contains("unknown learner `np`; the learners are `npvar`, `eqvar`"), "{message}");
    }
}
