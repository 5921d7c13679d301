//! From what a user wrote (`key=value`, keywords, a form, a TOML file) to a learner's configuration, and back.
//!
//! This is the only place that knows how names are written (`few-valued`, in Python `few_valued`; `estimator.sp`, in Python
//! `estimator__sp`) and that a `kind` decides which other options there are.

use serde_json::{Map, Value};

use super::LearnerConfig;
use super::nearest::{did_you_mean, nearest};
use crate::error::{Error, Result};

/// One option and its value, as the user wrote them.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// How to name it in an error.
    written: String,
    /// `["estimator", "sp"]` for `estimator.sp`.
    path: Vec<String>,
    value: Value,
}

impl Assignment {
    /// Gives the option called `key` a value: a number, a word, a table of further options.
    ///
    /// ```
    /// use npvar::learner::{Assignment, LearnerConfig};
    /// let nested = Assignment::new("selection", serde_json::json!({"few_valued": "spline"}));
    /// let same = [Assignment::new("selection.few-valued", "spline".into()), Assignment::new("selection__few_valued", "spline".into())];
    /// for assignment in same {
    ///     assert_eq!(LearnerConfig::resolve("npvar", &[assignment])?, LearnerConfig::resolve("npvar", &[nested.clone()])?);
    /// }
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn new(key: &str, value: Value) -> Self {
        let path = key.trim().replace("__", ".").split('.').map(hyphenated).collect();
        Assignment { written: format!("`{key}`"), path, value }
    }

    /// Reads `key=value`; the value is a number, `true`, `false`, `null` (for an option that may be left out), or else a word.
    ///
    /// ```
    /// use npvar::learner::Assignment;
    /// assert_eq!(Assignment::parse("estimator.sp=1.5")?.to_string(), "estimator.sp=1.5");
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
        Ok(Assignment::new(key, value).written_at(format!("`{text}`")))
    }

    /// How an error names it, where that is not its key: a line of a file.
    #[must_use]
    pub fn written_at(self, place: impl Into<String>) -> Self {
        Assignment { written: place.into(), ..self }
    }

    /// Assignments of one place (a file, a call, a form), where the order in which they are written means nothing.
    pub fn in_any_order(assignments: impl IntoIterator<Item = Assignment>) -> Vec<Assignment> {
        let mut single = Vec::new();
        assignments.into_iter().for_each(|assignment| assignment.divide(&mut single));
        // A kind stands for the table that it decides about, and what stands further up comes first.
        single.sort_by_key(|Assignment { path, .. }| {
            path.len() - usize::from(path.last().is_some_and(|key| key == KIND))
        });
        single
    }

    /// One for every value of a nested table.
    fn divide(self, single: &mut Vec<Assignment>) {
        match self.value {
            Value::Object(table) if !table.is_empty() => {
                for (key, value) in table {
                    let path = [&self.path[..], &[hyphenated(&key)]].concat();
                    Assignment { written: self.written.clone(), path, value }.divide(single);
                }
            }
            _ => single.push(self),
        }
    }

    fn word(&self) -> Result<&str> {
        self.value.as_str().ok_or_else(|| {
            let problem = format!("expected a word, got {}", self.value);
            Error::Options { option: self.written.clone(), problem }
        })
    }

    /// The names that lead to the option, outermost first.
    pub(crate) fn path(&self) -> &[String] {
        &self.path
    }

    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

/// `key=value`, as [`parse`](Assignment::parse) reads it.
impl std::fmt::Display for Assignment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}=", self.path.join("."))?;
        match &self.value {
            Value::String(word) => f.write_str(word),
            other => write!(f, "{other}"),
        }
    }
}

/// The option that decides which others a table has.
pub(super) const KIND: &str = "kind";

fn hyphenated(name: &str) -> String {
    name.replace('_', "-")
}

/// An option's name as a Python keyword.
///
/// ```
/// assert_eq!(npvar::learner::keyword("few-valued"), "few_valued");
/// ```
pub fn keyword(name: &str) -> String {
    name.replace('-', "_")
}

