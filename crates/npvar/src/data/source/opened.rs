//! A table that has been opened: its rows are read when asked for.

use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use super::loaded::{Gathered, Loaded, rows_dropped};
use crate::data::ahead::{read_ahead, read_all_ahead};
#[cfg(feature = "parquet")]
use crate::data::columnar::{IpcFile, ParquetFile};
use crate::data::filler::{Emit, Lacking, RowCounts};
use crate::data::intake::{IntakeEntry, Plan, filled};
use crate::data::recut::Recut;
use crate::data::stamp::{Stamp, changed};
use crate::data::text::TextTable;
use crate::data::{Block, Dataset, GapUse, Gaps, RowBlocks};
use crate::error::Result;
use crate::run::Diagnostic;

/// An opened table: its columns are known, its rows are read when asked for, as often as asked for, and never held in
/// memory all at once. A file that changes between or during two readings is an error.
#[derive(Debug)]
pub struct Source {
    origin: Origin,
    /// What was noticed in opening.
    diagnostics: Vec<Diagnostic>,
    /// What was done to the table.
    intake: Vec<IntakeEntry>,
    /// The file's, taken before anything was read from it; none for a table in memory and for several files.
    stamp: Option<Stamp>,
    /// Learned in the first complete reading.
    counts: OnceLock<RowCounts>,
    /// The table with its missing cells filled, once it has been asked for; only where cells are filled.
    filled: OnceLock<Dataset>,
}

#[derive(Debug)]
pub(super) enum Origin {
    Text(TextFile),
    #[cfg(feature = "parquet")]
    Parquet(ParquetFile),
    #[cfg(feature = "parquet")]
    Arrow(IpcFile),
    /// Files one below the other, all with the same columns.
    Many {
        written: String,
        files: Vec<Source>,
    },
}

/// A text file to be opened anew for each reading.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) table: TextTable,
    pub(super) plan: Arc<Plan>,
    pub(super) names: Vec<String>,
}

impl Source {
    pub(super) fn new(
        origin: Origin,
        diagnostics: Vec<Diagnostic>,
        intake: Vec<IntakeEntry>,
        stamp: Option<Stamp>,
    ) -> Source {
        Source { origin, diagnostics, intake, stamp, counts: OnceLock::new(), filled: OnceLock::new() }
    }

    pub(super) fn of_many(
        written: &str,
        files: Vec<Source>,
        diagnostics: Vec<Diagnostic>,
        intake: Vec<IntakeEntry>,
    ) -> Source {
        Source::new(Origin::Many { written: written.to_owned(), files }, diagnostics, intake, None)
    }

    /// How missing cells are used, where rows that lack some are kept. Such a table is held in memory as soon as it is read.
    pub fn gap_use(&self) -> Option<GapUse> {
        match &self.origin {
            Origin::Text(file) => (file.plan.lacking == Lacking::Kept).then_some(file.plan.gap_use),
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.wanted().gap_use(),
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => file.wanted().gap_use(),
            Origin::Many { files, .. } => files.iter().find_map(Source::gap_use),
        }
    }

