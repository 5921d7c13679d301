//! How sure every step of the order search is: standard errors of its residual variances, and of the winner's lead.
//!
//! With `r_i` the residuals of a node given the ancestral set, the residual variance is the mean of `r_i²`, and
//!
//! ```text
//! se(σ̂²) = σ̂² · sd(r²) / (mean(r²) √n)                se(lead)² = var(s_runner-up − s_winner) / n,  s = σ̂² r² / mean(r²)
//! ```
//!
//! `r² − σ²` is the influence function of `E var(X | A)` whichever form the estimate has, so the formula holds for all of
//! them, for independent rows and where the fit errs by less than `n^(-1/4)`; the fit's own error is not counted, and no
//! normality is assumed (normal residuals give `σ̂² √(2/n)`). The lead's error takes into account that both residuals
//! come from the same rows. Of a search that does not rest on an additive or linear model, the additive model's residuals
//! say how the squares vary, and the search's own estimates how large they are.
//!
//! With `M = LL'` the factor of the ancestors' model, `U = B L⁻ᵀ` and `z = L⁻¹C`, the fitted values given the first `p`
//! coefficients are the first `p` columns of `U` times the first `p` entries of `z`: one pass over the rows serves all steps.

use faer::Mat;
use rayon::prelude::*;

use super::model::FittedModel;
use crate::data::{Block, RowBlocks, summarise};
use crate::error::Result;
use crate::graph::Node;
use crate::learner::Learned;
use crate::numerics::linalg::{Into, multiply, multiply_here, row_major};
use crate::order::Step;
use crate::residual_variance::AdditiveFactor;
use crate::run::Run;
use crate::smooth::{AdditiveGram, Basis, RawGram};

/// More rows do not make an error of an error worth knowing: of longer tables every `⌈n / 20,000⌉`-th row is taken.
const MOST_ROWS: usize = 20_000;
/// Rows that one task takes; fixed, so that sums do not depend on the number of threads.
const TASK_ROWS: usize = 512;

/// The winner of a step and the node it was chosen before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepMargin {
    /// Of the nodes chosen, that with the largest residual variance.
    pub winner: Node,
    /// Of the nodes not chosen, that with the smallest.
    pub runner_up: Node,
    /// The runner-up's residual variance minus the winner's.
    pub lead: f64,
    /// The standard error of the lead.
    pub standard_error: f64,
}

/// The sampling errors of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepError {
    /// One per remaining node, as in [`Step::nodes`].
    pub standard_errors: Vec<f64>,
    /// The lead; none where no other node was left.
    pub margin: Option<StepMargin>,
}

/// The sampling errors of all steps.
#[derive(Debug, Clone, PartialEq)]
pub struct StepErrors {
    /// The model whose residuals they come from.
    pub model: FittedModel,
    /// One per step.
    pub steps: Vec<StepError>,
}

