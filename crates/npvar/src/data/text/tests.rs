use super::super::source::read_text;
use super::super::{ColumnChoice, Header, Loaded, Missing, ReadOptions, Separator};

fn read(text: &str, options: &ReadOptions) -> Result<Loaded, String> {
    read_text(text.as_bytes(), "t.csv", options).map_err(|error| error.to_string())
}

fn plain(text: &str) -> Result<Loaded, String> {
    read(text, &ReadOptions::default())
}

fn message(text: &str) -> String {
    plain(text).unwrap_err()
}

fn columns(loaded: &Loaded) -> Vec<Vec<f64>> {
    (0..loaded.data.d()).map(|node| loaded.data.column(node).to_vec()).collect()
}

fn codes(loaded: &Loaded) -> Vec<&str> {
    loaded.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn every_separator_gives_the_same_table() {
    let expected = vec![vec![1.5, 3.0], vec![-2.0, 4e-3], vec![1.0, 0.0]];
    for separator in [",", ";", "\t", " ", "   ", ", ", " \t"] {
        let lines = [["x", "y", "z"], ["1.5", "-2", "true"], ["3", "4e-3", "FALSE"]];
        let text = lines.map(|fields| fields.join(separator)).join("\r\n");
        let loaded = plain(&text).unwrap();
        assert_eq!(loaded.data.names(), ["x", "y", "z"], "{separator:?}");
        assert_eq!(columns(&loaded), expected, "{separator:?}");
    }
}

#[test]
fn byte_order_mark_quotes_and_blank_lines_are_understood() {
    let loaded = plain("\u{feff}\"my, x\",\"y\"\r\n\"1\",2\r\n\r\n3,\"4\"\r\n\r\n").unwrap();
    assert_eq!(loaded.data.names(), ["my, x", "y"]);
    assert_eq!(columns(&loaded), [[1.0, 3.0], [2.0, 4.0]]);
}

#[test]
fn a_separator_that_was_set_is_obeyed() {
    let options = ReadOptions { separator: Separator::Semicolon, ..Default::default() };
    assert_eq!(read("a,b\n1,2\n", &options).unwrap_err(), "a graph needs at least two columns, t.csv has 1");
    let options = ReadOptions { separator: Separator::Whitespace, ..Default::default() };
    assert_eq!(columns(&read("a b\n1  2\n5 4\n", &options).unwrap()), [[1.0, 5.0], [2.0, 4.0]]);
}

#[test]
fn without_a_header_columns_are_numbered() {
    let options = ReadOptions { header: Header::No, ..Default::default() };
    let loaded = read("1,2\n3,5\n", &options).unwrap();
    assert_eq!(loaded.data.names(), ["X1", "X2"]);
    assert_eq!(columns(&loaded), [[1.0, 3.0], [2.0, 5.0]]);
    assert_eq!(read("1,2\n3\n", &options).unwrap_err(), "t.csv: row 2 has 1 field, the first row has 2");
    assert_eq!(
        read("a,b\n3,4\n", &options).unwrap_err(),
        "t.csv, row 1, column `X1`: `a` is not a number (leave the column out with `--exclude X1`)"
    );
}

#[test]
fn a_header_of_numbers_is_remarked() {
    let loaded = plain("0.1,0.5\n0.3,0.2\n0.9,0.8\n0.4,0.1\n").unwrap();
    assert_eq!(loaded.data.n(), 3);
    assert_eq!(codes(&loaded), ["numeric-header"]);
    assert_eq!(
        loaded.diagnostics[0].message,
        "the first row of t.csv holds only numbers and was read as column names; if it is data, use `--no-header`"
    );
    assert_eq!(message("1,1\n2,3\n"), "t.csv: the header repeats `1`; if the file has no header, use `--no-header`");
}

#[test]
fn a_column_without_a_name_gets_one() {
    let loaded = plain(",a,b\n0,0.5,0.1\n1,0.7,0.6\n2,0.1,0.4\n").unwrap();
    assert_eq!(loaded.data.names(), ["unnamed_1", "a", "b"]);
    assert_eq!(codes(&loaded), ["identifier-column"]);
}

#[test]
fn files_that_are_no_tables_are_refused_by_name() {
    assert_eq!(message(""), "t.csv: the file is empty");
    assert_eq!(message("\u{feff}\r\n\n"), "t.csv: the file is empty");
    assert_eq!(message("a,b\n"), "t.csv has no data rows");
    assert_eq!(message("a\n1\n2\n"), "a graph needs at least two columns, t.csv has 1");
    assert_eq!(message("a,b,a\n1,2,3\n"), "the column name `a` appears more than once (columns 1 and 3)");
    let utf16 = read_text(&b"\xff\xfea\0"[..], "t.csv", &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(utf16, "t.csv: the text is encoded as UTF-16; save it as UTF-8");
}

#[test]
fn ragged_rows_are_counted() {
    assert_eq!(message("a,b,c\n1,2,3\n1,2\n"), "t.csv: row 2 has 2 fields, the header has 3");
    assert_eq!(message("a b\n1 2 3\n1 2\n"), "t.csv: row 1 has 3 fields, the header has 2");
}

#[test]
fn a_row_with_more_fields_than_are_read_is_refused_where_it_stands() {
    let long = vec!["1"; (1 << 20) + 1].join(",");
    let problem = "has more than 1,048,576 fields, the most that are read; is every row on a line of its own?";
    assert_eq!(message(&long), format!("t.csv: the first line {problem}"));
    assert_eq!(message(&format!("a,b\n1,2\n{long}\n")), format!("t.csv: row 2 {problem}"));
    let quote = format!("a,b\n1,\"{}", "2\n3,4\n".repeat(6 << 20));
    let problem = "is longer than 32 MiB, the most that is read; is the file a table, and does every quote close?";
    assert_eq!(message(&quote), format!("t.csv: row 1 {problem}"));
}

#[test]
fn values_that_are_no_numbers_are_located() {
    assert_eq!(
        message("a,city\n1,2\n1,Paris\n"),
        "t.csv, row 2, column `city`: `Paris` is not a number (leave the column out with `--exclude city`)"
    );
    assert_eq!(message("a,b\n1,2\n-inf,3\n"), "t.csv, row 2, column `a`: the value is not finite");
    assert_eq!(message("a,b\n1,1e999\n"), "t.csv, row 1, column `b`: the value is not finite");
    let decimal = "t.csv: row 1, column `b`: `1,5` has a decimal comma, but a decimal point is expected";
    assert_eq!(message("a;b\n2;1,5\n"), decimal);
    assert_eq!(message("a\tb\n2\t1,5\n"), decimal);
    assert_eq!(message("a b\n2 1,5\n"), decimal);
    let long = "x".repeat(100);
    assert!(message(&format!("a,b\n1,{long}\n")).contains(&format!("`{}…`", "x".repeat(40))));
}

#[test]
fn missing_values_stop_or_drop() {
    let text = "a,b,c\n1,2,x\n,3,x\n4,NA,x\n5,6,\n";
    let except_c = ColumnChoice::Except(vec!["c".into()]);
    let stop = ReadOptions { columns: except_c.clone(), ..Default::default() };
    assert_eq!(
        read(text, &stop).unwrap_err(),
        "t.csv, row 2, column `a`: the value is missing (drop such rows with `--missing drop`)"
    );
    let drop = ReadOptions { columns: except_c, missing: Missing::Drop, ..Default::default() };
    let loaded = read(text, &drop).unwrap();
    assert_eq!(columns(&loaded), [[1.0, 5.0], [2.0, 6.0]]);
    assert_eq!(loaded.dropped_rows, 2);
    assert_eq!(loaded.diagnostics[0].code, "rows-dropped");
    assert_eq!(loaded.diagnostics[0].message, "dropped 2 of 4 rows with missing values");
    assert_eq!(
        read("a,b\nNA,1\n?,2\n", &ReadOptions { missing: Missing::Drop, ..Default::default() }).unwrap_err(),
        "t.csv: all 2 rows have missing values"
    );
}

#[test]
fn chosen_columns_come_in_the_order_asked_for() {
    let options = ReadOptions { columns: ColumnChoice::Only(vec!["c".into(), "a".into()]), ..Default::default() };
    let loaded = read("a,b,c\n1,text,3\n4,more,6\n", &options).unwrap();
    assert_eq!(loaded.data.names(), ["c", "a"]);
    assert_eq!(columns(&loaded), [[3.0, 6.0], [1.0, 4.0]]);
}

#[test]
fn a_header_longer_than_the_beginning_is_read_whole() {
    let names: Vec<String> = (0..20_000).map(|j| format!("column{j}")).collect();
    let row = vec!["1"; names.len()].join(",");
    let only = ColumnChoice::Only(vec!["column19999".into(), "column0".into()]);
    let text = format!("{}\n{row}\n", names.join(","));
    let loaded = read(&text, &ReadOptions { columns: only, ..Default::default() }).unwrap();
    assert_eq!(loaded.data.names(), ["column19999", "column0"]);
}
