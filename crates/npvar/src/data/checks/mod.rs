//! What in a table would mislead a learner: columns that count rows, stay constant, or repeat one another.

mod identifier;
mod redundant;

pub(super) use self::identifier::is_named_like_an_identifier;

use std::ops::ControlFlow;

use super::{BLOCK_ROWS, ColumnKind, ColumnSummary, Dataset, RowBlocks};
use crate::error::Result;
use crate::run::Diagnostic;

/// Everything noticed, in the order of the columns within each kind.
///
/// | code | the column |
/// |---|---|
/// | `identifier-column` | numbers the rows, or is named like an identifier and never repeats a whole number |
/// | `constant-column` | has one value |
/// | `duplicate-columns` | equals an earlier one |
/// | `affine-columns` | is an affine function of an earlier one (`\|corr\|` is 1 within 1e-12) |
///
/// ```
/// use npvar::data::{Dataset, checks};
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![0.1, 0.7, 0.4], vec![5.0; 3]])?;
/// assert_eq!(checks::diagnostics(&data)[0].message, "column `b` is constant (5); leave it out with `--exclude b`");
/// # Ok::<(), npvar::Error>(())
/// ```
pub fn diagnostics(data: &Dataset) -> Vec<Diagnostic> {
    let constants = (0..data.d())
        .filter(|&node| data.kind(node) == ColumnKind::Constant)
        .map(|node| constant(&data.names()[node], data.column(node)[0]));
    identifiers(data).chain(constants).chain(redundant::check(data)).collect()
}

/// What the first block shows of a table that is read block by block: all of [`diagnostics`] but the constant columns,
/// which [`constant_columns`] knows for certain. When there are more rows, the messages say that they speak of the first.
///
/// # Errors
/// What reading the first block came upon.
pub fn first_rows(source: &dyn RowBlocks) -> Result<Vec<Diagnostic>> {
    let mut found = Vec::new();
    let mut rows = 0;
    source.visit_blocks(&mut |block| {
        rows = block.rows();
        let columns = block.columns.iter().map(|column| column.to_vec()).collect();
        let data = Dataset::new(source.names().to_vec(), columns)?;
        found = identifiers(&data).chain(redundant::check(&data)).collect();
        Ok(ControlFlow::Break(()))
    })?;
    if rows == BLOCK_ROWS && source.row_count() != Some(rows) {
        for diagnostic in &mut found {
            diagnostic.message = format!("in the first {BLOCK_ROWS} rows, {}", diagnostic.message);
        }
    }
    Ok(found)
}

/// The constant columns of a table that is read block by block.
pub fn constant_columns(names: &[String], summaries: &[ColumnSummary]) -> Vec<Diagnostic> {
    let constants = names.iter().zip(summaries).filter(|(_, summary)| summary.min == summary.max);
    constants.map(|(name, summary)| constant(name, summary.min)).collect()
}

fn identifiers(data: &Dataset) -> impl Iterator<Item = Diagnostic> {
    (0..data.d()).filter_map(|node| identifier::check(&data.names()[node], data.column(node)))
}

fn constant(name: &str, value: f64) -> Diagnostic {
    let message = format!("column `{name}` is constant ({value}); leave it out with `--exclude {name}`");
    Diagnostic::warning("constant-column", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::summarise;
    use crate::run::{Run, Seed};

    #[test]
    fn constants_are_found_in_memory_and_in_a_stream() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let data = Dataset::new(names.clone(), vec![vec![0.5, 0.1, 0.7], vec![-2.5; 3]]).unwrap();
        let expected =
            Diagnostic::warning("constant-column", "column `b` is constant (-2.5); leave it out with `--exclude b`");
        assert_eq!(diagnostics(&data), std::slice::from_ref(&expected));
        let summaries = summarise(&data, &Run::new(Seed(1))).unwrap();
        assert_eq!(constant_columns(&names, &summaries), [expected]);
    }

    #[test]
    fn the_first_rows_of_a_stream_show_identifiers_and_copies() {
        let table = |n: usize| {
            let rows: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let wave: Vec<f64> = rows.iter().map(|i| i.sin()).collect();
            let names = ["a", "b", "c"].map(str::to_owned).to_vec();
            first_rows(&Dataset::new(names, vec![rows, wave.clone(), wave]).unwrap()).unwrap()
        };
        let messages = |n| table(n).into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>();
        let expected =
            ["column `a` numbers the rows; leave it out with `--exclude a`", "columns `b` and `c` are equal"];
        assert_eq!(messages(100), expected);
        assert_eq!(messages(BLOCK_ROWS), expected);
        assert_eq!(messages(BLOCK_ROWS + 1), expected.map(|message| format!("in the first 16384 rows, {message}")));
    }

    #[test]
    fn an_ordinary_table_gives_no_remarks() {
        let columns = vec![vec![0.3, 0.1, 0.9, 0.4], vec![1.0, 0.0, 1.0, 1.0], vec![3.0, 1.0, 2.0, 7.0]];
        let data = Dataset::new(vec!["a".into(), "b".into(), "c".into()], columns).unwrap();
        assert_eq!(diagnostics(&data), []);
    }
}
