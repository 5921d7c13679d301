//! DAS's fast selection (Montagna, Noceti, Rosasco, Zhang & Locatello 2023, "Scalable causal discovery with score matching").
//!
//! Where `l` is a sink, `∂²log p/∂x_l∂x_j = (∂f_l/∂x_j)/σ_l²` at every row: zero unless `j` is a parent of `l`. So SCORE's search,
//! which has the derivatives of every sink in hand, tells which of the nodes before a sink can be its parents at all, and only
//! those need a regression. Of the nodes before it, those with the largest medians are looked at; the first few are candidates
//! as they are, each other one when its derivatives are larger in absolute value than those of the last, by Welch's one-sided
//! test. Cost beside the search: `O(n²m)` per sink.
//!
//! Differs from the authors' package, which takes the derivatives of every sink from one estimate on all columns, where the node
//! is no sink any more and its children's other parents have derivatives too: ours are those of the step at which it is one, as
//! the paper's are.

use super::rule::SteinRule;
use super::score::SteinStep;
use super::sinks::sinks_first;
use crate::error::Result;
use crate::graph::{Knowledge, Node, Order};
use crate::numerics::distribution::f_upper_tail;
use crate::run::Run;

/// How many candidates, and how they are tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CandidateRule {
    /// Candidates without a test; the sink itself, whose own derivative is among the largest, counts as one.
    pub least: usize,
    /// Candidates at most.
    pub most: usize,
    /// The level of the test of the others.
    pub cutoff: f64,
}

impl Default for CandidateRule {
    /// The authors' package's.
    fn default() -> Self {
        CandidateRule { least: 5, most: 20, cutoff: 0.05 }
    }
}

/// What the derivatives of a sink say about the nodes before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// The sink.
    pub child: Node,
    /// The nodes still there, the sink among them.
    pub nodes: Vec<Node>,
    /// For each the absolute median over the rows of the mixed derivative.
    pub medians: Vec<f64>,
    /// Which of them may be parents, by node.
    pub candidates: Vec<Node>,
}

/// SCORE's order, or the one given, its steps, and the candidates of every sink, sinks first.
///
/// # Errors
/// [`crate::Error::Cancelled`], or [`crate::Error::NoVariance`] when a derivative is not a number.
pub fn stein_candidates(
    columns: &[&[f64]],
    rule: &SteinRule,
    candidates: CandidateRule,
    (given, knowledge): (Option<&Order>, &Knowledge),
    run: &Run<'_>,
) -> Result<(Order, Vec<SteinStep>, Vec<Candidates>)> {
    let positions = given.map(Order::positions);
    let (mut steps, mut found) = (Vec::new(), Vec::new());
    let order = sinks_first(columns, rule, knowledge, run, &mut |nodes, estimate| {
        let step = SteinStep { nodes: nodes.to_vec(), variances: estimate.variances(), width: estimate.width() };
        let smallest = step.smallest(knowledge)?;
        let sink = match &positions {
            None => smallest,
            Some(positions) => {
                (0..nodes.len()).max_by_key(|&at| positions[nodes[at]]).expect("there are nodes left to order")
            }
        };
        found.push(chosen(nodes, sink, &estimate.mixed(sink, run)?, candidates));
        steps.push(step);
        Ok(sink)
    })?;
    Ok((given.cloned().unwrap_or(order), steps, found))
}

/// The candidates of the sink at place `sink` of `nodes`, from the mixed derivatives.
fn chosen(nodes: &[Node], sink: usize, derivatives: &[Vec<f64>], rule: CandidateRule) -> Candidates {
    let medians: Vec<f64> = derivatives.iter().map(|values| median(values).abs()).collect();
    let mut largest: Vec<usize> = (0..nodes.len()).collect();
    largest.sort_by(|&a, &b| medians[b].total_cmp(&medians[a]));
    largest.truncate(rule.most + 1);
    let sizes = |at: usize| derivatives[at].iter().map(|value| value.abs()).collect::<Vec<_>>();
    let last = sizes(*largest.last().expect("the sink is among them"));
    let is_candidate = |&(place, &at): &(usize, &usize)| {
        at != sink && (place < rule.least || exceeds(&sizes(at), &last) < rule.cutoff)
    };
    let mut candidates: Vec<Node> = largest.iter().enumerate().filter(is_candidate).map(|(_, &at)| nodes[at]).collect();
    candidates.sort_unstable();
    Candidates { child: nodes[sink], nodes: nodes.to_vec(), medians, candidates }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    let half = values.len() / 2;
    let (below, &mut upper, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    match below.iter().copied().max_by(f64::total_cmp) {
        Some(lower) if values.len().is_multiple_of(2) => 0.5 * (lower + upper),
        _ => upper,
    }
}

/// The p-value of Welch's test that the first sample's mean is not larger than the second's.
fn exceeds(a: &[f64], b: &[f64]) -> f64 {
    let moments = |values: &[f64]| {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
    };
    let ((mean_a, a_square), (mean_b, b_square), others) = (moments(a), moments(b), a.len() as f64 - 1.0);
    let square = a_square + b_square;
    if mean_a <= mean_b || square == 0.0 {
        return if mean_a > mean_b { 0.0 } else { 1.0 };
    }
    let df = square * square * others / (a_square * a_square + b_square * b_square);
    // P(T > t) is half of P(F > t²).
    0.5 * f_upper_tail((mean_a - mean_b).powi(2) / square, 1.0, df)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_those_of_the_middle() {
        assert_eq!([&[3.0, 1.0, 2.0][..], &[4.0, 1.0, 2.0, 8.0]].map(median), [2.0, 3.0]);
    }

    /// scipy 1.13.1: `ttest_ind([1, 2, 4, 7], [0, 1, 1, 3], alternative="greater", equal_var=False)`.
    #[test]
    fn welch_is_his_test() {
        let p_value = exceeds(&[1.0, 2.0, 4.0, 7.0], &[0.0, 1.0, 1.0, 3.0]);
        assert!((p_value - 0.097_286_996_507_416_78).abs() < 1e-12, "{p_value}");
        assert_eq!(exceeds(&[1.0, 2.0], &[1.0, 2.0]), 1.0);
    }

    #[test]
    fn what_is_as_small_as_the_last_is_no_candidate() {
        let rows = |scale: f64| (0..40).map(|i| scale * (1.0 + 0.1 * (i as f64).sin())).collect::<Vec<_>>();
        let derivatives = [rows(3.0), rows(0.01), rows(1.0), rows(0.01), rows(-0.9)];
        let rule = CandidateRule { least: 1, most: 20, cutoff: 0.05 };
        assert_eq!(chosen(&[10, 11, 12, 13, 14], 0, &derivatives, rule).candidates, [12, 14]);
        assert_eq!(
            chosen(&[10, 11, 12, 13, 14], 0, &derivatives, CandidateRule { least: 4, ..rule }).candidates.len(),
            3
        );
        let none = chosen(&[10, 11, 12, 13, 14], 0, &derivatives, CandidateRule { most: 1, ..rule });
        assert!(none.candidates.is_empty());
    }
}
