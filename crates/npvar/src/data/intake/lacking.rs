//! What becomes of missing values: columns and rows that are left out, and cells that are filled.

use super::entry::IntakeEntry;
use super::look::TableLook;
use super::missing::{Patterns, left_out};
use super::plan::{ColumnPlan, Reading};
use crate::data::GapUse;
use crate::data::filler::Lacking;
use crate::data::options::{ColumnChoice, Missing, ReadOptions, Strictness};
use crate::error::{Error, Result};
use crate::numerics::words;

/// Rows are left out, without more ado, while they are one in this many at most.
const ROWS_PER_LEFT_OUT: usize = 10;
/// Of so few rows `auto` leaves some out: there is too little to draw values from.
const FEWEST_FILLED: usize = 20;
/// Tables with more values are not held in memory to be filled.
const MOST_FILLED: usize = 10_000_000;
/// Columns that a sentence lists.
const LISTED: usize = 9;

/// How missing cells are used where they are kept.
pub(super) fn gap_use(options: &ReadOptions) -> GapUse {
    match options.missing {
        Missing::Pairwise => GapUse::Skipped,
        Missing::Auto if options.skips_missing => GapUse::Skipped,
        _ => GapUse::Imputed,
    }
}

impl TableLook {
    /// Settles what becomes of missing values: columns are taken out of the list, and rows are left out or filled, or neither.
    pub(super) fn leave_out(
        &mut self,
        columns: &mut Vec<(usize, ColumnPlan)>,
        entries: &mut Vec<IntakeEntry>,
        source_name: &str,
        options: &ReadOptions,
    ) -> Result<Lacking> {
        // `true` and words are no numbers, and are not missing for it.
        let numbers = |plan: &ColumnPlan| matches!(plan.reading, Reading::Plain | Reading::Written(_));
        let lacking = |patterns: &mut Patterns, columns: &[(usize, ColumnPlan)]| {
            let which: Vec<(usize, bool)> = columns.iter().map(|(j, plan)| (*j, numbers(plan))).collect();
            patterns.lacking(&which)
        };
        let rows = lacking(&mut self.patterns, columns);
        if rows.is_empty() && self.patterns.forgotten == 0 {
            return Ok(Lacking::Refused);
        }
        let missing: Vec<usize> = columns
            .iter()
            .map(|(j, plan)| self.columns[*j].missing + if numbers(plan) { self.columns[*j].not_numbers() } else { 0 })
            .collect();
        if options.missing == Missing::Error {
            return Err(self.refused(columns, &missing, source_name, options));
        }
        let asked = matches!(options.columns, ColumnChoice::Only(_));
        let is_suited = self.rows >= FEWEST_FILLED && self.rows.saturating_mul(columns.len()) <= MOST_FILLED;
        let count = |rows: &[(Vec<bool>, usize)]| rows.iter().map(|(_, count)| count).sum::<usize>();
        let mostly: Vec<usize> = (0..columns.len()).filter(|&place| 2 * missing[place] >= self.rows).collect();
        // Where fewer than two columns have more than half of their values, there is nothing to draw the others from.
        let can_fill = is_suited && mostly.len() + 2 <= columns.len();
        let out: Vec<usize> = match options.missing {
            Missing::DropColumns => (0..columns.len()).filter(|&place| missing[place] > 0).collect(),
            Missing::Auto if asked => Vec::new(),
            Missing::Auto if can_fill => mostly,
            Missing::Auto => left_out(columns.len(), self.rows - count(&rows), &rows),
            _ => Vec::new(),
        };
        for &place in &out {
            let cells = format!("{} of {} cells are missing", missing[place], self.rows);
            let why = match options.missing {
                Missing::Auto if can_fill => format!("{cells}, which is half of them or more"),
                Missing::Auto => format!("{cells}: without it, more of the table is kept"),
                _ => cells,
            };
            entries.push(IntakeEntry::column(&columns[place].1.name, "left out", why));
        }
        for &place in out.iter().rev() {
            columns.remove(place);
        }
        if columns.len() < 2 {
            let problems = entries.iter().map(IntakeEntry::to_string).collect();
            let instead = ReadOptions { missing: Missing::Auto, ..options.clone() };
            let works = options.missing == Missing::DropColumns && self.rows > 0;
            let instead = works.then(|| instead.words());
            return Err(Error::Unusable { source_name: source_name.to_owned(), problems, instead });
        }
        let rows = lacking(&mut self.patterns, columns);
        let dropped = count(&rows) + self.patterns.forgotten;
        if dropped == 0 {
            return Ok(Lacking::Refused);
        }
        let left: Vec<usize> =
            (0..missing.len()).filter(|place| !out.contains(place)).map(|place| missing[place]).collect();
        let fills = match options.missing {
            Missing::Impute | Missing::Pairwise => true,
            Missing::Auto => can_fill && dropped * ROWS_PER_LEFT_OUT > self.rows,
            _ => false,
        };
        if fills {
            let why = format!("{dropped} of {} rows lack a value: {}", self.rows, named(columns, &left));
            entries.push(filled(gap_use(options), left.iter().sum(), why));
            return Ok(Lacking::Kept);
        }
        if dropped == self.rows {
            let problem = format!("all {dropped} rows have missing values");
            return Err(Error::Format { path: source_name.to_owned(), problem });
        }
        let did = match self.patterns.forgotten {
            0 => format!("left out {dropped} of {} rows", self.rows),
            _ => "left out rows".to_owned(),
        };
        entries.push(IntakeEntry::table(did, format!("values are missing: {}", named(columns, &left))));
        Ok(Lacking::Dropped)
    }

    fn refused(
        &self,
        columns: &[(usize, ColumnPlan)],
        missing: &[usize],
        source_name: &str,
        options: &ReadOptions,
    ) -> Error {
        let lacking = columns.iter().zip(missing).filter(|(_, missing)| **missing > 0);
        let problem = |((_, plan), missing): (&(usize, ColumnPlan), &usize)| {
            format!("`{}`: {missing} of {} values are missing", plan.name, self.rows)
        };
        let instead = ReadOptions { missing: Missing::Auto, strictness: Strictness::Forgiving, ..options.clone() };
        let instead = Some(instead.words());
        Error::Unusable { source_name: source_name.to_owned(), problems: lacking.map(problem).collect(), instead }
    }
}

/// That cells are filled or left open.
pub(crate) fn filled(gap_use: GapUse, cells: usize, why: String) -> IntakeEntry {
    let cells = if cells == 1 { "1 missing cell".to_owned() } else { format!("{cells} missing cells") };
    match gap_use {
        GapUse::Imputed => IntakeEntry::table(format!("imputed {cells}"), why),
        GapUse::Skipped => {
            IntakeEntry::table(format!("left {cells} open; every test uses the rows that have its columns"), why)
        }
    }
}

/// The columns that lack values, with how many, the most first.
fn named(columns: &[(usize, ColumnPlan)], missing: &[usize]) -> String {
    let mut lacking: Vec<(usize, &String)> = columns
        .iter()
        .zip(missing)
        .map(|((_, plan), &missing)| (missing, &plan.name))
        .filter(|&(missing, _)| missing > 0)
        .collect();
    lacking.sort_by_key(|&(count, _)| std::cmp::Reverse(count));
    let mut names: Vec<String> = lacking.iter().take(LISTED).map(|(count, name)| format!("`{name}` {count}")).collect();
    if lacking.len() > LISTED {
        names.push(words::count(lacking.len() - LISTED, "more column"));
    }
    names.join(", ")
}
