//! How every column of a table is read.

use std::collections::HashMap;

use super::cell::{Cell, is_missing};
use super::entry::IntakeEntry;
use super::number::value;
use crate::data::filler::Lacking;
use crate::data::{Decimal, GapUse};

/// How the cells of a column become numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reading {
    /// They are numbers as they stand.
    Plain,
    /// They are numbers with this sign before the decimals.
    Written(char),
    /// 1 for `true`, 0 for `false`.
    Logical,
    /// The place of the cell among these.
    Levels(HashMap<Vec<u8>, usize>),
}

impl Reading {
    /// The levels in this order.
    pub(crate) fn levels(levels: impl IntoIterator<Item = Vec<u8>>) -> Reading {
        Reading::Levels(levels.into_iter().enumerate().map(|(code, level)| (level, code)).collect())
    }

    /// The number that a trimmed cell stands for; NaN where it is missing, or is not what the others of its column are.
    pub(crate) fn value(&self, field: &[u8]) -> f64 {
        let Ok(text) = std::str::from_utf8(field) else {
            return match self {
                Reading::Levels(levels) => levels.get(field).map_or(f64::NAN, |&code| code as f64),
                _ => f64::NAN,
            };
        };
        match self {
            Reading::Plain => text.parse().ok().filter(|value: &f64| value.is_finite()).unwrap_or(f64::NAN),
            Reading::Written(sign) => value(text, *sign).unwrap_or(f64::NAN),
            Reading::Logical => match Cell::of(field, Decimal::Detect) {
                Cell::Logical(value) => f64::from(u8::from(value)),
                _ => f64::NAN,
            },
            Reading::Levels(_) if is_missing(text) => f64::NAN,
            Reading::Levels(levels) => levels.get(field).map_or(f64::NAN, |&code| code as f64),
        }
    }
}

/// One column that is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColumnPlan {
    pub(crate) name: String,
    pub(crate) reading: Reading,
    /// Whether it is a category of three or more words.
    pub(crate) is_category: bool,
}

/// How a table is read: its columns, and whether rows may be left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) columns: Vec<ColumnPlan>,
    /// What becomes of rows with missing values.
    pub(crate) lacking: Lacking,
    /// How missing cells are used where they are kept.
    pub(crate) gap_use: GapUse,
    /// What is done, as it is told.
    pub(crate) entries: Vec<IntakeEntry>,
}

impl Plan {
    /// The places of the categories.
    pub(crate) fn categories(&self) -> Vec<usize> {
        self.columns.iter().enumerate().filter(|(_, column)| column.is_category).map(|(place, _)| place).collect()
    }
}
