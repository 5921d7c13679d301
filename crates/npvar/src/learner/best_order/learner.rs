//! The order of highest evidence as a learner.

use rayon::prelude::*;

use super::climb::{Climbed, Plan};
use super::options::{BestOrderConfig, BestOrderNoise, BestOrderScore, BestOrderStart};
use crate::data::{Covariance, Dataset};
use crate::error::Result;
use crate::graph::{Cpdag, Dag, Knowledge, Node, Pdag};
use crate::learner::found::{Found, StructureLearner};
use crate::learner::input::Task;
use crate::learner::nats::{EdgeNats, Nats, TotalNats};
use crate::local_score::{
    AdditiveEvidence, AfterSet, FunctionPrior, LearnsSparsity, LinearEvidence, Noise, NoiseKind, ProcessEvidence,
    Refit, Toggling,
};
use crate::order::{LayerRule, Placed, Reinsertion, layers_within, random_order};
use crate::residual_variance::{Additive, Form, ResidualVariance};
use crate::run::{Diagnostic, Event, Run, Stage};
use crate::select::{Kept, LastLook, last_look};

/// A direction that fewer nats speak for is not sure: odds of twenty to one.
const UNSURE: f64 = 3.0;
/// Noise of the kind that is behind by more nats than this for each node is not searched any further.
const NEAR: f64 = 1.0;
/// How often turning an edge may lead to a better order from which all begins again.
const BETTER: usize = 3;

impl StructureLearner for BestOrderConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let beginning = &run.given_up_in_a_hurry();
        match self.score {
            BestOrderScore::Additive => {
                let gam = self.gam();
                let gram = task.gram(gam.spec(), beginning)?.turned(beginning)?;
                let first = Toggling::new(AdditiveEvidence::new(&gram, FunctionPrior::default(), Noise::Own));
                self.answer(&first, &Additive::new(&gram, gam.sp, Form::Difference), task, run)
            }
            BestOrderScore::GaussianProcess => {
                let gam = self.gam();
                let gram = task.gram(gam.spec(), beginning)?;
                let first = ProcessEvidence::new(&Dataset::of(task.rows, beginning)?, run.seed.child("rows", 0));
                self.answer(&first, &Additive::new(&gram, gam.sp, Form::Difference), task, run)
            }
            BestOrderScore::Linear => {
                let covariance = Covariance::of(task.rows, beginning)?;
                let score = Toggling::unpriced(LinearEvidence::new(&covariance, self.penalty));
                Ok(self.answer(&score, &covariance, task, run)?.linear(covariance))
            }
        }
    }
}

