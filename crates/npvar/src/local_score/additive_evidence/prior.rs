//! The penalty of a spline as a prior over functions, one for all columns.
//!
//! In coordinates in which a term's penalty is diagonal, with eigenvalues `ρ_1 ≤ … ≤ ρ_q`, the coefficients are independent
//!
//! ```text
//! β_i ~ N(0, a ω_i/ω̄)      ω_i = 1/(1 + φ ρ_i/ρ_q)      ω̄ = Σ_i G_ii ω_i / n
//! ```
//!
//! so that a function's variance over the sample is `a` on average whatever the column, rough functions are less likely the
//! larger `φ` (straight ones are not: `ρ = 0`), and `a = r s` with the noise variance `s` of the node explained. Neither `φ`
//! nor `r` depends on units.

use faer::Mat;

use crate::graph::Node;
use crate::smooth::AdditiveGram;

/// `φ` and `r`, the same for all nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FunctionPrior {
    /// `φ`: how much less likely rough functions are.
    pub smoothness: f64,
    /// `r`: the variance of a function over that of the noise.
    pub ratio: f64,
}

impl Default for FunctionPrior {
    /// Where the climb to the highest evidence begins.
    fn default() -> Self {
        FunctionPrior { smoothness: 30.0, ratio: 2.0 }
    }
}

/// `M = I + r Φ'Φ` and `c = √r Φ'X` for all columns, with `Φ` the bases in which the prior is `N(0, s r I)`.
#[derive(Debug, Clone)]
pub(super) struct Whitened {
    pub(super) matrix: Mat<f64>,
    pub(super) cross: Mat<f64>,
    /// `offsets[j]..offsets[j + 1]` are the coefficients of column `j`.
    offsets: Vec<usize>,
}

impl Whitened {
    /// From a Gram matrix in coordinates in which every penalty is diagonal ([`AdditiveGram::turned`]).
    pub(super) fn new(gram: &AdditiveGram, prior: FunctionPrior) -> Self {
        let d = gram.d();
        let scales: Vec<Vec<f64>> = (0..d).map(|j| scales(gram, j, prior)).collect();
        let mut offsets = vec![0; d + 1];
        (0..d).for_each(|j| offsets[j + 1] = offsets[j] + scales[j].len());
        let (mut matrix, mut cross) = (Mat::zeros(offsets[d], offsets[d]), Mat::zeros(offsets[d], d));
        let mut block = Vec::new();
        for j in 0..d {
            for i in 0..d {
                let (rows, columns) = (scales[i].len(), scales[j].len());
                block.resize(rows * columns, 0.0);
                // Row by row of G_ji is column by column of G_ij.
                gram.copy_block(j, i, &mut block, rows.max(1));
                for c in 0..columns {
                    let target = &mut matrix.col_as_slice_mut(offsets[j] + c)[offsets[i]..offsets[i + 1]];
                    for r in 0..rows {
                        target[r] = scales[i][r] * scales[j][c] * block[c * rows + r];
                    }
                }
                let target = &mut cross.col_as_slice_mut(j)[offsets[i]..offsets[i + 1]];
                for (r, value) in gram.cross(i, j).iter().enumerate() {
                    target[r] = scales[i][r] * value;
                }
            }
        }
        (0..offsets[d]).for_each(|i| matrix[(i, i)] += 1.0);
        Whitened { matrix, cross, offsets }
    }

    /// `d`.
    pub(super) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The coefficients of several columns, one after the other.
    pub(super) fn rows<'a>(&'a self, nodes: &'a [Node]) -> impl Iterator<Item = usize> + 'a {
        nodes.iter().flat_map(|&node| self.range(node))
    }

    /// The coefficients of a column.
    pub(super) fn range(&self, node: Node) -> std::ops::Range<usize> {
        self.offsets[node]..self.offsets[node + 1]
    }
}

/// `√(r ω_i/ω̄)` for every coefficient of a column.
fn scales(gram: &AdditiveGram, node: usize, prior: FunctionPrior) -> Vec<f64> {
    let (roughness, q) = (gram.term(node).roughness(), gram.term(node).size());
    let roughest = roughness.last().copied().unwrap_or(0.0);
    let share = |value: f64| if roughest > 0.0 { value / roughest } else { 0.0 };
    let weights: Vec<f64> = roughness.iter().map(|&value| 1.0 / (1.0 + prior.smoothness * share(value))).collect();
    let diagonal = gram.diagonal_block(node).iter().step_by(q + 1);
    let average = weights.iter().zip(diagonal).map(|(weight, square)| weight * square).sum::<f64>() / gram.n() as f64;
    weights.iter().map(|weight| (prior.ratio * weight / average).sqrt()).collect()
}
