//! Tables that a program holds in memory, some of whose columns are words: taken in as a file is.

use super::filler::{Lacking, RowCounts};
use super::intake::{HeldCell, Reading, Surroundings, TableLook};
use super::source::{Gathered, Loaded, rows_dropped};
use super::{Decimal, ReadOptions};
use crate::error::{Error, Result};

/// What the table is called in messages.
const SOURCE_NAME: &str = "the table";

/// One column of a table that a program holds.
#[derive(Debug, Clone, Copy)]
pub enum HeldColumn<'c> {
    /// Numbers; NaN is a missing one.
    Numbers(&'c [f64]),
    /// Words, or numbers as text; nothing is a missing one.
    Words(&'c [Option<String>]),
}

impl HeldColumn<'_> {
    fn len(&self) -> usize {
        match self {
            HeldColumn::Numbers(values) => values.len(),
            HeldColumn::Words(words) => words.len(),
        }
    }

    fn cell(&self, row: usize) -> HeldCell<'_> {
        match self {
            HeldColumn::Numbers(values) => HeldCell::Value(values[row]),
            HeldColumn::Words(words) => HeldCell::Field(words[row].as_deref().unwrap_or_default().trim().as_bytes()),
        }
    }

    fn value(&self, row: usize, reading: &Reading) -> f64 {
        match self.cell(row) {
            HeldCell::Value(value) => value,
            HeldCell::Field(field) => reading.value(field),
        }
    }
}

/// Takes the columns in by one look and one plan, as [`read`](super::read) does with the columns of a file.
///
/// ```
/// use npvar::data::{HeldColumn, ReadOptions, take_in};
/// let names = ["x", "smokes"].map(str::to_owned);
/// let words: Vec<Option<String>> = ["no", "yes", "no", "yes"].map(|word| Some(word.to_owned())).into();
/// let columns = [HeldColumn::Numbers(&[0.5, 1.0, f64::NAN, 2.0]), HeldColumn::Words(&words)];
/// let loaded = take_in(&names, &columns, &ReadOptions::default())?;
/// assert_eq!(loaded.data.column(1), [0.0, 1.0, 1.0]);
/// assert_eq!(loaded.intake[0].why, "two words: `no` is 0, `yes` is 1");
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// As for a file; and when lengths differ or a number is infinite.
pub fn take_in(names: &[String], columns: &[HeldColumn<'_>], options: &ReadOptions) -> Result<Loaded> {
    let positions = options.columns.positions(names, SOURCE_NAME)?;
    let chosen: Vec<HeldColumn<'_>> = positions.iter().map(|&position| columns[position]).collect();
    let names: Vec<String> = positions.iter().map(|&position| names[position].clone()).collect();
    let rows = chosen.first().map_or(0, HeldColumn::len);
    for (name, column) in names.iter().zip(&chosen) {
        if column.len() != rows {
            return Err(Error::UnequalLengths { column: name.clone(), got: column.len(), expected: rows });
        }
        if let HeldColumn::Numbers(values) = column
            && let Some(row) = values.iter().position(|value| value.is_infinite())
        {
            return Err(Error::NotFinite { source_name: SOURCE_NAME.to_owned(), row: row + 1, column: name.clone() });
        }
    }
    let mut look = TableLook::new(names.clone(), Decimal::Detect);
    (0..rows).for_each(|row| look.row_of(|j| chosen[j].cell(row)));
    let plan = look.plan(SOURCE_NAME, options, Surroundings { commas_between: false })?;
    let mut taken: Vec<Vec<f64>> = Vec::new();
    for column in &plan.columns {
        let place = names.iter().position(|name| *name == column.name).expect("a plan is about the columns looked at");
        taken.push((0..rows).map(|row| chosen[place].value(row, &column.reading)).collect());
    }
    let gap_use = (plan.lacking == Lacking::Kept).then_some(plan.gap_use);
    let has = |row: usize| match gap_use {
        None => taken.iter().all(|column| !column[row].is_nan()),
        Some(_) => taken.iter().any(|column| !column[row].is_nan()),
    };
    let complete: Vec<usize> = (0..rows).filter(|&row| has(row)).collect();
    let counts = RowCounts { kept: complete.len(), dropped: rows - complete.len() }.some(SOURCE_NAME)?;
    if counts.dropped > 0 {
        taken.iter_mut().for_each(|column| *column = complete.iter().map(|&row| column[row]).collect());
    }
    let categories = plan.categories();
    let names = plan.columns.into_iter().map(|column| column.name).collect();
    Gathered {
        source_name: SOURCE_NAME.to_owned(),
        names,
        columns: taken,
        categories,
        gap_use,
        dropped: counts.dropped,
        diagnostics: rows_dropped(counts).into_iter().collect(),
        intake: plan.entries,
    }
    .loaded()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_gaps_are_taken_in_as_those_of_a_file() {
        let names = ["x", "kind", "who", "when"].map(str::to_owned);
        let x: Vec<f64> = (0..30).map(|i| if i == 4 { f64::NAN } else { f64::from(i * 7 % 11) }).collect();
        let words = |word: &dyn Fn(usize) -> String| (0..30).map(|i| Some(word(i))).collect::<Vec<_>>();
        let mut kind = words(&|i| ["c", "a", "b"][i % 3].to_owned());
        kind[7] = None;
        let (who, when) = (words(&|i| format!("n{i}")), words(&|i| format!("2020-01-{:02}", i + 1)));
        let columns =
            [HeldColumn::Numbers(&x), HeldColumn::Words(&kind), HeldColumn::Words(&who), HeldColumn::Words(&when)];
        let loaded = take_in(&names, &columns, &ReadOptions::default()).unwrap();
        assert_eq!((loaded.data.names(), loaded.data.n()), (&["x".to_owned(), "kind".to_owned()][..], 28));
        assert_eq!(loaded.data.column(1)[..4], [2.0, 0.0, 1.0, 2.0]);
        assert_eq!(loaded.dropped_rows, 2);
        assert_eq!(loaded.intake.len(), 4, "{:?}", loaded.intake);
    }

    #[test]
    fn an_infinite_number_is_an_error() {
        let names = ["x", "y"].map(str::to_owned);
        let columns = [HeldColumn::Numbers(&[1.0, f64::INFINITY]), HeldColumn::Numbers(&[1.0, 2.0])];
        let error = take_in(&names, &columns, &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(error, "the table, row 2, column `x`: the value is not finite");
    }
}
