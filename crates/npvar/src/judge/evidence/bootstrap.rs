//! The learner run again on resampled rows (Efron 1979; Friedman, Goldszmidt & Wyner 1999 for graphs).
//!
//! Everything a learner decides from its data (knots, smoothing parameters, the order, the parents) it decides anew in
//! every replicate: a replicate is a table like any other, and a row that was drawn twice simply counts twice. Sums of
//! rows (Gram matrices, covariances) are formed from the distinct rows with their counts; learners that look at single
//! rows see the copies.
//!
//! The share of replicates with an edge says how much the answer depends on which rows happened to be drawn. It is not
//! the probability that the edge is there: a wrong edge that all data sets of this kind would show is found every time.

use std::io;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::resampling::Resampling;
use super::stability::{Replicate, Stability};
use crate::data::{Dataset, GapUse, Resampled, RowBlocks};
use crate::error::{Error, Result};
use crate::learner::{Input, LearnerConfig};
use crate::run::{Diagnostic, Event, Flow, Observer, Run, Seed};

const PHASE: &str = "bootstrap samples";
/// More replicates than anyone needs: frequencies are then known to about 0.002.
const MOST_REPLICATES: usize = 100_000;

/// How often to learn again, and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// How many replicates, at least 1.
    pub replicates: usize,
    /// How rows are drawn.
    pub resampling: Resampling,
}

impl Default for Bootstrap {
    /// A frequency of one half is then known to 0.035.
    fn default() -> Self {
        Bootstrap { replicates: 200, resampling: Resampling::default() }
    }
}

impl Bootstrap {
    /// Whether the number of replicates is within its range.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when it is not.
    pub fn check(&self) -> Result<()> {
        if (1..=MOST_REPLICATES).contains(&self.replicates) {
            return Ok(());
        }
        Err(Error::InvalidOption {
            option: "bootstrap",
            requirement: format!("must be between 1 and {MOST_REPLICATES}"),
            got: self.replicates.to_string(),
        })
    }

    /// A sample of the rows. Cells that were missing are imputed anew, from the rows drawn.
    fn draw<'t>(&self, table: &'t Dataset, seed: Seed) -> Result<Box<dyn RowBlocks + 't>> {
        let drawn = match self.resampling {
            Resampling::WithReplacement => Resampled::with_replacement(table, seed)?,
            Resampling::Half => Resampled::half(table, seed)?,
        };
        let Some(gaps) = table.gaps() else { return Ok(Box::new(drawn)) };
        let rows = table.rows(&drawn.rows().collect::<Vec<_>>())?;
        Ok(Box::new(match gaps.gap_use() {
            GapUse::Imputed => rows.imputed_anew(seed.child("imputation", 0))?,
            GapUse::Skipped => rows,
        }))
    }
}

/// Learns from resampled rows, replicate by replicate on all threads; the table is read into memory once.
///
/// Replicate `b` has the seed `run.seed.child("bootstrap", b)`, for its rows and for what the learner itself draws. A second
/// sample is resampled too; a given order and background knowledge hold in every replicate. A replicate whose data the
/// learner refuses is left out and reported.
///
/// # Errors
/// What reading came upon, what the first replicate failed with when all failed, or [`Error::Cancelled`].
pub fn bootstrap(config: &LearnerConfig, input: &Input<'_>, asked: Bootstrap, run: &Run<'_>) -> Result<Stability> {
    asked.check()?;
    let table = Dataset::of(input.rows, run)?;
    let second = input.second_sample.map(|rows| Dataset::of(rows, run)).transpose()?;
    let progress = Progress { run, done: AtomicUsize::new(0), total: asked.replicates };
    let learn = |b: usize| {
        let inner = run.child("bootstrap", b).observed(&progress);
        let rows = asked.draw(&table, inner.seed.child("rows", 0));
        let second = second.as_ref().map(|table| asked.draw(table, inner.seed.child("rows", 1))).transpose()?;
        let learned = rows.and_then(|rows| {
            let input = Input { rows: &*rows, second_sample: second.as_deref(), ..input.clone() };
            config.build()?.learn(&input, &inner)
        });
        progress.done.fetch_add(1, Ordering::Relaxed);
        progress.tell()?;
        match learned {
            Ok(learned) => Ok(Ok(Replicate::from(learned))),
            Err(Error::Cancelled) => Err(Error::Cancelled),
            Err(error) => Ok(Err(error)),
        }
    };
    let ended = on_single_threads(asked.replicates, &learn)?;
    let mut stability = counted(table.d(), ended, asked.resampling)?;
    let misled = asked.resampling == Resampling::WithReplacement && config.is_misled_by_copies();
    stability.diagnostics.extend(misled.then(copies));
    Ok(stability)
}

