//! What R is handed: an answer, or what went wrong and of which kind.

use std::panic::{AssertUnwindSafe, catch_unwind};

use npvar::Error;
use serde::Serialize;
use serde_json::{Value, json};

/// `{"answer": …}`, or `{"kind": …, "message": …}`, which R raises. A panic is a bug, which must not unwind into C.
pub(crate) fn outcome(work: impl FnOnce() -> npvar::Result<Value>) -> String {
    let outcome = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(answer)) => json!({ "answer": answer }),
        Ok(Err(error)) => json!({ "kind": kind(&error), "message": in_r_words(&error.to_string()) }),
        Err(_) => json!({ "kind": "bug", "message": "npvar came upon a bug of its own; please report it" }),
    };
    outcome.to_string()
}

/// One object as the command line prints it, to be kept as text.
pub(crate) fn text(object: &impl Serialize) -> Value {
    Value::String(serde_json::to_string_pretty(object).expect("names, numbers and words serialise") + "\n")
}

/// The part of the condition's class that says what a caller may act on.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::Io { .. } | Error::Format { .. } => "file",
        Error::InvalidOption { .. } | Error::Options { .. } => "option",
        Error::Knowledge { .. } => "knowledge",
        Error::InvalidGraph(_) => "graph",
        Error::Cancelled => "cancelled",
        _ => "data",
    }
}

/// The message, with the command line's options written as R's arguments.
fn in_r_words(message: &str) -> String {
    const EXCLUDE: &str = "`--exclude ";
    let message = message.replace("`--missing drop`", "`missing = \"drop\"`");
    let Some((before, after)) = message.split_once(EXCLUDE) else { return message };
    match after.split_once('`') {
        Some((name, rest)) => format!("{before}`exclude = \"{name}\"`{}", in_r_words(rest)),
        None => message,
    }
}
