//! How a file is to be read.

use std::collections::HashMap;

use crate::error::{Error, Result};

/// How a file is to be read. The default expects a header, finds the separator, takes all columns and refuses missing
/// values.
///
/// ```
/// use npvar::data::{ColumnChoice, ReadOptions};
/// let options = ReadOptions { columns: ColumnChoice::Except(vec!["id".into()]), ..Default::default() };
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Whether a text file begins with the column names.
    pub header: Header,
    /// What stands between the fields of a text file.
    pub separator: Separator,
    /// What to do with rows that have missing values.
    pub missing: Missing,
    /// Which columns to read.
    pub columns: ColumnChoice,
}

/// Whether a text file begins with the column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// The first row holds the names.
    #[default]
    Yes,
    /// The first row holds data; the columns are called `X1` … `Xd`.
    No,
}

/// What stands between the fields of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Separator {
    /// Whichever divides the first lines into the same number of fields.
    #[default]
    Detect,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
    /// Any run of spaces and tabs.
    Whitespace,
}

/// What to do with rows that have missing values in the columns read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Stop at the first with an error.
    #[default]
    Error,
    /// Leave the row out and count it.
    Drop,
}

/// Which columns to read. The others are not looked at: they may hold text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ColumnChoice {
    /// Every column, in the file's order.
    #[default]
    All,
    /// These, in this order.
    Only(Vec<String>),
    /// All but these, in the file's order.
    Except(Vec<String>),
}

impl ColumnChoice {
    /// The 0-based positions of the chosen columns among `names`.
    ///
    /// # Errors
    /// When a named column does not exist, a chosen name is not unique, or fewer than two columns remain.
    pub fn positions(&self, names: &[String], source_name: &str) -> Result<Vec<usize>> {
        let position = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| unknown_column(name.clone(), names))
        };
        let chosen: Vec<usize> = match self {
            ColumnChoice::All => (0..names.len()).collect(),
            ColumnChoice::Only(only) => {
                unique(only.iter().enumerate())?;
                let chosen = only.iter().map(position).collect::<Result<_>>()?;
                unique(names.iter().enumerate().filter(|(_, name)| only.contains(name)))?;
                chosen
            }
            ColumnChoice::Except(except) => {
                except.iter().try_for_each(|name| position(name).map(drop))?;
                (0..names.len()).filter(|&j| !except.contains(&names[j])).collect()
            }
        };
        unique(chosen.iter().map(|&j| (j, &names[j])))?;
        if chosen.len() < 2 {
            let choice = if names.len() < 2 { "" } else { "the choice from " };
            return Err(Error::TooFewColumns { source_name: format!("{choice}{source_name}"), columns: chosen.len() });
        }
        Ok(chosen)
    }
}

fn unique<'a>(names: impl Iterator<Item = (usize, &'a String)>) -> Result<()> {
    let mut positions = HashMap::new();
    for (position, name) in names {
        if let Some(first) = positions.insert(name, position) {
            return Err(Error::DuplicateName { name: name.clone(), first: first + 1, second: position + 1 });
        }
    }
    Ok(())
}

fn unknown_column(name: String, names: &[String]) -> Error {
    const LISTED: usize = 20;
    let mut known = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        known += &format!(" and {} more", names.len() - LISTED);
    }
    Error::UnknownColumn { name, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn positions(choice: ColumnChoice, names: &[&str]) -> std::result::Result<Vec<usize>, String> {
        choice.positions(&owned(names), "t.csv").map_err(|error| error.to_string())
    }

    #[test]
    fn chosen_columns_keep_the_order_asked_for_and_excluded_ones_the_files() {
        assert_eq!(positions(ColumnChoice::All, &["a", "b", "c"]), Ok(vec![0, 1, 2]));
        assert_eq!(positions(ColumnChoice::Only(owned(&["c", "a"])), &["a", "b", "c"]), Ok(vec![2, 0]));
        assert_eq!(positions(ColumnChoice::Except(owned(&["b"])), &["a", "b", "c"]), Ok(vec![0, 2]));
    }

    #[test]
    fn an_unknown_column_is_answered_with_the_known_ones() {
        let expected = Err("there is no column `z`; the columns are `a`, `b`".to_owned());
        assert_eq!(positions(ColumnChoice::Only(owned(&["a", "z"])), &["a", "b"]), expected);
        assert_eq!(positions(ColumnChoice::Except(owned(&["z"])), &["a", "b"]), expected);
        let many: Vec<String> = (1..=25).map(|j| format!("X{j}")).collect();
        let error = ColumnChoice::Only(owned(&["z"])).positions(&many, "t.csv").unwrap_err().to_string();
        assert!(error.ends_with("`X19`, `X20` and 5 more"), "{error}");
    }

    #[test]
    fn a_repeated_name_matters_only_where_it_is_chosen() {
        let repeated =
            |first, second| Err(format!("the column name `a` appears more than once (columns {first} and {second})"));
        assert_eq!(positions(ColumnChoice::All, &["a", "b", "a"]), repeated(1, 3));
        assert_eq!(positions(ColumnChoice::Only(owned(&["b", "a"])), &["a", "b", "a"]), repeated(1, 3));
        assert_eq!(positions(ColumnChoice::Only(owned(&["a", "a"])), &["a", "b"]), repeated(1, 2));
        assert_eq!(positions(ColumnChoice::Except(owned(&["a"])), &["a", "b", "a", "c"]), Ok(vec![1, 3]));
    }

    #[test]
    fn one_column_makes_no_graph() {
        assert_eq!(
            positions(ColumnChoice::All, &["a"]),
            Err("a graph needs at least two columns, t.csv has 1".to_owned())
        );
        assert_eq!(
            positions(ColumnChoice::Except(owned(&["b"])), &["a", "b"]),
            Err("a graph needs at least two columns, the choice from t.csv has 1".to_owned())
        );
    }
}
