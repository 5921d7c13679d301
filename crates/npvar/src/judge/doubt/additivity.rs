//! Do the effects of the parents add up?
//!
//! For every pair of a node's parents: do products of the two columns explain what the additive fit left over? The products are
//! those of the first three Legendre polynomials in the columns' ranks, bounded whatever the tails; what the additive bases of
//! all parents explain of them is taken out first. The statistic is the score test with a covariance that allows the residual
//! variance to differ between rows (Wooldridge 1990), χ² with as many degrees of freedom as products; Bonferroni's correction
//! over all pairs.

use faer::Mat;
use rayon::prelude::*;

use super::examined::Examined;
use super::how_long;
use super::residuals::Fit;
use super::time_order::ranks;
use crate::data::{Dataset, summarise};
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::distribution::chi_square_upper_tail;
use crate::numerics::linalg::cholesky::cholesky_solve;
use crate::numerics::linalg::small_symmetric::eigen_coordinates;
use crate::numerics::linalg::{Into, cholesky_here, multiply_here, wide};
use crate::numerics::words;
use crate::run::{Diagnostic, Run};
use crate::smooth::{Basis, FewValued, RawGram, SmoothSpec};

/// The level, after Bonferroni's correction. Below the other tests' 0.01: where the order or a parent is wrong, or splines of ten
/// functions are too stiff, additive truths leave traces of products, which at 0.01 were called in 9 % of dense graphs.
const LEVEL: f64 = 0.001;
/// Polynomials per column.
const DEGREE: usize = 3;
/// B-splines per column of the additive model that is taken out.
const FUNCTIONS: usize = 10;
/// Directions with less than this share of the largest eigenvalue are rounding.
const SINGULAR: f64 = 1e-10;
/// The ridge of the additive model's normal equations, as a share of their mean diagonal.
const RIDGE: f64 = 1e-10;
/// Rows that must be left, per product.
const ROWS_PER_PRODUCT: usize = 10;

/// Two parents whose joint effect on a node is not the sum of their effects.
struct Interaction {
    node: Node,
    parents: (Node, Node),
    p_value: f64,
}

