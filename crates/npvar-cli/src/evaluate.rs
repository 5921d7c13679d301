//! `npvar evaluate`: a learned graph against the true one.

use std::path::Path;

use anyhow::Result;
use npvar::graph::{GraphFormat, NamedGraph};
use npvar::metrics::{EdgeScores, Evaluation, MarkScores, TruthKind};
use npvar::text_file::{self, GRAPH_BYTES};
use serde::Deserialize;

use crate::args::EvaluateArguments;
use crate::output;
use crate::text::{self, Align, row};

pub(crate) fn run(arguments: &EvaluateArguments) -> Result<()> {
    let estimate = NamedGraph::read(&arguments.estimate)?;
    let order = order_of(&arguments.estimate)?;
    let truth = NamedGraph::read(&arguments.truth)?;
    let evaluation = Evaluation::new(&estimate, order.as_deref(), &truth)?;
    output::print(&if arguments.json { output::json(&evaluation)? } else { page(&evaluation) })
}

/// The order of an `npvar-graph/1` object; other files hold none.
fn order_of(path: &Path) -> Result<Option<Vec<String>>> {
    #[derive(Deserialize)]
    struct Ordered {
        order: Option<Vec<String>>,
    }
    if GraphFormat::of_path(path)? != GraphFormat::Json {
        return Ok(None);
    }
    let in_file = |problem: String| anyhow::anyhow!("{}: {problem}", path.display());
    let text = text_file::read(path, GRAPH_BYTES).map_err(|error| in_file(error.to_string()))?;
    let text = text.trim_start_matches('\u{feff}');
    let ordered: Ordered = serde_json::from_str(text).map_err(|error| in_file(format!("`order`: {error}")))?;
    Ok(ordered.order)
}

fn page(evaluation: &Evaluation) -> String {
    let Evaluation { nodes, true_edges, estimated_edges, shd, class_shd, sid, sid_bounds, .. } = evaluation;
    let Evaluation { truth, marks, directed, skeleton, order, .. } = evaluation;
    let against = match truth {
        TruthKind::Dag => "structural Hamming distance",
        TruthKind::EquivalenceClass => "pairs that differ from the true class",
        TruthKind::PartialAncestralGraph => "pairs that differ from the true graph",
    };
    let mut rows = vec![
        row(["nodes", &nodes.to_string()]),
        row(["true edges", &true_edges.to_string()]),
        row(["estimated edges", &estimated_edges.to_string()]),
        row([against, &shd.to_string()]),
    ];
    if let Some(class_shd) = class_shd {
        rows.push(row(["distance between equivalence classes", &class_shd.to_string()]));
    }
    match (sid, sid_bounds) {
        (Some(sid), _) => rows.push(row(["structural intervention distance", &sid.to_string()])),
        (None, Some(bounds)) => {
            let bounds = format!("{} to {}", bounds.lower, bounds.upper);
            rows.push(row(["structural intervention distance", &bounds]));
        }
        (None, None) => {}
    }
    if let Some(MarkScores { ends, right, open, unfounded, wrong }) = marks {
        rows.push(row(["marks at common edges", &ends.to_string()]));
        let kinds = [("right", right), ("left open", open), ("unfounded", unfounded), ("wrong", wrong)];
        rows.extend(kinds.map(|(kind, count)| row([&format!("  {kind}"), &count.to_string()])));
    }
    if let Some(order) = order {
        let violated = format!("{} of {true_edges}", order.violated_edges);
        rows.push(row(["order recovered", &text::yes_no(order.recovered)]));
        rows.push(row(["edges against the order", &violated]));
    }
    let scores = |name: &str, scores: &EdgeScores| {
        let [precision, recall, f1] = [scores.precision, scores.recall, scores.f1].map(|score| format!("{score:.3}"));
        row([name, &precision, &recall, &f1])
    };
    let table = [
        row(["", "precision", "recall", "F1"]),
        scores("edges with direction", directed),
        scores("edges without direction", skeleton),
    ];
    let align = [Align::Left, Align::Right, Align::Right, Align::Right];
    format!("{}\n{}", text::table(&[Align::Left, Align::Right], &rows), text::table(&align, &table))
}