/// Does tasks `0 .. count` on as many threads as the pool has, each task on one thread alone: a task that waited for parts of
/// itself would otherwise begin another meanwhile, and another within that.
///
/// # Errors
/// The first error of a task, which ends them all, or that a thread cannot be started.
fn on_single_threads<T: Send>(count: usize, task: &(dyn Fn(usize) -> Result<T> + Sync)) -> Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(usize, T)>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::Io { path: "a thread".to_owned(), source: io::Error::other(error) })?;
        pool.install(|| {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(done);
                }
                match task(index) {
                    Ok(result) => done.push((index, result)),
                    Err(error) => {
                        next.store(count, Ordering::Relaxed);
                        return Err(error);
                    }
                }
            }
        })
    };
    let parts: Vec<Result<Vec<(usize, T)>>> = std::thread::scope(|scope| {
        let threads = rayon::current_num_threads().clamp(1, count);
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        started.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let mut done: Vec<(usize, T)> = parts.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    done.sort_by_key(|&(index, _)| index);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// What the replicates that ended with a graph have in common; the error of the first when none did.
fn counted(nodes: usize, ended: Vec<Result<Replicate>>, resampling: Resampling) -> Result<Stability> {
    let all = ended.len();
    let (mut replicates, mut failures) = (Vec::new(), Vec::new());
    for one in ended {
        match one {
            Ok(replicate) => replicates.push(replicate),
            Err(error) => failures.push(error),
        }
    }
    if replicates.is_empty() {
        return Err(failures.swap_remove(0));
    }
    let mut stability = Stability::of(nodes, &replicates, resampling);
    stability.failed = failures.len();
    stability.diagnostics.extend(failures.first().map(|first| failed(failures.len(), all, first)));
    Ok(stability)
}

fn failed(count: usize, of: usize, first: &Error) -> Diagnostic {
    let message =
        format!("{count} of {of} bootstrap samples could not be learned from and are left out; the first: {first}");
    Diagnostic::warning("bootstrap-failures", message).advise(
        "Read the frequencies as those of the tables that could be learned from; where rows are few, leave columns out.",
    )
}

fn copies() -> Diagnostic {
    Diagnostic::warning(
        "bootstrap-copies",
        "this learner predicts some rows from others, and a bootstrap sample holds copies of rows, which are predicted too \
         well",
    )
    .advise("Draw half of the rows instead, none twice: `--resampling half`.")
}

/// Turns every event inside a replicate into how many replicates are done, so that an observer can stop at any of them.
struct Progress<'r> {
    run: &'r Run<'r>,
    done: AtomicUsize,
    total: usize,
}

impl Progress<'_> {
    fn tell(&self) -> Result<()> {
        let done = self.done.load(Ordering::Relaxed);
        self.run.report(&Event::Working { phase: PHASE, done, total: Some(self.total) })
    }
}

