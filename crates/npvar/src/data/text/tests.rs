use super::super::source::read_text;
use super::super::{
    Categories, ColumnChoice, Decimal, GapUse, Header, Loaded, Missing, ReadOptions, RowBlocks, Separator, Strictness,
};

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

fn done(loaded: &Loaded) -> Vec<String> {
    loaded.intake.iter().map(ToString::to_string).collect()
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
    let options = ReadOptions { separator: Separator::Byte(b';'), ..Default::default() };
    assert_eq!(read("a,b\n1,2\n", &options).unwrap_err(), "a graph needs at least two columns, t.csv has 1");
    let options = ReadOptions { separator: Separator::Whitespace, ..Default::default() };
    assert_eq!(columns(&read("a b\n1  2\n5 4\n", &options).unwrap()), [[1.0, 5.0], [2.0, 4.0]]);
    let options = ReadOptions { separator: Separator::Byte(b'~'), ..Default::default() };
    assert_eq!(columns(&read("a~b\n1~2\n5~4\n", &options).unwrap()), [[1.0, 5.0], [2.0, 4.0]]);
}

#[test]
fn without_a_header_columns_are_numbered() {
    let options = ReadOptions { header: Header::No, ..Default::default() };
    let loaded = read("1,2\n3,5\n", &options).unwrap();
    assert_eq!(loaded.data.names(), ["X1", "X2"]);
    assert_eq!(columns(&loaded), [[1.0, 3.0], [2.0, 5.0]]);
    assert_eq!(read("1,2\n3\n", &options).unwrap_err(), "t.csv: row 2 has 1 field, the longest row has 2");
}

#[test]
fn a_first_row_that_can_only_be_data_is_data() {
    let loaded = plain("0.1,0.5\n0.3,0.2\n0.9,0.8\n0.4,0.1\n").unwrap();
    assert_eq!((loaded.data.names()[0].as_str(), loaded.data.n()), ("X1", 4));
    assert_eq!(
        done(&loaded),
        ["called the columns X1, X2, … (the first row holds numbers as the others do: there is no header)"]
    );
    assert_eq!(columns(&plain("1,1\n2,3\n").unwrap()), [[1.0, 2.0], [1.0, 3.0]]);
    // Different whole numbers may be names, such as years.
    let loaded = plain("1990,1991\n0.3,0.2\n0.9,0.8\n").unwrap();
    assert_eq!(
        (loaded.data.names(), codes(&loaded)),
        (&["1990".to_owned(), "1991".to_owned()][..], vec!["numeric-header"])
    );
}

#[test]
fn a_column_without_a_name_gets_one_and_row_numbers_are_left_out() {
    let rows: String = (0..12).map(|i| format!("{i},0.{},{}\n", i * 7 % 10, i * i % 7)).collect();
    let loaded = plain(&format!(",a,b\n{rows}")).unwrap();
    assert_eq!(loaded.data.names(), ["a", "b"]);
    assert_eq!(done(&loaded), ["`unnamed_1`: left out (it numbers the rows)"]);
    let asked = ReadOptions { columns: ColumnChoice::Only(vec!["unnamed_1".into(), "a".into()]), ..Default::default() };
    assert_eq!(read(&format!(",a,b\n{rows}"), &asked).unwrap().data.names(), ["unnamed_1", "a"]);
}

#[test]
fn files_that_are_no_tables_are_refused_by_name() {
    assert_eq!(message(""), "t.csv: the file is empty");
    assert_eq!(message("\u{feff}\r\n\n"), "t.csv: the file is empty");
    assert_eq!(message("a,b\n"), "t.csv has no data rows");
    assert_eq!(message("a\n1\n2\n"), "a graph needs at least two columns, t.csv has 1");
    assert_eq!(message("a,b\n1,\0\0\n"), "t.csv: the file is no text");
}

#[test]
fn a_name_that_comes_twice_is_numbered() {
    let loaded = plain("a,b,a\n1,2,3\n4,5,7\n").unwrap();
    assert_eq!(loaded.data.names(), ["a", "b", "a.1"]);
    assert_eq!(done(&loaded), ["`a.1`: renamed (there is another column `a`)"]);
}

#[test]
fn names_never_hold_what_steers_a_terminal() {
    let loaded = plain("a\u{1b}[31m,b\n1,2\n4,5\n").unwrap();
    assert_eq!(loaded.data.names(), ["a\u{fffd}[31m", "b"]);
}

