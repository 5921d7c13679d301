//! Preliminary neighbourhood selection: step 1 of CAM (Bühlmann, Peters & Ernest 2014, section 4.1).
//!
//! Every node is boosted on all others: a hundred times the P-spline of one other node that best fits what is left of the node
//! takes a tenth of that away. Nodes chosen in more than 2 % of the steps, at most ten, remain candidate parents. Base learners
//! are those of mboost's `gamboost` (Bühlmann & Hothorn 2007): `bbs(x, knots = 20, degree = 3, differences = 2, df = 4)`, where
//! `df = tr(2S − S'S)` of the smoother `S`. It all happens on the Gram matrix: a step costs nothing that depends on the rows.
//!
//! Differs from mboost: a column with at most [`FEW_VALUES`](crate::data::FEW_VALUES) values, where mboost stops or follows
//! rounding, has an indicator per value, shrunk to four degrees of freedom when there are more than four.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::data::{ColumnSummary, RowBlocks};
use crate::error::Result;
use crate::graph::{Node, NodeSet};
use crate::numerics::linalg::small;
use crate::run::{Event, Run};
use crate::smooth::{Basis, PSpline, RawGram};

/// Cubic B-splines with 20 knots between the smallest and the largest value.
const FUNCTIONS: usize = 24;
/// Degrees of freedom of a base learner.
const DF: f64 = 4.0;
const STEPS: usize = 100;
const LEARNING_RATE: f64 = 0.1;
/// The share of the steps a node must be chosen in more than, and how many may be, as CAM sets them.
const SHARE: f64 = 0.02;
const MOST: usize = 10;

/// The candidate parents of every node.
///
/// ```
/// use npvar::data::summarise;
/// use npvar::select::boosted_neighbourhoods;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let data = simulate("MC-SIN".parse()?, &SimulateOptions { nodes: Some(4), ..Default::default() }, Seed(1))?.data;
/// let run = Run::new(Seed(1));
/// let candidates = boosted_neighbourhoods(&data, &summarise(&data, &run)?, &run)?;
/// assert!((0..4).all(|node| !candidates[node].contains(node)));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// What reading the rows came upon, or [`crate::Error::Cancelled`].
pub fn boosted_neighbourhoods(rows: &dyn RowBlocks, columns: &[ColumnSummary], run: &Run<'_>) -> Result<Vec<NodeSet>> {
    let bases: Arc<[Basis]> = columns.iter().map(basis).collect();
    let mut gram = RawGram::new(bases, columns.iter().map(|column| column.pilot_mean).collect());
    rows.for_each_block(&mut |block| gram.add(block, run))?;
    let learners: Vec<BaseLearner> = (0..gram.d()).into_par_iter().map(|node| BaseLearner::new(&gram, node)).collect();
    let done = AtomicUsize::new(0);
    (0..gram.d())
        .into_par_iter()
        .map(|child| {
            run.check()?;
            let chosen = boost(&gram, &learners, child);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            run.report(&Event::Working { phase: "selecting neighbourhoods", done, total: Some(gram.d()) })?;
            Ok(often_chosen(&chosen))
        })
        .collect()
}

fn basis(column: &ColumnSummary) -> Basis {
    match &column.levels {
        _ if column.min >= column.max => Basis::Constant,
        Some(levels) => Basis::Saturated(levels.clone()),
        None => Basis::PSpline(PSpline::between(column.min, column.max, FUNCTIONS)),
    }
}

/// One node's penalised regression of whatever is left.
struct BaseLearner {
    /// `H = (G + λK)⁻¹`, row-major: coefficients are `H B'u`.
    inverse: Vec<f64>,
    /// `2H − HGH`: a fit takes `(B'u)'(2H − HGH)(B'u)` off the sum of squares.
    reduction: Vec<f64>,
}

impl BaseLearner {
    fn new(gram: &RawGram, node: Node) -> Self {
        let k = gram.bases()[node].functions();
        let entry = gram.entry(node, node);
        let own: Vec<f64> = (0..k * k).map(|at| entry(at / k, at % k)).collect();
        let penalty = match &gram.bases()[node] {
            Basis::Saturated(levels) if levels.len() as f64 <= DF => vec![0.0; k * k],
            Basis::Saturated(_) => (0..k * k).map(|at| f64::from(u8::from(at / k == at % k))).collect(),
            basis => basis.penalty(),
        };
        let trace = |matrix: &[f64]| (0..k).map(|i| matrix[i * k + i]).sum::<f64>();
        let inverse = if trace(&penalty) == 0.0 {
            inverse(&own, &penalty, 0.0)
        } else {
            // df falls as λ grows; halving the interval of log λ leaves no error worth naming.
            let scale = trace(&own) / trace(&penalty);
            let (mut low, mut high) = (-40.0_f64, 60.0_f64);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                let smoother = times(&inverse(&own, &penalty, scale * middle.exp()), &own);
                let squared: f64 = (0..k * k).map(|at| smoother[at] * smoother[at % k * k + at / k]).sum();
                if 2.0 * trace(&smoother) - squared > DF { low = middle } else { high = middle }
            }
            inverse(&own, &penalty, scale * low.exp())
        };
        let smoothed = times(&times(&inverse, &own), &inverse);
        let reduction = inverse.iter().zip(smoothed).map(|(inverse, smoothed)| 2.0 * inverse - smoothed).collect();
        BaseLearner { inverse, reduction }
    }
}

