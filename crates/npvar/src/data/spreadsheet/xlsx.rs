//! Office Open XML workbooks (ECMA-376, part 1, SpreadsheetML).

use roxmltree::{Document, Node};

use super::cells::{Rows, Sheet, date};
use super::zip::Archive;

/// Columns of a sheet, as the format bounds them.
const MOST_COLUMNS: usize = 1 << 14;

/// The sheets in their order.
pub(super) fn sheets(archive: &Archive<'_>) -> Result<Vec<Sheet>, String> {
    let workbook = archive.text("xl/workbook.xml")?;
    let workbook = parsed(&workbook)?;
    let relations = archive.text("xl/_rels/workbook.xml.rels")?;
    let relations = parsed(&relations)?;
    let target = |id: &str| {
        let relation = named(relations.root(), "Relationship").find(|node| node.attribute("Id") == Some(id))?;
        let target = relation.attribute("Target")?;
        Some(target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned))
    };
    let strings = match archive.has("xl/sharedStrings.xml") {
        true => strings(&archive.text("xl/sharedStrings.xml")?)?,
        false => Vec::new(),
    };
    let dates = match archive.has("xl/styles.xml") {
        true => date_styles(&archive.text("xl/styles.xml")?)?,
        false => Vec::new(),
    };
    let mut sheets = Vec::new();
    for sheet in named(workbook.root(), "sheet") {
        let id = sheet.attributes().find(|attribute| attribute.name() == "id").map(|attribute| attribute.value());
        let Some(path) = id.and_then(target) else { continue };
        // Sheets of charts have no cells.
        if !path.contains("worksheet") {
            continue;
        }
        let text = rows(&archive.text(&path)?, &strings, &dates)?;
        sheets.push(Sheet { name: sheet.attribute("name").unwrap_or_default().to_owned(), text });
    }
    Ok(sheets)
}

fn parsed(text: &str) -> Result<Document<'_>, String> {
    Document::parse(text).map_err(|error| format!("the spreadsheet cannot be read ({error})"))
}

fn named<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.descendants().filter(move |node| node.tag_name().name() == name)
}

fn strings(text: &str) -> Result<Vec<String>, String> {
    let document = parsed(text)?;
    Ok(named(document.root(), "si").map(text_of).collect())
}

/// All parts of a text but how it is pronounced.
fn text_of(node: Node<'_, '_>) -> String {
    let spoken = |node: &Node<'_, '_>| node.ancestors().any(|above| above.tag_name().name() == "rPh");
    named(node, "t").filter(|node| !spoken(node)).filter_map(|node| node.text()).collect()
}

/// For every style of a cell, whether it shows a date or a time.
fn date_styles(text: &str) -> Result<Vec<bool>, String> {
    let document = parsed(text)?;
    let own: Vec<(usize, bool)> = named(document.root(), "numFmt")
        .filter_map(|format| {
            Some((format.attribute("numFmtId")?.parse().ok()?, shows_a_date(format.attribute("formatCode")?)))
        })
        .collect();
    let is_date = |id: usize| match own.iter().find(|(known, _)| *known == id) {
        Some((_, is_date)) => *is_date,
        None => matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58),
    };
    let styles = named(document.root(), "cellXfs").next();
    let formats = styles.into_iter().flat_map(|styles| styles.children().filter(Node::is_element));
    Ok(formats.map(|style| style.attribute("numFmtId").and_then(|id| id.parse().ok()).is_some_and(is_date)).collect())
}

/// Whether a format has letters of dates outside what stands in quotes and brackets.
fn shows_a_date(code: &str) -> bool {
    let (mut quoted, mut bracket, mut escaped) = (false, false, false);
    for c in code.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' if !quoted => bracket = false,
            'y' | 'm' | 'd' | 'h' | 's' | 'Y' | 'M' | 'D' | 'H' | 'S' if !quoted && !bracket => return true,
            _ => {}
        }
    }
    false
}

fn rows(text: &str, strings: &[String], dates: &[bool]) -> Result<Vec<u8>, String> {
    let document = parsed(text)?;
    let mut rows = Rows::default();
    for row in named(document.root(), "row") {
        let mut next = 0;
        for cell in row.children().filter(|node| node.tag_name().name() == "c") {
            let column = cell.attribute("r").and_then(column).unwrap_or(next);
            if column >= MOST_COLUMNS {
                return Err(format!("a cell stands in column {column}, beyond the last that there is"));
            }
            next = column + 1;
            let value = || {
                let value = cell.children().find(|node| node.tag_name().name() == "v");
                value.and_then(|node| node.text()).unwrap_or_default().to_owned()
            };
            let style = cell.attribute("s").and_then(|style| style.parse::<usize>().ok()).unwrap_or(0);
            let content = match cell.attribute("t") {
                Some("s") => {
                    value().trim().parse().ok().and_then(|at: usize| strings.get(at)).cloned().unwrap_or_default()
                }
                Some("inlineStr") => text_of(cell),
                Some("b") => if value() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
                Some("str" | "e" | "d") => value(),
                _ => match value().parse() {
                    Ok(serial) if dates.get(style) == Some(&true) => date(serial),
                    _ => value(),
                },
            };
            rows.put(column, content);
        }
        rows.end_row();
    }
    Ok(rows.finish())
}

/// The 0-based column of a reference such as `AB12`.
fn column(reference: &str) -> Option<usize> {
    let letters = reference.bytes().take_while(u8::is_ascii_uppercase).take(4);
    letters.fold(0, |column, letter| 26 * column + usize::from(letter - b'A') + 1).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_letters() {
        assert_eq!(
            ["A1", "Z9", "AA1", "AB12", "XFD1"].map(column),
            [Some(0), Some(25), Some(26), Some(27), Some(16_383)]
        );
        assert_eq!(column("12"), None);
    }

    #[test]
    fn formats_of_dates_are_told_from_others() {
        for code in ["yyyy\\-mm\\-dd", "d/m/yy", "h:mm AM/PM", "[$-407]d. mmm"] {
            assert!(shows_a_date(code), "{code}");
        }
        for code in ["0.00", "#,##0", "\"days\" 0", "[Red]0.0", "0.00E+00", "General"] {
            assert!(!shows_a_date(code), "{code}");
        }
    }
}
