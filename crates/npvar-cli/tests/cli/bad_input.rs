//! Input that cannot be used gets a sentence that says why, exit status 1, and no result.

use crate::{Folder, csv, noise};

/// What `learn` and `diagnose` say about this file.
#[track_caller]
fn refused(content: &str, parts: &[&str]) {
    let folder = Folder::new();
    folder.write("t.csv", content);
    for command in ["learn t.csv -o out.json", "learn t.csv --json", "diagnose t.csv"] {
        folder.npvar(command).failed(1, parts).one_line();
    }
    assert_eq!(folder.files(), ["t.csv"]);
}

#[test]
fn an_empty_file() {
    refused("", &["t.csv", "empty"]);
}

#[test]
fn a_header_without_rows() {
    refused("a,b\n", &["t.csv has no data rows"]);
}

#[test]
fn a_single_column() {
    refused("a\n1\n2\n", &["at least two columns, t.csv has 1"]);
}

/// One message lists every column that is in the way; there is no command that would work.
#[test]
fn text_where_numbers_belong() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b,c\n1,2,inf\n3,red,4\n5,6,7\n");
    let ran = folder.npvar("learn t.csv").failed(1, &["t.csv cannot be used as it stands"]);
    assert_eq!(
        ran.stderr.lines().skip(1).collect::<Vec<_>>(),
        [
            "  `b`: left out (1 of 3 cells are no numbers: `red` in row 2)",
            "  `c`: left out (1 of 3 cells are no numbers: `inf` in row 1)"
        ]
    );
    folder.npvar("diagnose t.csv").failed(1, &["`b`: left out", "`c`: left out"]);
}

#[test]
fn nothing_but_missing_values() {
    refused("a,b\n1,\n,3\n", &["t.csv: all 2 rows have missing values"]);
}

/// What `try:` says works as it stands.
#[test]
fn the_last_line_of_a_refusal_is_a_command_that_works() {
    let folder = Folder::new();
    let rows =
        |cell: &dyn Fn(usize) -> String| (0..40).map(|i| format!("{};{}\n", cell(i), i * i % 17)).collect::<String>();
    folder.write("unclear.csv", &format!("a;b\n{}", rows(&|i| format!("{},{}", i % 9 + 1, 100 + i))));
    folder.write(
        "lacks.csv",
        &format!("a;b\n{}", rows(&|i| if i == 7 { "NA".into() } else { (i * 7 % 11).to_string() })),
    );
    folder.write("words.csv", &format!("a;b;w\n{}", rows(&|i| format!("{};n{i}", i * 7 % 11))));
    for (arguments, expected) in [
        ("unclear.csv", "try: npvar learn unclear.csv --decimal ,"),
        ("lacks.csv --missing error", "try: npvar learn lacks.csv"),
        ("lacks.csv --strict --learner eqvar", "try: npvar learn lacks.csv --learner eqvar"),
        ("words.csv --columns a,b,w", "try: npvar learn words.csv --columns a,w"),
    ] {
        let ran = folder.npvar(&format!("learn {arguments}")).failed(1, &["cannot be used as it stands"]);
        assert_eq!(ran.stderr.lines().last(), Some(expected));
        folder.npvar(expected.strip_prefix("try: npvar ").unwrap()).succeeded();
    }
}

#[test]
fn a_row_of_another_length() {
    refused("a,b\n1,2\n3,4,5\n", &["t.csv: row 2 has 3 fields, the header has 2"]);
    refused("a,b\n1,2\n3\n", &["t.csv: row 2 has 1 field"]);
}

#[test]
fn too_few_rows() {
    refused("a,b\n1,2\n3,5\n", &["needs at least 4 samples, got 2"]);
}

#[test]
fn a_file_that_is_not_there() {
    Folder::new().npvar("learn none.csv").failed(1, &["none.csv: "]).one_line();
    Folder::new().npvar("diagnose none.parquet").failed(1, &["none.parquet: "]).one_line();
}

#[test]
fn a_folder_instead_of_a_file() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d.csv")).unwrap();
    folder.npvar("learn d.csv").failed(1, &["d.csv: ", "the folder holds no file"]).one_line();
    folder.npvar("evaluate d.csv --truth d.csv").failed(1, &["d.csv: "]).one_line();
}

#[test]
fn a_file_of_another_kind() {
    let folder = Folder::new();
    for name in ["t.csv", "t.parquet", "t.arrow"] {
        std::fs::write(folder.path(name), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]).unwrap();
        folder.npvar(&format!("learn {name}")).failed(1, &[name]).one_line();
    }
    std::fs::write(folder.path("b.csv"), [b'a', b',', 0xff, 0xfe, b'\n', b'1', b',', b'2', b'\n']).unwrap();
    let ran = folder.npvar("learn b.csv");
    assert!(matches!(ran.code, Some(1)) && ran.stderr.contains("error: "), "{ran:?}");
    std::fs::write(folder.path("s.arrow"), [0xff, 0xff, 0xff, 0xff, 0x10, 0, 0, 0]).unwrap();
    folder.npvar("learn s.arrow").failed(1, &["an Arrow stream"]).one_line();
    let ran = folder.npvar_with_input("learn -", "PAR1....").failed(1, &["standard input", "from a pipe"]);
    ran.one_line();
    folder.write("not.parquet", "a,b\n1,2\n");
    folder.npvar("learn not.parquet").failed(1, &["not.parquet"]).one_line();
}

