//! Do a few rows make up a residual variance?
//!
//! The share of the residuals' sum of squares that the largest hundredth of them carries: 0.08 for normal noise, 0.16 for
//! Laplace noise, 0.33 for Student's t with three degrees of freedom, almost 1 for Cauchy noise. Unlike the kurtosis it
//! exists whatever the moments.

use super::examined::Examined;
use super::residuals::Fit;
use crate::graph::Node;
use crate::learner::reports::list;
use crate::run::Diagnostic;

/// The share of rows looked at.
const FEW: f64 = 0.01;
/// The share of the sum of squares that is too much for them.
const MUCH: f64 = 0.25;
/// Too few rows to speak of a hundredth of them.
const FEWEST_ROWS: usize = 100;

pub(super) fn check(examined: &Examined<'_>) -> Option<Diagnostic> {
    if examined.data.n() < FEWEST_ROWS {
        return None;
    }
    let mut heavy: Vec<(Node, f64)> =
        examined.fits.iter().map(|fit| (fit.node, share_of_largest(fit))).filter(|(_, share)| *share > MUCH).collect();
    heavy.sort_by(|a, b| b.1.total_cmp(&a.1));
    let &(most, share) = heavy.first()?;
    let nodes: Vec<Node> = heavy.iter().map(|(node, _)| *node).collect();
    Some(
        Diagnostic::warning(
            "heavy-tails",
            format!(
                "the residuals of {} have heavy tails: a hundredth of the rows makes up {:.0} % of the residual variance of {}, \
                 which such rows decide",
                list(examined.data.names(), &nodes),
                100.0 * share,
                examined.name(most)
            ),
        )
        .advise(
            "look at the largest values: mend errors, or take logarithms of positive columns; with `--bootstrap 200` see whether \
             the graph depends on them",
        ),
    )
}

fn share_of_largest(fit: &Fit) -> f64 {
    let mut squares: Vec<f64> = fit.residuals.iter().map(|value| value * value).collect();
    let few = (FEW * squares.len() as f64).ceil() as usize;
    let total: f64 = squares.iter().sum();
    squares.sort_by(|a, b| b.total_cmp(a));
    squares[..few].iter().sum::<f64>() / total
}