#[test]
fn a_row_of_another_length_is_left_out_while_it_is_an_exception() {
    assert_eq!(message("a,b,c\n1,2,3\n1,2\n"), "t.csv: row 2 has 2 fields, the header has 3");
    assert_eq!(message("a b\n1 2 3\n1 2\n"), "t.csv: row 1 has 3 fields, the header has 2");
    let mut rows: String = (0..30).map(|i| format!("{},{}\n", i * 7 % 31, i * i % 17)).collect();
    rows += "7,8,9\n";
    let loaded = plain(&format!("a,b\n{rows}")).unwrap();
    assert_eq!(loaded.data.n(), 30);
    assert_eq!(done(&loaded), ["left out 1 of 31 rows (row 31 has 3 fields, the header has 2)"]);
    let strict = ReadOptions { strictness: Strictness::Strict, ..Default::default() };
    assert_eq!(read(&format!("a,b\n{rows}"), &strict).unwrap_err(), "t.csv: row 31 has 3 fields, the header has 2");
    // Empty fields at the end are no fields.
    assert_eq!(columns(&plain("a;b\n1;2;\n3;4;\n0;7;\n").unwrap()), [[1.0, 3.0, 0.0], [2.0, 4.0, 7.0]]);
}

#[test]
fn one_word_among_numbers_is_no_number() {
    let column = |odd: &str| {
        (0..40)
            .map(|i| if i == 7 { format!("{odd},{i}.5\n") } else { format!("{}.5,{}\n", i % 9, i * i % 7) })
            .collect::<String>()
    };
    for odd in ["true", "x", "2020-01-31", "inf"] {
        let loaded = plain(&format!("a,b\n{}", column(odd))).unwrap();
        assert_eq!(loaded.data.n(), 39);
        assert_eq!(done(&loaded)[0], format!("`a`: took 1 cell as missing (no numbers: `{odd}` in row 8)"));
    }
    // More than one in twenty: the column is left out, and with it the table.
    assert_eq!(
        message("a,city\n1,2\n1,Paris\n2,3\n"),
        "t.csv cannot be used as it stands:\n  `city`: left out (1 of 3 cells are no numbers: `Paris` in row 2)"
    );
}

