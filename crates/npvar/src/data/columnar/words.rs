//! A file with columns of text, written out as a comma-separated text: it is then read as one, words and all.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::DataType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::ByteArrayType;
use parquet::errors::{ParquetError, Result};

use super::selection::ColumnSelection;

/// Files with more values are not written out.
pub(super) const MOST_VALUES: usize = 1 << 23;

/// The cells of one column of text; nothing where a value is missing.
pub(super) type Cells = Vec<Option<String>>;

/// All columns side by side, in the order they were asked for: `numbers` in the order of the selection's names, NaN for a
/// missing one, and the words.
pub(super) fn written(selection: &ColumnSelection, numbers: &[Vec<f64>], words: &[Cells]) -> Vec<u8> {
    let mut columns: Vec<(&str, Column<'_>)> = Vec::new();
    let mut waiting = selection.words.iter().zip(words).peekable();
    for (j, (name, values)) in selection.wanted.names.iter().zip(numbers).enumerate() {
        while let Some((column, cells)) = waiting.next_if(|(column, _)| column.before == j) {
            columns.push((&column.name, Column::Words(cells)));
        }
        columns.push((name, Column::Numbers(values)));
    }
    columns.extend(waiting.map(|(column, cells)| (column.name.as_str(), Column::Words(cells))));
    let rows = numbers.first().map(Vec::len).or_else(|| words.first().map(Vec::len)).unwrap_or(0);
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(columns.iter().map(|(name, _)| quoted(name)).collect());
    for row in 0..rows {
        text += &line(columns.iter().map(|(_, column)| column.cell(row)).collect());
    }
    text.into_bytes()
}

enum Column<'c> {
    Numbers(&'c [f64]),
    Words(&'c [Option<String>]),
}

impl Column<'_> {
    fn cell(&self, row: usize) -> String {
        match self {
            Column::Numbers(values) if values[row].is_nan() => String::new(),
            Column::Numbers(values) => values[row].to_string(),
            Column::Words(cells) => cells[row].as_deref().map_or_else(String::new, quoted),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The next `rows` cells of a Parquet column of text.
pub(super) fn cells_of_parquet(column: &mut ColumnReader, rows: usize) -> Result<Cells> {
    let ColumnReader::ByteArrayColumnReader(column) = column else {
        return Err(ParquetError::General("a column of text has no text".to_owned()));
    };
    let column: &mut ColumnReaderImpl<ByteArrayType> = column;
    let (mut values, mut levels, mut read) = (Vec::new(), Vec::new(), 0);
    while read < rows {
        let (records, _, _) = column.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General(format!("a column ends {} rows before its group", rows - read)));
        }
        read += records;
    }
    let mut values = values.iter().map(|value| String::from_utf8_lossy(value.data()).into_owned());
    if values.len() == rows {
        return Ok(values.map(Some).collect());
    }
    // Nulls have a level, but no value.
    Ok(levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect())
}

/// The cells of an Arrow column of text.
pub(super) fn cells_of_arrow(column: &dyn Array) -> Cells {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().iter().map(owned).collect(),
        DataType::LargeUtf8 => column.as_string::<i64>().iter().map(owned).collect(),
        DataType::Utf8View => column.as_string_view().iter().map(owned).collect(),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary();
            let values = cells_of_arrow(dictionary.values());
            if values.is_empty() {
                return vec![None; column.len()];
            }
            let at =
                |(row, key): (usize, usize)| dictionary.keys().is_valid(row).then(|| values[key].clone()).flatten();
            dictionary.normalized_keys().into_iter().enumerate().map(at).collect()
        }
        _ => vec![None; column.len()],
    }
}
