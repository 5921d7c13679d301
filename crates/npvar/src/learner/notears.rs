//! NOTEARS, linear and with networks: continuous optimisation, then a threshold.

use faer::Mat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Found, read_gram, refuse_unused, select_along, usable_columns};
use super::config::{GamConfig, NoOptions, check_selection, within};
use super::registry::Options;
use super::{Input, Learned, LearnerConfig, LearnerInfo, StructureLearner, reports};
use crate::data::Covariance;
use crate::data::{ColumnSummary, Dataset};
use crate::error::{Error, Result};
use crate::graph::{Node, Pdag};
use crate::notears::{
    Acyclicity, AugmentedLagrangian, LinearProblem, MlpProblem, Network, Pruned, Solution, augmented_lagrangian, prune,
};
use crate::run::{Diagnostic, Event, Run, Stage};

/// The selection of parents by significance, along the order of the graph that was found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SignificanceConfig {
    /// The level of the parent selection.
    pub cutoff: f64,
    /// The additive model of the parent selection.
    pub selection: GamConfig,
}

impl Default for SignificanceConfig {
    /// The paper's common selection.
    fn default() -> Self {
        SignificanceConfig { cutoff: 0.001, selection: GamConfig::default() }
    }
}

/// Where the parents come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NotearsParents {
    /// The weights that are at least the threshold, as the paper ran NOTEARS.
    Threshold(NoOptions),
    /// A topological order of that graph, then the selection NPVAR uses.
    Significance(SignificanceConfig),
}

impl NotearsParents {
    fn check(&self) -> Result<()> {
        match self {
            NotearsParents::Threshold(_) => Ok(()),
            NotearsParents::Significance(rule) => check_selection(rule.cutoff, &rule.selection),
        }
    }
}

/// NOTEARS (Zheng et al. 2018): linear relations by continuous optimisation over acyclic weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotearsConfig {
    /// λ₁, the factor of the sum of absolute weights.
    pub lambda1: f64,
    /// Weights below it are not edges; raised where cycles would be left.
    pub threshold: f64,
    /// `threshold`, or `significance` along the order of the graph the threshold leaves.
    pub parents: NotearsParents,
    /// `exponential` (tr e^A − d) or `polynomial` (tr (I + A/d)^d − d).
    pub acyclicity: Acyclicity,
    /// The optimisation ends when the acyclicity function is at most this.
    pub h_tolerance: f64,
    /// Or when the factor ρ of its square reaches this.
    pub rho_max: f64,
    /// Updates of the multiplier α at most.
    pub max_iterations: usize,
}

impl Default for NotearsConfig {
    /// The authors' numbers.
    fn default() -> Self {
        NotearsConfig {
            lambda1: 0.1,
            threshold: 0.3,
            parents: NotearsParents::Threshold(NoOptions {}),
            acyclicity: Acyclicity::Exponential,
            h_tolerance: 1e-8,
            rho_max: 1e16,
            max_iterations: 100,
        }
    }
}

impl Options for NotearsConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "notears",
        summary: "NOTEARS (Zheng et al. 2018): linear weights by continuous optimisation, edges by a threshold",
        assumes: "linear relations, about equal error variances, measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        check_factor("lambda1", self.lambda1)?;
        check_lagrangian(self.threshold, self.h_tolerance, self.rho_max, self.max_iterations)?;
        self.parents.check()
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        Box::new(Notears(self.clone()))
    }
}

/// NOTEARS-MLP (Zheng et al. 2020): every column a small network of the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NotearsMlpConfig {
    /// Hidden units of every network (one layer, logistic).
    pub hidden: usize,
    /// λ₁, the factor of the sum of absolute weights of the first layers.
    pub lambda1: f64,
    /// λ₂, twice the factor of the sum of squared weights.
    pub lambda2: f64,
    /// Pairs whose first-layer weights have a smaller norm are not edges; raised where cycles would be left.
    pub threshold: f64,
    /// `threshold`, or `significance` along the order of the graph the threshold leaves.
    pub parents: NotearsParents,
    /// `exponential` (tr e^A − d) or `polynomial` (tr (I + A/d)^d − d).
    pub acyclicity: Acyclicity,
    /// The optimisation ends when the acyclicity function is at most this.
    pub h_tolerance: f64,
    /// Or when the factor ρ of its square reaches this.
    pub rho_max: f64,
    /// Updates of the multiplier α at most.
    pub max_iterations: usize,
}

