//! The evidence as part of the `npvar-graph/1` object.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::graph::{EdgeKind, Node};
use crate::judge::evidence::{BAND, Curve, Places, Resampling, Stability, StepMargin};

/// How often an edge was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrequencyDocument {
    /// The parent (or one end).
    pub from: String,
    /// The child (or the other end).
    pub to: String,
    /// `directed`, `undirected`, `bidirected`; from FCI also `partially-directed`, `undetermined`, `partially-undirected`.
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
    /// `directed`, `undirected`, `bidirected`; from FCI also `partially-directed`, `undetermined`, `partially-undirected`.
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

impl BootstrapDocument {
    pub(super) fn of(stability: &Stability, nodes: &[String]) -> Self {
        let name = |node: Node| nodes[node].clone();
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
        BootstrapDocument {
            replicates: stability.replicates,
            failed: stability.failed,
            resampling: stability.resampling,
            edges: edges.collect(),
            position,
            positions,
            consensus: consensus
                .map(|(from, to, kind)| ConsensusDocument { from: name(from), to: name(to), kind })
                .collect(),
        }
    }
}

impl CurveDocument {
    pub(super) fn of(curve: &Curve, nodes: &[String]) -> Self {
        let shifted = |errors: &Vec<f64>, by: f64| {
            curve.fit.iter().zip(errors).map(|(fit, error)| rounded(fit + by * error)).collect()
        };
        let band = |by: f64| curve.standard_errors.as_ref().map(|errors| shifted(errors, by));
        CurveDocument {
            from: nodes[curve.parent].clone(),
            to: nodes[curve.child].clone(),
            x: curve.x.iter().copied().map(rounded).collect(),
            fit: curve.fit.iter().copied().map(rounded).collect(),
            lower: band(-BAND),
            upper: band(BAND),
        }
    }
}

impl MarginDocument {
    pub(super) fn of(margin: &StepMargin, nodes: &[String]) -> Self {
        MarginDocument {
            winner: nodes[margin.winner].clone(),
            runner_up: nodes[margin.runner_up].clone(),
            lead: margin.lead,
            standard_error: margin.standard_error,
        }
    }
}

/// To six significant digits: finer than anything drawn, and a third of the size.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
