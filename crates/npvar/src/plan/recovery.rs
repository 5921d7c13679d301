//! How often a learner recovers a known graph, against the number of samples.
//!
//! Shares come with Wilson's 95 % interval (1927), which holds near 0 and 1 too.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::FittedSem;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::graph::{Cpdag, Dag, Mark, Node, Pdag};
use crate::learner::{Input, LearnerConfig};
use crate::run::{Event, Run, Seed};
use crate::simulate::{Setting, SimulateOptions, simulate};

/// The normal distribution's 97.5 % point.
const NORMAL_975: f64 = 1.959_963_984_540_054;

/// Where samples come from.
pub enum Population {
    /// A named setting: a graph of its own for every data set where the setting draws one.
    Named(Setting, SimulateOptions),
    /// A model fitted to data: one graph.
    Fitted(FittedSem),
}

impl Population {
    fn draw(&self, samples: usize, seed: Seed) -> Result<(Dataset, Dag)> {
        match self {
            Population::Named(setting, options) => {
                let drawn = simulate(*setting, &SimulateOptions { samples, ..options.clone() }, seed)?;
                Ok((drawn.data, drawn.truth))
            }
            Population::Fitted(model) => Ok((model.draw(samples, seed)?, model.dag().clone())),
        }
    }
}

/// Successes among trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Successes.
    pub count: usize,
    /// Trials.
    pub of: usize,
}

impl Share {
    /// The share.
    pub fn value(self) -> f64 {
        self.count as f64 / self.of as f64
    }

    /// Wilson's 95 % interval.
    ///
    /// ```
    /// use npvar::plan::Share;
    /// let (low, high) = Share { count: 8, of: 10 }.interval();
    /// assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
    /// ```
    pub fn interval(self) -> (f64, f64) {
        let (n, p, z2) = (self.of as f64, self.value(), NORMAL_975 * NORMAL_975);
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = NORMAL_975 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        ((middle - half).clamp(0.0, p), (middle + half).clamp(p, 1.0))
    }
}

/// How often the truth was recovered at one number of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recovery {
    /// `n`.
    pub samples: usize,
    /// Orders that violate no true edge; nothing for a learner that finds none.
    pub order: Option<Share>,
    /// Graphs without a wrong edge: the true graph, or its equivalence class from a learner that finds classes.
    pub graph: Share,
}

/// Recovers graphs from new samples, `replicates` times for every number of samples. The seed of a sample depends on its number
/// alone, so that a learner or a size added later leaves the others as they are.
///
/// # Errors
/// Those of the simulation and of the learner; [`Error::Options`] for no samples or replicates.
pub fn recovery(
    model: &Population,
    learner: &LearnerConfig,
    samples: &[usize],
    replicates: usize,
    run: &Run<'_>,
) -> Result<Vec<Recovery>> {
    if samples.is_empty() || replicates == 0 {
        let option = if replicates == 0 { "replicates" } else { "samples" };
        return Err(Error::Options { option: option.to_owned(), problem: "must be at least 1".to_owned() });
    }
    let (done, total) = (AtomicUsize::new(0), samples.len() * replicates);
    samples
        .iter()
        .map(|&samples| {
            let found: Vec<(Option<bool>, bool)> = (0..replicates)
                .into_par_iter()
                .map(|replicate| {
                    let found = one(model, learner, samples, run.seed.child("replicate", replicate), run)?;
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    run.report(&Event::Working { phase: "learning from new samples", done, total: Some(total) })?;
                    Ok(found)
                })
                .collect::<Result<_>>()?;
            let share = |count: usize| Share { count, of: replicates };
            let order = found[0].0.map(|_| share(found.iter().filter(|(order, _)| *order == Some(true)).count()));
            Ok(Recovery { samples, order, graph: share(found.iter().filter(|(_, graph)| *graph).count()) })
        })
        .collect()
}

/// Whether order and graph of one new sample are right.
fn one(
    model: &Population,
    learner: &LearnerConfig,
    samples: usize,
    seed: Seed,
    run: &Run<'_>,
) -> Result<(Option<bool>, bool)> {
    let (data, truth) = model.draw(samples, seed)?;
    let mut own = run.unobserved();
    own.seed = seed.child("learner", 0);
    let learned = learner.build()?.learn(&Input::new(&data), &own)?;
    let order = learned.order.as_ref().map(|order| truth.is_consistent_with(order));
    let graph = match learned.graph.to_dag() {
        Some(dag) => dag.edges() == truth.edges(),
        None => is_class(&learned.graph, &Pdag::from(Cpdag::from_dag(&truth))),
    };
    Ok((order, graph))
}

/// Whether a graph is this class; one with circles is when it has the same adjacencies and arrowheads, because its tails speak of
/// hidden nodes too.
fn is_class(graph: &Pdag, class: &Pdag) -> bool {
    if !graph.has_circles() {
        return graph == class;
    }
    let arrowheads = |graph: &Pdag| -> BTreeSet<(Node, Node)> {
        let ends = graph.edges().into_iter().flat_map(|(from, to, kind)| {
            let (at_from, at_to) = kind.marks();
            [(to, from, at_from), (from, to, at_to)]
        });
        ends.filter(|end| end.2 == Mark::Arrow).map(|(other, at, _)| (other, at)).collect()
    };
    graph.skeleton() == class.skeleton() && arrowheads(graph) == arrowheads(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_samples_recover_more_and_the_threads_do_not_matter() {
        let options = SimulateOptions { nodes: Some(5), ..SimulateOptions::default() };
        let model = Population::Named("ER-SIN-1".parse().unwrap(), options);
        let learner = LearnerConfig::resolve("npvar", &[]).unwrap();
        let found = recovery(&model, &learner, &[20, 400], 20, &Run::new(Seed(1))).unwrap();
        let orders: Vec<usize> = found.iter().map(|found| found.order.unwrap().count).collect();
        assert!(orders[0] < orders[1] && orders[1] >= 19, "{orders:?}");
        assert!(found[0].graph.count < found[1].graph.count, "{found:?}");
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = one.install(|| recovery(&model, &learner, &[20, 400], 20, &Run::new(Seed(1)))).unwrap();
        assert_eq!(found, again);
    }

    #[test]
    fn a_learner_of_classes_has_no_orders() {
        let model =
            Population::Named("MC-LIN".parse().unwrap(), SimulateOptions { nodes: Some(4), ..Default::default() });
        let learner = LearnerConfig::resolve("ges", &[]).unwrap();
        let found = recovery(&model, &learner, &[2000], 5, &Run::new(Seed(2))).unwrap();
        assert_eq!(found[0].order, None);
        assert!(found[0].graph.count >= 4, "the class of a chain has no directed edge: {found:?}");
    }

    #[test]
    fn intervals_hold_their_shares() {
        for of in [1, 7, 100] {
            for count in 0..=of {
                let share = Share { count, of };
                let (low, high) = share.interval();
                assert!(0.0 <= low && low <= share.value() && share.value() <= high && high <= 1.0);
            }
        }
    }
}
