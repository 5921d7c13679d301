//! The order of highest evidence as a learner.

use rayon::prelude::*;

use super::climb::{Climbed, Plan, climb};
use super::options::{BestOrderConfig, BestOrderNoise, BestOrderScore, BestOrderStart};
use crate::data::{Covariance, Dataset};
use crate::error::Result;
use crate::graph::{Cpdag, Dag, Knowledge, Pdag};
use crate::learner::found::{Found, StructureLearner};
use crate::learner::input::Task;
use crate::learner::nats::{EdgeNats, Nats, TotalNats};
use crate::local_score::{
    AdditiveEvidence, AfterSet, FunctionPrior, LinearEvidence, Noise, NoiseKind, ProcessEvidence, Refit, Toggling,
};
use crate::order::{LayerRule, Placed, Reinsertion, layers_within, random_order};
use crate::regress::GamConfig;
use crate::residual_variance::{Additive, Form, ResidualVariance};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{Kept, LastLook, last_look};

/// A direction that fewer nats speak for is not sure: odds of twenty to one.
const UNSURE: f64 = 3.0;
/// How often turning an edge may lead to a better order from which all begins again.
const BETTER: usize = 3;

impl StructureLearner for BestOrderConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        match self.score {
            BestOrderScore::Additive => {
                let gam = GamConfig::default();
                let gram = task.gram(gam.spec(), run)?.turned();
                let first = Toggling::new(AdditiveEvidence::new(&gram, FunctionPrior::default(), Noise::Own));
                self.answer(&first, &Additive::new(&gram, gam.sp, Form::Difference), task, run)
            }
            BestOrderScore::GaussianProcess => {
                let gam = GamConfig::default();
                let gram = task.gram(gam.spec(), run)?;
                let first = ProcessEvidence::new(&Dataset::of(task.rows, run)?, run.seed.child("rows", 0));
                let mut found = self.answer(&first, &Additive::new(&gram, gam.sp, Form::Difference), task, run)?;
                found.diagnostics.extend(rows_drawn(first.rows_available(), task.n()));
                Ok(found)
            }
            BestOrderScore::Linear => {
                let covariance = Covariance::of(task.rows, run)?;
                let score = Toggling::new(LinearEvidence::new(&covariance));
                Ok(self.answer(&score, &covariance, task, run)?.linear(covariance))
            }
        }
    }
}

impl BestOrderConfig {
    fn answer<S: AfterSet + Refit>(
        &self,
        first: &S,
        variances: &dyn ResidualVariance,
        task: &Task<'_>,
        run: &Run<'_>,
    ) -> Result<Found> {
        let knowledge = task.knowledge;
        let start = match (task.order, self.start) {
            (Some(order), _) => order.nodes().to_vec(),
            (None, BestOrderStart::Random) => random_order(knowledge, run.seed.child("random order", 0)),
            (None, BestOrderStart::Npvar) => {
                let layers = layers_within(variances, &LayerRule::default(), knowledge, &run.unobserved())?.layers;
                layers.order().nodes().to_vec()
            }
        };
        let may_move = task.order.is_none();
        let plan = Plan { start: &start, may_move, restarts: self.restarts, knowledge };
        let kinds: &[NoiseKind] = match self.noise {
            BestOrderNoise::Auto => &[NoiseKind::Shared, NoiseKind::Own],
            BestOrderNoise::Shared => &[NoiseKind::Shared],
            BestOrderNoise::Own => &[NoiseKind::Own],
        };
        let climbs = kinds.iter().map(|&kind| Ok((kind, climb(first, kind, plan, run)?)));
        let climbs: Vec<(NoiseKind, Climbed<S>)> = climbs.collect::<Result<_>>()?;
        let totals = [NoiseKind::Shared, NoiseKind::Own]
            .map(|asked| climbs.iter().find(|(kind, _)| *kind == asked).map(|(_, climbed)| climbed.total()));
        let larger = |best: (NoiseKind, Climbed<S>), next: (NoiseKind, Climbed<S>)| {
            if next.1.total() > best.1.total() { next } else { best }
        };
        let (chosen, mut climbed) = climbs.into_iter().reduce(larger).expect("at least one kind of noise is tried");
        run.report(&Event::Stage(Stage::Selection))?;
        let (kept, turned) = self.looked(&mut climbed, may_move, knowledge, run)?;
        let exchanged = Reinsertion::new(&climbed.score, knowledge).exchanged(&climbed.placed, run)?;
        let cost = |nats: f64| if may_move { nats.max(0.0) } else { nats };
        let mut total = TotalNats { chosen, shared: totals[0], own: totals[1] };
        // Turning an edge may have led to a better order.
        match chosen {
            NoiseKind::Shared => total.shared = Some(climbed.total()),
            NoiseKind::Own => total.own = Some(climbed.total()),
        }
        let edges = kept.iter().zip(turned).map(|(kept, turned)| EdgeNats {
            parent: kept.parent,
            child: kept.child,
            without: kept.without_nats,
            turned,
        });
        let order = exchanged.into_iter().map(|nats| nats.map(cost)).collect();
        let nats = Nats { total, edges: edges.collect(), order };
        let dag = Dag::from_edges(task.names().len(), kept.iter().map(|kept| (kept.parent, kept.child)))?;
        let is_class = self.score == BestOrderScore::Linear && chosen == NoiseKind::Own && may_move;
        let class = is_class.then(|| knowledge.members(&Cpdag::from_dag(&dag))).flatten();
        let graph = class.unwrap_or_else(|| Pdag::from(&dag));
        let diagnostics = diagnostics(&nats, is_class);
        Ok(Found { graph, nats: Some(nats), ..Found::dag(&dag, climbed.placed.order()?, diagnostics) })
    }

