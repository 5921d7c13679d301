//! GraphML (Brandes et al. 2002): written with the name of a node as its `name` attribute, so that any name is allowed.
//!
//! Read: one graph of nodes and edges. A node's name is its `name` or `label` attribute, or else its id. An edge's kind is its
//! `kind` attribute, or else follows from `directed` and `edgedefault`. Other attributes are ignored; nested graphs and
//! hyperedges are not read, nor are document type definitions, which can make a small file unfold into a large one.
//!
//! XML has no way to write most control characters. A name that holds one is written with the pictures of them (`␁`), and
//! exactly, as a JSON string, in an attribute of its own.

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node};

use super::builder::GraphBuilder;
use super::{EdgeKind, NamedGraph};

/// The attribute that holds a name exactly.
const EXACT: &str = "name-json";

/// Writes nodes `n0`, `n1`, … with their names, then the edges.
pub(super) fn to_text(named: &NamedGraph) -> String {
    let mut text = String::from(concat!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
        "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n",
    ));
    let unwritable = |name: &&String| name.chars().any(is_unwritable);
    if named.names().iter().any(|name| unwritable(&name)) {
        text += &format!("  <key id=\"exact\" for=\"node\" attr.name=\"{EXACT}\" attr.type=\"string\"/>\n");
    }
    text += concat!(
        "  <key id=\"kind\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n",
        "  <graph edgedefault=\"directed\">\n",
    );
    for (node, name) in named.names().iter().enumerate() {
        let exact = Some(name).filter(unwritable).map_or_else(String::new, |name| {
            let exactly = escaped(&serde_json::Value::from(name.as_str()).to_string());
            format!("<data key=\"exact\">{exactly}</data>")
        });
        text += &format!("    <node id=\"n{node}\"><data key=\"name\">{}</data>{exact}</node>\n", escaped(name));
    }
    for (from, to, kind) in named.graph().edges() {
        let (directed, kind) = (matches!(kind, EdgeKind::Directed | EdgeKind::PartiallyDirected), kind.word());
        text += &format!(
            "    <edge source=\"n{from}\" target=\"n{to}\" directed=\"{directed}\"><data key=\"kind\">{kind}</data></edge>\n"
        );
    }
    text + "  </graph>\n</graphml>\n"
}

/// Reads a graph.
pub(super) fn parse(text: &str) -> Result<NamedGraph, String> {
    let document = Document::parse(text).map_err(|error| match error {
        roxmltree::Error::DtdDetected => "a document type definition is not read; leave `<!DOCTYPE …>` out".to_owned(),
        error => format!("line {}: {error}", error.pos().row),
    })?;
    let elements = Elements { document: &document };
    elements.refuse("hyperedge", 0, "expected nodes and edges, found a hyperedge")?;
    elements.refuse("graph", 1, "expected one graph, found a second (nested graphs are not read)")?;
    let Some(graph) = elements.called("graph").next() else {
        return Err("expected a `<graph>`, found none".to_owned());
    };
    let directed_by_default = graph.attribute("edgedefault") != Some("undirected");
    let (names, exact, kinds) =
        (elements.keys(&["name", "label"])?, elements.keys(&[EXACT])?, elements.keys(&["kind"])?);
    let mut builder = GraphBuilder::default();
    let mut by_id = HashMap::new();
    for node in elements.called("node") {
        let id = elements.needed(node, "id")?;
        let exactly = data(node, &exact).and_then(|name| serde_json::from_str(&name).ok());
        let name: String = exactly.or_else(|| data(node, &names)).unwrap_or_else(|| id.to_owned());
        let added = builder.new_node(&name).map_err(|problem| elements.at(node, &problem))?;
        if by_id.insert(id, added).is_some() {
            return Err(elements.at(node, &format!("the node id `{id}` appears more than once")));
        }
    }
    for edge in elements.called("edge") {
        let end = |attribute| {
            let id = elements.needed(edge, attribute)?;
            let unknown = || elements.at(edge, &format!("an edge names `{id}`, which is not among the nodes"));
            by_id.get(id).copied().ok_or_else(unknown)
        };
        let (source, target) = (end("source")?, end("target")?);
        let kind = match data(edge, &kinds) {
            Some(word) => kind(word.trim()).map_err(|problem| elements.at(edge, &problem))?,
            None if edge.attribute("directed").map_or(directed_by_default, |word| word == "true") => EdgeKind::Directed,
            None => EdgeKind::Undirected,
        };
        builder.edge(source, target, kind).map_err(|problem| elements.at(edge, &problem))?;
    }
    builder.finish()
}