#[test]
fn one_file_given_twice() {
    let folder = Folder::new();
    folder.write("a.csv", &csv(&["a", "b"], &[noise(50, 1), noise(50, 2)]));
    folder.npvar("learn a.csv ./a.csv").failed(1, &["./a.csv: the file is given twice"]).one_line();
}

#[test]
fn an_empty_standard_input() {
    Folder::new().npvar_with_input("learn -", "").failed(1, &["standard input"]).one_line();
}

#[test]
fn an_order_file_must_name_every_column_once() {
    let folder = Folder::new();
    folder.write("t.csv", &csv(&["a", "b", "c"], &[noise(50, 1), noise(50, 2), noise(50, 3)]));
    for (order, part) in [
        ("a b", "o.txt: an order names every column; not named: `c`"),
        ("a b c d", "o.txt: the order names `d`, which is not a column of the data"),
        ("a, b, a", "o.txt: the order names `a` more than once"),
        ("", "not named: `a`, `b`, `c`"),
    ] {
        folder.write("o.txt", order);
        folder.npvar("learn t.csv --order o.txt").failed(1, &[part]).one_line();
    }
    folder.npvar("learn t.csv --order none.txt").failed(1, &["none.txt"]).one_line();
}

#[test]
fn outputs_are_checked_before_the_work_begins() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d.json")).unwrap();
    // The table is not even opened.
    folder.npvar("learn none.csv -o no/such/out.json").failed(1, &["no/such/out.json", "folder"]).one_line();
    folder.npvar("learn none.csv -o d.json").failed(1, &["d.json: is a directory"]).one_line();
    folder.write("t.csv", &csv(&["a", "b"], &[noise(50, 1), noise(50, 2)]));
    // Nothing is written when one of several cannot be.
    folder.npvar("learn t.csv -o good.csv -o no/out.dot").failed(1, &["no/out.dot"]).one_line();
    assert_eq!(folder.files(), ["d.json", "t.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_cannot_be_written_to() {
    // /proc is closed to everyone, the administrator included.
    Folder::new()
        .npvar("learn none.csv -o /proc/out.json")
        .failed(1, &["/proc/out.json: cannot be written"])
        .one_line();
    Folder::new().npvar("simulate MC-SIN --out /proc/sim").failed(1, &["/proc/sim"]).one_line();
}

#[test]
fn graphs_that_cannot_be_compared() {
    let folder = Folder::new();
    folder.write("truth.csv", "a,b\n0,1\n0,0\n");
    folder.write("other.csv", "a,c\n0,1\n0,0\n");
    folder.write("cycle.csv", "a,b,c\n0,1,0\n0,0,1\n1,0,0\n");
    folder.write("broken.json", "{\"nodes\": [");
    folder.write("order.json", r#"{"nodes": ["a", "b"], "edges": [], "order": ["a"]}"#);
    folder.npvar("evaluate other.csv --truth truth.csv").failed(1, &["only in the estimate: `c`"]).one_line();
    folder.npvar("evaluate cycle.csv --truth cycle.csv").failed(1, &["the true graph must be a DAG"]).one_line();
    folder.npvar("evaluate broken.json --truth truth.csv").failed(1, &["broken.json"]).one_line();
    folder.npvar("evaluate order.json --truth truth.csv").failed(1, &["the order names 1 of the 2 nodes"]).one_line();
    folder.npvar("evaluate none.csv --truth truth.csv").failed(1, &["none.csv"]).one_line();
}

#[cfg(unix)]
#[test]
fn a_device_that_never_ends() {
    let folder = Folder::new();
    let problem = "/dev/zero: a line is longer than 32 MiB, the most that is read";
    folder.npvar("learn /dev/zero").failed(1, &[problem]).one_line();
    folder.npvar("diagnose /dev/zero").failed(1, &[problem]).one_line();
    folder.write("t.csv", "a,b\n1,2\n2,1\n3,3\n");
    for option in ["--knowledge", "--order", "--config"] {
        let problem = "/dev/zero: the file has more than 16 MiB, the most that are read";
        folder.npvar(&format!("learn t.csv {option} /dev/zero")).failed(1, &[problem]).one_line();
    }
}

#[test]
fn a_header_of_millions_of_fields() {
    refused(&"1,".repeat(1 << 20), &["t.csv: the first line has more than 1,048,576 fields"]);
}