impl Observer for Progress<'_> {
    fn on(&self, _: &Event<'_>) -> Flow {
        if self.tell().is_ok() { Flow::Continue } else { Flow::Stop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeKind;
    use crate::learner::{Assignment, LEARNERS};
    use crate::simulate::{SimulateOptions, simulate};

    fn table(nodes: usize, n: usize) -> Dataset {
        let options = SimulateOptions { nodes: Some(nodes), samples: n, ..Default::default() };
        simulate("MC-SIN".parse().unwrap(), &options, Seed(5)).unwrap().data
    }

    fn config(learner: &str, settings: &[&str]) -> LearnerConfig {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        LearnerConfig::resolve(learner, &settings).unwrap()
    }

    fn stability(learner: &str, settings: &[&str], data: &Dataset, asked: Bootstrap) -> Stability {
        bootstrap(&config(learner, settings), &Input::new(data), asked, &Run::new(Seed(9))).unwrap()
    }

    const FEW: Bootstrap = Bootstrap { replicates: 6, resampling: Resampling::WithReplacement };

    #[test]
    fn a_replicate_is_what_the_learner_makes_of_the_repeated_rows() {
        let data = table(5, 400);
        let run = Run::new(Seed(9));
        for learner in ["npvar", "eqvar", "cam"] {
            let config = config(learner, &[]);
            let replicates: Vec<Replicate> = (0..6)
                .map(|b| {
                    let inner = run.child("bootstrap", b);
                    let drawn = Resampled::with_replacement(&data, inner.seed.child("rows", 0)).unwrap();
                    let repeated = data.rows(&drawn.rows().collect::<Vec<_>>()).unwrap();
                    config.build().unwrap().learn(&Input::new(&repeated), &inner).unwrap().into()
                })
                .collect();
            let expected = Stability::of(5, &replicates, Resampling::WithReplacement);
            assert_eq!(stability(learner, &[], &data, FEW), expected, "{learner}");
        }
    }

    #[test]
    fn the_answer_does_not_depend_on_the_number_of_threads() {
        let data = table(6, 300);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| stability("npvar", &[], &data, Bootstrap { replicates: 20, ..FEW }))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn every_learner_can_be_run_on_copies_of_rows() {
        let data = table(3, 60);
        for learner in LEARNERS {
            let found = stability(learner.name, &[], &data, Bootstrap { replicates: 2, ..FEW });
            assert_eq!((found.replicates, found.failed), (2, 0), "{}", learner.name);
        }
    }

    #[test]
    fn few_rows_few_values_and_copies_of_columns_break_nothing() {
        let x: Vec<f64> = (0..12).map(|i| f64::from(i * i % 7)).collect();
        let y: Vec<f64> = (0..12).map(|i| f64::from(i % 2)).collect();
        let z: Vec<f64> = (0..12).map(|i| f64::from(u8::from(i == 3))).collect();
        let names = ["x", "copy", "y", "z"].map(str::to_owned).to_vec();
        let data = Dataset::new(names, vec![x.clone(), x, y, z]).unwrap();
        for learner in ["npvar", "eqvar", "cam", "pc", "ges"] {
            // In a third of the samples `z` is constant.
            let found = stability(learner, &[], &data, Bootstrap { replicates: 30, ..FEW });
            assert_eq!(found.replicates + found.failed, 30, "{learner}");
            assert!(found.edges.iter().all(|edge| edge.frequency <= 1.0), "{learner}");
        }
    }

    #[test]
    fn samples_that_cannot_be_learned_from_are_counted_and_told() {
        let learned = || crate::learn(&table(3, 60), &Run::new(Seed(1))).unwrap();
        let refused = || Err(Error::NegativeVariance { column: "x".to_owned(), value: -1.0 });
        let ended = vec![Ok(learned().into()), refused(), Ok(learned().into()), refused()];
        let found = counted(3, ended, Resampling::WithReplacement).unwrap();
        assert_eq!((found.replicates, found.failed), (2, 2));
        assert!(found.edges.iter().all(|edge| edge.frequency == 1.0));
        let told = &found.diagnostics[0];
        assert_eq!(told.code, "bootstrap-failures");
        assert!(told.message.starts_with("2 of 4 bootstrap samples"), "{}", told.message);
        assert!(counted(3, vec![refused()], Resampling::WithReplacement).is_err());
    }

    #[test]
    fn an_observer_can_stop_in_the_middle() {
        struct Impatient(AtomicUsize);
        impl Observer for Impatient {
            fn on(&self, event: &Event<'_>) -> Flow {
                let Event::Working { phase: PHASE, .. } = event else { return Flow::Continue };
                if self.0.fetch_add(1, Ordering::Relaxed) < 3 { Flow::Continue } else { Flow::Stop }
            }
        }
        let (data, observer) = (table(5, 200), Impatient(AtomicUsize::new(0)));
        let run = Run::new(Seed(1)).observed(&observer);
        let found = bootstrap(&config("npvar", &[]), &Input::new(&data), Bootstrap::default(), &run);
        assert!(matches!(found, Err(Error::Cancelled)));
        assert!(observer.0.into_inner() < 30);
    }

    #[test]
    fn learners_that_hold_rows_out_are_warned_about_copies_and_not_about_halves() {
        let data = table(3, 60);
        let warned = |settings: &[&str], resampling| {
            let found = stability("npvar", settings, &data, Bootstrap { replicates: 1, resampling });
            found.diagnostics.iter().any(|diagnostic| diagnostic.code == "bootstrap-copies")
        };
        assert!(warned(&["residual-variance=cross-fitted"], Resampling::WithReplacement));
        assert!(!warned(&["residual-variance=cross-fitted"], Resampling::Half));
        assert!(!warned(&[], Resampling::WithReplacement));
    }

    #[test]
    fn an_equivalence_class_has_frequencies_of_each_kind() {
        let data = table(4, 400);
        let found = stability("pc", &[], &data, Bootstrap { replicates: 20, ..FEW });
        assert!(found.places.is_none());
        assert!(found.edges.iter().any(|edge| edge.kind == EdgeKind::Undirected && edge.frequency > 0.5));
    }

    #[test]
    fn zero_replicates_are_refused() {
        assert!(Bootstrap { replicates: 0, ..FEW }.check().is_err());
    }
}