impl LearnerConfig {
    /// The configuration of the learner called `algorithm` after these assignments, made in order; a `preset` comes first
    /// wherever it stands.
    ///
    /// ```
    /// use npvar::learner::{Assignment, LearnerConfig};
    /// let assignments = [Assignment::parse("estimator.sp=1.5")?, Assignment::parse("preset=reference")?];
    /// let LearnerConfig::Npvar(config) = LearnerConfig::resolve("npvar", &assignments)? else { unreachable!() };
    /// assert_eq!(config.selection.sp, 0.6);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Options`] when the learner, a key or a value is unknown; the message names the known ones.
    pub fn resolve(algorithm: &str, assignments: &[Assignment]) -> Result<Self> {
        let (presets, others): (Vec<&Assignment>, _) = assignments.iter().partition(|one| one.path == ["preset"]);
        let mut config = LearnerConfig::preset(algorithm, presets.last().map(|last| last.word()).transpose()?)?;
        let mut refused = None;
        for assignment in others.into_iter().flat_map(|one| Assignment::in_any_order([one.clone()])) {
            if assignment.path == ["algorithm"] && assignment.value != algorithm {
                let problem = "the learner is chosen by `learner`, not by an option".to_owned();
                return Err(Error::Options { option: assignment.written, problem });
            }
            config = config.assigned(&assignment)?;
            // A later assignment may make room for this one, so that their order does not matter.
            refused = match (config.check(), refused) {
                (Ok(()), _) => None,
                (Err(error), None) => Some(Error::Options { option: assignment.written, problem: error.to_string() }),
                (Err(_), earlier) => earlier,
            };
        }
        refused.map_or(Ok(config), Err)
    }

    /// After one assignment, with whatever else may not fit it.
    fn assigned(&self, Assignment { written, path, value }: &Assignment) -> Result<Self> {
        let mut config = self.to_value();
        apply(&mut config, path, value.clone());
        serde_json::from_value(config)
            .map_err(|error| Error::Options { option: written.clone(), problem: in_words(&error.to_string()) })
    }

    /// What leads from the learner's defaults to this configuration, one assignment after the other. A value that cannot
    /// be written (not a number), which [`build`](LearnerConfig::build) refuses, ends the list.
    pub(crate) fn assignments(&self) -> Vec<Assignment> {
        let wanted = self.to_value();
        let mut reached = LearnerConfig::preset(self.info().name, None).expect("every learner has defaults");
        let mut assignments = Vec::new();
        while let Some((path, value)) = first_difference(&reached.to_value(), &wanted, &[]) {
            let assignment = Assignment::new(&path.join("."), value);
            let Ok(next) = reached.assigned(&assignment) else { break };
            reached = next;
            assignments.push(assignment);
        }
        assignments
    }

    pub(super) fn to_value(&self) -> Value {
        serde_json::to_value(self).expect("a configuration is plain data")
    }
}

/// Where two configurations differ first; a `kind` comes before the options that depend on it.
fn first_difference(reached: &Value, wanted: &Value, path: &[String]) -> Option<(Vec<String>, Value)> {
    let (Value::Object(from), Value::Object(to)) = (reached, wanted) else {
        return (reached != wanted).then(|| (path.to_vec(), wanted.clone()));
    };
    if let Some(kind) = to.get(KIND).filter(|&kind| from.get(KIND) != Some(kind)) {
        return Some((path.to_vec(), kind.clone()));
    }
    to.iter().find_map(|(key, value)| {
        first_difference(from.get(key).unwrap_or(&Value::Null), value, &[path, std::slice::from_ref(key)].concat())
    })
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
    let message = WORDS.iter().fold(message.to_owned(), |message, (theirs, ours)| message.replace(theirs, ours));
    let Some(rest) = ["unknown field `", "unknown variant `"].iter().find_map(|begin| message.strip_prefix(begin))
    else {
        return message;
    };
    // The unknown word stands first between backquotes, then the known ones.
    let mut quoted = rest.split('`').step_by(2);
    let unknown = quoted.next().unwrap_or_default();
    match nearest(unknown, quoted) {
        Some(meant) => message.replacen(&format!("`{unknown}`"), &format!("`{unknown}`{}", did_you_mean(meant)), 1),
        None => message,
    }
}

