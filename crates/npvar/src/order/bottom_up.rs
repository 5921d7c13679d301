//! Bottom-up order search for linear models with equal error variances (Chen, Drton & Wang 2019, section 3.2).
//!
//! The precision of a node given all others, `Ω_jj = (1 + Σ w²) / σ²` over its children, is smallest at a sink. Finds
//! one, removes it from the margin (a rank-one update of `Ω`), and repeats.

use faer::Mat;

use crate::data::Covariance;
use crate::error::Result;
use crate::graph::{Knowledge, Node, Order};
use crate::numerics::linalg::{Into, eigen_during, multiply};
use crate::run::{Event, Run};

/// Eigenvalues of the correlation matrix below this count as this: columns that are exact functions of others.
const SINGULAR: f64 = 1e-12;

/// A sink found, and what it was compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Sink {
    /// The nodes still there, the sink among them.
    pub nodes: Vec<Node>,
    /// Their precisions given each other.
    pub precisions: Vec<f64>,
}

/// The order found, source first, with the sinks in the order found; and whether the covariance matrix was singular.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn bottom_up(covariance: &Covariance, run: &Run<'_>) -> Result<(Order, Vec<Sink>, bool)> {
    bottom_up_within(covariance, &Knowledge::none(covariance.matrix().nrows()), run)
}

/// The same where something is known: at every step only nodes that may be last of those still there compete.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn bottom_up_within(
    covariance: &Covariance,
    knowledge: &Knowledge,
    run: &Run<'_>,
) -> Result<(Order, Vec<Sink>, bool)> {
    let d = covariance.matrix().nrows();
    let (mut precision, singular) = precision(covariance.matrix(), run)?;
    let mut nodes: Vec<Node> = (0..d).collect();
    let (mut reversed, mut sinks) = (Vec::with_capacity(d), Vec::with_capacity(d));
    while !nodes.is_empty() {
        let precisions: Vec<f64> = nodes.iter().map(|&node| precision[(node, node)]).collect();
        let smallest = (0..nodes.len())
            .filter(|&i| knowledge.may_be_last_of(nodes[i], &nodes))
            .reduce(|best, i| if precisions[i] < precisions[best] { i } else { best })
            .expect("knowledge without contradictions leaves some node to be last");
        let sink = nodes[smallest];
        sinks.push(Sink { nodes: nodes.clone(), precisions });
        nodes.remove(smallest);
        let column = precision.col_as_slice(sink).to_vec();
        for &j in &nodes {
            let factor = column[j] / column[sink];
            for &i in &nodes {
                precision[(i, j)] -= factor * column[i];
            }
        }
        reversed.push(sink);
        run.report(&Event::Layer { layer: &[sink], ordered: reversed.len(), nodes: d })?;
    }
    reversed.reverse();
    Ok((Order::new(reversed)?, sinks, singular))
}

/// `Σ⁻¹`, with the smallest eigenvalues of the correlation matrix raised where it is singular.
fn precision(covariance: &Mat<f64>, run: &Run<'_>) -> Result<(Mat<f64>, bool)> {
    let d = covariance.nrows();
    let scale: Vec<f64> = (0..d).map(|j| covariance[(j, j)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let correlation = Mat::from_fn(d, d, |i, j| if i == j { 1.0 } else { covariance[(i, j)] / (scale[i] * scale[j]) });
    let (values, vectors) = eigen_during(correlation, run)?;
    let singular = values.first().is_some_and(|&value| value < SINGULAR);
    let root = Mat::from_fn(d, d, |i, k| vectors[(i, k)] / (values[k].max(SINGULAR).sqrt() * scale[i]));
    let mut inverse = Mat::zeros(d, d);
    multiply(inverse.as_mut(), Into::Replace, root.as_ref(), root.transpose(), 1.0);
    Ok((inverse, singular))
}
