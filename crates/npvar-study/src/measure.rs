//! One cell: draw the data, learn, compare with the truth.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use npvar::graph::{NamedGraph, Order};
use npvar::learner::{Input, Learned};
use npvar::metrics::{Evaluation, r2_sortability, var_sortability};
use npvar::simulate::Simulated;
use npvar::{Error, Run};

use crate::cell::{SampleSpec, Task};
use crate::memory;
use crate::row::{Row, Status};

/// The last data set is kept: the next cell is usually another learner on the same.
#[derive(Default)]
pub(crate) struct Measurer {
    last: Option<(SampleSpec, Drawn)>,
}

struct Drawn {
    simulated: Simulated,
    var_sortability: Option<f64>,
    r2_sortability: Option<f64>,
}

impl Measurer {
    /// Runs a cell. Whatever goes wrong is in the row.
    pub(crate) fn measure(&mut self, task: &Task) -> Row {
        let mut row = Row::of(task);
        if let Err(failure) = catch_unwind(AssertUnwindSafe(|| self.fill(task, &mut row))) {
            self.last = None;
            row.status = Status::Crash;
            let words = failure.downcast_ref::<String>().map(String::as_str);
            let words = words.or_else(|| failure.downcast_ref::<&str>().copied()).unwrap_or("no message");
            row.message = one_line(&format!("panicked: {words}"));
        }
        row
    }

    fn fill(&mut self, task: &Task, row: &mut Row) {
        let drawn = match self.draw(&task.sample) {
            Ok(drawn) => drawn,
            Err(error) => return fail(row, &error),
        };
        row.true_edges = Some(drawn.simulated.truth.edge_count());
        (row.var_sortability, row.r2_sortability) = (drawn.var_sortability, drawn.r2_sortability);
        let measured = memory::reset_peak();
        let started = Instant::now();
        let learned = learn(task, &drawn.simulated);
        row.seconds = Some(started.elapsed().as_secs_f64());
        row.peak_memory_mib = memory::peak_mib().filter(|_| measured);
        match learned.and_then(|learned| compare(&learned, &drawn.simulated)) {
            Ok(evaluation) => row.take(&evaluation),
            Err(Error::Cancelled) => row.status = Status::TimeLimit,
            Err(error) => fail(row, &error),
        }
    }

    fn draw(&mut self, sample: &SampleSpec) -> npvar::Result<&Drawn> {
        if self.last.as_ref().is_none_or(|(last, _)| last != sample) {
            self.last = None;
            let simulated = sample.draw()?;
            let var_sortability = var_sortability(&simulated.data, &simulated.truth);
            let r2_sortability = r2_sortability(&simulated.data, &simulated.truth);
            self.last = Some((sample.clone(), Drawn { simulated, var_sortability, r2_sortability }));
        }
        Ok(&self.last.as_ref().expect("just drawn").1)
    }
}

fn fail(row: &mut Row, error: &Error) {
    row.status = Status::Error;
    row.message = one_line(&error.to_string());
}

/// Learns until the time is up.
fn learn(task: &Task, simulated: &Simulated) -> npvar::Result<Learned> {
    let learner = task.config.build()?;
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Dropped at the end of the work, also by a panic, which wakes the thread that waits.
        let (done, over) = mpsc::channel::<()>();
        let limit = Duration::try_from_secs_f64(task.time_limit).unwrap_or(Duration::MAX);
        let stop = &stop;
        scope.spawn(move || {
            if over.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let run = Run::new(task.sample.data_seed()).stopped_by(stop);
        let learned = catch_unwind(AssertUnwindSafe(|| learner.learn(&Input::new(&simulated.data), &run)));
        drop(done);
        learned.unwrap_or_else(|failure| std::panic::resume_unwind(failure))
    })
}

