//! What was learned, for a person: the verdict first, then the edges, then the order; and a closing line.

use std::collections::HashMap;

use npvar::judge::{Belief, GraphDocument, Timing, Verdict};
use npvar::learner::Learned;
use npvar::{Diagnostic, Level};

use crate::terminal::{Stream, Tone};
use crate::text::{self, Align, row};

/// Warnings about the columns' scales, which no resampling can take away.
const SCALES: [&str; 3] = ["partly-standardised", "different-units", "standardised-data"];

/// The answer.
pub(crate) fn page(learned: &Learned, document: &GraphDocument) -> String {
    let mut page = document.verdict.as_ref().map_or_else(String::new, verdict);
    let edges = text::count(document.edges.len(), "edge");
    page += &format!("{edges} between {} nodes, from {} samples\n", document.nodes.len(), learned.n);
    page += &edge_table(document);
    if let Some(order) = &document.order {
        page += &format!("\n{}\n", Stream::Out.wrapped(&format!("order: {}", order.join(", ")), 2));
    }
    if let Some(layers) = document.layers.as_ref().filter(|layers| layers.iter().any(|layer| layer.len() > 1)) {
        let layers: Vec<String> = layers.iter().map(|layer| layer.join(", ")).collect();
        page += &format!("{}\n", Stream::Out.wrapped(&format!("layers: {}", layers.join(" | ")), 2));
    }
    if let Some(bootstrap) = &document.bootstrap {
        page += &format!(
            "frequency: the share of {} in which this edge was found (how stable it is, not how likely)\n",
            text::count(bootstrap.replicates, "bootstrap sample")
        );
        if document.diagnostics.iter().any(|found| SCALES.contains(&found.code.as_str())) {
            page +=
                "frequencies do not answer the doubt about units: directions that follow them come back every time\n";
        }
    }
    page
}

/// The verdict, and the command to go on with.
pub(crate) fn verdict(Verdict { level, sentence, next }: &Verdict) -> String {
    let tone = match level {
        Belief::Believable => Tone::Good,
        Belief::DirectionsDoubtful => Tone::Doubtful,
        Belief::NotUsable => Tone::Bad,
    };
    let (word, rest) = sentence.split_at(level.words().len());
    let sentence = format!("{}{rest}", Stream::Out.paint(tone, word));
    let next = next.as_ref().map_or_else(String::new, |next| format!("next: {next}\n"));
    format!("{}\n{next}\n", Stream::Out.wrapped(&sentence, 2))
}

/// What is shown of what was noticed: how many rows were left out stands among what was done to the table.
pub(crate) fn noticed(document: &GraphDocument) -> Vec<Diagnostic> {
    let is_told = |found: &&Diagnostic| !document.intake.is_empty() && found.code == "rows-dropped";
    document.diagnostics.iter().filter(|found| !is_told(found)).cloned().collect()
}

/// `36 edges, 5 warnings, 2 notes (--explain says more); took 12.0 ms (…)`.
pub(crate) fn closing(document: &GraphDocument, timing: Option<Timing>, explained: bool) -> String {
    let shown = noticed(document);
    let warnings = shown.iter().filter(|found| found.level == Level::Warning).count();
    let notes = shown.len() - warnings;
    let mut words = format!("{}, {}", text::count(document.edges.len(), "edge"), text::count(warnings, "warning"));
    if notes > 0 {
        words += &format!(", {}", text::count(notes, "note"));
    }
    if !explained && !shown.is_empty() {
        words += " (--explain says more)";
    }
    if let Some(timing) = timing {
        words += &format!(
            "; took {} (reading {}, order {}, parents {}{})",
            text::seconds(timing.total_seconds),
            text::seconds(timing.read_seconds),
            text::seconds(timing.order_seconds),
            text::seconds(timing.selection_seconds),
            timing.evidence_seconds.map_or_else(String::new, |time| format!(", evidence {}", text::seconds(time)))
        );
        words += &bootstrap_takes(document, timing.order_seconds + timing.selection_seconds);
    }
    Stream::Err.paint(Tone::Quiet, &Stream::Err.wrapped(&words, 2))
}

/// How long the bootstrap that the verdict proposes takes where learning took so many seconds, if more than a minute.
fn bootstrap_takes(document: &GraphDocument, learning: f64) -> String {
    let next = document.verdict.as_ref().and_then(|verdict| verdict.next.as_ref());
    let mut words = next.into_iter().flat_map(|next| next.split(' ')).skip_while(|word| *word != "--bootstrap");
    let replicates = words.nth(1).and_then(|word| word.parse::<f64>().ok()).filter(|_| document.bootstrap.is_none());
    let takes = replicates.map(|replicates| replicates * learning);
    let takes = takes.filter(|&seconds| seconds > 60.0);
    takes.map_or_else(String::new, |time| format!("; the bootstrap would take about {}", text::seconds(time)))
}

/// Edges along the order, parents first.
fn edge_table(document: &GraphDocument) -> String {
    if document.edges.is_empty() {
        return String::new();
    }
    let names = document.order.as_ref().unwrap_or(&document.nodes);
    let place: HashMap<&String, usize> = names.iter().enumerate().map(|(place, name)| (name, place)).collect();
    let mut edges: Vec<_> = document.edges.iter().collect();
    edges.sort_by_key(|edge| (place.get(&edge.from), place.get(&edge.to)));
    let nats = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1}"));
    let mut rows =
        vec![row(["from", "", "to", "p-value", "strength", "weight", "nats without", "nats turned", "frequency"])];
    rows.extend(edges.into_iter().map(|edge| {
        let arrow = edge.kind.sign();
        let p_value = edge.p_value.map_or_else(String::new, text::p_value);
        let strength = edge.strength.map_or_else(String::new, |strength| format!("{strength:.3}"));
        let weight = edge.weight.map_or_else(String::new, text::number);
        let frequency = edge.frequency.map_or_else(String::new, |frequency| format!("{frequency:.2}"));
        let [without, turned] = [edge.without_nats, edge.turned_nats].map(nats);
        row([&edge.from, arrow, &edge.to, &p_value, &strength, &weight, &without, &turned, &frequency])
    }));
    let mut align = [Align::Right; 9];
    align[..3].fill(Align::Left);
    format!("\n{}", text::table(&align, &rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_bootstrap_is_announced() {
        let options = npvar::simulate::SimulateOptions { nodes: Some(3), samples: 100, ..Default::default() };
        let data = npvar::simulate::simulate("MC-SIN".parse().unwrap(), &options, npvar::Seed(1)).unwrap().data;
        let mut document = npvar::learn(&data, &npvar::Run::new(npvar::Seed(1))).unwrap().document(None);
        let next = Some("npvar learn t.csv --bootstrap 200 --seed 1".to_owned());
        document.verdict = Some(Verdict { level: Belief::Believable, sentence: "Believable".to_owned(), next });
        assert!(bootstrap_takes(&document, 3.6).ends_with("would take about 12 min 0 s"));
        assert_eq!(bootstrap_takes(&document, 0.1), "");
        document.verdict.as_mut().unwrap().next = None;
        assert_eq!(bootstrap_takes(&document, 3.6), "");
    }
}
