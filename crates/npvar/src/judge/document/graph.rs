//! The `npvar-graph/1` object: what `learn --json` prints, and what every shell speaks.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::evidence::{BootstrapDocument, CurveDocument, MarginDocument};
use crate::data::IntakeEntry;
use crate::graph::{EdgeKind, Node};
use crate::judge::belief::Verdict;
use crate::judge::evidence::{Curves, Evidence, FittedModel, Stability, StepErrors};
use crate::judge::stopwatch::Timing;
use crate::learner::{Learned, LearnerConfig, TotalNats};
use crate::run::Diagnostic;

/// One edge, with the evidence for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeDocument {
    /// The parent (or one end).
    pub from: String,
    /// The child (or the other end).
    pub to: String,
    /// `directed`, `undirected`, `bidirected`; from FCI also `partially-directed`, `undetermined`, `partially-undirected`.
    pub kind: EdgeKind,
    /// The p-value of the selection's test.
    pub p_value: Option<f64>,
    /// The share of the child's variance lost when the parent is dropped.
    pub strength: Option<f64>,
    /// The share of bootstrap samples in which this very edge was found.
    pub frequency: Option<f64>,
    /// The parent's least-squares coefficient among all the child's parents, where every relation is linear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// What leaving the edge out would cost in nats, where evidence found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_nats: Option<f64>,
    /// What the best order found with the edge turned round costs in nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned_nats: Option<f64>,
}

/// One test of the parent selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestDocument {
    /// The candidate.
    pub from: String,
    /// The node regressed on all nodes before it.
    pub to: String,
    /// The p-value.
    pub p_value: f64,
    /// The `F` statistic.
    pub statistic: f64,
    /// Effective degrees of freedom.
    pub edf: Option<f64>,
}

/// One step of the order search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepDocument {
    /// The ancestral set.
    pub given: Vec<String>,
    /// `η`.
    pub eta: f64,
    /// Every remaining node's residual variance.
    pub residual_variances: Map<String, Value>,
    /// Their standard errors, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_errors: Option<Map<String, Value>>,
    /// The winner's lead, where it was asked for and another node was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<MarginDocument>,
}

/// What was learned, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphDocument {
    /// `npvar-graph/1`.
    pub format: String,
    /// Whether to believe it, and what to do next; for an answer, not for what was only learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The nodes.
    pub nodes: Vec<String>,
    /// The edges.
    pub edges: Vec<EdgeDocument>,
    /// Every test of the parent selection, edge or not.
    pub tests: Option<Vec<TestDocument>>,
    /// The total evidence with noise shared and with each node's own, where evidence found the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_nats: Option<TotalNats>,
    /// The order, source first.
    pub order: Option<Vec<String>>,
    /// For every neighbouring pair of the order, first pair first, what exchanging the two costs in nats, where evidence found
    /// it; nothing where what is known rules the exchange out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_nats: Option<Vec<Option<f64>>>,
    /// The layers.
    pub layers: Option<Vec<Vec<String>>>,
    /// The steps of the order search.
    pub steps: Option<Vec<StepDocument>>,
    /// What was done to the table to read it as numbers, column by column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intake: Vec<IntakeEntry>,
    /// What a reader should know.
    pub diagnostics: Vec<Diagnostic>,
    /// What bootstrap samples say, where they were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<BootstrapDocument>,
    /// The fitted curve of every directed edge, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curves: Option<Vec<CurveDocument>>,
    /// The model behind the curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve_model: Option<FittedModel>,
    /// The model whose residuals give the standard errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residual_model: Option<FittedModel>,
    /// The learner's full configuration.
    pub learner: LearnerConfig,
    /// The seed.
    pub seed: u64,
    /// The version of this library.
    pub version: String,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