/// The sampling errors of a learned order; nothing for learners that have no steps.
///
/// # Errors
/// What reading the rows came upon, or [`crate::Error::Cancelled`].
pub fn step_errors(learned: &Learned, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Option<StepErrors>> {
    let (Some(steps), Some(layers)) = (&learned.steps, &learned.layers) else { return Ok(None) };
    let Some(last) = steps.last() else { return Ok(None) };
    let model = FittedModel::of_residuals(&learned.config);
    let raw = RawGram::of(rows, model.spec(), &summarise(rows, run)?, run)?;
    let gram = AdditiveGram::new(&raw);
    let mut factor = AdditiveFactor::new(&gram, model.smoothing().1);
    last.given.iter().try_for_each(|&node| factor.append(node, run))?;
    let search = Residuals::new(&gram, raw.bases(), &factor, steps, layers.layers());
    let (mut sums, mut seen) = (search.sums(), 0);
    let stride = gram.n().div_ceil(MOST_ROWS);
    rows.for_each_block(&mut |block| {
        let chosen: Vec<usize> = (0..block.rows()).filter(|row| (block.first_row + row) % stride == 0).collect();
        seen += chosen.len();
        let parts: Vec<_> = chosen
            .par_chunks(TASK_ROWS)
            .map(|rows| run.check().map(|()| search.of_rows(block, rows)))
            .collect::<Result<_>>()?;
        for part in parts {
            sums.iter_mut().zip(&part).for_each(|(sums, part)| sums.add(part));
        }
        Ok(())
    })?;
    let errors = steps.iter().zip(&search.contests).zip(&sums);
    let steps =
        errors.map(|((step, contest), sums)| sums.errors(step, *contest, seen as f64, gram.n() as f64)).collect();
    Ok(Some(StepErrors { model, steps }))
}

/// Sums over rows of one step, of squared residuals in units of the column's variance.
#[derive(Clone)]
struct Sums {
    squares: Vec<f64>,
    fourth_powers: Vec<f64>,
    /// Of the winner's square times the runner-up's.
    product: f64,
}

impl Sums {
    fn new(nodes: usize) -> Self {
        Sums { squares: vec![0.0; nodes], fourth_powers: vec![0.0; nodes], product: 0.0 }
    }

    fn add(&mut self, other: &Sums) {
        self.squares.iter_mut().zip(&other.squares).for_each(|(sum, part)| *sum += part);
        self.fourth_powers.iter_mut().zip(&other.fourth_powers).for_each(|(sum, part)| *sum += part);
        self.product += other.product;
    }

    /// The errors of means over `n` rows, from the sums over those `seen`.
    fn errors(&self, step: &Step, contest: Option<(usize, usize)>, seen: f64, n: f64) -> StepError {
        // The covariance of two nodes' squares, each in units of its mean.
        let relative = |a: usize, b: usize, product: f64| {
            let means = self.squares[a] * self.squares[b] / (seen * seen);
            if means > 0.0 { (product / seen / means - 1.0) * seen / (seen - 1.0) } else { 0.0 }
        };
        let own = |at: usize| relative(at, at, self.fourth_powers[at]).max(0.0);
        let variances = &step.residual_variances;
        let margin = contest.map(|(winner, runner_up)| {
            let (a, b) = (variances[winner], variances[runner_up]);
            let together = relative(winner, runner_up, self.product);
            let square = a * a * own(winner) + b * b * own(runner_up) - 2.0 * a * b * together;
            StepMargin {
                winner: step.nodes[winner],
                runner_up: step.nodes[runner_up],
                lead: b - a,
                standard_error: (square.max(0.0) / n).sqrt(),
            }
        });
        let error = |(at, variance): (usize, &f64)| variance * (own(at) / n).sqrt();
        StepError { standard_errors: variances.iter().enumerate().map(error).collect(), margin }
    }
}

/// What turns rows into residuals of every step.
struct Residuals<'a> {
    gram: &'a AdditiveGram,
    bases: &'a [Basis],
    factor: &'a AdditiveFactor<'a>,
    steps: &'a [Step],
    /// For every step the positions of winner and runner-up among its nodes.
    contests: Vec<Option<(usize, usize)>>,
    /// Every column's standard deviation.
    scales: Vec<f64>,
    /// `z`, a column per node, in units of the scales.
    z: Mat<f64>,
}

impl<'a> Residuals<'a> {
    fn new(
        gram: &'a AdditiveGram,
        bases: &'a [Basis],
        factor: &'a AdditiveFactor<'a>,
        steps: &'a [Step],
        layers: &[Vec<Node>],
    ) -> Self {
        let scale = |node| (gram.square(node) / gram.n() as f64).sqrt();
        let scales: Vec<f64> = (0..gram.d()).map(scale).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
        let size = factor.offsets()[factor.order().len()];
        let mut cross = Mat::zeros(size, gram.d());
        for (&start, &node) in factor.offsets().iter().zip(factor.order()) {
            for target in 0..gram.d() {
                for (at, entry) in gram.cross(node, target).iter().enumerate() {
                    cross[(start + at, target)] = entry / scales[target];
                }
            }
        }
        let mut z = Mat::zeros(size, gram.d());
        if size > 0 {
            let (inverse, stride) = factor.inverse();
            multiply(z.as_mut(), Into::Replace, row_major(inverse, size, size, stride), cross.as_ref(), 1.0);
        }
        let contests = steps.iter().zip(layers).map(|(step, layer)| contest(step, layer)).collect();
        Residuals { gram, bases, factor, steps, contests, scales, z }
    }