pub(super) fn check(examined: &Examined<'_>, run: &Run<'_>) -> Result<Option<Diagnostic>> {
    if !examined.rests_on.additivity {
        return Ok(None);
    }
    let several: Vec<&Fit> = examined.fits.iter().filter(|fit| fit.parents.len() > 1).collect();
    let per_node: Vec<Vec<Interaction>> = several
        .into_par_iter()
        .with_max_len(1)
        .map(|fit| interactions(examined.data, fit, run))
        .collect::<Result<_>>()?;
    let mut found: Vec<Interaction> = per_node.into_iter().flatten().collect();
    let pairs = found.len() as f64;
    found.retain(|interaction| interaction.p_value * pairs < LEVEL);
    found.sort_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let Some(Interaction { node, parents: (first, second), p_value }) = found.first() else { return Ok(None) };
    let mut nodes: Vec<Node> = found.iter().map(|interaction| interaction.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let others = match nodes.len() - 1 {
        0 => String::new(),
        more => format!(", and so it is for {}", words::count(more, "more column")),
    };
    let options = examined.learned.config.finding_joint_effects();
    Ok(Some(
        Diagnostic::warning(
            "non-additive",
            format!(
                "{} depends on {} and {} together, not on the sum of their effects ({}){others}: an additive model leaves such an \
                 effect in the residuals, which may mislead the order",
                examined.name(*node),
                examined.name(*first),
                examined.name(*second),
                words::p_value((p_value * pairs).min(1.0))
            ),
        )
        .advise(format!(
            "learn with `{options}`, which finds effects of several columns together and takes {}",
            how_long::estimate(options, examined.learned.n, examined.data.d())
        )),
    ))
}

/// Every pair of the parents, tested.
fn interactions(data: &Dataset, fit: &Fit, run: &Run<'_>) -> Result<Vec<Interaction>> {
    run.check()?;
    let n = data.n();
    let polynomials: Vec<Vec<Vec<f64>>> = fit.parents.iter().map(|&parent| legendre(data.column(parent))).collect();
    let parents = fit.parents.len();
    let pairs: Vec<(usize, usize)> = (0..parents).flat_map(|a| (a + 1..parents).map(move |b| (a, b))).collect();
    let additive = additive_bases(fit, data, run)?;
    if n < additive.ncols() + ROWS_PER_PRODUCT * DEGREE * DEGREE {
        return Ok(Vec::new());
    }
    let Some(additive) = Explained::by(additive) else { return Ok(Vec::new()) };
    let residuals = additive.without(Mat::from_fn(n, 1, |i, _| fit.residuals[i]));
    // One pair at a time: all products together would be many times the table.
    let tested = pairs.into_iter().map(|(a, b)| {
        run.check()?;
        let mut products = Mat::zeros(n, DEGREE * DEGREE);
        for k in 0..DEGREE * DEGREE {
            let (p, q) = (&polynomials[a][k / DEGREE], &polynomials[b][k % DEGREE]);
            let column = products.col_as_slice_mut(k);
            column.iter_mut().zip(p.iter().zip(q)).for_each(|(product, (p, q))| *product = p * q);
        }
        let p_value = score_test(&additive.without(products), residuals.col_as_slice(0));
        Ok(Interaction { node: fit.node, parents: (fit.parents[a], fit.parents[b]), p_value })
    });
    tested.collect()
}

/// Every basis function of every regressor, and the constant: what an additive model can explain.
fn additive_bases(fit: &Fit, data: &Dataset, run: &Run<'_>) -> Result<Mat<f64>> {
    let names = fit.regressors.iter().map(|&node| data.names()[node].clone()).collect();
    let regressors = Dataset::new(names, fit.regressors.iter().map(|&node| data.column(node).to_vec()).collect())?;
    let spec = SmoothSpec::spline(FUNCTIONS, FewValued::Saturated);
    let bases: Vec<Basis> = RawGram::for_columns(spec, &summarise(&regressors, run)?).bases().to_vec();
    let functions: usize = bases.iter().map(Basis::functions).sum();
    let mut values = Mat::zeros(data.n(), functions + 1);
    let mut first = 0;
    for (j, basis) in bases.iter().enumerate() {
        for (i, &x) in regressors.column(j).iter().enumerate() {
            basis.row(x).into_iter().enumerate().for_each(|(k, value)| values[(i, first + k)] = value);
        }
        first += basis.functions();
    }
    values.col_as_slice_mut(functions).fill(1.0);
    Ok(values)
}

/// What columns explain of others by least squares.
struct Explained {
    z: Mat<f64>,
    /// The Cholesky factor of `z'z`.
    factor: Mat<f64>,
}

impl Explained {
    /// Nothing where the columns are zero everywhere.
    fn by(z: Mat<f64>) -> Option<Self> {
        let p = z.ncols();
        let mut square = Mat::zeros(p, p);
        multiply_here(square.as_mut(), Into::Replace, z.transpose(), z.as_ref(), 1.0);
        // The bases sum to one each, so that the square is singular: a ridge that is nothing in any other direction.
        let ridge = RIDGE * (0..p).map(|j| square[(j, j)]).sum::<f64>() / p as f64;
        (0..p).for_each(|j| square[(j, j)] += ridge);
        cholesky_here(square.as_mut())?;
        Some(Explained { z, factor: square })
    }

    /// What is not explained of every column of `x`.
    fn without(&self, mut x: Mat<f64>) -> Mat<f64> {
        let mut cross = Mat::zeros(self.z.ncols(), x.ncols());
        multiply_here(cross.as_mut(), Into::Replace, self.z.transpose(), x.as_ref(), 1.0);
        cholesky_solve(self.factor.as_ref(), cross.as_mut());
        multiply_here(x.as_mut(), Into::Add, self.z.as_ref(), cross.as_ref(), -1.0);
        x
    }
}

/// The first Legendre polynomials of the ranks, scaled to (−1, 1).
fn legendre(column: &[f64]) -> Vec<Vec<f64>> {
    let n = column.len() as f64;
    let u: Vec<f64> = ranks(column).into_iter().map(|rank| 2.0 * (rank + 0.5) / n - 1.0).collect();
    let polynomials: [fn(f64) -> f64; DEGREE] =
        [|u| u, |u| 0.5 * (3.0 * u * u - 1.0), |u| 0.5 * (5.0 * u * u * u - 3.0 * u)];
    polynomials.iter().map(|polynomial| u.iter().map(|&u| polynomial(u)).collect()).collect()
}

/// The p-value of `E[x r] = 0` for all columns at once.
fn score_test(columns: &Mat<f64>, residuals: &[f64]) -> f64 {
    let k = columns.ncols();
    let weighted: Vec<Vec<f64>> =
        (0..k).map(|j| columns.col_as_slice(j).iter().zip(residuals).map(|(x, r)| x * r).collect()).collect();
    // The score's coordinates along the covariance's axes.
    let mut score: Vec<f64> = weighted.iter().map(|column| wide::sum(column)).collect();
    let (mut covariance, mut values) = (vec![0.0; k * k], vec![0.0; k]);
    for i in 0..k {
        for j in 0..=i {
            covariance[i * k + j] = wide::dot(&weighted[i], &weighted[j]);
        }
    }
    eigen_coordinates(&mut covariance, &mut score, &mut values);
    let border = SINGULAR * values.iter().copied().fold(0.0, f64::max);
    let (mut statistic, mut degrees) = (0.0, 0.0);
    for (along, value) in score.iter().zip(&values).filter(|(_, value)| **value > border) {
        statistic += along * along / value;
        degrees += 1.0;
    }
    if degrees == 0.0 { 1.0 } else { chi_square_upper_tail(statistic, degrees) }
}
