//! The evidence as part of the `npvar-graph/1` object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bootstrap::Resampling;
use super::stability::{Places, Stability};
use super::{BAND, Curves, Evidence, StepErrors};
use crate::graph::{EdgeKind, Node};
use crate::judge::document::GraphDocument;

/// How often an edge was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrequencyDocument {
    /// The parent (or one end).
    pub from: String,
    /// The child (or the other end).
    pub to: String,
    /// `directed`, `undirected` or `bidirected`.
    pub kind: EdgeKind,
    /// The share of bootstrap samples in which this very edge was found.
    pub frequency: f64,
}

/// An edge of the consensus.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsensusDocument {
    /// The parent (or one end).
    pub from: String,
    /// The child (or the other end).
    pub to: String,
    /// `directed`, `undirected` or `bidirected`.
    pub kind: EdgeKind,
}

/// What bootstrap samples say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BootstrapDocument {
    /// How many samples ended with a graph.
    pub replicates: usize,
    /// How many did not.
    pub failed: usize,
    /// How rows were drawn.
    pub resampling: Resampling,
    /// Every edge found at least once; the frequencies of a pair add up to how often the two are adjacent at all.
    pub edges: Vec<FrequencyDocument>,
    /// What a position is: `layer` or `order`.
    pub position: Option<String>,
    /// For every node, the share of samples in which it stood at each position.
    pub positions: Option<Map<String, Value>>,
    /// Edges found in at least half of the samples, the directed ones without a cycle.
    pub consensus: Vec<ConsensusDocument>,
}

/// A parent's effect on a child.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveDocument {
    /// The parent.
    pub from: String,
    /// The child.
    pub to: String,
    /// Values of the parent.
    pub x: Vec<f64>,
    /// The effect, with mean zero over the data.
    pub fit: Vec<f64>,
    /// The lower end of the band, 1.96 standard errors below.
    pub lower: Option<Vec<f64>>,
    /// The upper end of the band, 1.96 standard errors above.
    pub upper: Option<Vec<f64>>,
}

/// The winner's lead in a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarginDocument {
    /// The last of the nodes chosen.
    pub winner: String,
    /// The first of the others.
    pub runner_up: String,
    /// The runner-up's residual variance minus the winner's.
    pub lead: f64,
    /// The standard error of the lead.
    pub standard_error: f64,
}

impl GraphDocument {
    /// The same object with the evidence for it.
    pub fn with_evidence(mut self, evidence: &Evidence) -> Self {
        if let Some(stability) = &evidence.stability {
            self.add_stability(stability);
        }
        if let Some(curves) = &evidence.curves {
            self.add_curves(curves);
        }
        if let Some(errors) = &evidence.step_errors {
            self.add_step_errors(errors);
        }
        self
    }

    fn node(&self, name: &str) -> Option<Node> {
        self.nodes.iter().position(|known| known == name)
    }

    fn add_stability(&mut self, stability: &Stability) {
        let name = |node: Node| self.nodes[node].clone();
        let edges = stability.edges.iter().map(|edge| FrequencyDocument {
            from: name(edge.from),
            to: name(edge.to),
            kind: edge.kind,
            frequency: edge.frequency,
        });
        let consensus = stability.consensus.edges().into_iter();
        let positions = stability.places.as_ref().map(|(_, places)| {
            places.iter().enumerate().map(|(node, shares)| (name(node), shares.clone().into())).collect()
        });
        let position = stability.places.as_ref().map(|(kind, _)| match kind {
            Places::Layers => "layer".to_owned(),
            Places::Order => "order".to_owned(),
        });
        let document = BootstrapDocument {
            replicates: stability.replicates,
            failed: stability.failed,
            resampling: stability.resampling,
            edges: edges.collect(),
            position,
            positions,
            consensus: consensus
                .map(|(from, to, kind)| ConsensusDocument { from: name(from), to: name(to), kind })
                .collect(),
        };
        let frequencies: Vec<Option<f64>> = (self.edges.iter())
            .map(|edge| Some(stability.frequency(self.node(&edge.from)?, self.node(&edge.to)?, edge.kind)))
            .collect();
        self.edges.iter_mut().zip(frequencies).for_each(|(edge, frequency)| edge.frequency = frequency);
        for diagnostic in &stability.diagnostics {
            if !self.diagnostics.contains(diagnostic) {
                self.diagnostics.push(diagnostic.clone());
            }
        }
        self.bootstrap = Some(document);
    }

    fn add_curves(&mut self, curves: &Curves) {
        let document = curves.curves.iter().map(|curve| {
            let shifted = |errors: &Vec<f64>, by: f64| {
                curve.fit.iter().zip(errors).map(|(fit, error)| rounded(fit + by * error)).collect()
            };
            let band = |by: f64| curve.standard_errors.as_ref().map(|errors| shifted(errors, by));
            CurveDocument {
                from: self.nodes[curve.parent].clone(),
                to: self.nodes[curve.child].clone(),
                x: curve.x.iter().copied().map(rounded).collect(),
                fit: curve.fit.iter().copied().map(rounded).collect(),
                lower: band(-BAND),
                upper: band(BAND),
            }
        });
        self.curves = Some(document.collect());
        self.curve_model = Some(curves.model);
    }

    fn add_step_errors(&mut self, errors: &StepErrors) {
        let name = |node: Node| self.nodes[node].clone();
        for (step, errors) in self.steps.iter_mut().flatten().zip(&errors.steps) {
            // The document names the nodes in the order in which the errors stand.
            let names = step.residual_variances.keys().cloned();
            step.standard_errors = Some(names.zip(errors.standard_errors.iter().map(|&error| error.into())).collect());
            step.margin = errors.margin.map(|margin| MarginDocument {
                winner: name(margin.winner),
                runner_up: name(margin.runner_up),
                lead: margin.lead,
                standard_error: margin.standard_error,
            });
        }
        self.residual_model = Some(errors.model);
    }
}

/// To six significant digits: finer than anything drawn, and a third of the size.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