/// `(G + λK)⁻¹`.
fn inverse(gram: &[f64], penalty: &[f64], lambda: f64) -> Vec<f64> {
    let k = gram.len().isqrt();
    let mut m: Vec<f64> = gram.iter().zip(penalty).map(|(gram, penalty)| gram + lambda * penalty).collect();
    let scale: Vec<f64> = (0..k).map(|i| m[i * k + i]).collect();
    if small::cholesky(&mut m, k, &scale) <= 0.0 {
        // Only where λ is all but zero and some B-splines have seen no row: such a smoother has too many degrees of freedom.
        let (values, vectors) =
            small::eigen(&gram.iter().zip(penalty).map(|(g, p)| g + lambda * p).collect::<Vec<_>>(), k);
        let cut = 1e-14 * values[k - 1];
        let mut out = vec![0.0; k * k];
        for (value, vector) in values.iter().zip(&vectors).filter(|(value, _)| **value > cut) {
            (0..k * k).for_each(|at| out[at] += vector[at / k] * vector[at % k] / value);
        }
        return out;
    }
    let factor = small::invert_lower(&m, k);
    let entry = |i: usize, j: usize| (i.max(j)..k).map(|l| factor[l * k + i] * factor[l * k + j]).sum();
    (0..k * k).map(|at| entry(at / k, at % k)).collect()
}

fn times(a: &[f64], b: &[f64]) -> Vec<f64> {
    let k = a.len().isqrt();
    let mut out = vec![0.0; k * k];
    for (out, a) in out.chunks_exact_mut(k.max(1)).zip(a.chunks_exact(k.max(1))) {
        for (a, b) in a.iter().zip(b.chunks_exact(k)) {
            out.iter_mut().zip(b).for_each(|(out, b)| *out += a * b);
        }
    }
    out
}

/// How often each node was chosen to explain `child`.
fn boost(gram: &RawGram, learners: &[BaseLearner], child: Node) -> Vec<usize> {
    let d = gram.d();
    let mut chosen = vec![0; d];
    let functions = |node: Node| gram.bases()[node].functions();
    if functions(child) == 0 {
        return chosen;
    }
    // B_j'u of what is left, which begins as the centred child: its own basis times known coefficients.
    let identity = gram.bases()[child].identity_coefficients();
    let mean = small::dot(&identity, &gram.column_sums(child)) / gram.n() as f64;
    let mut left: Vec<Vec<f64>> = (0..d)
        .map(|j| {
            let entry = gram.entry(j, child);
            let sums = gram.column_sums(j);
            let product = |a: usize| (0..identity.len()).map(|b| entry(a, b) * identity[b]).sum::<f64>();
            (0..functions(j)).map(|a| product(a) - mean * sums[a]).collect()
        })
        .collect();
    for _ in 0..STEPS {
        let mut best: Option<(Node, f64)> = None;
        for node in (0..d).filter(|&node| node != child && functions(node) > 0) {
            let reduction = small::quadratic(&left[node], &learners[node].reduction, &left[node]);
            if best.is_none_or(|(_, best)| reduction > best) {
                best = Some((node, reduction));
            }
        }
        let Some((node, _)) = best else { break };
        chosen[node] += 1;
        let k = functions(node);
        let step: Vec<f64> = (0..k)
            .map(|a| LEARNING_RATE * small::dot(&learners[node].inverse[a * k..(a + 1) * k], &left[node]))
            .collect();
        for (j, left) in left.iter_mut().enumerate() {
            let entry = gram.entry(j, node);
            for (a, left) in left.iter_mut().enumerate() {
                *left -= (0..k).map(|b| entry(a, b) * step[b]).sum::<f64>();
            }
        }
    }
    chosen
}

/// The nodes chosen often enough; where more than [`MOST`] are, those chosen more often than the next one.
fn often_chosen(chosen: &[usize]) -> NodeSet {
    let share = |node: Node| chosen[node] as f64 / STEPS as f64;
    let often = |least: f64| -> Vec<Node> { (0..chosen.len()).filter(|&node| share(node) > least).collect() };
    let mut nodes = often(SHARE);
    if nodes.len() > MOST {
        let mut shares: Vec<f64> = (0..chosen.len()).map(share).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        nodes = often(shares[MOST]);
    }
    let mut set = NodeSet::with_capacity(chosen.len());
    nodes.into_iter().for_each(|node| set.insert(node));
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_ten_neighbours_remain_and_ties_beyond_fall_together() {
        let mut chosen = vec![0; 15];
        chosen[..12].copy_from_slice(&[20, 15, 10, 9, 8, 7, 6, 5, 5, 5, 5, 5]);
        assert_eq!(often_chosen(&chosen).ones().collect::<Vec<_>>(), (0..7).collect::<Vec<_>>());
        assert_eq!(often_chosen(&[90, 2, 3, 5]).ones().collect::<Vec<_>>(), [0, 2, 3]);
    }
}
