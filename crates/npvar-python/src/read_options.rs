//! How a table is read, from Python keywords.

use npvar::Error;
use npvar::data::{Categories, ColumnChoice, Decimal, Header, Missing, ReadOptions, Separator, Strictness};
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
    decimal: Option<String>,
    skip_rows: Option<usize>,
    strict: Option<bool>,
}

/// Reads the keywords; absent ones are the library's defaults. Columns of words are left out: who can use them says so.
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
    let missing = keywords.missing.as_deref().unwrap_or("error");
    let missing = Missing::named(missing).map_err(|known| wrong("missing", format!("{known}, got `{missing}`")))?;
    let separator = keywords.separator.as_deref().unwrap_or("auto");
    let separator = Separator::named(separator).ok_or_else(|| {
        wrong("separator", format!("a separator is `auto`, `tab`, `whitespace` or one character, got `{separator}`"))
    })?;
    let decimal = keywords.decimal.as_deref().unwrap_or("auto");
    let decimal = Decimal::named(decimal)
        .ok_or_else(|| wrong("decimal", format!("expected `auto`, `.` or `,`, got `{decimal}`")))?;
    let header = if keywords.header == Some(false) { Header::No } else { Header::Detect };
    let strictness = if keywords.strict == Some(true) { Strictness::Strict } else { Strictness::Forgiving };
    let skip_rows = keywords.skip_rows;
    Ok(ReadOptions {
        header,
        skip_rows,
        separator,
        decimal,
        missing,
        columns,
        strictness,
        categories: Categories::LeftOut,
        skips_missing: false,
    })
}
