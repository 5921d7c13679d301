//! The edges as a table: one row each, for spreadsheets and data frames.

use super::graph::EdgeDocument;

/// A column: its name, and what it holds of an edge.
type Column = (&'static str, fn(&EdgeDocument) -> Option<f64>);

const NUMBERS: [Column; 6] = [
    ("p_value", |edge| edge.p_value),
    ("strength", |edge| edge.strength),
    ("weight", |edge| edge.weight),
    ("frequency", |edge| edge.frequency),
    ("without_nats", |edge| edge.without_nats),
    ("turned_nats", |edge| edge.turned_nats),
];

/// A CSV table of edges: `from`, `to`, `kind`, and every number that some edge has. Nodes without edges are not in it.
///
/// ```
/// let edges = serde_json::from_str::<Vec<_>>(r#"[{"from": "a", "to": "b", "kind": "directed", "strength": 0.25}]"#)?;
/// assert_eq!(npvar::judge::edge_list(&edges), "from,to,kind,strength\na,b,directed,0.25\n");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn edge_list(edges: &[EdgeDocument]) -> String {
    let columns: Vec<&Column> =
        NUMBERS.iter().filter(|(_, number)| edges.iter().any(|edge| number(edge).is_some())).collect();
    let into_memory = "writing to memory does not fail";
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let header = ["from", "to", "kind"].into_iter().chain(columns.iter().map(|(name, _)| *name));
    writer.write_record(header).expect(into_memory);
    for edge in edges {
        let mut cells = vec![edge.from.clone(), edge.to.clone(), edge.kind.word().to_owned()];
        cells.extend(columns.iter().map(|(_, number)| number(edge).map_or_else(String::new, |x| format!("{x:?}"))));
        writer.write_record(&cells).expect(into_memory);
    }
    String::from_utf8(writer.into_inner().expect(into_memory)).expect("names and numbers are UTF-8")
}

#[cfg(test)]
mod tests {
    use super::edge_list;
    use crate::run::{Run, Seed};
    use crate::simulate::{SimulateOptions, simulate};

    #[test]
    fn every_edge_is_a_row_and_empty_columns_are_left_out() {
        let options = SimulateOptions { nodes: Some(4), samples: 300, ..Default::default() };
        let data = simulate("MC-SIN".parse().unwrap(), &options, Seed(1)).unwrap().data;
        let mut document = crate::learn(&data, &Run::new(Seed(1))).unwrap().document(None);
        let table = edge_list(&document.edges);
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "from,to,kind,p_value,strength");
        assert_eq!(lines.len(), 1 + document.edges.len());
        let edge = &document.edges[0];
        let expected =
            format!("{},{},directed,{:?},{:?}", edge.from, edge.to, edge.p_value.unwrap(), edge.strength.unwrap());
        assert_eq!(lines[1], expected);
        document.edges[0].from = "a, \"b\"".to_owned();
        assert!(edge_list(&document.edges).contains("\"a, \"\"b\"\"\","));
    }
}
