//! The fitted curve of every edge: the parent's term in the additive model of the child on its parents, with a band.
//!
//! As `mgcv::predict(type = "terms", se.fit = TRUE)`: with `b(x)` the term's constrained basis at `x` (so that the curve has
//! mean zero over the data), `β` its coefficients and `V` its block of the posterior covariance,
//!
//! ```text
//! f(x) = b(x)'β      se(x) = √(b(x)'V b(x))      V = σ̂² (G + ⊕ λ_j S_j)⁻¹      σ̂² = RSS / (n − edf)
//! ```
//!
//! (Nychka 1988; Marra & Wood 2012: averaged over `x`, a band of `±1.96 se(x)` covers the curve in about 95 % of samples.) The
//! band takes graph, smoothing parameters and additivity as given, and treats the noise as homoscedastic: it says how
//! well this curve is known, not whether the edge is there.
//!
//! An edge without one direction has no curve, because nobody knows whose parent is whose.

use rayon::prelude::*;

use super::model::FittedModel;
use crate::data::{ColumnSummary, RowBlocks, summarise};
use crate::error::Result;
use crate::graph::Node;
use crate::learner::Learned;
use crate::numerics::linalg::small;
use crate::regress::AdditiveFit;
use crate::run::Run;
use crate::smooth::{AdditiveGram, Basis, RawGram};

/// Points of a curve over the data's range.
const POINTS: usize = 60;
/// Half the width of the band in standard errors.
pub const BAND: f64 = 1.96;

/// A parent's effect on a child, other parents held fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The parent.
    pub parent: Node,
    /// The child.
    pub child: Node,
    /// Values of the parent: 60 over its range, or all it has where those are few.
    pub x: Vec<f64>,
    /// The effect, with mean zero over the data.
    pub fit: Vec<f64>,
    /// Its standard errors; none where the model leaves no degree of freedom for the noise.
    pub standard_errors: Option<Vec<f64>>,
}

/// The curves of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Curves {
    /// The model behind them.
    pub model: FittedModel,
    /// One per directed edge, by child, then parent.
    pub curves: Vec<Curve>,
}

