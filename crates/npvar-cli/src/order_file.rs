//! An order given in a file.

use std::path::Path;

use anyhow::{Result, bail};
use npvar::graph::Order;

/// Reads names separated by line ends, commas or white space; each column must be named once.
pub(crate) fn read(path: &Path, columns: &[String]) -> Result<Order> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| anyhow::anyhow!("{shown}: {error}"))?;
    let mut nodes = Vec::new();
    for name in names(&text, columns) {
        match columns.iter().position(|column| column == name) {
            None => bail!("{shown}: `{name}` is not a column of the data"),
            Some(node) if nodes.contains(&node) => bail!("{shown}: `{name}` appears more than once"),
            Some(node) => nodes.push(node),
        }
    }
    let missing: Vec<String> =
        (0..columns.len()).filter(|node| !nodes.contains(node)).map(|node| format!("`{}`", columns[node])).collect();
    if !missing.is_empty() {
        bail!("{shown}: an order names every column; not named: {}", missing.join(", "));
    }
    Ok(Order::new(nodes)?)
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
