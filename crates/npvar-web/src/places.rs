//! Where the page first draws nodes and edges: parents before children with short edges, and in the learned layers, across a wide page and
//! down a narrow one. What moves afterwards is the page's own.

use std::collections::HashMap;

use npvar::graph::{Edge, Layers, Node};
use npvar_draw::layout::{Direction, Layout};
use npvar_draw::{Drawing, DrawnEdge};
use serde::Deserialize;
use serde::de::Error;
use serde_json::{Value, json};

/// What of a document decides where it is drawn.
#[derive(Deserialize)]
struct Shape {
    nodes: Vec<String>,
    edges: Vec<Edge>,
    layers: Option<Vec<Vec<String>>>,
}

/// The places for a document's graph.
pub(crate) fn places(document: &Value) -> serde_json::Result<Value> {
    let Shape { nodes, edges, layers } = Shape::deserialize(document)?;
    let index: HashMap<&str, Node> = nodes.iter().enumerate().map(|(node, name)| (name.as_str(), node)).collect();
    let node = |name: &String| {
        index
            .get(name.as_str())
            .copied()
            .ok_or_else(|| serde_json::Error::custom(format!("no node is called `{name}`")))
    };
    let drawn = |edge: &Edge| -> serde_json::Result<DrawnEdge> {
        Ok(DrawnEdge { from: node(&edge.from)?, to: node(&edge.to)?, kind: edge.kind, verdict: None })
    };
    let edges: Vec<DrawnEdge> = edges.iter().map(drawn).collect::<serde_json::Result<_>>()?;
    let by_index = |layers: Vec<Vec<String>>| {
        let layers = layers.iter().map(|layer| layer.iter().map(node).collect()).collect::<serde_json::Result<_>>()?;
        Layers::new(layers).map_err(serde_json::Error::custom)
    };
    let layers = layers.map(by_index).transpose()?;
    let by_path = Drawing { title: None, names: nodes.clone(), edges, layers: None, direction: None };
    let by_layer = layers.map(|layers| Drawing { layers: Some(layers), ..by_path.clone() });
    let boxes: Vec<Value> = (by_path.labels().iter())
        .map(|label| json!({"lines": label.lines, "width": label.size.width, "height": label.size.height}))
        .collect();
    Ok(json!({"boxes": boxes, "paths": both_ways(&by_path), "layers": by_layer.as_ref().map(both_ways)}))
}

fn both_ways(drawing: &Drawing) -> Value {
    let way = |direction| written(&Drawing { direction: Some(direction), ..drawing.clone() }.layout());
    json!({"across": way(Direction::Across), "down": way(Direction::Down)})
}

/// Coordinates one after the other, to a tenth of a pixel.
fn written(layout: &Layout) -> Value {
    let rounded = |value: f64| (value * 10.0).round() / 10.0;
    let routes: Vec<Vec<f64>> =
        layout.routes.iter().map(|route| route.iter().flatten().copied().map(rounded).collect()).collect();
    let nodes: Vec<[f64; 2]> = layout.nodes.iter().map(|place| place.map(rounded)).collect();
    json!({"nodes": nodes, "routes": routes})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_and_edge_has_its_place_in_every_arrangement() {
        let document = json!({
            "nodes": ["a", "b", "c"],
            "edges": [{"from": "a", "to": "b", "kind": "directed"}, {"from": "a", "to": "c", "kind": "undirected"}],
            "layers": [["a"], ["b", "c"]],
            "order": ["a", "b", "c"],
        });
        let places = places(&document).unwrap();
        assert_eq!(places["boxes"][2]["lines"], json!(["c"]));
        for arrangement in ["paths", "layers"] {
            for direction in ["across", "down"] {
                let layout = &places[arrangement][direction];
                assert_eq!(layout["nodes"].as_array().unwrap().len(), 3);
                for route in layout["routes"].as_array().unwrap() {
                    assert_eq!(route.as_array().unwrap().len() % 6, 2, "a point, then three per piece");
                }
            }
        }
        let dangling = json!({"nodes": ["a"], "edges": [{"from": "a", "to": "x"}], "layers": null});
        assert!(super::places(&dangling).unwrap_err().to_string().contains("`x`"));
    }
}