/// Fits every child of a learned graph on its parents.
///
/// # Errors
/// What reading the rows came upon, or [`crate::Error::Cancelled`].
pub fn curves(learned: &Learned, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<Curves> {
    let model = FittedModel::of_curves(&learned.config);
    let columns = summarise(rows, run)?;
    let raw = RawGram::of(rows, model.spec(), &columns, run)?;
    let gram = AdditiveGram::new(&raw);
    let of_child = |child: Node| {
        run.check()?;
        let parents: Vec<Node> = learned.graph.parents(child).ones().collect();
        Ok(child_curves(&gram, raw.bases(), &columns, (child, &parents), &model))
    };
    let curves: Vec<Vec<Curve>> = (0..gram.d()).into_par_iter().map(of_child).collect::<Result<_>>()?;
    Ok(Curves { model, curves: curves.concat() })
}

fn child_curves(
    gram: &AdditiveGram,
    bases: &[Basis],
    columns: &[ColumnSummary],
    (child, parents): (Node, &[Node]),
    model: &FittedModel,
) -> Vec<Curve> {
    if parents.is_empty() {
        return Vec::new();
    }
    let (smoothing, sp) = model.smoothing();
    let fit = AdditiveFit::smoothed(gram, parents, child, smoothing, sp);
    let with_a_term = parents.iter().enumerate().filter(|&(_, &parent)| gram.term(parent).size() > 0);
    let curve = |(term, &parent): (usize, &Node)| {
        let x = points(&bases[parent], &columns[parent]);
        let rows: Vec<Vec<f64>> = x.iter().map(|&x| gram.term(parent).reduce(&bases[parent].row(x))).collect();
        Curve {
            parent,
            child,
            fit: rows.iter().map(|row| small::dot(row, fit.coefficients(term))).collect(),
            standard_errors: fit.term_errors(term, &rows),
            x,
        }
    };
    with_a_term.map(curve).collect()
}

fn points(basis: &Basis, column: &ColumnSummary) -> Vec<f64> {
    match basis {
        Basis::Saturated(levels) => levels.clone(),
        _ => {
            let step = (column.max - column.min) / (POINTS - 1) as f64;
            // The last exactly, whatever the rounding.
            (0..POINTS - 1).map(|i| column.min + step * i as f64).chain([column.max]).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Origin;
    use crate::learner::{Input, LearnerConfig};
    use crate::run::Seed;
    use crate::simulate::{SimulateOptions, simulate};

    /// Dense normal equations against the Gram matrix.
    const ALGEBRA: f64 = 1e-8;

    fn learned(learner: &str, nodes: usize) -> (crate::data::Dataset, Learned) {
        let options = SimulateOptions { nodes: Some(nodes), samples: 300, ..Default::default() };
        let data = simulate("ER-SIN-2".parse().unwrap(), &options, Seed(2)).unwrap().data;
        let config = LearnerConfig::resolve(learner, &[]).unwrap();
        let learned = config.build().unwrap().learn(&Input::new(&data), &Run::new(Seed(1))).unwrap();
        (data, learned)
    }

    #[test]
    fn curve_and_band_are_those_of_the_dense_formula() {
        let (data, learned) = learned("npvar", 6);
        let found = curves(&learned, &data, &Run::new(Seed(1))).unwrap();
        assert_eq!(found.model.origin, Origin::Learner);
        let child = (0..6).max_by_key(|&node| learned.graph.parents(node).count_ones(..)).unwrap();
        let parents: Vec<usize> = learned.graph.parents(child).ones().collect();
        assert!(parents.len() >= 2, "the data should have a node with two parents");
        // [1, B_1, B_2, …] without any constraint: each term's mean is taken away afterwards.
        let columns = summarise(&data, &Run::new(Seed(1))).unwrap();
        let bases: Vec<Basis> = parents.iter().map(|&parent| found.model.spec().basis(&columns[parent])).collect();
        let (n, k) = (data.n(), 10);
        let size = 1 + k * parents.len();
        let design = |i: usize| {
            let mut row = vec![1.0];
            parents.iter().zip(&bases).for_each(|(&parent, basis)| row.extend(basis.row(data.column(parent)[i])));
            row
        };
        let rows: Vec<Vec<f64>> = (0..n).map(design).collect();
        let mut m = faer::Mat::<f64>::zeros(size, size);
        for row in &rows {
            (0..size).for_each(|a| (0..size).for_each(|b| m[(a, b)] += row[a] * row[b]));
        }
        let gram = m.clone();
        // The constraint as a penalty on every term's mean, heavy enough to be one.
        for (term, basis) in bases.iter().enumerate() {
            let mean: Vec<f64> =
                (0..k).map(|a| rows.iter().map(|row| row[1 + term * k + a]).sum::<f64>() / n as f64).collect();
            for (a, b) in (0..k).flat_map(|a| (0..k).map(move |b| (a, b))) {
                m[(1 + term * k + a, 1 + term * k + b)] += 0.6 * basis.penalty()[a * k + b] + 1e7 * mean[a] * mean[b];
            }
        }
        let (inverse, _) = crate::numerics::linalg::positive_inverse(&m).unwrap();
        let y = data.column(child);
        let cross: Vec<f64> = (0..size).map(|a| (0..n).map(|i| rows[i][a] * y[i]).sum()).collect();
        let beta: Vec<f64> = (0..size).map(|a| (0..size).map(|b| inverse[(a, b)] * cross[b]).sum()).collect();
        let residual = |i: usize| y[i] - rows[i].iter().zip(&beta).map(|(a, b)| a * b).sum::<f64>();
        let edf: f64 = (0..size).map(|a| (0..size).map(|b| inverse[(a, b)] * gram[(b, a)]).sum::<f64>()).sum();
        let noise = (0..n).map(|i| residual(i).powi(2)).sum::<f64>() / (n as f64 - edf);
        for (term, &parent) in parents.iter().enumerate() {
            let curve = found.curves.iter().find(|curve| (curve.parent, curve.child) == (parent, child)).unwrap();
            assert_eq!(curve.x.len(), POINTS);
            let mean: Vec<f64> =
                (0..k).map(|a| rows.iter().map(|row| row[1 + term * k + a]).sum::<f64>() / n as f64).collect();
            for (at, &x) in curve.x.iter().enumerate() {
                let b: Vec<f64> = bases[term].row(x).iter().zip(&mean).map(|(b, mean)| b - mean).collect();
                let own = 1 + term * k;
                let fit: f64 = (0..k).map(|a| b[a] * beta[own + a]).sum();
                let variance: f64 = (0..k)
                    .flat_map(|a| (0..k).map(move |c| (a, c)))
                    .map(|(a, c)| b[a] * b[c] * inverse[(own + a, own + c)])
                    .sum();
                let error = (noise * variance).sqrt();
                let got = curve.standard_errors.as_ref().unwrap()[at];
                assert!((curve.fit[at] - fit).abs() < 100.0 * ALGEBRA, "fit {} instead of {fit}", curve.fit[at]);
                assert!((got - error).abs() < 1e-4 * error, "standard error {got} instead of {error}");
            }
        }
    }

    #[test]
    fn learners_without_an_additive_model_get_a_stand_in_and_undirected_edges_no_curve() {
        let (data, learned) = learned("pc", 5);
        let found = curves(&learned, &data, &Run::new(Seed(1))).unwrap();
        assert_eq!(found.model.origin, Origin::StandIn);
        let directed: Vec<(Node, Node)> = found.curves.iter().map(|curve| (curve.parent, curve.child)).collect();
        assert!(directed.iter().all(|&(parent, child)| learned.graph.has_directed(parent, child)));
        let expected = (0..5).map(|node| learned.graph.parents(node).count_ones(..)).sum::<usize>();
        assert_eq!(directed.len(), expected);
    }
}