impl Default for NotearsMlpConfig {
    /// The paper's comparison: 10 hidden units, λ₁ = λ₂ = 0.01, threshold 0.3; the rest the authors' numbers.
    fn default() -> Self {
        let NotearsConfig { threshold, parents, acyclicity, h_tolerance, rho_max, max_iterations, .. } =
            NotearsConfig::default();
        NotearsMlpConfig {
            hidden: 10,
            lambda1: 0.01,
            lambda2: 0.01,
            threshold,
            parents,
            acyclicity,
            h_tolerance,
            rho_max,
            max_iterations,
        }
    }
}

impl Options for NotearsMlpConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "notears-mlp",
        summary: "NOTEARS-MLP (Zheng et al. 2020): a small network per column by continuous optimisation, edges by a threshold",
        assumes: "smooth relations, additive errors, measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        within("hidden", (1..=1000).contains(&self.hidden), "must be between 1 and 1000", self.hidden)?;
        check_factor("lambda1", self.lambda1)?;
        check_factor("lambda2", self.lambda2)?;
        check_lagrangian(self.threshold, self.h_tolerance, self.rho_max, self.max_iterations)?;
        self.parents.check()
    }

    fn learner(&self) -> Box<dyn StructureLearner + Sync> {
        Box::new(NotearsMlp(self.clone()))
    }
}

fn check_factor(option: &'static str, factor: f64) -> Result<()> {
    within(option, factor >= 0.0 && factor.is_finite(), "must be a number that is not negative", factor)
}

fn check_lagrangian(threshold: f64, h_tolerance: f64, rho_max: f64, max_iterations: usize) -> Result<()> {
    check_factor("threshold", threshold)?;
    within("h-tolerance", h_tolerance > 0.0 && h_tolerance.is_finite(), "must be positive", h_tolerance)?;
    within("rho-max", rho_max > 1.0 && rho_max.is_finite(), "must be above 1, where ρ starts", rho_max)?;
    within("max-iterations", max_iterations > 0, "must be at least 1", max_iterations)
}

struct Notears(NotearsConfig);

impl StructureLearner for Notears {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        let mut task = Task::begin("NOTEARS", input, run)?;
        let covariance = Covariance::of(input.rows, run)?;
        task.diagnostics.extend(reports::covariance_scale(&task.names, &covariance));
        let problem = LinearProblem::new(&covariance, self.0.lambda1, self.0.acyclicity).without(forbidden(input));
        let options = AugmentedLagrangian {
            h_tolerance: self.0.h_tolerance,
            rho_max: self.0.rho_max,
            max_iterations: self.0.max_iterations,
            ..AugmentedLagrangian::linear()
        };
        let solution = augmented_lagrangian(&problem, problem.start(), &options, run)?;
        task.report(&solution, &options);
        let pruned = task.prune(&problem.weights(&solution.x), self.0.threshold);
        task.finish(input, pruned, &self.0.parents, LearnerConfig::Notears(self.0.clone()), run)
    }
}

struct NotearsMlp(NotearsMlpConfig);

impl StructureLearner for NotearsMlp {
    fn learn(&self, input: &Input<'_>, run: &Run<'_>) -> Result<Learned> {
        let mut task = Task::begin("NOTEARS-MLP", input, run)?;
        let config = &self.0;
        task.diagnostics.extend(reports::covariance_scale(&task.names, &Covariance::of(input.rows, run)?));
        let data = centred(&Dataset::of(input.rows, run)?);
        let problem = MlpProblem::new(data, config.hidden, config.lambda1, config.lambda2, config.acyclicity)
            .without(forbidden(input));
        let options = AugmentedLagrangian {
            h_tolerance: config.h_tolerance,
            rho_max: config.rho_max,
            max_iterations: config.max_iterations,
            ..AugmentedLagrangian::networks()
        };
        let start = problem.projected(Network::random(problem.shape(), run.seed.child("network", 0)).parameters());
        let solution = augmented_lagrangian(&problem, start, &options, run)?;
        task.report(&solution, &options);
        let pruned = task.prune(&problem.weights(&solution.x), config.threshold);
        task.finish(input, pruned, &config.parents, LearnerConfig::NotearsMlp(config.clone()), run)
    }
}

