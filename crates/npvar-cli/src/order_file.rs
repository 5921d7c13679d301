//! An order given in a file.

use std::path::Path;

use anyhow::Result;
use npvar::graph::Order;
use npvar::text_file::{self, WRITTEN_BYTES};

/// Reads names separated by line ends, commas or white space; each column must be named once.
pub(crate) fn read(path: &Path, columns: &[String]) -> Result<Order> {
    let shown = path.display();
    let text = text_file::read(path, WRITTEN_BYTES).map_err(|error| anyhow::anyhow!("{shown}: {error}"))?;
    Order::of_names(&names(&text, columns), columns).map_err(|error| anyhow::anyhow!("{shown}: {error}"))
}

/// A line or comma-separated piece that is a column's name is that name, spaces and all; anything else is divided further.
fn names<'a>(text: &'a str, columns: &[String]) -> Vec<&'a str> {
    let is_column = |piece: &str| columns.iter().any(|column| column == piece);
    let divide = |piece: &'a str, by: &[char]| -> Vec<&'a str> {
        let piece = piece.trim();
        if is_column(piece) {
            return vec![piece];
        }
        piece.split(by).map(str::trim).filter(|piece| !piece.is_empty()).collect()
    };
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().flat_map(|line| divide(line, &[',']));
    lines.flat_map(|piece| divide(piece, &[' ', '\t'])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_separated_by_lines_commas_and_spaces() {
        let columns = ["a", "b c", "d,e", "f", "g"].map(str::to_owned);
        assert_eq!(names("f a\nd,e\nb c, g\n", &columns), ["f", "a", "d,e", "b c", "g"]);
    }
}