    fn sums(&self) -> Vec<Sums> {
        self.steps.iter().map(|step| Sums::new(step.nodes.len())).collect()
    }

    fn of_rows(&self, block: &Block<'_>, rows: &[usize]) -> Vec<Sums> {
        let (offsets, order) = (self.factor.offsets(), self.factor.order());
        let (count, size) = (rows.len(), offsets[order.len()]);
        let centred = |i: usize, j: usize| (block.columns[j][rows[i]] - self.gram.mean(j)) / self.scales[j];
        let mut residuals = Mat::from_fn(count, self.gram.d(), centred);
        let orthogonal = self.orthogonal(block, rows, size);
        let mut sums = self.sums();
        let mut done = 0;
        for ((step, contest), sums) in self.steps.iter().zip(&self.contests).zip(&mut sums) {
            let reached = offsets[step.given.len()];
            if reached > done {
                let (u, z) = (orthogonal.subcols(done, reached - done), self.z.subrows(done, reached - done));
                multiply_here(residuals.as_mut(), Into::Add, u, z, -1.0);
                done = reached;
            }
            for (at, &node) in step.nodes.iter().enumerate() {
                for r in residuals.col_as_slice(node) {
                    let square = r * r;
                    sums.squares[at] += square;
                    sums.fourth_powers[at] += square * square;
                }
            }
            if let Some((winner, runner_up)) = *contest {
                let [a, b] = [winner, runner_up].map(|at| residuals.col_as_slice(step.nodes[at]));
                sums.product = a.iter().zip(b).map(|(a, b)| a * a * b * b).sum();
            }
        }
        sums
    }

    /// `U = B L⁻ᵀ` of some rows.
    fn orthogonal(&self, block: &Block<'_>, rows: &[usize], size: usize) -> Mat<f64> {
        let mut basis = Mat::zeros(rows.len(), size);
        for (&start, &node) in self.factor.offsets().iter().zip(self.factor.order()) {
            for (i, &row) in rows.iter().enumerate() {
                let values = self.gram.term(node).reduce(&self.bases[node].row(block.columns[node][row]));
                values.iter().enumerate().for_each(|(at, &value)| basis[(i, start + at)] = value);
            }
        }
        let mut orthogonal = Mat::zeros(rows.len(), size);
        if size > 0 {
            let (inverse, stride) = self.factor.inverse();
            let inverse = row_major(inverse, size, size, stride);
            multiply_here(orthogonal.as_mut(), Into::Replace, basis.as_ref(), inverse.transpose(), 1.0);
        }
        orthogonal
    }
}

