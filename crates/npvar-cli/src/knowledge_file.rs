//! Background knowledge given in a file.

use std::path::Path;

use anyhow::Result;
use npvar::Error;
use npvar::graph::{Knowledge, WrittenKnowledge};
use npvar::text_file::{self, WRITTEN_BYTES};

/// Reads `required = [["a", "b"]]`, `forbidden = [["b", "a"]]`, `tiers = [["a"], ["b", "c"]]`, `roots = ["a"]` and
/// `sinks = ["c"]`, by column names.
pub(crate) fn read(path: &Path, columns: &[String]) -> Result<Knowledge> {
    let shown = path.display();
    let text = text_file::read(path, WRITTEN_BYTES).map_err(|error| anyhow::anyhow!("{shown}: {error}"))?;
    let written: WrittenKnowledge = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        Error::Options { option: format!("{shown}, line {line}"), problem: error.message().replace('\n', ", ") }
    })?;
    Ok(Knowledge::new(columns, &written).map_err(|error| match error {
        Error::Knowledge { problem } => Error::Options { option: shown.to_string(), problem },
        error => error,
    })?)
}