#[test]
fn numbers_in_the_forms_that_people_write() {
    let loaded = plain("price;share;rate\n1.234,50 €;12 %;0,5\n-2,25 €;7,5 %;1,25\n1.000.000,00 €;8%;2\n").unwrap();
    assert_eq!(columns(&loaded), [[1234.5, -2.25, 1e6], [12.0, 7.5, 8.0], [0.5, 1.25, 2.0]]);
    let loaded = plain("a,b\n\"1,234\",\"$1,000.50\"\n\"5,678\",$7\n").unwrap();
    assert_eq!(columns(&loaded), [[1234.0, 5678.0], [1000.5, 7.0]]);
    assert_eq!(done(&loaded)[0], "`a`: read as numbers (they are written with signs between thousands)");
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
fn what_can_be_read_in_two_ways_is_refused_until_it_is_said() {
    let text = "a;b\n1,234;1\n2,345;3\n";
    assert_eq!(
        message(text),
        "t.csv cannot be used as it stands:\n  `a`: cannot be read for certain (`1,234` may have decimals or thousands \
         behind its `,`; `--decimal` says which)"
    );
    let with = |decimal| columns(&read(text, &ReadOptions { decimal, ..Default::default() }).unwrap())[0].clone();
    assert_eq!(with(Decimal::Comma), [1.234, 2.345]);
    assert_eq!(with(Decimal::Point), [1234.0, 2345.0]);
    // Elsewhere in the file a comma stands before decimals for certain.
    assert_eq!(columns(&plain("a;b\n1,234;1,5\n2,345;3\n").unwrap())[0], [1.234, 2.345]);
    // And here a point in a file with decimal commas.
    assert!(message("a;b\n1.234;1,5\n2.345;3\n").contains("`1.234` may have decimals or thousands"));
}

#[test]
fn words_are_categories_and_two_are_zero_and_one() {
    let rows: String =
        (0..30).map(|i| format!("{},{},{},n{i}\n", i * 7 % 11, ["no", "yes"][i % 2], ["x", "y", "z"][i % 3])).collect();
    let text = format!("a,smokes,kind,name\n{rows}");
    let loaded = plain(&text).unwrap();
    assert_eq!(loaded.data.names(), ["a", "smokes", "kind"]);
    assert_eq!(loaded.data.column(1)[..3], [0.0, 1.0, 0.0]);
    assert_eq!(loaded.data.column(2)[..4], [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(loaded.data.categories(), [2]);
    let left_out = ReadOptions { categories: Categories::LeftOut, ..Default::default() };
    assert_eq!(read(&text, &left_out).unwrap().data.names(), ["a", "smokes"]);
    let strict = ReadOptions { strictness: Strictness::Strict, ..Default::default() };
    let refused = read(&text, &strict).unwrap_err();
    for column in ["`smokes`: read as 0 and 1", "`kind`: taken as a category", "`name`: left out"] {
        assert!(refused.contains(column), "{refused}");
    }
}

#[test]
fn true_and_false_are_not_missing_where_other_values_are() {
    let row = |i: usize| {
        let x = if i == 3 { "NA".to_owned() } else { (i * 7 % 11).to_string() };
        format!("{x},{},{}\n", ["false", "true"][i % 2], i * i % 7)
    };
    let loaded = plain(&format!("x,is,y\n{}", (0..30).map(row).collect::<String>())).unwrap();
    assert_eq!((loaded.data.names().len(), loaded.data.n()), (3, 29));
    assert_eq!(done(&loaded), ["left out 1 of 30 rows (values are missing: `x` 1)"]);
}

#[test]
fn what_stands_before_the_header_is_skipped() {
    let expected = vec![vec![1.0, 3.0, 5.0], vec![2.0, 4.5, 0.0], vec![7.0, 7.5, 8.0]];
    for text in [
        "sep=;\na;b;c\n1;2;7\n3;4.5;7.5\n5;0;8\n",
        "Table 1: what was measured\n\na,b,c\n1,2,7\n3,4.5,7.5\n5,0,8\n",
        "Title,,\n,,\na,b,c\n1,2,7\n3,4.5,7.5\n5,0,8\n",
        "# made by hand\n# twice\na b c\n1 2 7\n3 4.5 7.5\n5 0 8\n",
        "# a b c\n1 2 7\n3 4.5 7.5\n5 0 8\n",
        "a,b,c\ncm,kg,s\n1,2,7\n3,4.5,7.5\n5,0,8\n",
        "\"a\" \"b\" \"c\"\n\"one\" 1 2 7\n\"two\" 3 4.5 7.5\n\"three\" 5 0 8\n",
    ] {
        let loaded = plain(text).unwrap();
        assert_eq!(
            (loaded.data.names(), columns(&loaded)),
            (&["a", "b", "c"].map(str::to_owned)[..], expected.clone()),
            "{text}"
        );
    }
    let options = ReadOptions { skip_rows: Some(2), ..Default::default() };
    assert_eq!(columns(&read("x,y\n9,9\na,b\n1,2\n3,4.5\n", &options).unwrap()), [[1.0, 3.0], [2.0, 4.5]]);
}

#[test]
fn other_encodings_are_read() {
    let utf16: Vec<u8> = "\u{feff}größe,b\r\n1,2\r\n3,4\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let loaded = read_text(&utf16[..], "t.csv", &ReadOptions::default()).unwrap();
    assert_eq!((loaded.data.names()[0].as_str(), columns(&loaded)), ("größe", vec![vec![1.0, 3.0], vec![2.0, 4.0]]));
    let latin = read_text(&b"gr\xf6\xdfe,b\n1,2\n3,4\n"[..], "t.csv", &ReadOptions::default()).unwrap();
    assert_eq!(latin.data.names()[0], "größe");
}

#[test]
fn missing_values_are_left_out_as_the_options_say() {
    // `c` lacks half of its cells, `a` and `b` one each.
    let rows: String = (0..20)
        .map(|i| {
            format!(
                "{},{},{}\n",
                if i == 3 { "NA".into() } else { format!("{}", i * 7 % 11) },
                if i == 5 { "".into() } else { format!("{}", i * i % 7) },
                if i % 2 == 0 { "?" } else { "1.5" }
            )
        })
        .collect();
    let text = format!("a,b,c\n{rows}");
    let with = |missing| read(&text, &ReadOptions { missing, ..Default::default() });
    let loaded = with(Missing::Auto).unwrap();
    assert_eq!((loaded.data.names().len(), loaded.data.n(), loaded.dropped_rows), (2, 18, 2));
    assert_eq!(
        done(&loaded),
        [
            "`c`: left out (10 of 20 cells are missing, which is half of them or more)",
            "left out 2 of 20 rows (values are missing: `a` 1, `b` 1)"
        ]
    );
    assert_eq!(loaded.diagnostics[0].message, "dropped 2 of 20 rows with missing values");
    let loaded = with(Missing::DropRows).unwrap();
    assert_eq!((loaded.data.names().len(), loaded.data.n()), (3, 8));
    let loaded = with(Missing::Impute).unwrap();
    assert_eq!((loaded.data.names().len(), loaded.data.n(), loaded.dropped_rows), (3, 20, 0));
    let told = "12 of 20 rows lack a value: `c` 10, `a` 1, `b` 1";
    assert_eq!(done(&loaded), [format!("imputed 12 missing cells ({told})")]);
    assert_eq!(loaded.data.column(2), [1.5; 20], "the only value there is");
    assert!((0..11).any(|value| loaded.data.column(0)[3] == f64::from(value)), "drawn from the column");
    assert_eq!(loaded.diagnostics[0].code, "values-imputed");
    let loaded = with(Missing::Pairwise).unwrap();
    assert_eq!(loaded.diagnostics[0].code, "values-skipped");
    assert_eq!(loaded.data.gaps().unwrap().counts(), (12, 3));
    assert!(with(Missing::DropColumns).unwrap_err().contains("`c`: left out (10 of 20 cells are missing)"));
    assert_eq!(
        with(Missing::Error).unwrap_err(),
        "t.csv cannot be used as it stands:\n  `a`: 1 of 20 values are missing\n  `b`: 1 of 20 values are missing\n  \
         `c`: 10 of 20 values are missing"
    );
    let empty = plain("a,b,c\n1,NA,2\n3,NA,5\n").unwrap();
    assert_eq!(done(&empty), ["`b`: left out (every cell is missing)"]);
    assert_eq!(message("a,b\n1,\n,3\n"), "t.csv: all 2 rows have missing values");
}

#[test]
fn a_year_beside_one_column_is_offered_where_row_numbers_are_not() {
    let rows: String = (0..30).map(|i| format!("{i},{},{}\n", 1871 + i, i * i % 17)).collect();
    let options = ReadOptions::default();
    match read_text(format!(",year,volume\n{rows}").as_bytes(), "t.csv", &options) {
        Err(crate::Error::Unusable { instead: Some(words), .. }) => assert_eq!(words, ["--columns", "year,volume"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn cells_are_filled_where_leaving_out_their_rows_would_cost_more_than_one_in_ten() {
    let table = |every: usize| {
        let row = |i: usize| {
            let cell = if i % every == 1 { "NA".to_owned() } else { (i * 7 % 11).to_string() };
            format!("{cell},{},{}\n", i * i % 7, i * 3 % 13)
        };
        format!("a,b,c\n{}", (0..100).map(row).collect::<String>())
    };
    let rows = |text: &str, options: ReadOptions| {
        let loaded = read(text, &options).unwrap();
        (loaded.data.n(), loaded.data.gaps().map(crate::data::Gaps::gap_use))
    };
    assert_eq!(rows(&table(10), ReadOptions::default()), (90, None));
    assert_eq!(rows(&table(9), ReadOptions::default()), (100, Some(GapUse::Imputed)));
    // A row without anything has nothing to be filled from, and is told.
    let empty = read(&(table(9) + "NA,NA,NA\n"), &ReadOptions::default()).unwrap();
    assert_eq!(empty.data.n(), 100);
    assert_eq!(done(&empty)[1], "left out 1 row (every cell is missing there)");
    let skips = ReadOptions { skips_missing: true, ..ReadOptions::default() };
    assert_eq!(rows(&table(9), skips), (100, Some(GapUse::Skipped)));
}

#[test]
fn a_number_that_may_mean_missing_is_pointed_out_and_kept() {
    let rows: String =
        (0..30).map(|i| format!("{},{}\n", if i % 10 == 3 { -999.0 } else { f64::from(i) * 0.1 }, i * i % 7)).collect();
    let loaded = plain(&format!("a,b\n{rows}")).unwrap();
    assert_eq!(loaded.data.column(0)[3], -999.0);
    assert!(done(&loaded)[0].starts_with("`a`: kept as it is (-999 stands in 3 cells"), "{:?}", done(&loaded));
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