/// Where winner and runner-up stand among the nodes of a step.
fn contest(step: &Step, layer: &[Node]) -> Option<(usize, usize)> {
    let ranked = |chosen: bool| {
        let of_kind = (0..step.nodes.len()).filter(move |&at| layer.contains(&step.nodes[at]) == chosen);
        let mut places: Vec<usize> = of_kind.collect();
        places.sort_by(|&a, &b| step.residual_variances[a].total_cmp(&step.residual_variances[b]));
        places
    };
    Some((*ranked(true).last()?, *ranked(false).first()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::judge::Origin;
    use crate::learner::{Assignment, Input, LearnerConfig};
    use crate::regress::{ConditionalMean, Gam};
    use crate::run::Seed;
    use crate::simulate::{SimulateOptions, simulate};

    /// A factor against single fits.
    const ALGEBRA: f64 = 1e-8;

    fn learned(settings: &[&str], learner: &str, n: usize) -> (Dataset, Learned) {
        let options = SimulateOptions { nodes: Some(5), samples: n, ..Default::default() };
        let data = simulate("ER-SIN-2".parse().unwrap(), &options, Seed(4)).unwrap().data;
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        let config = LearnerConfig::resolve(learner, &settings).unwrap();
        let learned = config.build().unwrap().learn(&Input::new(&data), &Run::new(Seed(1))).unwrap();
        (data, learned)
    }

    fn near(got: f64, expected: f64, what: &str) {
        assert!((got - expected).abs() <= ALGEBRA * expected.abs().max(1e-3), "{what}: {got} instead of {expected}");
    }

    /// Squared residuals of `node` given others, from a regression of its own, in units of the step's residual variance.
    fn squares(data: &Dataset, given: &[Node], node: Node, variance: f64) -> Vec<f64> {
        let mean = data.column(node).iter().sum::<f64>() / data.n() as f64;
        let fitted = if given.is_empty() {
            vec![mean; data.n()]
        } else {
            let z = Mat::from_fn(data.n(), given.len(), |i, j| data.column(given[j])[i]);
            Gam::default().fit(z.as_ref(), data.column(node)).unwrap().predict(z.as_ref())
        };
        let squares: Vec<f64> = data.column(node).iter().zip(&fitted).map(|(x, fit)| (x - fit).powi(2)).collect();
        let mean = squares.iter().sum::<f64>() / data.n() as f64;
        squares.iter().map(|square| variance * square / mean).collect()
    }

    fn error_of_mean(values: &[f64]) -> f64 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt()
    }

    #[test]
    fn they_are_the_errors_of_the_mean_squared_residuals_of_every_regression() {
        // More rows than one task takes.
        for settings in [&[][..], &["eta=0.3"]] {
            let (data, learned) = learned(settings, "npvar", 700);
            let found = step_errors(&learned, &data, &Run::new(Seed(1))).unwrap().unwrap();
            assert_eq!(found.model.origin, Origin::Learner);
            let steps = learned.steps.as_ref().unwrap();
            assert_eq!(found.steps.len(), steps.len());
            for (step, errors) in steps.iter().zip(&found.steps) {
                let all: Vec<Vec<f64>> = (step.nodes.iter().zip(&step.residual_variances))
                    .map(|(&node, &variance)| squares(&data, &step.given, node, variance))
                    .collect();
                for (squares, &error) in all.iter().zip(&errors.standard_errors) {
                    near(error, error_of_mean(squares), "standard error");
                }
                if let Some(margin) = errors.margin {
                    let at = |node| step.nodes.iter().position(|&other| other == node).unwrap();
                    let (winner, runner_up) = (at(margin.winner), at(margin.runner_up));
                    assert_eq!(margin.lead, step.residual_variances[runner_up] - step.residual_variances[winner]);
                    let differences: Vec<f64> = all[runner_up].iter().zip(&all[winner]).map(|(b, a)| b - a).collect();
                    near(margin.standard_error, error_of_mean(&differences), "standard error of the lead");
                }
            }
            assert!(found.steps[0].margin.is_some() && found.steps.last().unwrap().margin.is_none());
        }
    }

    #[test]
    fn other_estimators_take_the_additive_models_residuals_and_linear_searches_their_own() {
        let (data, learned) = learned(&[], "eqvar", 200);
        let found = step_errors(&learned, &data, &Run::new(Seed(1))).unwrap().unwrap();
        assert_eq!((found.model.origin, found.model.model), (Origin::Learner, crate::learner::ModelKind::Linear));
        let (data, learned) = self::learned(&["estimator=knn"], "npvar", 200);
        let found = step_errors(&learned, &data, &Run::new(Seed(1))).unwrap().unwrap();
        assert_eq!(found.model.origin, Origin::StandIn);
        assert!(found.steps.iter().flat_map(|step| &step.standard_errors).all(|error| *error > 0.0));
    }

    #[test]
    fn columns_without_variance_and_learners_without_steps_are_no_trouble() {
        let columns =
            vec![vec![1.0; 30], (0..30).map(f64::from).collect(), (0..30).map(|i| f64::from(i % 4)).collect()];
        let data = Dataset::new(["c", "x", "y"].map(str::to_owned).to_vec(), columns).unwrap();
        let run = Run::new(Seed(1));
        let learned = crate::learn(&data, &run).unwrap();
        let found = step_errors(&learned, &data, &run).unwrap().unwrap();
        assert!(found.steps.iter().flat_map(|step| &step.standard_errors).all(|error| error.is_finite()));
        let pc = LearnerConfig::resolve("pc", &[]).unwrap().build().unwrap();
        let learned = pc.learn(&Input::new(&self::learned(&[], "npvar", 100).0), &run).unwrap();
        assert_eq!(step_errors(&learned, &data, &run).unwrap(), None);
    }
}
