//! GraphML (Brandes et al. 2002): written with the name of a node as its `name` attribute, so that any name is allowed.
//!
//! Read: one graph of nodes and edges. A node's name is its `name` or `label` attribute, or else its id. An edge's kind is its
//! `kind` attribute, or else follows from `directed` and `edgedefault`. Other attributes are ignored; nested graphs and
//! hyperedges are not read.

use std::collections::{HashMap, HashSet};

use super::builder::GraphBuilder;
use super::xml::{Piece, escaped, pieces};
use super::{EdgeKind, NamedGraph};

/// Writes nodes `n0`, `n1`, … with their names, then the edges.
pub(super) fn to_text(named: &NamedGraph) -> String {
    let mut text = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n",
        "  <key id=\"kind\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n",
        "  <graph edgedefault=\"directed\">\n",
    ));
    for (node, name) in named.names().iter().enumerate() {
        text += &format!("    <node id=\"n{node}\"><data key=\"name\">{}</data></node>\n", escaped(name));
    }
    for (from, to, kind) in named.graph().edges() {
        let (directed, kind) = match kind {
            EdgeKind::Directed => (true, "directed"),
            EdgeKind::Undirected => (false, "undirected"),
            EdgeKind::Bidirected => (false, "bidirected"),
        };
        text += &format!(
            "    <edge source=\"n{from}\" target=\"n{to}\" directed=\"{directed}\"><data key=\"kind\">{kind}</data></edge>\n"
        );
    }
    text + "  </graph>\n</graphml>\n"
}

/// Reads a graph.
pub(super) fn parse(text: &str) -> Result<NamedGraph, String> {
    let mut document = Document::default();
    for (line, piece) in pieces(text)? {
        document.take(line, piece).map_err(|problem| format!("line {line}: {problem}"))?;
    }
    document.finish()
}

#[derive(Default)]
struct Document {
    /// Ids of the keys that hold names, and of those that hold kinds.
    name_keys: HashSet<String>,
    kind_keys: HashSet<String>,
    /// `edgedefault` of the one graph, once it has begun.
    directed_by_default: Option<bool>,
    nodes: Vec<NodeElement>,
    edges: Vec<EdgeElement>,
    inside: Inside,
    data: Option<(String, String)>,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Inside {
    #[default]
    Graph,
    Node,
    Edge,
}

struct NodeElement {
    line: usize,
    id: String,
    name: Option<String>,
}

struct EdgeElement {
    line: usize,
    source: String,
    target: String,
    directed: Option<bool>,
    kind: Option<EdgeKind>,
}

impl Document {
    fn take(&mut self, line: usize, piece: Piece) -> Result<(), String> {
        match piece {
            Piece::Start { name, attributes } => {
                let attributes: HashMap<String, String> = attributes.into_iter().collect();
                self.start(line, &name, &attributes)
            }
            Piece::End { name } => self.end(&name),
            Piece::Text(text) => {
                if let Some((_, data)) = &mut self.data {
                    data.push_str(&text);
                }
                Ok(())
            }
        }
    }

