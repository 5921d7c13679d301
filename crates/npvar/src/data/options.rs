//! How a file is to be read.

use std::collections::HashMap;

use serde_json::Value;

use crate::error::{Error, Result};

/// How a file is to be read. The default finds out what it can: the separator, the header, the decimal sign, what each
/// column holds, and which rows or columns to leave out where values are missing.
///
/// ```
/// use npvar::data::{ColumnChoice, ReadOptions};
/// let options = ReadOptions { columns: ColumnChoice::Except(vec!["id".into()]), ..Default::default() };
/// assert_eq!(options.words(), ["--exclude", "id"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Whether a text file begins with the column names.
    pub header: Header,
    /// How many lines stand before the header; found where nothing is said.
    pub skip_rows: Option<usize>,
    /// What stands between the fields of a text file.
    pub separator: Separator,
    /// What stands before the decimals.
    pub decimal: Decimal,
    /// What to do where values are missing.
    pub missing: Missing,
    /// Which columns to read.
    pub columns: ColumnChoice,
    /// What to do with text columns of three or more words.
    pub categories: Categories,
    /// Whether a table that is more than plain numbers is refused.
    pub strictness: Strictness,
    /// Whether the learner can do with the cells that are there, so that `auto` need not impute the others.
    pub skips_missing: bool,
}

/// Whether a text file begins with the column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does, unless its first row can only be numbers of the table.
    #[default]
    Detect,
    /// The first row holds the names.
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
    /// This character of ASCII.
    Byte(u8),
    /// Any run of spaces and tabs.
    Whitespace,
}

/// What stands before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decimal {
    /// What the cells show; a column that shows it for certain nowhere is refused.
    #[default]
    Detect,
    /// `.`
    Point,
    /// `,`
    Comma,
}

/// What to do where values are missing in the columns read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Leave out the rows, where they are few, and columns most of which is missing; otherwise impute, or do without.
    #[default]
    Auto,
    /// Leave out every row that lacks a value.
    DropRows,
    /// Leave out every column that lacks a value.
    DropColumns,
    /// Draw values for the missing cells, anew in every bootstrap sample.
    Impute,
    /// Take for every test and every correlation the rows that are complete in its columns.
    Pairwise,
    /// Refuse the table.
    Error,
}

impl Missing {
    /// All of them.
    pub const ALL: [Missing; 6] =
        [Missing::Auto, Missing::DropRows, Missing::DropColumns, Missing::Impute, Missing::Pairwise, Missing::Error];

    /// By its name; `drop` is `drop-rows`.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn named(name: &str) -> std::result::Result<Missing, String> {
        let name = if name == "drop" { "drop-rows" } else { name };
        Missing::ALL.into_iter().find(|missing| missing.name() == name).ok_or_else(|| {
            let names: Vec<String> = Missing::ALL.iter().map(|missing| format!("`{}`", missing.name())).collect();
            let (last, others) = names.split_last().expect("there are some");
            format!("expected {} or {last} (`drop` is `drop-rows`)", others.join(", "))
        })
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Missing::Auto => "auto",
            Missing::DropRows => "drop-rows",
            Missing::DropColumns => "drop-columns",
            Missing::Impute => "impute",
            Missing::Pairwise => "pairwise",
            Missing::Error => "error",
        }
    }

    /// What it does, for people.
    pub fn summary(self) -> &'static str {
        match self {
            Missing::Auto => "leave rows out where few lack a value, fill the cells otherwise",
            Missing::DropRows => "leave out every row that lacks a value",
            Missing::DropColumns => "leave out every column that lacks a value",
            Missing::Impute => "fill the cells with values drawn from rows that resemble theirs",
            Missing::Pairwise => "use for every test the rows that have its columns (pc, fci, ges)",
            Missing::Error => "refuse the table",
        }
    }
}

