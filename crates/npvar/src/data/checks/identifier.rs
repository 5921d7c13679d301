//! Columns that name or number the rows instead of measuring something.

use std::collections::HashSet;

use crate::run::Diagnostic;

/// Two rows that count 0, 1 are as likely a binary variable.
const FEWEST_ROWS: usize = 3;

/// A remark when the column counts the rows, or has distinct whole numbers and a name like `id`.
pub(super) fn check(name: &str, column: &[f64]) -> Option<Diagnostic> {
    if column.len() < FEWEST_ROWS || column.iter().any(|value| value.fract() != 0.0) {
        return None;
    }
    let what = if column.windows(2).all(|pair| pair[1] - pair[0] == 1.0) {
        "numbers the rows"
    } else if is_named_like_an_identifier(name) && all_distinct(column) {
        "looks like an identifier (whole numbers, no two equal)"
    } else {
        return None;
    };
    let message = format!("column `{name}` {what}; leave it out with `--exclude {name}`");
    Some(Diagnostic::warning("identifier-column", message))
}

fn all_distinct(column: &[f64]) -> bool {
    let mut seen = HashSet::new();
    column.iter().all(|value| seen.insert((value + 0.0).to_bits()))
}

/// `id`, `user_id`, `customerID`, `row`, `row_names`, `index`, `unnamed: 0` and the like.
pub(crate) fn is_named_like_an_identifier(name: &str) -> bool {
    const WORDS: [&str; 8] = ["id", "ids", "idx", "index", "key", "row", "rowid", "uid"];
    let lower = name.to_ascii_lowercase();
    let last_word = lower.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let camel = name.strip_suffix("Id").or_else(|| name.strip_suffix("ID"));
    WORDS.contains(&last_word)
        || camel.is_some_and(|rest| rest.ends_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
        || ["unnamed", "rowname", "row_name", "row.name", "rownum", "row_num"].iter().any(|p| lower.starts_with(p))
        || lower.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(name: &str, column: &[f64]) -> Option<String> {
        check(name, column).map(|diagnostic| {
            assert_eq!(diagnostic.code, "identifier-column");
            diagnostic.message
        })
    }

    #[test]
    fn consecutive_whole_numbers_number_the_rows_whatever_their_name() {
        let expected = Some("column `x` numbers the rows; leave it out with `--exclude x`".to_owned());
        assert_eq!(message("x", &[0.0, 1.0, 2.0]), expected);
        assert_eq!(message("x", &[1.0, 2.0, 3.0, 4.0]), expected);
        assert_eq!(message("x", &[0.0, 1.0]), None);
        assert_eq!(message("x", &[0.5, 1.5, 2.5]), None);
        assert_eq!(message("x", &[1.0, 2.0, 2.0]), None);
    }

    #[test]
    fn distinct_whole_numbers_need_the_name_of_an_identifier() {
        let expected = "column `user_id` looks like an identifier (whole numbers, no two equal); leave it out with `--exclude user_id`";
        assert_eq!(message("user_id", &[9.0, 4.0, 7.0]).as_deref(), Some(expected));
        assert_eq!(message("user_id", &[9.0, 4.0, 9.0]), None);
        assert_eq!(message("age", &[9.0, 4.0, 7.0]), None);
    }

    #[test]
    fn names_of_identifiers() {
        for name in
            ["id", "ID", "Index", "user_id", "customerID", "userId", "unnamed_1", "Unnamed: 0", "row.names", "row"]
        {
            assert!(is_named_like_an_identifier(name), "{name}");
        }
        for name in ["acid", "humid", "COVID", "rowing", "X1", "index_price", "width"] {
            assert!(!is_named_like_an_identifier(name), "{name}");
        }
    }
}