/// Which edges background knowledge excludes.
fn forbidden<'a>(input: &'a Input<'_>) -> impl Fn(Node, Node) -> bool + 'a {
    |parent, child| input.knowledge.is_some_and(|knowledge| knowledge.forbids(parent, child))
}

/// Columns less their means: the biases would have to learn them otherwise.
fn centred(data: &Dataset) -> Mat<f64> {
    let n = data.n() as f64;
    let means: Vec<f64> = (0..data.d()).map(|j| data.column(j).iter().map(|x| x / n).sum()).collect();
    Mat::from_fn(data.n(), data.d(), |i, j| data.column(j)[i] - means[j])
}

/// What both learners share before and after the optimisation.
struct Task {
    names: Vec<String>,
    columns: Vec<ColumnSummary>,
    diagnostics: Vec<Diagnostic>,
}

impl Task {
    fn begin(learner: &'static str, input: &Input<'_>, run: &Run<'_>) -> Result<Self> {
        run.report(&Event::Stage(Stage::Order))?;
        refuse_unused(input, learner)?;
        if input.knowledge.is_some_and(|knowledge| !knowledge.required_edges().is_empty()) {
            let problem = format!(
                "{learner} can hold the weight of a forbidden edge at zero, but not that of a required one away from it: leave \
                 `required` out, or take a learner that finds an order"
            );
            return Err(Error::Knowledge { problem });
        }
        let names = input.rows.names().to_vec();
        let columns = usable_columns(learner, input.rows, run)?;
        let mut diagnostics = reports::columns(&names, &columns);
        diagnostics.extend(reports::few_samples(columns[0].n, columns.len()));
        Ok(Task { names, columns, diagnostics })
    }

    /// Whether the optimisation ended where it should.
    fn report(&mut self, solution: &Solution, options: &AugmentedLagrangian) {
        let parts = &solution.parts;
        self.diagnostics.push(Diagnostic::info(
            "objective",
            format!(
                "the objective ended at {:.8}, the squared loss in it at {:.8}, the acyclicity at {:.1e}",
                parts.objective, parts.loss, parts.h
            ),
        ));
        if !solution.converged {
            self.diagnostics.push(Diagnostic::warning(
                "not-converged",
                format!(
                    "the optimisation ended at rho = {:.0e} with an acyclicity of {:.1e}, above the tolerance of {:.1e}: the \
                     weights still have cycles, and the graph is what the threshold leaves of them",
                    solution.rho, solution.parts.h, options.h_tolerance
                ),
            ));
        }
        if solution.unfinished > 0 {
            self.diagnostics.push(Diagnostic::info(
                "iteration-limit",
                format!(
                    "{} of the minimisations ended after {} iterations without converging",
                    solution.unfinished, options.minimiser.max_iterations
                ),
            ));
        }
    }

    fn prune(&mut self, weights: &[f64], threshold: f64) -> Pruned {
        let pruned = prune(weights, self.names.len(), threshold);
        if !pruned.cut.is_empty() {
            let name = |&(parent, child): &(Node, Node)| format!("`{}` -> `{}`", self.names[parent], self.names[child]);
            let edges: Vec<String> = pruned.cut.iter().map(name).collect();
            self.diagnostics.push(Diagnostic::warning(
                "raised-threshold",
                format!(
                    "the threshold {threshold} left a cycle; raising it until none was left took {}",
                    edges.join(", ")
                ),
            ));
        }
        pruned
    }

    fn finish(
        self,
        input: &Input<'_>,
        pruned: Pruned,
        parents: &NotearsParents,
        config: LearnerConfig,
        run: &Run<'_>,
    ) -> Result<Learned> {
        let order = pruned.dag.order().clone();
        match parents {
            NotearsParents::Threshold(_) => Ok(Learned {
                names: self.names,
                n: self.columns[0].n,
                graph: Pdag::from(&pruned.dag),
                order: Some(order),
                layers: None,
                steps: None,
                tests: None,
                diagnostics: self.diagnostics,
                config,
                seed: run.seed,
            }),
            NotearsParents::Significance(rule) => {
                let gram = read_gram(input.rows, rule.selection.spec(), &self.columns, run)?;
                let found = Found { order, layers: None, steps: None, diagnostics: self.diagnostics };
                select_along(&self.names, &gram, None, found, (&rule.selection, rule.cutoff), config, run)
            }
        }
    }
}
