//! A table that has been read whole.

use crate::data::filler::RowCounts;
use crate::data::intake::IntakeEntry;
use crate::data::{Dataset, GapUse, RowBlocks, checks};
use crate::error::{Error, Result};
use crate::run::{Diagnostic, Seed};

/// The seed by which the missing cells of a table are drawn that is learned from once: the same file gives the same table.
/// Bootstrap samples draw by the run's seed.
const FILLED_BY: Seed = Seed(1);

/// A table that has been read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The table.
    pub data: Dataset,
    /// How many rows were left out because values were missing.
    pub dropped_rows: usize,
    /// What was noticed in reading, and by [`checks::diagnostics`].
    pub diagnostics: Vec<Diagnostic>,
    /// What was done to the table while it was read.
    pub intake: Vec<IntakeEntry>,
}

/// The columns of a table that has been read; NaN stands for a missing cell, where rows that lack some were kept.
pub(in crate::data) struct Gathered {
    pub(in crate::data) source_name: String,
    pub(in crate::data) names: Vec<String>,
    pub(in crate::data) columns: Vec<Vec<f64>>,
    pub(in crate::data) categories: Vec<usize>,
    pub(in crate::data) gap_use: Option<GapUse>,
    pub(in crate::data) dropped: usize,
    pub(in crate::data) diagnostics: Vec<Diagnostic>,
    pub(in crate::data) intake: Vec<IntakeEntry>,
}

impl Gathered {
    /// The table, with its missing cells filled.
    pub(in crate::data) fn loaded(self) -> Result<Loaded> {
        let Gathered { source_name, names, columns, categories, gap_use, dropped, mut diagnostics, mut intake } = self;
        let data = match gap_use {
            None => Dataset::new(names, columns)?.with_categories(categories),
            Some(gap_use) => {
                if let Some(empty) = columns.iter().position(|column| column.iter().all(|value| value.is_nan())) {
                    let problem = format!("column `{0}` has no value; leave it out with `--exclude {0}`", names[empty]);
                    return Err(Error::Format { path: source_name, problem });
                }
                Dataset::with_gaps(names, columns, categories, gap_use, FILLED_BY)?
            }
        };
        if gap_use.is_some() && dropped > 0 {
            let rows = if dropped == 1 { "1 row".to_owned() } else { format!("{dropped} rows") };
            intake.push(IntakeEntry::table(format!("left out {rows}"), "every cell is missing there"));
        }
        diagnostics.extend(gaps_told(&data));
        diagnostics.extend(checks::diagnostics(&data));
        Ok(Loaded { data, dropped_rows: dropped, diagnostics, intake })
    }
}

/// How much of the table nobody observed.
fn gaps_told(data: &Dataset) -> Option<Diagnostic> {
    let gaps = data.gaps()?;
    let (cells, columns) = gaps.counts();
    let (all, d) = (data.n() * data.d(), data.d());
    let share = format!("{cells} of {all} values, in {columns} of {d} columns,");
    Some(match gaps.gap_use() {
        GapUse::Imputed => {
            let message = format!(
                "{share} were missing and have been imputed (predictive mean matching): the graph rests on one draw of them"
            );
            let advice = "`--bootstrap 200` draws them anew in every sample and shows which edges depend on the draw";
            Diagnostic::info("values-imputed", message).advise(advice)
        }
        GapUse::Skipped => {
            let message = format!(
                "{share} are missing: every test or correlation uses the rows that have its columns, so that some rest on \
                 fewer rows than others"
            );
            Diagnostic::info("values-skipped", message).advise("`--missing impute` fills them instead")
        }
    })
}

pub(in crate::data) fn rows_dropped(counts: RowCounts) -> Option<Diagnostic> {
    let RowCounts { kept, dropped } = counts;
    let message = format!("dropped {dropped} of {} rows with missing values", kept + dropped);
    (dropped > 0).then(|| Diagnostic::warning("rows-dropped", message))
}
