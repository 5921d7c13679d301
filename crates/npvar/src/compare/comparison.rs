//! The comparison from beginning to end.

use rand::seq::SliceRandom;

use super::assumptions::{assumptions, beyond_additive, rejects, units};
use super::candidates::{Candidate, candidates};
use super::choice::{CLASS, chosen, most_alike, standing};
use super::document::{Assessment, Comparison, HeldOut, LearnerRow, ModelRow, Status};
use super::held_out::HeldOutRows;
use super::model::{Law, Mean, Model};
use super::residual_tests::{self, Dependence};
use super::sentences;
use super::valued::{Difference, Valued};
use super::votes;
use crate::data::{Dataset, Tabular};
use crate::error::{Error, Result};
use crate::graph::{Dag, Pdag};
use crate::judge::{Call, Stopwatch, doubts};
use crate::learner::{Input, Learned};
use crate::run::{Diagnostic, Event, Run};

/// Graphs are valued on this many rows at most, drawn at random: kernel densities cost their square.
const ROWS: usize = 3000;
/// Seconds that a learner of joint effects may take without being called for.
const QUICK: f64 = 10.0;
/// A learner that takes more than this share of the budget is not begun.
const SHARE: f64 = 0.75;
/// Seconds on one core that valuing graphs jointly takes for one node, a thousand rows.
const JOINT_SECONDS: f64 = 1.0;
/// Seconds that valuing one graph jointly may take where no budget is given.
const UNLIMITED: f64 = 600.0;

/// What is compared.
#[derive(Clone)]
pub struct Comparing<'a> {
    /// The table.
    pub table: &'a dyn Tabular,
    /// About how many seconds learners may take; those that would take longer are not begun. The wish to stop when they are over
    /// is the shell's to tell ([`Run::until`]).
    pub budget: Option<f64>,
    /// How the question was asked, for the verdict's next command; without it there is none.
    pub call: Option<Call>,
}

/// What became of a candidate.
struct Outcome {
    status: Status,
    reason: String,
    seconds: Option<f64>,
    learned: Option<Learned>,
}

impl Outcome {
    fn not_begun(reason: &str) -> Self {
        Outcome { status: Status::Skipped, reason: reason.to_owned(), seconds: None, learned: None }
    }

    fn graph(&self) -> Option<&Pdag> {
        self.learned.as_ref().map(|learned| &learned.graph)
    }
}

/// Lets one learner of each class of assumptions look at a table, and judges what they found.
///
/// ```
/// use npvar::compare::{Comparing, compare};
/// use npvar::judge::Stopwatch;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { nodes: Some(4), samples: 200, ..Default::default() };
/// let data = simulate("MC-SIN".parse()?, &options, Seed(1))?.data;
/// let clock = || std::time::Duration::ZERO;
/// let comparing = Comparing { table: &data, budget: Some(1.0), call: None };
/// let comparison = compare(&comparing, &Stopwatch::start(&clock), &Run::new(Seed(1)))?;
/// assert!(comparison.assumptions.iter().any(|row| row.name == "linear"));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the table cannot be read, no learner can use it, or the run is cancelled.
pub fn compare(comparing: &Comparing<'_>, stopwatch: &Stopwatch<'_>, run: &Run<'_>) -> Result<Comparison> {
    let data = Dataset::of(comparing.table.rows(), run)?;
    let candidates = candidates()?;
    let mut work = Work { comparing, data: &data, candidates: &candidates, stopwatch, run };
    let mut outcomes: Vec<Option<Outcome>> = candidates.iter().map(|_| None).collect();
    let rows = HeldOutRows::new(judged(&data, run)?, run)?;
    let mut valued = Valued::default();
    let mut dags: Vec<Option<Dag>> = vec![None; candidates.len()];
    // Each graph is valued as soon as it is there, so that little is left to do when it is enough.
    for (at, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| !candidate.joint) {
        let outcome = work.learn(candidate, at)?;
        dags[at] = work.value(&outcome, at, &rows, &mut valued)?;
        outcomes[at] = Some(outcome);
    }
    let called_for = work.joint_effects(&rows, &dags, &mut valued)?;
    for (at, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| candidate.joint) {
        let outcome = work.learn_joint(candidate, at, called_for)?;
        dags[at] = work.value(&outcome, at, &rows, &mut valued)?;
        outcomes[at] = Some(outcome);
    }
    let joint_found = candidates.iter().zip(&outcomes).any(|(candidate, outcome)| {
        candidate.joint && outcome.as_ref().is_some_and(|outcome| outcome.learned.is_some())
    });
    if (called_for || joint_found) && work.may_value_jointly() {
        work.value_jointly(&rows, &dags, &mut valued)?;
    }
    let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    if outcomes.iter().all(|outcome| outcome.learned.is_none()) {
        return Err(work.first_error(&outcomes));
    }
    work.judged(&outcomes, &rows, &dags, &valued)
}

