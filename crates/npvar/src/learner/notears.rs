//! NOTEARS, linear and with networks: continuous optimisation, then a threshold.

use faer::Mat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::along_order::{Ordered, Significance};
use super::facts::{LearnerInfo, NoOptions, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::{Covariance, Dataset};
use crate::error::{Result, within};
use crate::graph::Node;
use crate::notears::{
    Acyclicity, AugmentedLagrangian, LinearProblem, MlpProblem, Network, Pruned, Solution, augmented_lagrangian, prune,
};
use crate::regress::GamConfig;
use crate::run::{Diagnostic, Run};

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
    fn significance(&self) -> Option<Significance<'_>> {
        match self {
            NotearsParents::Threshold(_) => None,
            NotearsParents::Significance(SignificanceConfig { cutoff, selection }) => {
                Some(Significance { selection, cutoff: *cutoff })
            }
        }
    }

    fn check(&self) -> Result<()> {
        self.significance().map_or(Ok(()), |rule| rule.check())
    }

    fn selection(&self) -> Option<GamConfig> {
        self.significance().map(|rule| *rule.selection)
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
        title: "NOTEARS",
        summary: "NOTEARS (Zheng et al. 2018): linear weights by continuous optimisation, edges by a threshold",
        assumes: "linear relations, about equal error variances, measured on their natural scale",
    };

    fn check(&self) -> Result<()> {
        check_factor("lambda1", self.lambda1)?;
        check_lagrangian(self.threshold, self.h_tolerance, self.rho_max, self.max_iterations)?;
        self.parents.check()
    }

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: true, natural_scale: true, units: true, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.parents.selection()
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
        title: "NOTEARS-MLP",
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

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: true, natural_scale: true, units: true, additivity: false }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.parents.selection()
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

impl StructureLearner for NotearsConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut optimised = Optimised::of(task);
        let covariance = Covariance::of(task.rows, run)?;
        optimised.diagnostics.extend(reports::covariance_scale(task.names(), &covariance));
        let problem = LinearProblem::new(&covariance, self.lambda1, self.acyclicity)
            .without(forbidden(task))
            .with(&task.knowledge.required_edges());
        let options = AugmentedLagrangian {
            h_tolerance: self.h_tolerance,
            rho_max: self.rho_max,
            max_iterations: self.max_iterations,
            ..AugmentedLagrangian::linear()
        };
        let solution = augmented_lagrangian(&problem, problem.start(), &options, run)?;
        optimised.report(&solution, &options);
        let pruned = optimised.prune(problem.weights(&solution.x), self.threshold);
        let advice = |unit: f64| {
            let lambda1 = self.lambda1 / (unit * unit);
            format!("multiply all columns by {unit:.1e}, or, which is the same, set `lambda1` to {lambda1:.1e}")
        };
        optimised.report_units(&covariance, Some(self.lambda1), &pruned, advice);
        let found = optimised.finish(pruned, &self.parents, run)?;
        // Parents by significance are those of an additive model.
        Ok(if self.parents.selection().is_none() { found.linear(covariance) } else { found })
    }
}

impl StructureLearner for NotearsMlpConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut optimised = Optimised::of(task);
        let covariance = Covariance::of(task.rows, run)?;
        optimised.diagnostics.extend(reports::covariance_scale(task.names(), &covariance));
        let data = centred(&Dataset::of(task.rows, run)?);
        let problem = MlpProblem::new(data, self.hidden, self.lambda1, self.lambda2, self.acyclicity)
            .without(forbidden(task))
            .with(&task.knowledge.required_edges());
        let options = AugmentedLagrangian {
            h_tolerance: self.h_tolerance,
            rho_max: self.rho_max,
            max_iterations: self.max_iterations,
            ..AugmentedLagrangian::networks()
        };
        let start = problem.projected(Network::random(problem.shape(), run.seed.child("network", 0)).parameters());
        let solution = augmented_lagrangian(&problem, start, &options, run)?;
        optimised.report(&solution, &options);
        optimised.diagnostics.push(Diagnostic::info(
            "random-start",
            "the networks start from random weights, column by column: with another seed, or with the columns in another order, \
             the optimisation may end elsewhere",
        ));
        let pruned = optimised.prune(problem.weights(&solution.x), self.threshold);
        let advice = |unit: f64| format!("multiply all columns by {unit:.1e}, or set `lambda1` and `lambda2` lower");
        optimised.report_units(&covariance, None, &pruned, advice);
        optimised.finish(pruned, &self.parents, run)
    }
}

