//! The learners and their options, for classes and keywords that are made from them.

use npvar::Error;
use npvar::learner::{Assignment, LearnerConfig, LearnerDescription};
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::errors::raised;
use crate::learn::text;

/// Every learner: its name, what it is and assumes, its options with their defaults and descriptions.
#[pyfunction]
pub(crate) fn learners() -> String {
    text(&LearnerDescription::all().into_iter().map(LearnerDescription::in_python).collect::<Vec<_>>())
}

/// The full configuration that options lead to.
#[pyfunction]
pub(crate) fn resolve(py: Python<'_>, learner: &str, options: &str) -> PyResult<String> {
    Ok(text(&config(learner, options).map_err(|error| raised(py, error))?))
}

/// The configuration of a learner after a JSON object of options.
///
/// # Errors
/// [`Error::Options`] when the learner, a key or a value is unknown; the message names the known ones.
pub(crate) fn config(learner: &str, options: &str) -> npvar::Result<LearnerConfig> {
    let wrong = |error: serde_json::Error| Error::Options { option: "options".to_owned(), problem: error.to_string() };
    let options: Map<String, Value> = serde_json::from_str(options).map_err(wrong)?;
    let assignments = options.into_iter().map(|(key, value)| Assignment::new(&key, value));
    LearnerConfig::resolve(learner, &Assignment::in_any_order(assignments))
}
