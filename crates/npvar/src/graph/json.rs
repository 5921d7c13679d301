//! The `nodes` and `edges` of an `npvar-graph/1` object; whatever else it holds is left alone.

use serde::{Deserialize, Serialize};

use super::builder::GraphBuilder;
use super::{Edge, NamedGraph};

const FORMAT: &str = "npvar-graph/1";

#[derive(Serialize, Deserialize)]
struct GraphObject {
    format: Option<String>,
    nodes: Vec<String>,
    edges: Vec<Edge>,
}

pub(super) fn to_text(named: &NamedGraph) -> String {
    let object = GraphObject { format: Some(FORMAT.to_owned()), nodes: named.names().to_vec(), edges: named.edges() };
    let mut text = serde_json::to_string_pretty(&object).expect("strings always serialise");
    text.push('\n');
    text
}

pub(super) fn parse(text: &str) -> Result<NamedGraph, String> {
    let object: GraphObject =
        serde_json::from_str(text).map_err(|error| format!("expected an object with `nodes` and `edges`: {error}"))?;
    if let Some(format) = object.format.filter(|format| format != FORMAT) {
        return Err(format!("expected the format `{FORMAT}`, found `{format}`"));
    }
    let mut builder = GraphBuilder::default();
    for name in &object.nodes {
        builder.new_node(name)?;
    }
    for (position, edge) in object.edges.iter().enumerate() {
        let place = |problem| format!("edge {}: {problem}", position + 1);
        let from = builder.known(&edge.from).map_err(place)?;
        let to = builder.known(&edge.to).map_err(place)?;
        builder.edge(from, to, edge.kind).map_err(place)?;
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_result_is_left_alone() {
        let text = r#"{"format": "npvar-graph/1", "nodes": ["a", "b"], "order": ["a", "b"],
            "edges": [{"from": "a", "to": "b", "kind": "directed", "p_value": 1e-9}], "seed": 1}"#;
        assert!(parse(text).expect("a graph").graph().has_directed(0, 1));
    }

    #[test]
    fn problems_say_what_was_expected() {
        let problem = |text| parse(text).expect_err("not a graph");
        assert!(problem(r#"{"nodes": ["a"]}"#).contains("missing field `edges`"));
        assert!(problem(r#"{"format": "other", "nodes": [], "edges": []}"#).contains("found `other`"));
        assert_eq!(
            problem(r#"{"nodes": ["a"], "edges": [{"from": "a", "to": "c"}]}"#),
            "edge 1: an edge names `c`, which is not among the nodes"
        );
        assert!(problem(r#"{"nodes": ["a", "a"], "edges": []}"#).contains("more than once"));
        assert!(
            problem(r#"{"nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "kind": "curved"}]}"#)
                .contains("curved")
        );
    }
}