/// Which edges background knowledge excludes.
fn forbidden<'a>(task: &'a Task<'_>) -> impl Fn(Node, Node) -> bool + 'a {
    |parent, child| task.knowledge.forbids(parent, child)
}

/// Columns less their means: the biases would have to learn them otherwise.
fn centred(data: &Dataset) -> Mat<f64> {
    let n = data.n() as f64;
    let means: Vec<f64> = (0..data.d()).map(|j| data.column(j).iter().map(|x| x / n).sum()).collect();
    Mat::from_fn(data.n(), data.d(), |i, j| data.column(j)[i] - means[j])
}

/// A correlation beyond this many standard errors of independent columns is clear.
const CLEAR: f64 = 5.0;

/// What both learners share before and after the optimisation.
struct Optimised<'a> {
    task: &'a Task<'a>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Optimised<'a> {
    fn of(task: &'a Task<'_>) -> Self {
        let diagnostics = reports::few_samples(task.n(), task.columns.len()).into_iter().collect();
        Optimised { task, diagnostics }
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

    fn prune(&mut self, mut weights: Vec<f64>, threshold: f64) -> Pruned {
        let names = self.task.names();
        // No threshold takes a required edge.
        for (parent, child) in self.task.knowledge.required_edges() {
            weights[parent * names.len() + child] = f64::INFINITY;
        }
        let pruned = prune(&weights, names.len(), threshold);
        if !pruned.cut.is_empty() {
            let name = |&(parent, child): &(Node, Node)| format!("`{}` -> `{}`", names[parent], names[child]);
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

    /// Whether the columns' units are so small that the penalty outweighs what edges could gain. Linear weights stay at zero
    /// wherever a pair's covariance is at most `lambda1`, whatever the correlation; networks, which have no such limit, are
    /// told by a graph without edges. `advice` is given the factor that makes the middle variance one.
    fn report_units(
        &mut self,
        covariance: &Covariance,
        lambda1: Option<f64>,
        pruned: &Pruned,
        advice: impl Fn(f64) -> String,
    ) {
        let (matrix, d, n) = (covariance.matrix(), self.task.columns.len(), self.task.n() as f64);
        let mut variances: Vec<f64> = (0..d).map(|j| matrix[(j, j)]).filter(|&variance| variance > 0.0).collect();
        variances.sort_unstable_by(f64::total_cmp);
        let Some(&middle) = variances.get(variances.len() / 2).filter(|&&middle| middle < 1.0) else { return };
        let is_clear = |&(i, j): &(usize, usize)| {
            matrix[(i, j)].abs() > CLEAR / n.sqrt() * (matrix[(i, i)] * matrix[(j, j)]).sqrt()
        };
        let clear: Vec<(usize, usize)> = (0..d).flat_map(|j| (0..j).map(move |i| (i, j))).filter(is_clear).collect();
        let outweighed = lambda1.map_or(0, |most| clear.iter().filter(|&&pair| matrix[pair].abs() <= most).count());
        let edges = pruned.dag.edge_count();
        if clear.is_empty() || (edges > 0 && 2 * outweighed <= clear.len()) {
            return;
        }
        let kept = lambda1.map_or_else(String::new, |most| {
            format!(", of which the penalty keeps {outweighed} apart (their covariance is at most lambda1 = {most})")
        });
        let message = format!(
            "the columns' units are small (their middle variance is {middle:.1e}) for the penalty on weights: {} clearly \
             correlated{kept}, and {} found",
            if clear.len() == 1 { "1 pair is".to_owned() } else { format!("{} pairs are", clear.len()) },
            match edges {
                0 => "no edge was".to_owned(),
                1 => "1 edge was".to_owned(),
                edges => format!("{edges} edges were"),
            }
        );
        self.diagnostics.push(Diagnostic::warning("small-units", message).advise(advice(middle.sqrt().recip())));
    }

    fn finish(self, pruned: Pruned, parents: &NotearsParents, run: &Run<'_>) -> Result<Found> {
        let order = pruned.dag.order().clone();
        match parents.significance() {
            None => Ok(Found::dag(&pruned.dag, order, self.diagnostics)),
            Some(rule) => Ordered::new(order, self.diagnostics).select(self.task, rule, run),
        }
    }
}