/// Puts `value` at `path`. A word for something that has kinds (`estimator=linear`) is short for its `kind`.
fn apply(target: &mut Value, path: &[String], value: Value) {
    if let (Value::Object(table), Value::String(kind), [] | [_]) = (&mut *target, &value, path)
        && path.iter().all(|key| key == KIND)
        && table.contains_key(KIND)
    {
        return set_kind(table, kind);
    }
    match path {
        // No options at all leave a table as it is.
        [] if target.is_object() && value.is_object() => {}
        [] => *target = value,
        [key, rest @ ..] => {
            if !target.is_object() {
                *target = Value::Object(Map::new());
            }
            apply(&mut target[key], rest, value);
        }
    }
}

/// Another kind has other options; the present ones go.
fn set_kind(table: &mut Map<String, Value>, kind: &str) {
    if table[KIND] != kind {
        table.clear();
        table.insert(KIND.to_owned(), kind.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::learner::{EstimatorConfig, NpvarConfig};
    use crate::order::Eta;

    fn resolve(settings: &[&str]) -> Result<LearnerConfig> {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text)).collect::<Result<_>>()?;
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
    fn names_may_be_written_as_on_the_command_line_or_as_in_python() {
        let expected = npvar(&["selection.few-valued=spline"]);
        for key in ["selection.few_valued", "selection__few_valued", "selection__few-valued"] {
            assert_eq!(npvar(&[&format!("{key}=spline")]), expected, "{key}");
        }
    }

    #[test]
    fn in_one_place_a_kind_comes_first_wherever_it_stands() {
        let together = |options: Value| {
            let Value::Object(options) = options else { unreachable!("written below") };
            let assignments = options.into_iter().map(|(key, value)| Assignment::new(&key, value));
            LearnerConfig::resolve("npvar", &Assignment::in_any_order(assignments))
        };
        let expected = resolve(&["estimator=knn", "estimator.max-k=7"]).unwrap();
        for options in [
            json!({"estimator.max-k": 7, "estimator.kind": "knn"}),
            json!({"estimator__max_k": 7, "estimator": "knn"}),
            json!({"estimator": {"max_k": 7, "kind": "knn"}}),
            json!({"estimator__max_k": 7, "estimator": {"kind": "knn"}}),
        ] {
            assert_eq!(together(options.clone()).unwrap(), expected, "{options}");
        }
        assert_eq!(together(json!({"estimator": {}})).unwrap(), resolve(&[]).unwrap());
        let message = together(json!({"cutoff": {}})).unwrap_err().to_string();
        assert!(message.contains("`cutoff`: invalid type: map, expected a number"), "{message}");
        // One after the other a new kind forgets the options of the last.
        assert_eq!(resolve(&["estimator.sp=2", "estimator=linear"]).unwrap(), resolve(&["estimator=linear"]).unwrap());
    }

    #[test]
    fn the_assignments_lead_back_to_the_configuration() {
        for (learner, changed) in [
            ("npvar", &["preset=reference", "eta=adaptive"][..]),
            ("npvar", &["estimator=linear"]),
            ("npvar", &["estimator=auto", "estimator.gam.k=12"]),
            // Each of the two needs the other.
            ("npvar", &["residual-variance=own", "estimator.smoothing=reml"]),
            ("pc", &["test=kci", "alpha=0.2", "max-depth=2"]),
            ("ges", &["score=bdeu"]),
            ("cam", &["preset=reference"]),
        ] {
            let changed: Vec<Assignment> = changed.iter().map(|text| Assignment::parse(text).unwrap()).collect();
            let wanted = LearnerConfig::resolve(learner, &changed).unwrap();
            let written = wanted.assignments();
            assert_eq!(LearnerConfig::resolve(learner, &written).unwrap(), wanted, "{learner}: {written:?}");
            // Through text too, as a shell hands it over.
            let read: Vec<Assignment> =
                written.iter().map(|one| Assignment::parse(&one.to_string()).unwrap()).collect();
            assert_eq!(LearnerConfig::resolve(learner, &read).unwrap(), wanted, "{learner}: {written:?}");
        }
    }

    #[test]
    fn unknown_keys_and_values_name_the_known_ones() {
        for (settings, expected) in [
            (&["etta=1"][..], "unknown field `etta` (did you mean `eta`?), expected one of `eta`"),
            (&["algorithm=pc"], "the learner is chosen by `learner`, not by an option"),
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
        let message = LearnerConfig::resolve("np-var", &[]).expect_err("no such learner").to_string();
        assert!(message.contains("unknown learner `np-var` (did you mean `npvar`?); the learners"), "{message}");
    }
}
