//! OpenDocument spreadsheets (ISO/IEC 26300, part 1).

use roxmltree::{Document, Node};

use super::cells::{Rows, Sheet};
use super::zip::Archive;

/// Repetitions that are obeyed; programs fill sheets up with more, of empty cells.
const MOST_REPEATED: usize = 1 << 14;

/// The sheets in their order.
pub(super) fn sheets(archive: &Archive<'_>) -> Result<Vec<Sheet>, String> {
    let content = archive.text("content.xml")?;
    let document = Document::parse(&content).map_err(|error| format!("the spreadsheet cannot be read ({error})"))?;
    let tables = document.descendants().filter(|node| node.tag_name().name() == "table");
    Ok(tables
        .map(|table| Sheet { name: attribute(table, "name").unwrap_or_default().to_owned(), text: rows(table) })
        .collect())
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.attributes().find(|attribute| attribute.name() == name).map(|attribute| attribute.value())
}

fn repeated(node: Node<'_, '_>, name: &str) -> usize {
    attribute(node, name).and_then(|count| count.parse().ok()).unwrap_or(1)
}

fn rows(table: Node<'_, '_>) -> Vec<u8> {
    let mut rows = Rows::default();
    for row in table.descendants().filter(|node| node.tag_name().name() == "table-row") {
        let mut cells: Vec<(usize, String)> = Vec::new();
        let mut column = 0;
        for cell in row.children().filter(|node| matches!(node.tag_name().name(), "table-cell" | "covered-table-cell"))
        {
            let count = repeated(cell, "number-columns-repeated");
            let content = content(cell);
            if !content.is_empty() {
                cells.extend((column..column + count.min(MOST_REPEATED)).map(|column| (column, content.clone())));
            }
            column = (column + count).min(MOST_REPEATED);
        }
        let count = repeated(row, "number-rows-repeated").min(if cells.is_empty() { 0 } else { MOST_REPEATED });
        for _ in 0..count {
            cells.iter().for_each(|(column, cell)| rows.put(*column, cell.clone()));
            rows.end_row();
        }
    }
    rows.finish()
}

/// A number with all its digits, a date as ISO writes it, anything else as it is shown.
fn content(cell: Node<'_, '_>) -> String {
    let value = |name| attribute(cell, name).map(str::to_owned);
    let stored = match attribute(cell, "value-type") {
        Some("float" | "percentage" | "currency") => value("value"),
        Some("boolean") => value("boolean-value"),
        Some("date") => value("date-value"),
        _ => None,
    };
    stored.unwrap_or_else(|| {
        let lines = cell.children().filter(|node| node.tag_name().name() == "p");
        let text = |line: Node<'_, '_>| {
            line.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten()).collect::<String>()
        };
        lines.map(text).collect::<Vec<_>>().join(" ")
    })
}
