//! Adjacency matrices as CSV; see [`GraphFormat::Csv`](super::GraphFormat::Csv).
//!
//! Bidirected edges and circles have no place among 0 and 1. Such an edge is written by its marks, each in the entry of its end's
//! column: 2 is an arrowhead, 3 a circle, 4 a tail. (pcalg writes every edge so, with 1 for a circle and 3 for a tail; but 1 is
//! an edge in all adjacency matrices of DAGs.)

use super::builder::GraphBuilder;
use super::{EdgeKind, Mark, NamedGraph, Pag};

/// Writes a header of names and one row per parent.
pub(super) fn to_text(named: &NamedGraph) -> String {
    let graph = named.graph();
    let marks = Pag::from(graph);
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let into_memory = "writing to memory does not fail";
    writer.write_record(named.names()).expect(into_memory);
    for from in 0..graph.nodes() {
        let entry = |to| {
            if graph.has_directed(from, to) || graph.has_undirected(from, to) {
                "1"
            } else if graph.has_directed(to, from) {
                "0"
            } else {
                match marks.mark(from, to) {
                    None => "0",
                    Some(Mark::Arrow) => "2",
                    Some(Mark::Circle) => "3",
                    Some(Mark::Tail) => "4",
                }
            }
        };
        writer.write_record((0..graph.nodes()).map(entry)).expect(into_memory);
    }
    String::from_utf8(writer.into_inner().expect(into_memory)).expect("names and digits are UTF-8")
}

/// Reads what [`to_text`] writes, a matrix without header, or one with names in both the first row and the first column.
pub(super) fn parse(text: &str) -> Result<NamedGraph, String> {
    let records = records(text)?;
    let Some((_, first)) = records.first() else {
        return Err("expected an adjacency matrix, found nothing".to_owned());
    };
    let (rows, width) = (records.len(), first.len());
    let labelled = rows == width && entry(&first[0]).is_none();
    let (names, body) = if labelled {
        (first[1..].to_vec(), &records[1..])
    } else if rows == width + 1 {
        (first.clone(), &records[1..])
    } else if rows == width {
        ((1..=width).map(|node| format!("X{node}")).collect(), &records[..])
    } else {
        return Err(format!(
            "expected a header of {width} names and {width} rows, or {width} rows without a header; found {rows} lines"
        ));
    };
    let matrix = body
        .iter()
        .enumerate()
        .map(|(row, (line, fields))| row_entries(*line, fields, labelled.then(|| &names[row])))
        .collect::<Result<Vec<_>, _>>()?;
    graph(&names, &matrix)
}

/// The lines of the file with their numbers, all of equal width.
fn records(text: &str) -> Result<Vec<(u64, Vec<String>)>, String> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records: Vec<(u64, Vec<String>)> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, ::csv::Position::line);
        let width = records.first().map_or(record.len(), |(_, first)| first.len());
        if record.len() != width {
            return Err(format!("line {line}: expected {width} entries as on the first line, found {}", record.len()));
        }
        records.push((line, record.iter().map(str::to_owned).collect()));
    }
    Ok(records)
}

fn row_entries(line: u64, fields: &[String], label: Option<&String>) -> Result<Vec<u8>, String> {
    let fields = match label {
        Some(label) if *label != fields[0] => {
            return Err(format!("line {line}: expected the row of `{label}`, found `{}`", fields[0]));
        }
        Some(_) => &fields[1..],
        None => fields,
    };
    let entries = fields.iter().enumerate().map(|(column, field)| {
        entry(field).ok_or_else(|| format!("line {line}, entry {}: expected 0 or 1, found `{field}`", column + 1))
    });
    entries.collect()
}

/// 0 to 4, also as `1.0`.
fn entry(field: &str) -> Option<u8> {
    let value: f64 = field.trim().parse().ok()?;
    (0_u8..5).find(|&entry| f64::from(entry) == value)
}

fn mark(entry: u8) -> Mark {
    match entry {
        2 => Mark::Arrow,
        3 => Mark::Circle,
        _ => Mark::Tail,
    }
}

fn graph(names: &[String], matrix: &[Vec<u8>]) -> Result<NamedGraph, String> {
    let mut builder = GraphBuilder::default();
    for name in names {
        builder.new_node(name)?;
    }
    for from in 0..names.len() {
        for to in from..names.len() {
            let added = match (matrix[from][to], matrix[to][from]) {
                (0, 0) => Ok(()),
                (1, 0) => builder.edge(from, to, EdgeKind::Directed),
                (0, 1) => builder.edge(to, from, EdgeKind::Directed),
                (1, 1) => builder.edge(from, to, EdgeKind::Undirected),
                (at_to @ 2.., at_from @ 2..) => {
                    let (from, to, kind) = EdgeKind::between(from, to, mark(at_from), mark(at_to));
                    builder.edge(from, to, kind)
                }
                (one, other) => Err(format!(
                    "`{}` and `{}` have the entries {one} and {other}; a mark (2, 3 or 4) needs one on the other side",
                    names[from], names[to]
                )),
            };
            added?;
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_parents() {
        let graph = parse("a,b,c\n0,1,0\n0,0,1\n0,1,0\n").expect("a graph");
        assert!(graph.graph().has_directed(0, 1));
        assert!(graph.graph().has_undirected(1, 2));
    }

    #[test]
    fn without_a_header_nodes_are_numbered_from_one() {
        let graph = parse("0,1\n0,0\n").expect("a graph");
        assert_eq!(graph.names(), ["X1", "X2"]);
        assert!(graph.graph().has_directed(0, 1));
    }

    #[test]
    fn names_that_look_like_entries_are_names_when_there_is_a_row_too_many() {
        let graph = parse("0,1\n0,1\n0,0\n").expect("a graph");
        assert_eq!(graph.names(), ["0", "1"]);
    }

    #[test]
    fn a_first_column_may_repeat_the_names() {
        let graph = parse("\"\",\"a\",\"b\"\n\"a\",0,1.0\n\"b\",0,0\n").expect("a graph");
        assert_eq!(graph.names(), ["a", "b"]);
        assert!(graph.graph().has_directed(0, 1));
        assert!(parse(",a,b\nb,0,1\na,0,0\n").is_err());
    }

    #[test]
    fn problems_name_the_line() {
        let problem = |text| parse(text).expect_err("not a graph");
        assert_eq!(problem("a,b\n0,1\n0,-1\n"), "line 3, entry 2: expected 0 or 1, found `-1`");
        assert_eq!(problem("a,b\n0\n0,0\n"), "line 2: expected 2 entries as on the first line, found 1");
        assert_eq!(problem("a,b\n1,0\n0,0\n"), "`a` is joined to itself");
        assert_eq!(problem("a,a\n0,0\n0,0\n"), "the node name `a` appears more than once");
        assert_eq!(problem(""), "expected an adjacency matrix, found nothing");
        assert!(problem("a,b\n0,0\n0,0\n0,0\n").ends_with("found 4 lines"));
        assert!(problem("0,2\n1,0\n").contains("needs one on the other side"));
    }
}
