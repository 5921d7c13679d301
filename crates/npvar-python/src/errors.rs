//! Every kind of error as an exception class of its own, with its facts as attributes.

use npvar::Error;
use npvar::learner::keyword;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error: its class stands in `npvar.errors`, its attributes are the error's fields.
pub(crate) fn raised(py: Python<'_>, error: Error) -> PyErr {
    exception(py, &error).unwrap_or_else(|failed| failed)
}

fn exception(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let facts = PyDict::new(py);
    let class = facts_of(error, &facts)?;
    let class = py.import("npvar.errors")?.getattr(class)?;
    let exception = class.call1((in_python_words(error), facts))?;
    Ok(PyErr::from_value(exception))
}

/// The class's name; the facts are put in the dictionary.
fn facts_of(error: &Error, facts: &Bound<'_, PyDict>) -> PyResult<&'static str> {
    Ok(match error {
        Error::Io { path, source } => {
            facts.set_item("path", path)?;
            facts.set_item("errno", source.raw_os_error())?;
            "FileError"
        }
        Error::Format { path, problem } => {
            facts.set_item("path", path)?;
            facts.set_item("problem", problem)?;
            "FormatError"
        }
        Error::Unusable { source_name, problems, .. } => {
            facts.set_item("path", source_name)?;
            facts.set_item("problem", problems.join("\n"))?;
            "FormatError"
        }
        Error::NoRows { .. } => "NoRowsError",
        Error::TooFewColumns { columns, .. } => {
            facts.set_item("columns", columns)?;
            "TooFewColumnsError"
        }
        Error::UnequalLengths { column, got, expected } => {
            facts.set_item("column", column)?;
            facts.set_item("got", got)?;
            facts.set_item("expected", expected)?;
            "UnequalLengthsError"
        }
        Error::DuplicateName { name, .. } => {
            facts.set_item("name", name)?;
            "DuplicateNameError"
        }
        Error::UnknownColumn { name, .. } => {
            facts.set_item("name", name)?;
            "UnknownColumnError"
        }
        Error::NotANumber { row, column, value, .. } => {
            facts.set_item("row", row)?;
            facts.set_item("column", column)?;
            facts.set_item("value", value)?;
            "NotANumberError"
        }
        Error::Missing { row, column, .. } => {
            facts.set_item("row", row)?;
            facts.set_item("column", column)?;
            "MissingValueError"
        }
        Error::NotFinite { row, column, .. } => {
            facts.set_item("row", row)?;
            facts.set_item("column", column)?;
            "NotFiniteError"
        }
        Error::TooLarge { column, .. } => {
            facts.set_item("column", column)?;
            "TooLargeError"
        }
        Error::TooSmall { column, .. } => {
            facts.set_item("column", column)?;
            "TooSmallError"
        }
        Error::NotDiscrete { column, values, .. } => {
            facts.set_item("column", column)?;
            facts.set_item("values", values)?;
            "NotDiscreteError"
        }
        Error::NoVariance { .. } => "NoVarianceError",
        Error::TooFewSamples { needed, n, .. } | Error::TooFewLeft { needed, n, .. } => {
            facts.set_item("needed", needed)?;
            facts.set_item("n", n)?;
            "TooFewSamplesError"
        }
        Error::InvalidOption { option, .. } => {
            facts.set_item("option", keyword(option))?;
            "OptionError"
        }
        Error::Options { option, .. } => {
            facts.set_item("option", option.trim_matches('`'))?;
            "OptionError"
        }
        Error::Knowledge { .. } => "KnowledgeError",
        Error::InvalidGraph(_) => "InvalidGraphError",
        Error::NegativeVariance { column, value } => {
            facts.set_item("column", column)?;
            facts.set_item("value", value)?;
            "NegativeVarianceError"
        }
        Error::Cancelled => "CancelledError",
        // Kinds that a later library adds.
        _ => "NpvarError",
    })
}

/// The message, with the command line's options written as Python's keywords.
fn in_python_words(error: &Error) -> String {
    let message = error.to_string();
    let message = message.replace("`--missing drop`", "`missing=\"drop\"`");
    let message = with_exclude(&message);
    match error {
        // The names of fields, not the words they may hold.
        Error::Options { .. } if message.contains("unknown field") => match message.split_once("expected ") {
            Some((before, expected)) => format!("{before}expected {}", keyword(expected)),
            None => message,
        },
        _ => message,
    }
}

/// `--exclude name` becomes `exclude=["name"]`.
fn with_exclude(message: &str) -> String {
    const OPTION: &str = "`--exclude ";
    let Some((before, after)) = message.split_once(OPTION) else { return message.to_owned() };
    match after.split_once('`') {
        Some((name, rest)) => format!("{before}`exclude=[\"{name}\"]`{}", with_exclude(rest)),
        None => message.to_owned(),
    }
}
