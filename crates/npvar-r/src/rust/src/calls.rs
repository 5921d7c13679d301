//! What is answered at once: questions without a table, from JSON to JSON.

use npvar::graph::{GraphFormat, NamedGraph};
use npvar::learner::LearnerDescription;
use npvar::metrics::Evaluation;
use npvar::simulate::SimulateOptions;
use npvar::{Error, Seed};
use npvar_draw::Drawing;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::outcome::text;

/// A question; graphs are JSON text.
#[derive(Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case", deny_unknown_fields)]
enum Asked {
    /// Every learner: its name, what it is and assumes, its options with their defaults and descriptions.
    Learners,
    /// A sample and its true graph.
    Simulate { setting: String, options: Map<String, Value>, seed: String },
    /// An estimate, and the order it was found with, compared with the truth.
    Evaluate { estimate: String, order: Option<Vec<String>>, truth: String },
    /// A graph as text in a format (`csv`, `dot` or `graphml`).
    Convert { graph: String, to: String },
    /// The middle, size and label of every node, and the Bézier curve of every edge.
    Layout { graph: String },
}

/// # Errors
/// What the library came upon, or [`Error::Options`] when the question is none.
pub(crate) fn answer(question: &str) -> npvar::Result<Value> {
    let wrong = |error: serde_json::Error| Error::Options { option: "options".to_owned(), problem: error.to_string() };
    let asked: Asked = serde_json::from_str(question).map_err(wrong)?;
    match asked {
        Asked::Learners => Ok(text(&LearnerDescription::all())),
        Asked::Simulate { setting, options, seed } => {
            let options: SimulateOptions = serde_json::from_value(Value::Object(options)).map_err(wrong)?;
            let simulated = npvar::simulate::simulate(setting.parse()?, &options, seed_of(&seed)?)?;
            let names = simulated.data.names();
            let columns: Vec<&[f64]> = (0..names.len()).map(|j| simulated.data.column(j)).collect();
            let truth = NamedGraph::from_dag(names.to_vec(), &simulated.truth)?.to_text(GraphFormat::Json);
            Ok(json!({ "names": names, "columns": columns, "truth": truth }))
        }
        Asked::Evaluate { estimate, order, truth } => {
            let truth = NamedGraph::parse(&truth, GraphFormat::Json, "the truth")?;
            Ok(text(&Evaluation::new(&graph(&estimate)?, order.as_deref(), &truth)?))
        }
        Asked::Convert { graph: from, to } => {
            let format = match to.as_str() {
                "csv" => GraphFormat::Csv,
                "dot" => GraphFormat::Dot,
                "graphml" => GraphFormat::GraphMl,
                other => {
                    let problem = format!("the formats are `csv`, `dot` and `graphml`, got `{other}`");
                    return Err(Error::Options { option: "`format`".to_owned(), problem });
                }
            };
            Ok(graph(&from)?.to_text(format).into())
        }
        Asked::Layout { graph: drawn } => {
            let drawing = Drawing::of(&graph(&drawn)?);
            let (layout, labels) = (drawing.layout(), drawing.labels());
            let nodes: Vec<Value> = labels
                .iter()
                .zip(&layout.nodes)
                .map(|(label, [x, y])| {
                    json!({
                        "x": x, "y": y, "width": label.size.width, "height": label.size.height,
                        "label": label.lines.join("\n"),
                    })
                })
                .collect();
            let edges: Vec<Value> = drawing
                .edges
                .iter()
                .zip(&layout.routes)
                .map(|(edge, route)| {
                    let along = |i: usize| route.iter().map(|point| point[i]).collect::<Vec<f64>>();
                    json!({ "kind": edge.kind, "x": along(0), "y": along(1) })
                })
                .collect();
            Ok(json!({ "nodes": nodes, "edges": edges }))
        }
    }
}

fn graph(json: &str) -> npvar::Result<NamedGraph> {
    NamedGraph::parse(json, GraphFormat::Json, "the graph")
}

/// R has no whole numbers beyond 2^53, so seeds are written out.
pub(crate) fn seed_of(text: &str) -> npvar::Result<Seed> {
    text.parse().map(Seed).map_err(|_| Error::Options {
        option: "`seed`".to_owned(),
        problem: format!("expected a whole number from 0 to {}, got `{text}`", u64::MAX),
    })
}