impl Learned {
    /// The object by names.
    pub fn document(&self, timing: Option<Timing>) -> GraphDocument {
        let name = |node: Node| self.names[node].clone();
        let names = |nodes: &[Node]| nodes.iter().map(|&node| name(node)).collect::<Vec<_>>();
        let by_pair: std::collections::HashMap<(Node, Node), &crate::select::Test> =
            self.tests.iter().flatten().map(|test| ((test.parent, test.child), test)).collect();
        let weights: std::collections::HashMap<(Node, Node), f64> =
            self.weights.iter().flatten().map(|edge| ((edge.parent, edge.child), edge.weight)).collect();
        let edges = self.graph.edges().into_iter().map(|(from, to, kind)| {
            let test = by_pair.get(&(from, to));
            let nats = self.nats.as_ref().and_then(|nats| nats.of_edge(from, to, kind));
            EdgeDocument {
                from: name(from),
                to: name(to),
                kind,
                p_value: test.map(|test| test.p_value),
                strength: test.map(|test| test.strength),
                frequency: None,
                weight: weights.get(&(from, to)).copied(),
                without_nats: nats.and_then(|nats| nats.without),
                turned_nats: nats.and_then(|nats| nats.turned),
            }
        });
        let tests = self.tests.as_ref().map(|tests| {
            let document = |test: &crate::select::Test| TestDocument {
                from: name(test.parent),
                to: name(test.child),
                p_value: test.p_value,
                // A perfect fit has an infinite statistic, which JSON cannot say.
                statistic: test.statistic.min(f64::MAX),
                edf: test.edf,
            };
            tests.iter().map(document).collect()
        });
        let steps = self.steps.as_ref().map(|steps| {
            let document = |step: &crate::order::Step| StepDocument {
                given: names(&step.given),
                eta: step.eta,
                residual_variances: step
                    .nodes
                    .iter()
                    .zip(&step.residual_variances)
                    .map(|(&node, &variance)| (name(node), variance.into()))
                    .collect(),
                standard_errors: None,
                margin: None,
            };
            steps.iter().map(document).collect()
        });
        GraphDocument {
            format: "npvar-graph/1".to_owned(),
            verdict: None,
            nodes: self.names.clone(),
            edges: edges.collect(),
            tests,
            total_nats: self.nats.as_ref().map(|nats| nats.total),
            order: self.order.as_ref().map(|order| names(order.nodes())),
            order_nats: self.nats.as_ref().map(|nats| nats.order.clone()),
            layers: self.layers.as_ref().map(|layers| layers.layers().iter().map(|layer| names(layer)).collect()),
            steps,
            intake: Vec::new(),
            diagnostics: self.diagnostics.clone(),
            bootstrap: None,
            curves: None,
            curve_model: None,
            residual_model: None,
            learner: self.config.clone(),
            seed: self.seed.0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            timing,
        }
    }
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

    fn add_stability(&mut self, stability: &Stability) {
        let node = |name: &String| self.nodes.iter().position(|known| known == name);
        let frequencies: Vec<Option<f64>> = (self.edges.iter())
            .map(|edge| Some(stability.frequency(node(&edge.from)?, node(&edge.to)?, edge.kind)))
            .collect();
        self.edges.iter_mut().zip(frequencies).for_each(|(edge, frequency)| edge.frequency = frequency);
        Diagnostic::add_new(&mut self.diagnostics, stability.diagnostics.clone());
        self.bootstrap = Some(BootstrapDocument::of(stability, &self.nodes));
    }

    fn add_curves(&mut self, curves: &Curves) {
        self.curves = Some(curves.curves.iter().map(|curve| CurveDocument::of(curve, &self.nodes)).collect());
        self.curve_model = Some(curves.model);
    }

    fn add_step_errors(&mut self, errors: &StepErrors) {
        for (step, errors) in self.steps.iter_mut().flatten().zip(&errors.steps) {
            // The document names the nodes in the order in which the errors stand.
            let names = step.residual_variances.keys().cloned();
            step.standard_errors = Some(names.zip(errors.standard_errors.iter().map(|&error| error.into())).collect());
            step.margin = errors.margin.as_ref().map(|margin| MarginDocument::of(margin, &self.nodes));
        }
        self.residual_model = Some(errors.model);
    }
}