    fn start(&mut self, line: usize, element: &str, attributes: &HashMap<String, String>) -> Result<(), String> {
        let needed = |attribute: &str| {
            attributes.get(attribute).cloned().ok_or_else(|| format!("`<{element}>` needs the attribute `{attribute}`"))
        };
        match element {
            "key" => {
                let id = needed("id")?;
                match attributes.get("attr.name").map(String::as_str) {
                    Some("name" | "label") => _ = self.name_keys.insert(id),
                    Some("kind") => _ = self.kind_keys.insert(id),
                    _ => {}
                }
            }
            "graph" if self.directed_by_default.is_some() => {
                return Err("expected one graph, found a second (nested graphs are not read)".to_owned());
            }
            "graph" => {
                let default = attributes.get("edgedefault").map_or("directed", String::as_str);
                self.directed_by_default = Some(default != "undirected");
            }
            "node" => {
                self.inside = Inside::Node;
                self.nodes.push(NodeElement { line, id: needed("id")?, name: None });
            }
            "edge" => {
                self.inside = Inside::Edge;
                let directed = attributes.get("directed").map(|value| value == "true");
                let (source, target) = (needed("source")?, needed("target")?);
                self.edges.push(EdgeElement { line, source, target, directed, kind: None });
            }
            "data" => self.data = Some((needed("key")?, String::new())),
            "hyperedge" => return Err("expected nodes and edges, found a hyperedge".to_owned()),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, element: &str) -> Result<(), String> {
        match element {
            "node" | "edge" => self.inside = Inside::Graph,
            "data" => {
                let Some((key, data)) = self.data.take() else { return Ok(()) };
                match self.inside {
                    Inside::Node if self.name_keys.contains(&key) => {
                        if let Some(node) = self.nodes.last_mut() {
                            node.name.get_or_insert(data);
                        }
                    }
                    Inside::Edge if self.kind_keys.contains(&key) => {
                        let kind = kind(data.trim())?;
                        if let Some(edge) = self.edges.last_mut() {
                            edge.kind = Some(kind);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<NamedGraph, String> {
        let Some(directed_by_default) = self.directed_by_default else {
            return Err("expected a `<graph>`, found none".to_owned());
        };
        let mut builder = GraphBuilder::default();
        let mut by_id = HashMap::new();
        for NodeElement { line, id, name } in self.nodes {
            let place = |problem| format!("line {line}: {problem}");
            let node = builder.new_node(name.as_ref().unwrap_or(&id)).map_err(place)?;
            if by_id.insert(id.clone(), node).is_some() {
                return Err(place(format!("the node id `{id}` appears more than once")));
            }
        }
        for edge in self.edges {
            let place = |problem| format!("line {}: {problem}", edge.line);
            let node = |id: &String| {
                by_id
                    .get(id)
                    .copied()
                    .ok_or_else(|| place(format!("an edge names `{id}`, which is not among the nodes")))
            };
            let by_direction = match edge.directed.unwrap_or(directed_by_default) {
                true => EdgeKind::Directed,
                false => EdgeKind::Undirected,
            };
            let kind = edge.kind.unwrap_or(by_direction);
            builder.edge(node(&edge.source)?, node(&edge.target)?, kind).map_err(place)?;
        }
        builder.finish()
    }
}

fn kind(text: &str) -> Result<EdgeKind, String> {
    match text {
        "directed" => Ok(EdgeKind::Directed),
        "undirected" => Ok(EdgeKind::Undirected),
        "bidirected" => Ok(EdgeKind::Bidirected),
        other => Err(format!("an edge is directed, undirected or bidirected, found `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_names_where_there_are_no_others() {
        let text = "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/><node id='c'/>\
                    <edge source='a' target='b' directed='true'/><edge source='b' target='c'/></graph></graphml>";
        let graph = parse(text).expect("a graph");
        assert_eq!(graph.names(), ["a", "b", "c"]);
        assert!(graph.graph().has_directed(0, 1) && graph.graph().has_undirected(1, 2));
    }

    #[test]
    fn edges_may_come_before_their_nodes() {
        let text = "<graphml><graph><edge source='b' target='a'/><node id='a'/><node id='b'/></graph></graphml>";
        assert!(parse(text).expect("a graph").graph().has_directed(1, 0));
    }

    #[test]
    fn problems_name_the_line() {
        let problem = |text| parse(text).expect_err("not a graph");
        assert_eq!(problem("<graphml></graphml>"), "expected a `<graph>`, found none");
        assert_eq!(
            problem("<graph>\n<edge source='a' target='b'/></graph>"),
            "line 2: an edge names `a`, which is not among the nodes"
        );
        assert_eq!(problem("<graph>\n<node/></graph>"), "line 2: `<node>` needs the attribute `id`");
        assert_eq!(
            problem("<graph>\n<node id='a'/><node id='a'/></graph>"),
            "line 2: the node name `a` appears more than once"
        );
        assert!(problem("<graph><node id='a'><graph/></node></graph>").contains("nested graphs"));
    }
}
