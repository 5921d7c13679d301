//! Every node given its parents, by the paper's additive model.
//!
//! A parent that the selection just missed would stand in the residuals, where it looks like a larger noise variance or an
//! effect of two parents together. So nodes before it in the order whose terms are significant at [`LENIENT`] take part too.

use faer::Mat;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::error::Result;
use crate::graph::{Dag, Node};
use crate::regress::{FittedMean, Gam};
use crate::run::Run;
use crate::select::Test;

/// Residual variances below this share of the column's are rounding.
const DETERMINED: f64 = 1e-18;

/// The level from which on a node before another takes part in its regression.
const LENIENT: f64 = 0.05;

/// A node given its parents.
pub(super) struct Fit {
    pub(super) node: Node,
    /// Its parents in the graph.
    pub(super) parents: Vec<Node>,
    /// What it was regressed on: the parents first.
    pub(super) regressors: Vec<Node>,
    /// Their mean is zero.
    pub(super) residuals: Vec<f64>,
    /// Rows less effective degrees of freedom, at least one.
    pub(super) degrees: f64,
}

impl Fit {
    /// The residual variance.
    pub(super) fn variance(&self) -> f64 {
        self.residuals.iter().map(|value| value * value).sum::<f64>() / self.degrees
    }
}

/// The fits of all nodes that their parents do not determine.
pub(super) fn of_every_node(data: &Dataset, dag: &Dag, tests: &[Test], run: &Run<'_>) -> Result<Vec<Fit>> {
    let mut regressors: Vec<Vec<Node>> = (0..data.d()).map(|node| dag.parents(node).ones().collect()).collect();
    let parents = regressors.clone();
    for test in tests.iter().filter(|test| test.p_value < LENIENT && !dag.has_edge(test.parent, test.child)) {
        regressors[test.child].push(test.parent);
    }
    let fits: Vec<Option<Fit>> = parents
        .into_par_iter()
        .zip(regressors)
        .enumerate()
        .with_max_len(1)
        .map(|(node, (parents, regressors))| fit(data, node, parents, regressors, run))
        .collect::<Result<_>>()?;
    Ok(fits.into_iter().flatten().collect())
}

fn fit(data: &Dataset, node: Node, parents: Vec<Node>, regressors: Vec<Node>, run: &Run<'_>) -> Result<Option<Fit>> {
    run.check()?;
    let y = data.column(node);
    let n = y.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let square: f64 = y.iter().map(|value| (value - mean).powi(2)).sum();
    let (fitted, edf) = if regressors.is_empty() || data.n() < 2 {
        (vec![mean; y.len()], 1.0)
    } else {
        let z = Mat::from_fn(data.n(), regressors.len(), |i, j| data.column(regressors[j])[i]);
        let fitted = Gam::default().fit_gam(z.as_ref(), y)?;
        (fitted.predict(z.as_ref()), fitted.fit().edf())
    };
    let residuals: Vec<f64> = y.iter().zip(fitted).map(|(y, fit)| y - fit).collect();
    let left: f64 = residuals.iter().map(|value| value * value).sum();
    let varies = left > DETERMINED * square && square > 0.0;
    Ok(varies.then(|| Fit { node, parents, regressors, residuals, degrees: (n - edf).max(1.0) }))
}