fn compare(learned: &Learned, simulated: &Simulated) -> npvar::Result<Evaluation> {
    let truth = NamedGraph::from_dag(simulated.data.names().to_vec(), &simulated.truth)?;
    let estimate = NamedGraph::new(learned.names.clone(), learned.graph.clone())?;
    // Learners that return an equivalence class have no order, even where the class happens to be a single DAG: the paper
    // leaves them out of order recovery.
    let names = |order: &Order| order.nodes().iter().map(|&node| learned.names[node].clone()).collect::<Vec<_>>();
    Evaluation::new(&estimate, learned.order.as_ref().map(names).as_deref(), &truth)
}

impl Row {
    /// The row of a cell of which nothing is known yet but that it was tried.
    pub(crate) fn of(task: &Task) -> Row {
        let sample = &task.sample;
        Row {
            setting: sample.setting,
            nodes: sample.nodes,
            samples: sample.samples,
            noise_variance: sample.noise_variance,
            p: sample.p,
            seed: sample.seed,
            data_seed: sample.data_seed().0,
            learner: task.label.clone(),
            algorithm: task.config.info().name.to_owned(),
            configuration: task.configuration.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            status: Status::Ok,
            shd: None,
            class_shd: None,
            order_recovered: None,
            violated_edges: None,
            precision: None,
            recall: None,
            f1: None,
            sid: None,
            sid_lower: None,
            sid_upper: None,
            estimated_edges: None,
            true_edges: None,
            var_sortability: None,
            r2_sortability: None,
            seconds: None,
            peak_memory_mib: None,
            message: String::new(),
        }
    }

    fn take(&mut self, evaluation: &Evaluation) {
        self.shd = Some(evaluation.shd);
        self.class_shd = evaluation.class_shd;
        self.order_recovered = evaluation.order.map(|order| order.recovered);
        self.violated_edges = evaluation.order.map(|order| order.violated_edges);
        self.precision = Some(evaluation.directed.precision);
        self.recall = Some(evaluation.directed.recall);
        self.f1 = Some(evaluation.directed.f1);
        self.sid = evaluation.sid;
        self.sid_lower = evaluation.sid_bounds.map(|bounds| bounds.lower);
        self.sid_upper = evaluation.sid_bounds.map(|bounds| bounds.upper);
        self.estimated_edges = Some(evaluation.estimated_edges);
    }
}

/// A message that fits into a line of the log.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use npvar::learner::LearnerConfig;

    use super::*;

    fn task(learner: &str, nodes: usize, time_limit: f64) -> Task {
        let config = LearnerConfig::resolve(learner, &[]).unwrap();
        let sample = SampleSpec {
            setting: "ER-SIN-1".parse().unwrap(),
            nodes,
            samples: 200,
            noise_variance: Some(0.5),
            p: None,
            seed: 1,
        };
        Task { sample, label: learner.to_owned(), configuration: String::new(), config, time_limit }
    }

    #[test]
    fn a_cell_has_every_measure_its_learner_can_have() {
        let mut measurer = Measurer::default();
        let npvar = measurer.measure(&task("npvar", 5, 60.0));
        assert_eq!(npvar.status, Status::Ok, "{}", npvar.message);
        assert!(npvar.shd.is_some() && npvar.order_recovered.is_some() && npvar.sid.is_some());
        assert!(npvar.var_sortability.is_some() && npvar.r2_sortability.is_some() && npvar.seconds.is_some());
        let pc = measurer.measure(&task("pc", 5, 60.0));
        assert_eq!((pc.status, pc.order_recovered), (Status::Ok, None));
        assert!(pc.shd.is_some() && pc.f1.is_some());
    }

    #[test]
    fn time_that_is_up_is_recorded_as_such() {
        // Minutes of work on any machine.
        let row = Measurer::default().measure(&task("notears-mlp", 60, 0.01));
        assert_eq!((row.status, row.shd), (Status::TimeLimit, None));
        assert!(row.true_edges.is_some() && row.seconds.is_some());
    }
}