impl Separator {
    /// By its name or by itself.
    pub fn named(name: &str) -> Option<Separator> {
        Some(match name {
            "auto" => Separator::Detect,
            "comma" => Separator::Byte(b','),
            "semicolon" => Separator::Byte(b';'),
            "tab" | "\\t" => Separator::Byte(b'\t'),
            "whitespace" | " " => Separator::Whitespace,
            _ => match name.as_bytes() {
                &[byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'"' && byte != b'\n' => {
                    Separator::Byte(byte)
                }
                _ => return None,
            },
        })
    }

    /// The name, or the character; nothing where it is to be found.
    pub fn name(self) -> Option<String> {
        match self {
            Separator::Detect => None,
            Separator::Byte(b'\t') => Some("tab".to_owned()),
            Separator::Byte(byte) => Some(char::from(byte).to_string()),
            Separator::Whitespace => Some("whitespace".to_owned()),
        }
    }
}

impl Decimal {
    /// By its sign or its name.
    pub fn named(name: &str) -> Option<Decimal> {
        Some(match name {
            "auto" => Decimal::Detect,
            "." | "point" => Decimal::Point,
            "," | "comma" => Decimal::Comma,
            _ => return None,
        })
    }
}

/// What to do with a text column of three or more words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Categories {
    /// It is read: every word has an effect of its own, and nothing is taken to cause it.
    #[default]
    AsCauses,
    /// It is read, and may be cause and effect: for a learner that counts values.
    Anywhere,
    /// It is left out, for a learner that would take its codes for numbers.
    LeftOut,
}

/// Whether a table that is more than plain numbers is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// It is read, and what was done is told.
    #[default]
    Forgiving,
    /// It is refused wherever anything would have to be done.
    Strict,
}

/// One option of reading, as the command line and as Python write it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadArgument {
    /// `--missing drop-rows`.
    pub words: Vec<String>,
    /// The keyword of Python.
    pub keyword: &'static str,
    /// Its value in Python.
    pub value: Value,
}

impl ReadOptions {
    /// What differs from the defaults, as options.
    pub fn arguments(&self) -> Vec<ReadArgument> {
        let mut all = Vec::new();
        let mut add = |keyword: &'static str, word: Option<String>, value: Value| {
            let option = format!("--{}", keyword.replace('_', "-"));
            all.push(ReadArgument { words: [option].into_iter().chain(word).collect(), keyword, value });
        };
        match &self.columns {
            ColumnChoice::All => {}
            ColumnChoice::Only(names) => add("columns", Some(names.join(",")), names.clone().into()),
            ColumnChoice::Except(names) => add("exclude", Some(names.join(",")), names.clone().into()),
        }
        if self.missing != Missing::Auto {
            add("missing", Some(self.missing.name().to_owned()), self.missing.name().into());
        }
        if let Some(lines) = self.skip_rows {
            add("skip_rows", Some(lines.to_string()), lines.into());
        }
        if let Some(name) = self.separator.name() {
            add("separator", Some(name.clone()), name.into());
        }
        match self.decimal {
            Decimal::Detect => {}
            Decimal::Point => add("decimal", Some(".".to_owned()), ".".into()),
            Decimal::Comma => add("decimal", Some(",".to_owned()), ",".into()),
        }
        if self.strictness == Strictness::Strict {
            add("strict", None, true.into());
        }
        if self.header == Header::No {
            all.push(ReadArgument { words: vec!["--no-header".to_owned()], keyword: "header", value: false.into() });
        }
        all
    }

    /// What differs from the defaults, as words of a command.
    pub fn words(&self) -> Vec<String> {
        self.arguments().into_iter().flat_map(|argument| argument.words).collect()
    }
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
        // Blanks around a name are most likely those of a list, `a, b`.
        let wanted = |asked: &[String]| -> Vec<String> {
            let name = |asked: &String| if names.contains(asked) { asked.clone() } else { asked.trim().to_owned() };
            asked.iter().map(name).collect()
        };
        let position = |name: &String| {
            names.iter().position(|known| known == name).ok_or_else(|| unknown_column(name.clone(), names))
        };
        let chosen: Vec<usize> = match self {
            ColumnChoice::All => (0..names.len()).collect(),
            ColumnChoice::Only(only) => {
                let only = wanted(only);
                unique(only.iter().enumerate())?;
                let chosen = only.iter().map(position).collect::<Result<_>>()?;
                unique(names.iter().enumerate().filter(|(_, name)| only.contains(name)))?;
                chosen
            }
            ColumnChoice::Except(except) => {
                let except = wanted(except);
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