/// The rows that graphs are valued on.
fn judged(data: &Dataset, run: &Run<'_>) -> Result<Dataset> {
    if data.n() <= ROWS {
        return data.rows(&(0..data.n()).collect::<Vec<_>>());
    }
    let mut rows: Vec<usize> = (0..data.n()).collect();
    let (drawn, _) = rows.partial_shuffle(&mut run.seed.child("rows valued", 0).rng(), ROWS);
    drawn.sort_unstable();
    data.rows(drawn)
}

struct Work<'a> {
    comparing: &'a Comparing<'a>,
    data: &'a Dataset,
    candidates: &'a [Candidate],
    stopwatch: &'a Stopwatch<'a>,
    run: &'a Run<'a>,
}

impl Work<'_> {
    /// Seconds that a candidate will take, about, where it may take long.
    fn seconds(&self, candidate: &Candidate) -> f64 {
        candidate.config.outlook(self.data.n(), self.data.d()).map_or(0.0, |outlook| outlook.seconds)
    }

    fn learn(&mut self, candidate: &Candidate, at: usize) -> Result<Outcome> {
        let run = self.run;
        let phase = format!("learning with {}", candidate.label);
        run.report(&Event::Working { phase: &phase, done: at, total: Some(self.candidates.len()) })?;
        if run.enough() {
            return Ok(Outcome::not_begun("the time was up"));
        }
        let seconds = self.seconds(candidate);
        if let Some(budget) = self.comparing.budget
            && seconds > SHARE * budget
        {
            let reason = format!("it would take about {seconds:.0} s; a larger `--budget` lets it begin");
            return Ok(Outcome::not_begun(&reason));
        }
        let quiet = run.unobserved();
        // Ending a search of joint effects with the best it has takes seconds.
        let ends_soon = candidate.config.can_stop_early() && !candidate.joint;
        let own = if ends_soon { quiet } else { quiet.given_up_when_enough() };
        let (learned, seconds) = self.stopwatch.timed(|| candidate.config.build()?.learn(&Input::new(self.data), &own));
        let seconds = Some(seconds);
        match learned {
            Ok(learned) => {
                Ok(Outcome { status: Status::Learned, reason: String::new(), seconds, learned: Some(learned) })
            }
            Err(Error::Cancelled) => {
                run.check()?;
                let reason = "the time was up before it came to an end".to_owned();
                Ok(Outcome { status: Status::Stopped, reason, seconds, learned: None })
            }
            Err(error) => Ok(Outcome { status: Status::Failed, reason: error.to_string(), seconds, learned: None }),
        }
    }

    fn learn_joint(&mut self, candidate: &Candidate, at: usize, called_for: bool) -> Result<Outcome> {
        if !called_for && self.seconds(candidate) > QUICK {
            return Ok(Outcome::not_begun("nothing in the data calls for effects of several columns together"));
        }
        self.learn(candidate, at)
    }

    /// Values a graph found, a member of its class, under linear and additive models.
    fn value(&self, outcome: &Outcome, at: usize, rows: &HeldOutRows, valued: &mut Valued) -> Result<Option<Dag>> {
        let Some(dag) = outcome.graph().and_then(Pdag::consistent_extension) else { return Ok(None) };
        for mean in [Mean::Linear, Mean::Additive] {
            valued.add(rows, (at, &dag), mean, self.run)?;
        }
        Ok(Some(dag))
    }

    /// Values a graph under joint effects; says whether there was time.
    fn value_one_jointly(&self, rows: &HeldOutRows, graph: (usize, &Dag), valued: &mut Valued) -> Result<bool> {
        match valued.add(rows, graph, Mean::Joint, &self.run.given_up_when_enough()) {
            Err(Error::Cancelled) => self.run.check().map(|()| false),
            done => done.map(|()| true),
        }
    }

    /// Whether effects are joint, by the best graph under effects that add up.
    fn joint_effects(&self, rows: &HeldOutRows, dags: &[Option<Dag>], valued: &mut Valued) -> Result<bool> {
        let additive = |law| valued.best(Model { mean: Mean::Additive, law }).map(|(at, _)| at);
        let Some(at) = additive(Law::Own) else { return Ok(false) };
        let Some(dag) = &dags[at] else { return Ok(false) };
        if !self.may_value_jointly() {
            return Ok(false);
        }
        self.run.report(&Event::Working { phase: "looking for joint effects", done: 0, total: None })?;
        Ok(self.value_one_jointly(rows, (at, dag), valued)? && rejects(beyond_additive(valued)))
    }

    /// Values graphs under joint effects, those of such learners first and then the best first, until it is enough.
    fn value_jointly(&self, rows: &HeldOutRows, dags: &[Option<Dag>], valued: &mut Valued) -> Result<()> {
        let additive = Model { mean: Mean::Additive, law: Law::Own };
        let value = |at: usize| valued.graph(at, additive).map_or(f64::NEG_INFINITY, |rows| rows.iter().sum());
        let mut order: Vec<usize> = (0..dags.len()).filter(|&at| dags[at].is_some()).collect();
        order.sort_by(|&a, &b| {
            let joint = |at: usize| self.candidates[at].joint;
            joint(b).cmp(&joint(a)).then(value(b).total_cmp(&value(a))).then(a.cmp(&b))
        });
        for (done, &at) in order.iter().enumerate() {
            let event = Event::Working { phase: "valuing graphs jointly", done, total: Some(order.len()) };
            self.run.report(&event)?;
            if let Some(dag) = &dags[at]
                && !self.value_one_jointly(rows, (at, dag), valued)?
            {
                break;
            }
        }
        Ok(())
    }

    /// Whether there is time to value a graph under joint effects.
    fn may_value_jointly(&self) -> bool {
        let (n, d) = (self.data.n().min(ROWS) as f64, self.data.d() as f64);
        let seconds = JOINT_SECONDS * d * n / 1000.0;
        !self.run.enough() && seconds <= self.comparing.budget.map_or(UNLIMITED, |budget| SHARE * budget)
    }

    /// What the first candidate said, where none found anything.
    fn first_error(&self, outcomes: &[Outcome]) -> Error {
        let input = Input::new(self.data);
        let failed = outcomes.iter().position(|outcome| outcome.status == Status::Failed);
        let again = failed.map(|at| {
            self.candidates[at].config.build().and_then(|learner| learner.learn(&input, &self.run.unobserved()))
        });
        match again {
            Some(Err(error)) => error,
            _ => Error::Cancelled,
        }
    }

    fn judged(
        &self,
        outcomes: &[Outcome],
        rows: &HeldOutRows,
        dags: &[Option<Dag>],
        valued: &Valued,
    ) -> Result<Comparison> {
        let names = self.data.names();
        let run = self.run;
        let found = assumptions(valued);
        let (mut model, mut assumptions) = (found.model, found.rows);
        let edges: Vec<Option<usize>> = outcomes.iter().map(|one| one.graph().map(Pdag::edge_count)).collect();
        // NPVAR's answer rests on everything there is to doubt.
        let of_npvar = self.candidates.iter().position(|candidate| candidate.label == "npvar");
        let npvar = of_npvar.and_then(|at| outcomes[at].learned.as_ref());
        let mut noticed =
            npvar.map_or_else(|| Ok(Vec::new()), |learned| doubts(self.data, learned, &run.unobserved()))?;
        noticed.extend(npvar.into_iter().flat_map(|learned| learned.diagnostics.iter().cloned()));
        let units = units(&noticed);
        let mut winner = chosen(valued, model, self.candidates, &edges);
        // What a law says of directions rests on independence.
        if model.law == Law::Any && self.depends_on_parents(winner, model, rows, dags)? {
            model = found.gaussian;
            winner = chosen(valued, model, self.candidates, &edges);
        }
        let alike = model == CLASS && units.verdict == Assessment::Kept;
        let alike = if alike { self.most_alike(rows, dags, valued)? } else { None };
        let winner = alike.or(winner);
        let mut learners = Vec::new();
        for (at, (candidate, outcome)) in self.candidates.iter().zip(outcomes).enumerate() {
            run.report(&Event::Working { phase: "testing residuals", done: at, total: Some(outcomes.len()) })?;
            let mut row = LearnerRow {
                name: candidate.label.clone(),
                learner: candidate.config.clone(),
                assumes: candidate.assumes.to_owned(),
                status: outcome.status,
                seconds: outcome.seconds,
                edges: outcome.graph().map(|graph| votes::named(names, graph)),
                held_out: held_out(valued, at, model),
                residuals: None,
                sentence: outcome.reason.clone(),
            };
            // That of the others tells nothing that must be known.
            if let Some(dag) = dags[at].as_ref().filter(|_| winner == Some(at) || !run.enough()) {
                let fits = rows.fits(dag, model.mean, run)?;
                let tests = residual_tests::tests(rows, dag, &fits, run)?;
                row.residuals = Some(sentences::of_residuals(&tests, names));
            }
            if let Some(edges) = edges[at] {
                row.sentence = sentences::of_learner(edges, row.held_out.as_ref(), winner == Some(at), model);
            }
            learners.push(row);
        }
        let mut diagnostics = self.comparing.table.diagnostics();
        let chosen_row = winner.map(|at| &learners[at]);
        let independences = learners.iter().position(|row| row.name == "pc" && row.status == Status::Learned);
        let independences = independences.map(|at| (learners[at].name.as_str(), held_out(valued, at, CLASS)));
        assumptions.push(units);
        assumptions.push(sentences::independent_noise(chosen_row.and_then(|row| row.residuals.as_ref())));
        assumptions.push(sentences::faithful(independences, model.mean));
        let about_data = ["time-ordered-rows", "near-duplicate-columns", "heavy-tails"];
        Diagnostic::add_new(
            &mut diagnostics,
            noticed.into_iter().filter(|found| about_data.contains(&found.code.as_str())),
        );
        diagnostics.extend(npvar.into_iter().flat_map(|learned| {
            let about_columns = |found: &&Diagnostic| found.code == "constant-column" || found.code == "few-samples";
            learned.diagnostics.iter().filter(about_columns).cloned()
        }));
        if self.data.n() > ROWS {
            let message = format!(
                "graphs were valued on {ROWS} of {} rows, drawn at random; learners saw all of them",
                self.data.n()
            );
            diagnostics.push(Diagnostic::info("rows-drawn", message));
        }
        if run.enough() {
            let message = "the time was up: learners that are not done have no voice";
            diagnostics.push(Diagnostic::warning("stopped-early", message));
        }
        let learned: Vec<(String, &Pdag)> = (self.candidates.iter().zip(outcomes))
            .filter_map(|(candidate, outcome)| Some((candidate.label.clone(), outcome.graph()?)))
            .collect();
        let voices: Vec<usize> = {
            let mut voices = standing(valued, model, outcomes.len(), 2.0);
            if let Some(winner) = winner {
                voices.retain(|&at| at != winner);
                voices.insert(0, winner);
            }
            voices
        };
        let voting: Vec<&Pdag> = voices.iter().filter_map(|&at| outcomes[at].graph()).collect();
        let next = winner.and_then(|at| self.command(at));
        let verdict = sentences::verdict(chosen_row, model, alike.is_some(), &assumptions, next);
        let best = |model: Model| {
            let (at, rows) = valued.best(model)?;
            Some(ModelRow { model, best: self.candidates[at].label.clone(), nats: rows.iter().sum() })
        };
        Ok(Comparison {
            format: "npvar-compare/1".to_owned(),
            verdict,
            chosen: winner.map(|at| self.candidates[at].label.clone()),
            model,
            nodes: names.to_vec(),
            n: self.data.n(),
            models: valued.models().filter_map(best).collect(),
            assumptions,
            edges: votes::edges(names, &learned),
            consensus: votes::consensus(names, &voting),
            voices: voices.iter().map(|&at| self.candidates[at].label.clone()).collect(),
            learners,
            intake: self.comparing.table.intake(),
            diagnostics,
            seed: run.seed.0,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }

    /// Whether what a graph leaves of some node depends on the node's parents.
    fn depends_on_parents(
        &self,
        graph: Option<usize>,
        model: Model,
        rows: &HeldOutRows,
        dags: &[Option<Dag>],
    ) -> Result<bool> {
        let Some(dag) = graph.and_then(|at| dags[at].as_ref()) else { return Ok(false) };
        let tests = residual_tests::tests(rows, dag, &rows.fits(dag, model.mean, self.run)?, self.run)?;
        Ok(tests.dependent.iter().any(|(what, _)| matches!(what, Dependence::OnParents(_))))
    }

    fn most_alike(&self, rows: &HeldOutRows, dags: &[Option<Dag>], valued: &Valued) -> Result<Option<usize>> {
        let spread = |dag: &Dag| rows.spread_of_variances(dag, CLASS.mean, self.run);
        let spreads: Vec<Option<f64>> =
            dags.iter().map(|dag| dag.as_ref().map(spread).transpose()).collect::<Result<_>>()?;
        Ok(most_alike(valued, self.candidates, &spreads, rows.varying().len()))
    }

    /// The command that learns with a candidate.
    fn command(&self, at: usize) -> Option<String> {
        let call = self.comparing.call.clone()?;
        Some(Call { config: self.candidates[at].config.clone(), ..call }.again())
    }
}

/// A graph's likelihood under a model, beside the best one's.
fn held_out(valued: &Valued, at: usize, model: Model) -> Option<HeldOut> {
    let own = valued.graph(at, model)?;
    let (_, best) = valued.best(model)?;
    let Difference { nats, error } = Difference::of(best, own);
    Some(HeldOut { nats: own.iter().sum(), behind: nats, error })
}
