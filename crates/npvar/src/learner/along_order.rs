//! Parents along an order by the significance of additive terms: what NPVAR and every other learner that finds an order end
//! with, as the paper compares them.

use super::found::Found;
use super::input::Task;
use super::reports;
use crate::error::{Result, within};
use crate::graph::{Layers, Node, Order, Pdag};
use crate::order::Step;
use crate::regress::{Estimator, GamConfig, Smoothing};
use crate::residual_variance::{AdditiveFactor, Dependency};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{
    ChildCandidates, Selection, gam_significance, gam_significance_estimated, gam_significance_within,
};
use crate::smooth::AdditiveGram;

/// A term is a parent when its p-value is below `cutoff`.
#[derive(Clone, Copy)]
pub(super) struct Significance<'a> {
    /// The additive model.
    pub(super) selection: &'a GamConfig,
    pub(super) cutoff: f64,
}

impl Significance<'_> {
    pub(super) fn check(&self) -> Result<()> {
        within("cutoff", self.cutoff > 0.0 && self.cutoff <= 1.0, "must be above 0 and at most 1", self.cutoff)?;
        self.selection.check()
    }
}

/// An order, how it was found, and what was noticed on the way.
pub(super) struct Ordered {
    pub(super) order: Order,
    pub(super) layers: Option<Layers>,
    pub(super) steps: Option<Vec<Step>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Ordered {
    /// An order without steps.
    pub(super) fn new(order: Order, diagnostics: Vec<Diagnostic>) -> Self {
        Ordered { order, layers: None, steps: None, diagnostics }
    }

    /// Selects parents among all nodes before a node, from a Gram matrix of the sample.
    pub(super) fn select(self, task: &Task<'_>, rule: Significance<'_>, run: &Run<'_>) -> Result<Found> {
        let gram = task.gram(rule.selection.spec(), run)?;
        self.select_from(&gram, None, task.names(), rule, run)
    }

    /// The same with candidates of its own for every node, each of them before it.
    pub(super) fn select_among(
        self,
        candidates: &[Vec<Node>],
        task: &Task<'_>,
        rule: Significance<'_>,
        run: &Run<'_>,
    ) -> Result<Found> {
        let gram = task.gram(rule.selection.spec(), run)?;
        self.select_by(&gram, task.names(), run, |order| {
            let regressions: Vec<ChildCandidates> = (order.nodes().iter())
                .map(|&child| ChildCandidates { child, candidates: candidates[child].clone(), start: None })
                .collect();
            gam_significance_within(&regressions, &|_| &gram, rule.selection.smoother(), rule.cutoff, run)
        })
    }

    /// The same from a Gram matrix with the selection's bases; `factor` is the search's where it serves the selection too.
    pub(super) fn select_from(
        self,
        gram: &AdditiveGram,
        factor: Option<AdditiveFactor<'_>>,
        names: &[String],
        rule: Significance<'_>,
        run: &Run<'_>,
    ) -> Result<Found> {
        run.report(&Event::Stage(Stage::Selection))?;
        let (selected, dependencies) = select_parents(gram, factor, &self.order, rule, run)?;
        let unsure = reports::sample_size(gram, names, &self.order);
        let mut noticed = reports::dependencies(names, &self.order, &dependencies, true);
        noticed.extend(unsure);
        Ok(self.found(selected, noticed))
    }

    /// Parents selected in another way, with the exact dependencies among the columns of `gram`.
    pub(super) fn select_by(
        self,
        gram: &AdditiveGram,
        names: &[String],
        run: &Run<'_>,
        select: impl FnOnce(&Order) -> Result<Selection>,
    ) -> Result<Found> {
        run.report(&Event::Stage(Stage::Selection))?;
        let selected = select(&self.order)?;
        let factor = grown(AdditiveFactor::new(gram, GamConfig::default().sp), &self.order, run)?;
        let noticed = reports::dependencies(names, &self.order, factor.dependencies(), false);
        Ok(self.found(selected, noticed))
    }

    fn found(self, selected: Selection, noticed: Vec<Diagnostic>) -> Found {
        let Ordered { order, layers, steps, mut diagnostics } = self;
        diagnostics.extend(noticed);
        Found {
            graph: Pdag::from(&selected.dag),
            order: Some(order),
            layers,
            steps,
            // An estimator's own choice of columns comes without tests.
            tests: Some(selected.tests).filter(|tests| !tests.is_empty()),
            nats: None,
            covariance: None,
            diagnostics,
        }
    }
}

/// Parents along the order, and the exact dependencies met on the way.
fn select_parents(
    gram: &AdditiveGram,
    factor: Option<AdditiveFactor<'_>>,
    order: &Order,
    Significance { selection, cutoff }: Significance<'_>,
    run: &Run<'_>,
) -> Result<(Selection, Vec<Dependency>)> {
    if selection.smoothing != Smoothing::Fixed {
        let selected = gam_significance_estimated(gram, order, selection.smoother(), cutoff, run)?;
        // Which terms depend exactly on each other does not depend on how much they are smoothed.
        let factor = grown(AdditiveFactor::new(gram, GamConfig::default().sp), order, run)?;
        return Ok((selected, factor.dependencies().to_vec()));
    }
    let factor = grown(factor.unwrap_or_else(|| AdditiveFactor::new(gram, selection.sp)), order, run)?;
    let selected = gam_significance(&factor, order, cutoff, run)?;
    Ok((selected, factor.dependencies().to_vec()))
}

/// The factor of all but the last node of the order.
fn grown<'g>(mut factor: AdditiveFactor<'g>, order: &Order, run: &Run<'_>) -> Result<AdditiveFactor<'g>> {
    for &node in &order.nodes()[factor.order().len()..order.nodes().len() - 1] {
        factor.append(node, run)?;
    }
    Ok(factor)
}
