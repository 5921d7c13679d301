//! What a reader should know about an answer of PC.

use super::independence::cut_short;
use crate::equivalence::PcResult;
use crate::graph::{EdgeKind, Node};
use crate::run::Diagnostic;

/// How many colliders a message lists.
const LISTED: usize = 3;

pub(super) fn noticed(names: &[String], result: &PcResult) -> Vec<Diagnostic> {
    let colliders = |triples: &[(Node, Node, Node)]| {
        let mut shown: Vec<String> = triples
            .iter()
            .take(LISTED)
            .map(|&(x, y, z)| format!("`{}` -> `{}` <- `{}`", names[x], names[y], names[z]))
            .collect();
        if triples.len() > LISTED {
            shown.push(format!("{} more", triples.len() - LISTED));
        }
        shown.join(", ")
    };
    let mut diagnostics = Vec::new();
    diagnostics.extend(cut_short(&result.skeleton));
    if !result.overruled.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "knowledge-overrules-tests",
            format!("the tests speak for {}, which the background knowledge excludes", colliders(&result.overruled)),
        ));
    }
    if !result.conflicts.is_empty() {
        diagnostics.push(Diagnostic::warning(
            "conflicting-colliders",
            format!(
                "the tests contradict each other: {} would direct edges against other colliders or against the \
                 background knowledge; directions near them are unreliable (`conflicts` says who wins)",
                colliders(&result.conflicts)
            ),
        ));
    }
    if !result.ambiguous.is_empty() {
        let shown = result.ambiguous.len();
        diagnostics.push(Diagnostic::info(
            "ambiguous-triples",
            format!(
                "the tests do not tell whether {} of three columns {} a common effect in the middle; edges that only this \
                 would direct are left undirected",
                if shown == 1 { "1 chain".to_owned() } else { format!("{shown} chains") },
                if shown == 1 { "has" } else { "have" }
            ),
        ));
    }
    let graph = &result.graph;
    let bidirected = graph.edges().iter().any(|&(_, _, kind)| kind == EdgeKind::Bidirected);
    if bidirected || graph.consistent_extension().is_none() {
        diagnostics.push(Diagnostic::warning(
            "not-an-equivalence-class",
            "no directed acyclic graph has these edges and directions without further colliders, as happens when tests \
             contradict each other",
        ));
    }
    diagnostics
}
