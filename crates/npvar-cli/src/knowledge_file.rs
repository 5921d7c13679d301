//! Background knowledge given in a file.

use std::path::Path;

use anyhow::Result;
use npvar::graph::{Knowledge, WrittenKnowledge};

/// Reads `required = [["a", "b"]]`, `forbidden = [["b", "a"]]` and `tiers = [["a"], ["b", "c"]]`, by column names.
pub(crate) fn read(path: &Path, columns: &[String]) -> Result<Knowledge> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| anyhow::anyhow!("{shown}: {error}"))?;
    let written: WrittenKnowledge = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        anyhow::anyhow!("{shown}, line {line}: {}", error.message().replace('\n', ", "))
    })?;
    Knowledge::new(columns, &written).map_err(|error| anyhow::anyhow!("{shown}: {error}"))
}
