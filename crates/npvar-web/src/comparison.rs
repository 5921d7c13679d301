//! A comparison of learners as a page: the same file as the report, with an `npvar-compare/1` object inside.

use serde::Serialize;
use serde_json::{Value, json};

use crate::places::places;
use crate::report::html;

/// One HTML file that shows an `npvar-compare/1` object: its learners, switched on and off; the edges by their votes; what the
/// data say about every assumption. `command` makes the same comparison again.
///
/// ```
/// let comparison = serde_json::json!({
///     "format": "npvar-compare/1", "nodes": ["a", "b"], "edges": [{"from": "a", "to": "b", "votes": {"pc": "undirected"}}],
/// });
/// let page = npvar_web::comparison_html("t.csv", &comparison, "npvar compare t.csv --seed 1")?;
/// assert!(page.starts_with("<!doctype html>") && page.contains("npvar-comparison/1"));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// When it cannot be written as JSON, or is no such object.
pub fn comparison_html(title: &str, comparison: &impl Serialize, command: &str) -> serde_json::Result<String> {
    let document = serde_json::to_value(comparison)?;
    // Every two columns that some learner joins have a way, so that the graph stands still while learners come and go.
    let joined: Vec<Value> = (document["edges"].as_array().into_iter().flatten())
        .map(|edge| json!({"from": edge["from"], "to": edge["to"], "kind": "directed"}))
        .collect();
    let places = places(&json!({"nodes": document["nodes"], "edges": joined, "layers": null}))?;
    html(&json!({
        "format": "npvar-comparison/1", "title": title, "places": places, "document": document, "command": command,
    }))
}