/// The elements of a document, and where they stand.
struct Elements<'d> {
    document: &'d Document<'d>,
}

impl<'d> Elements<'d> {
    fn called(&self, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> + use<'d> {
        self.document.descendants().filter(move |node| node.is_element() && node.tag_name().name() == name)
    }

    /// A problem with its line.
    fn at(&self, node: Node<'_, '_>, problem: &str) -> String {
        format!("line {}: {problem}", self.document.text_pos_at(node.range().start).row)
    }

    /// An error where there are more than `most` elements of this name.
    fn refuse(&self, name: &'static str, most: usize, problem: &str) -> Result<(), String> {
        self.called(name).nth(most).map_or(Ok(()), |node| Err(self.at(node, problem)))
    }

    fn needed(&self, node: Node<'d, 'd>, attribute: &str) -> Result<&'d str, String> {
        let missing = || self.at(node, &format!("`<{}>` needs the attribute `{attribute}`", node.tag_name().name()));
        node.attribute(attribute).ok_or_else(missing)
    }

    /// The ids of the keys for attributes of these names.
    fn keys(&self, names: &[&str]) -> Result<HashSet<&'d str>, String> {
        let asked = |key: &Node<'_, '_>| key.attribute("attr.name").is_some_and(|name| names.contains(&name));
        self.called("key").filter(asked).map(|key| self.needed(key, "id")).collect()
    }
}

/// The first attribute of an element that has one of these keys.
fn data(element: Node<'_, '_>, keys: &HashSet<&str>) -> Option<String> {
    let named = |child: &Node<'_, '_>| {
        child.tag_name().name() == "data" && child.attribute("key").is_some_and(|key| keys.contains(key))
    };
    let found = element.children().find(named)?;
    Some(found.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect())
}

/// Whether XML 1.0 has no way to write a character.
fn is_unwritable(char: char) -> bool {
    matches!(char, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Text as it stands between tags.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            // A reader would take it for a line end.
            '\r' => escaped += "&#13;",
            '\0'..='\u{1f}' if is_unwritable(char) => escaped.extend(char::from_u32(0x2400 + u32::from(char))),
            _ if is_unwritable(char) => escaped.push(char::REPLACEMENT_CHARACTER),
            _ => escaped.push(char),
        }
    }
    escaped
}

fn kind(text: &str) -> Result<EdgeKind, String> {
    EdgeKind::of_word(text).ok_or_else(|| {
        let known = EdgeKind::ALL.map(EdgeKind::word).join(", ");
        format!("the kinds of edges are {known}; found `{text}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Pdag;

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
        assert!(problem("<graph>\n<node id='a'></graph>").starts_with("line 2: "));
        assert!(problem("<graph>&b;</graph>").starts_with("line 1: "));
        assert_eq!(problem("<graph><hyperedge/></graph>"), "line 1: expected nodes and edges, found a hyperedge");
    }

    #[test]
    fn a_document_type_definition_is_refused_before_it_can_unfold() {
        let bomb = "<!DOCTYPE g [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><graph><node id='&b;'/></graph>";
        assert!(parse(bomb).expect_err("not read").contains("document type definition"));
    }

    #[test]
    fn control_characters_are_written_as_xml_allows_and_read_back_exactly() {
        let named = NamedGraph::new(vec!["a\u{1}b".to_owned(), "c".to_owned()], Pdag::empty(2)).expect("two names");
        let text = to_text(&named);
        assert!(text.contains("a\u{2401}b") && !text.contains('\u{1}') && !text.contains("&#1;"), "{text}");
        assert_eq!(parse(&text).expect("a graph"), named);
    }
}