    /// The edges that stay, and what turning each costs. Where turning one leads to a better order, that is taken and looked at.
    fn looked<S: AfterSet + Refit>(
        &self,
        climbed: &mut Climbed<S>,
        may_move: bool,
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<(Vec<Kept>, Vec<Option<f64>>)> {
        let mut again = 0;
        loop {
            let look = LastLook { score: &climbed.score, knowledge, rate: self.false_discovery_rate };
            let kept = last_look(look, climbed.placed.nodes(), climbed.placed.chosen(), run)?;
            if !may_move {
                let turned = vec![None; kept.len()];
                return Ok((kept, turned));
            }
            let turn = |kept: &Kept| climbed.turned((kept.parent, kept.child), knowledge, run);
            let turned: Vec<Option<Placed>> = kept.par_iter().map(turn).collect::<Result<_>>()?;
            let total = climbed.placed.total();
            let better = turned.iter().flatten().max_by(|a, b| a.total().total_cmp(&b.total()));
            match better {
                Some(better) if again < BETTER && better.total() > total + 1e-6 => {
                    climbed.placed = climbed.settled(better.clone(), knowledge, run)?;
                    again += 1;
                }
                _ => {
                    let cost =
                        |turned: &Option<Placed>| turned.as_ref().map(|turned| (total - turned.total()).max(0.0));
                    return Ok((kept, turned.iter().map(cost).collect()));
                }
            }
        }
    }
}

fn diagnostics(nats: &Nats, is_class: bool) -> Vec<Diagnostic> {
    let mut noticed = Vec::new();
    if let TotalNats { chosen, shared: Some(shared), own: Some(own) } = nats.total {
        let (lead, which, other) = match chosen {
            NoiseKind::Shared => (shared - own, "one noise variance for all nodes", "a variance for each"),
            NoiseKind::Own => (own - shared, "a noise variance for each node", "one for all"),
        };
        noticed.push(Diagnostic::info(
            "noise-chosen",
            format!("the data are {lead:.1} nats more likely with {which} than with {other}"),
        ));
    }
    if is_class {
        noticed.push(Diagnostic::info(
            "equivalence-class",
            "linear Gaussian relations with a noise variance for each node have the same evidence in every graph of an equivalence \
             class; edges on whose direction its members differ are undirected",
        ));
        return noticed;
    }
    let unsure = |edge: &&EdgeNats| edge.turned.is_some_and(|nats| nats < UNSURE);
    let count = nats.edges.iter().filter(unsure).count();
    if count > 0 {
        let all = nats.edges.len();
        noticed.push(Diagnostic::warning(
            "directions-unsure",
            format!(
                "{count} of {all} edges could be turned round at a cost of less than {UNSURE} nats (`turned_nats`)"
            ),
        ));
    }
    noticed
}

/// What is said where not all rows are looked at.
fn rows_drawn(used: usize, n: usize) -> Option<Diagnostic> {
    (used < n).then(|| {
        Diagnostic::info(
            "rows-drawn",
            format!("{used} of the {n} rows, drawn at random, were looked at; nats are those of these rows"),
        )
    })
}
