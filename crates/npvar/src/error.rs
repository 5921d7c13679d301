//! Everything that can go wrong, as facts a caller can act on.

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error that says what `option` must be, unless it `holds`.
pub(crate) fn within(option: &'static str, holds: bool, requirement: &str, got: impl std::fmt::Display) -> Result<()> {
    if holds {
        return Ok(());
    }
    Err(Error::InvalidOption { option, requirement: requirement.to_owned(), got: got.to_string() })
}

/// What went wrong. Messages are whole sentences a person can act on; rows are 1-based and count data rows, not the header.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be opened, read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file as the user named it.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file is not in the format it was read as.
    #[error("{path}: {problem}")]
    Format {
        /// The file as the user named it.
        path: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// There is nothing to learn from.
    #[error("{source_name} has no data rows")]
    NoRows {
        /// The file or table.
        source_name: String,
    },
    /// Fewer columns than a graph needs.
    #[error("a graph needs at least two columns, {source_name} has {columns}")]
    TooFewColumns {
        /// The file or table.
        source_name: String,
        /// How many columns it has.
        columns: usize,
    },
    /// Columns of unequal length.
    #[error("column `{column}` has {got} values, expected {expected}")]
    UnequalLengths {
        /// The offending column.
        column: String,
        /// Its length.
        got: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// Two columns share a name.
    #[error("the column name `{name}` appears more than once (columns {first} and {second})")]
    DuplicateName {
        /// The name.
        name: String,
        /// 1-based position of the first.
        first: usize,
        /// 1-based position of the second.
        second: usize,
    },
    /// A column was asked for that is not there.
    #[error("there is no column `{name}`; the columns are {known}")]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A value that is not a number.
    #[error(
        "{source_name}, row {row}, column `{column}`: `{value}` is not a number (leave the column out with `--exclude {column}`)"
    )]
    NotANumber {
        /// The file or table.
        source_name: String,
        /// 1-based data row.
        row: usize,
        /// The column's name.
        column: String,
        /// What stands there.
        value: String,
    },
    /// A missing value where none is allowed.
    #[error("{source_name}, row {row}, column `{column}`: the value is missing (drop such rows with `--missing drop`)")]
    Missing {
        /// The file or table.
        source_name: String,
        /// 1-based data row.
        row: usize,
        /// The column's name.
        column: String,
    },
    /// An infinite value.
    #[error("{source_name}, row {row}, column `{column}`: the value is not finite")]
    NotFinite {
        /// The file or table.
        source_name: String,
        /// 1-based data row.
        row: usize,
        /// The column's name.
        column: String,
    },
    /// A table that cannot be used as it stands.
    #[error("{source_name} cannot be used as it stands:\n  {}", problems.join("\n  "))]
    Unusable {
        /// The file or table.
        source_name: String,
        /// What is wrong, column by column.
        problems: Vec<String>,
        /// The options of reading, as words of a command, with which it can be used.
        instead: Option<Vec<String>>,
    },
    /// Values whose squares cannot be represented.
    #[error("column `{column}` has values as large as {largest:e}, whose squares overflow: choose another unit")]
    TooLarge {
        /// The column's name.
        column: String,
        /// Its largest absolute value.
        largest: f64,
    },
    /// Values whose squared differences cannot be represented.
    #[error(
        "column `{column}` varies by {range:e} in all, the square of which is zero to a computer: choose another unit"
    )]
    TooSmall {
        /// The column's name.
        column: String,
        /// Its largest value less its smallest.
        range: f64,
    },
    /// A column with too many distinct values for a method that counts them.
    #[error(
        "column `{column}` has {values} distinct values in {n} rows: `{method}` is for discrete columns (choose another, or \
         leave the column out)"
    )]
    NotDiscrete {
        /// The column's name.
        column: String,
        /// How many distinct values it has.
        values: usize,
        /// The number of rows.
        n: usize,
        /// The method's name.
        method: &'static str,
    },
    /// A residual variance that is not a number.
    #[error("the residual variance of column {} is not a number", node + 1)]
    NoVariance {
        /// The column's position, 0-based.
        node: usize,
    },
    /// More is asked of the sample than its size allows.
    #[error("{what} needs at least {needed} samples, got {n}")]
    TooFewSamples {
        /// Who needs them.
        what: &'static str,
        /// How many.
        needed: usize,
        /// How many there are.
        n: usize,
    },
    /// More is asked of the rows that are left when others are held out than their number allows.
    #[error(
        "{what} needs at least {needed} samples, and only {left} of the {n} are left where the others are held out"
    )]
    TooFewLeft {
        /// Who needs them.
        what: &'static str,
        /// How many.
        needed: usize,
        /// How many are left.
        left: usize,
        /// How many there are in all.
        n: usize,
    },
    /// An option outside its range.
    #[error("`{option}` {requirement}, got {got}")]
    InvalidOption {
        /// The option's name as the user writes it.
        option: &'static str,
        /// What it must be ("must not be negative").
        requirement: String,
        /// What it is.
        got: String,
    },
    /// Options that do not exist, or values they cannot have.
    #[error("{option}: {problem}")]
    Options {
        /// The option as the user wrote it.
        option: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// Background knowledge that contradicts itself, or that does not fit the columns.
    #[error("background knowledge: {problem}")]
    Knowledge {
        /// What is wrong with it.
        problem: String,
    },
    /// A graph, order or layering that is not one.
    #[error("{0}")]
    InvalidGraph(String),
    /// A residual variance below zero, where the caller asked to stop at one.
    #[error("the residual variance of `{column}` is negative ({value:e})")]
    NegativeVariance {
        /// The column.
        column: String,
        /// Its estimated residual variance.
        value: f64,
    },
    /// The computation was stopped from outside.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// The same where it came up with some of `rows` held out: it says then that there are more.
    pub(crate) fn among(self, rows: usize) -> Self {
        match self {
            Error::TooFewSamples { what, needed, n: left } if left < rows => {
                Error::TooFewLeft { what, needed, left, n: rows }
            }
            other => other,
        }
    }
}
