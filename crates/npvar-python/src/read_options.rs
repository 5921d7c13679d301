//! How a table is read, from Python keywords.

use npvar::Error;
use npvar::data::{ColumnChoice, Header, Missing, ReadOptions, Separator};
use serde::Deserialize;

/// The keywords as they arrive from Python.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Keywords {
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    missing: Option<String>,
    header: Option<bool>,
    separator: Option<String>,
}

/// Reads the keywords; absent ones are the library's defaults.
///
/// # Errors
/// [`Error::Options`] when a value is unknown; the message names the known ones.
pub(crate) fn read_options(json: &str) -> npvar::Result<ReadOptions> {
    let wrong = |option: &str, problem: String| Error::Options { option: format!("`{option}`"), problem };
    let keywords: Keywords = serde_json::from_str(json).map_err(|error| wrong("read", error.to_string()))?;
    let columns = match (keywords.columns, keywords.exclude) {
        (Some(_), Some(_)) => return Err(wrong("exclude", "cannot be given together with `columns`".to_owned())),
        (Some(only), None) => ColumnChoice::Only(only),
        (None, Some(except)) => ColumnChoice::Except(except),
        (None, None) => ColumnChoice::All,
    };
    let missing = match keywords.missing.as_deref() {
        None | Some("error") => Missing::Error,
        Some("drop") => Missing::Drop,
        Some(other) => return Err(wrong("missing", format!("expected `error` or `drop`, got `{other}`"))),
    };
    let separator = match keywords.separator.as_deref() {
        None | Some("auto") => Separator::Detect,
        Some(",") => Separator::Comma,
        Some(";") => Separator::Semicolon,
        Some("\t" | "tab") => Separator::Tab,
        Some(" " | "whitespace") => Separator::Whitespace,
        Some(other) => {
            let problem = format!("the separators are `auto`, `,`, `;`, `tab` and `whitespace`, got `{other}`");
            return Err(wrong("separator", problem));
        }
    };
    let header = if keywords.header == Some(false) { Header::No } else { Header::Yes };
    Ok(ReadOptions { header, separator, missing, columns })
}