impl BestOrderConfig {
    fn answer<S: AfterSet + Refit + LearnsSparsity>(
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
                let quiet = run.unobserved().given_up_in_a_hurry();
                let layers = layers_within(variances, &LayerRule::default(), knowledge, &quiet)?.layers;
                layers.order().nodes().to_vec()
            }
        };
        let may_move = task.order.is_none();
        let plan = Plan { may_move, restarts: self.restarts, knowledge };
        let (mut climbed, other) = self.compared(first, &start, plan, run)?;
        let chosen = climbed.kind;
        let totals = [NoiseKind::Shared, NoiseKind::Own]
            .map(|asked| if asked == chosen { Some(climbed.total()) } else { other });
        run.report(&Event::Stage(Stage::Selection))?;
        let (kept, turned) = self.looked(&mut climbed, may_move, knowledge, run)?;
        let stopped = run.enough();
        let search = Reinsertion::new(&climbed.score, knowledge);
        let exchanged = run.unless_hurried(|run| search.exchanged(&climbed.placed, run))?;
        let exchanged = exchanged.unwrap_or_else(|| vec![None; task.names().len().saturating_sub(1)]);
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
        let mut diagnostics = diagnostics(&nats, is_class);
        diagnostics.extend(self.few_samples(task.n()));
        let looked_at =
            kept.iter().all(|kept| kept.without_nats.is_some() || knowledge.requires(kept.parent, kept.child));
        diagnostics.extend(stopped.then(|| stopped_early(looked_at)));
        diagnostics.extend(climbed.score.rows_drawn().and_then(|used| rows_drawn(used, task.n())));
        Ok(Found { graph, nats: Some(nats), ..Found::dag(&dag, climbed.placed.order()?, diagnostics) })
    }

    /// The best order with the noise asked for; where both are tried, that of larger total on all rows, and the other's total.
    fn compared<S: AfterSet + Refit + LearnsSparsity>(
        &self,
        first: &S,
        start: &[Node],
        plan: Plan<'_>,
        run: &Run<'_>,
    ) -> Result<(Climbed<S>, Option<f64>)> {
        let (best, other) = self.climbed(first, start, plan, run)?;
        let best = best.on_all_rows(plan, run)?;
        let rows = best.score.rows_drawn();
        let Some(other) = other.map(|other| other.on_all_rows(plan, run)).transpose()? else { return Ok((best, None)) };
        // Where it became enough in between, they are of different rows.
        if other.score.rows_drawn() != rows {
            return Ok((best, None));
        }
        let (best_total, other_total) = (best.total(), other.total());
        Ok(if other_total > best_total { (other, Some(best_total)) } else { (best, Some(other_total)) })
    }

    /// The best order with the noise asked for; where both are tried, that of larger total, and the other.
    ///
    /// Where free variances are not worth their price along the order found with a shared one, that is believed and no other order
    /// looked for. Without nonlinearity all orders fit alike, and one with fewer edges could win, though that all variances agree
    /// along an order is no accident.
    fn climbed<S: AfterSet + Refit + LearnsSparsity>(
        &self,
        first: &S,
        start: &[Node],
        plan: Plan<'_>,
        run: &Run<'_>,
    ) -> Result<(Climbed<S>, Option<Climbed<S>>)> {
        let begin = |kind| Climbed::from_order(first, kind, start, plan, run);
        let shared = match self.noise {
            BestOrderNoise::Own => return Ok((begin(NoiseKind::Own)?.restarted(plan, run)?, None)),
            BestOrderNoise::Shared => return Ok((begin(NoiseKind::Shared)?.restarted(plan, run)?, None)),
            BestOrderNoise::Auto => begin(NoiseKind::Shared)?,
        };
        let with_own = |shared: &Climbed<S>| run.unless_enough(|run| shared.with_noise(NoiseKind::Own, plan, run));
        let Some(free) = with_own(&shared)? else { return Ok((shared, None)) };
        let mut own = None;
        if free.total() > shared.total() {
            let found = free.in_turn(plan, run)?.restarted(plan, run)?;
            // A shared variance may catch up only where it is near.
            if found.total() - shared.total() > NEAR * start.len() as f64 {
                return Ok((found, Some(shared)));
            }
            own = Some(found);
        }
        let shared = shared.restarted(plan, run)?;
        let Some(free) = with_own(&shared)? else { return Ok((shared, own)) };
        if free.total() <= shared.total() {
            return Ok((shared, Some(free)));
        }
        let own = match own {
            Some(own) => own,
            None => free.in_turn(plan, run)?.restarted(plan, run)?,
        };
        Ok(if own.total() > shared.total() { (own, Some(shared)) } else { (shared, Some(own)) })
    }

    fn few_samples(&self, n: usize) -> Option<Diagnostic> {
        let (least, of) = match self.score {
            BestOrderScore::Additive => (3 * self.k, "a function of one parent has up to"),
            BestOrderScore::GaussianProcess => (3 * 4, "a node's functions have"),
            BestOrderScore::Linear => (3 * 3, "a line and its noise have"),
        };
        (n < least).then(|| {
            Diagnostic::warning(
                "few-samples",
                format!(
                    "{n} samples are few: {of} {} numbers, and fewer than {least} samples say little beside what is assumed of them",
                    least / 3
                ),
            )
            .advise("take no edge, and no edge's absence, for more than a guess; collect more samples")
        })
    }

    /// The edges that stay, and what turning each costs. Where turning one leads to a better order, that is taken and looked at.
    fn looked<S: AfterSet + Refit + LearnsSparsity>(
        &self,
        climbed: &mut Climbed<S>,
        may_move: bool,
        knowledge: &Knowledge,
        run: &Run<'_>,
    ) -> Result<(Vec<Kept>, Vec<Option<f64>>)> {
        let mut again = 0;
        loop {
            let look = LastLook { score: &climbed.score, knowledge, rate: self.false_discovery_rate };
            let placed = &climbed.placed;
            let kept = run.unless_hurried(|run| last_look(look, placed.nodes(), placed.chosen(), run))?;
            let kept = kept.unwrap_or_else(|| not_looked_at(placed));
            let turned = match may_move {
                false => None,
                true => run.unless_enough(|run| {
                    let turn = |kept: &Kept| climbed.turned((kept.parent, kept.child), knowledge, run);
                    kept.par_iter().map(turn).collect::<Result<Vec<Option<Placed>>>>()
                })?,
            };
            let Some(turned) = turned else {
                let turned = vec![None; kept.len()];
                return Ok((kept, turned));
            };
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

/// All that the nodes chose.
fn not_looked_at(placed: &Placed) -> Vec<Kept> {
    let chosen = placed.chosen().iter().enumerate();
    let edges = chosen.flat_map(|(child, chosen)| chosen.parents.iter().map(move |&parent| (parent, child)));
    edges.map(|(parent, child)| Kept { parent, child, without_nats: None }).collect()
}

fn stopped_early(looked_at: bool) -> Diagnostic {
    let left = match looked_at {
        true => "what turning edges round costs (`turned_nats`) was not computed",
        false => "its edges were not looked at again: there may be too many, and what each is worth was not computed",
    };
    let message = format!(
        "the search was stopped before its end: this is the best order it had found by then, another run may stop at another, and \
         {left}"
    );
    Diagnostic::warning("stopped-early", message)
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
