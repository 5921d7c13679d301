//! How a table is read, for every command that reads one.

use clap::Args;
use npvar::data::{Categories, ColumnChoice, Decimal, Header, Missing, ReadOptions, Separator, Strictness};
use npvar::learner::LearnerConfig;

/// How a table is read.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// The table: CSV or any other text, also packed with gzip, Parquet or Arrow; `-` is text from standard input. Several files, a folder or a pattern in
    /// quotes (`"big/*.parquet"`) are one table, one below the other
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Read only these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed, conflicts_with = "exclude")]
    columns: Vec<String>,
    /// Leave these columns out
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed)]
    exclude: Vec<String>,
    /// What to do where values are missing: drop-rows (or drop), drop-columns, impute, pairwise (pc, fci, ges), error; auto
    /// leaves out rows where at most one in ten lacks a value, and otherwise imputes, or for pc and fci goes pair by pair
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = Missing::named)]
    missing: Missing,
    /// The first row of a text file holds data; the columns are called X1, X2, …
    #[arg(long)]
    no_header: bool,
    /// What stands between the fields of a text file: auto, tab, whitespace, or any one character
    #[arg(long, default_value = "auto", value_parser = separator)]
    separator: Separator,
    /// What stands before the decimals of a text file: auto, `.` or `,`
    #[arg(long, value_name = "SIGN", default_value = "auto", value_parser = decimal)]
    decimal: Decimal,
    /// How many lines of a text file stand before the header; found unless it is said
    #[arg(long, value_name = "N")]
    skip_rows: Option<usize>,
    /// Refuse a table that is more than plain numbers, instead of reading it and saying what was done
    #[arg(long)]
    strict: bool,
}

impl ReadArguments {
    /// How the table is read for a learner; without one, as every learner can use it.
    pub(crate) fn options(&self, learner: Option<&LearnerConfig>) -> ReadOptions {
        let options = ReadOptions {
            header: if self.no_header { Header::No } else { Header::Detect },
            skip_rows: self.skip_rows,
            separator: self.separator,
            decimal: self.decimal,
            missing: self.missing,
            categories: Categories::LeftOut,
            skips_missing: false,
            strictness: if self.strict { Strictness::Strict } else { Strictness::Forgiving },
            columns: match (self.columns.is_empty(), self.exclude.is_empty()) {
                (false, _) => ColumnChoice::Only(self.columns.clone()),
                (true, false) => ColumnChoice::Except(self.exclude.clone()),
                (true, true) => ColumnChoice::All,
            },
        };
        match learner {
            Some(learner) => learner.reading(options),
            None => options,
        }
    }
}

/// A name in a list: `a, b` are two.
fn trimmed(text: &str) -> Result<String, String> {
    Ok(text.trim().to_owned())
}

fn separator(text: &str) -> Result<Separator, String> {
    Separator::named(text).ok_or_else(|| "a separator is auto, tab, whitespace or one character, no letter".to_owned())
}

fn decimal(text: &str) -> Result<Decimal, String> {
    Decimal::named(text).ok_or_else(|| "expected auto, `.` or `,`".to_owned())
}