    /// What has been noticed so far: in opening, and, once all rows have been read, how many were dropped.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let dropped = self.counts.get().and_then(|&counts| rows_dropped(counts));
        self.diagnostics.iter().cloned().chain(dropped).collect()
    }

    /// What was done to the table to read it as numbers.
    pub fn intake(&self) -> &[IntakeEntry] {
        &self.intake
    }

    /// How many rows the file says it has, those included that will be dropped; for a limit before anything is read.
    pub fn stated_rows(&self) -> Option<usize> {
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => Some(file.stated_rows()),
            _ => self.row_count(),
        }
    }

    /// Whether the file stores its columns in binary form (Parquet, Arrow), so that reading it again costs little.
    pub fn is_columnar(&self) -> bool {
        match &self.origin {
            Origin::Text(_) => false,
            Origin::Many { files, .. } => files.iter().all(Source::is_columnar),
            #[cfg(feature = "parquet")]
            Origin::Parquet(_) | Origin::Arrow(_) => true,
        }
    }

    /// The size of the text files among its files, in bytes.
    pub fn text_bytes(&self) -> u64 {
        match &self.origin {
            Origin::Text(file) => file.table.input.file_bytes(),
            Origin::Many { files, .. } => files.iter().map(Source::text_bytes).sum(),
            _ => 0,
        }
    }

    /// Reads all rows into memory; missing cells are filled where the options say so.
    ///
    /// # Errors
    /// When a row or value is not as it should be; the message names the file, row and column.
    pub fn load(self) -> Result<Loaded> {
        self.gathered()?.loaded()
    }

    fn gathered(&self) -> Result<Gathered> {
        let names = self.names().to_vec();
        let mut columns = vec![Vec::new(); names.len()];
        if let Some(rows) = self.row_count() {
            // Only a hint: a damaged file may claim more rows than any memory holds.
            columns.iter_mut().for_each(|column| drop(column.try_reserve_exact(rows)));
        }
        self.visit_read(&mut |block| {
            append(&mut columns, block);
            Ok(ControlFlow::Continue(()))
        })?;
        let gap_use = self.gap_use();
        let mut intake = self.intake.clone();
        // A text has been looked at, and it was said then.
        if let (Some(gap_use), true) = (gap_use, self.is_columnar()) {
            let cells = columns.iter().flatten().filter(|value: &&f64| value.is_nan()).count();
            intake.extend((cells > 0).then(|| filled(gap_use, cells, "values are missing".to_owned())));
        }
        let dropped = self.counts.get().map_or(0, |counts| counts.dropped);
        let (source_name, categories) = (self.source_name().to_owned(), self.categories());
        Ok(Gathered {
            source_name,
            names,
            columns,
            categories,
            gap_use,
            dropped,
            diagnostics: self.diagnostics(),
            intake,
        })
    }

    fn filled(&self) -> Result<&Dataset> {
        if let Some(data) = self.filled.get() {
            return Ok(data);
        }
        let data = self.gathered()?.loaded()?.data;
        Ok(self.filled.get_or_init(|| data))
    }

    /// Reads the rows as they are, with NaN where cells are missing and kept.
    fn visit_read(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        let counts = match &self.origin {
            Origin::Many { files, .. } => {
                let mut recut = Recut::new(files[0].names().len(), visit);
                let decoders = files.iter().map(|file| move |emit: &mut Emit<'_>| file.decode(emit));
                match read_all_ahead(decoders, &mut |block| recut.add(block))? {
                    Some(counts) => recut.finish()?.is_continue().then_some(counts),
                    None => None,
                }
            }
            _ => read_ahead(|emit| self.decode(emit), visit)?,
        };
        let counts = counts.map(|counts| counts.some(self.source_name())).transpose()?;
        let Some(counts) = counts else { return Ok(()) };
        let before = *self.counts.get_or_init(|| counts);
        if before != counts {
            let rows = |counts: RowCounts| counts.kept + counts.dropped;
            let change = format!("it had {} rows and has {}", rows(before), rows(counts));
            return Err(changed(self.source_name(), &change));
        }
        Ok(())
    }

    /// Hands out the rows of one file, which must be as it was before and after.
    fn decode(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        let unchanged = || self.stamp.map_or(Ok(()), |stamp| stamp.check(self.source_name()));
        unchanged()?;
        let counts = self.decode_now(emit);
        // A file that was cut short or overwritten is damaged in any number of ways: that it changed is the reason.
        unchanged().and(counts)
    }

    fn decode_now(&self, emit: &mut Emit<'_>) -> Result<RowCounts> {
        match &self.origin {
            Origin::Text(file) => file.table.decode(&file.plan, emit),
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.decode(emit),
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => file.decode(emit),
            Origin::Many { .. } => unreachable!("files are not nested: `open_one` opens each"),
        }
    }

    fn source_name(&self) -> &str {
        match &self.origin {
            Origin::Text(file) => &file.table.input.source_name,
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => &file.wanted().source_name,
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => &file.wanted().source_name,
            Origin::Many { written, .. } => written,
        }
    }
}

impl RowBlocks for Source {
    fn names(&self) -> &[String] {
        match &self.origin {
            Origin::Text(file) => &file.names,
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => &file.wanted().names,
            #[cfg(feature = "parquet")]
            Origin::Arrow(file) => &file.wanted().names,
            Origin::Many { files, .. } => files[0].names(),
        }
    }

    fn row_count(&self) -> Option<usize> {
        let counted = self.counts.get().map(|counts| counts.kept);
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.row_count().or(counted),
            Origin::Many { files, .. } => counted.or_else(|| files.iter().map(Source::row_count).sum()),
            _ => counted,
        }
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        match self.gap_use() {
            None => self.visit_read(visit),
            Some(_) => self.filled()?.visit_blocks(visit),
        }
    }

    fn gaps(&self) -> Option<&Gaps> {
        self.filled.get()?.gaps()
    }

    fn categories(&self) -> Vec<usize> {
        match &self.origin {
            Origin::Text(file) => file.plan.categories(),
            Origin::Many { files, .. } => files[0].categories(),
            #[cfg(feature = "parquet")]
            Origin::Parquet(_) | Origin::Arrow(_) => Vec::new(),
        }
    }

    fn known_ranges(&self) -> Result<Option<Vec<(f64, f64)>>> {
        if self.gap_use().is_some() {
            return Ok(None);
        }
        match &self.origin {
            #[cfg(feature = "parquet")]
            Origin::Parquet(file) => file.known_ranges(),
            Origin::Many { files, .. } => {
                let mut all: Option<Vec<(f64, f64)>> = None;
                for file in files.iter().filter(|file| file.row_count() != Some(0)) {
                    let Some(ranges) = file.known_ranges()? else { return Ok(None) };
                    all = Some(match all {
                        None => ranges,
                        Some(all) => {
                            all.iter().zip(ranges).map(|(all, one)| (all.0.min(one.0), all.1.max(one.1))).collect()
                        }
                    });
                }
                Ok(all)
            }
            _ => Ok(None),
        }
    }
}

fn append(columns: &mut [Vec<f64>], block: &Block<'_>) {
    for (column, values) in columns.iter_mut().zip(&block.columns) {
        column.extend_from_slice(values);
    }
}
