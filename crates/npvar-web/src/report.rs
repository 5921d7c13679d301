//! The report: the page with its data inside.

use npvar::graph::NamedGraph;
use npvar::judge::{Call, GraphDocument};
use serde::Serialize;
use serde_json::{Value, json};

use crate::ShownRows;
use crate::places::places;

/// The page, with a place for the data.
const PAGE: &str = include_str!("../page/dist/report.html");
const PLACE: &str = "{{npvar-data}}";

/// A graph to compare with from the start.
#[derive(Debug, Clone)]
pub struct Truth {
    /// What it is called on the page, as in "the truth".
    pub name: String,
    /// The graph.
    pub graph: NamedGraph,
}

/// Everything the page shows of one run.
///
/// ```
/// use npvar::judge::Call;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// use npvar_web::{Report, ShownRows};
/// let data = simulate("MC-SIN".parse()?, &SimulateOptions::default(), Seed(1))?.data;
/// let learned = npvar::learn(&data, &Run::new(Seed(1)))?;
/// let report = Report {
///     title: "MC-SIN".to_owned(),
///     samples: Some(learned.n),
///     document: &learned.document(None),
///     sample: Some(ShownRows::of(&data, learned.n)?),
///     truth: None,
///     note: None,
///     call: Call::new(["data.csv"], learned.config.clone(), Seed(1)),
/// };
/// assert!(report.to_html()?.starts_with("<!doctype html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Report<'a> {
    /// The heading: usually the name of the data.
    pub title: String,
    /// `n`.
    pub samples: Option<usize>,
    /// What was learned.
    pub document: &'a GraphDocument,
    /// Some of the rows, for the points in plots.
    pub sample: Option<ShownRows>,
    /// A graph to compare with.
    pub truth: Option<Truth>,
    /// A sentence below the heading.
    pub note: Option<String>,
    /// How to do it again.
    pub call: Call,
}

impl Report<'_> {
    /// The object that the page reads.
    ///
    /// # Errors
    /// When the document cannot be written as JSON, which for numbers read from a table does not happen.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        let truth = self.truth.as_ref().map(|Truth { name, graph }| {
            let edges: Vec<Value> = (graph.edges().iter())
                .map(|edge| json!({"from": edge.from, "to": edge.to, "kind": edge.kind}))
                .collect();
            json!({"name": name, "nodes": graph.names(), "edges": edges})
        });
        let document = serde_json::to_value(self.document)?;
        Ok(json!({
            "format": "npvar-report/1",
            "title": self.title,
            "samples": self.samples,
            "places": places(&document)?,
            "document": document,
            "sample": serde_json::to_value(&self.sample)?,
            "truth": truth,
            "note": self.note,
            "repeat": {"command": self.call.command(), "python": self.call.python()},
        }))
    }

    /// One HTML file that needs nothing else.
    ///
    /// # Errors
    /// As [`to_json`](Report::to_json).
    pub fn to_html(&self) -> serde_json::Result<String> {
        html(&self.to_json()?)
    }
}

/// The page around a report's object.
pub(crate) fn html(report: &impl Serialize) -> serde_json::Result<String> {
    Ok(PAGE.replacen(PLACE, &inside_script(&serde_json::to_string(report)?), 1))
}

/// JSON that cannot end the element it stands in: `<`, `>` and `&` occur only in strings, where they can be escaped, as
/// can the two line separators that old scripts stumble over.
fn inside_script(json: &str) -> String {
    let mut text = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => text += &format!("\\u{:04x}", c as u32),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_cannot_leave_their_element() {
        let object = json!({"title": "</script><script>alert(1)</script><!-- & \u{2028}"});
        let page = html(&object).unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert!(!page.contains("alert(1)<"));
        let begin = page.find("id=\"npvar-data\">").unwrap() + "id=\"npvar-data\">".len();
        let end = begin + page[begin..].find("</script>").unwrap();
        assert_eq!(serde_json::from_str::<Value>(&page[begin..end]).unwrap(), object);
    }

    #[test]
    fn the_page_asks_for_nothing_from_outside() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        assert!(PAGE.contains("default-src 'none'"));
        // Namespaces are names, not addresses.
        let rest = PAGE.replace("http://www.w3.org/2000/svg", "").replace("http://graphml.graphdrawing.org/xmlns", "");
        for word in ["http://", "https://", " src=", "@import", "url(", "onclick=", "onload=\""] {
            assert!(!rest.contains(word), "{word}");
        }
    }
}
