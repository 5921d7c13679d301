//! One thread that makes one run after the other; the library uses all cores within a run.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Result;
use axum::http::StatusCode;
use npvar::data::{ColumnChoice, Missing, open};
use npvar::graph::{Knowledge, WrittenKnowledge};
use npvar::judge::{Answer, AskedEvidence, Bootstrap, Call, Question, Stopwatch, answer};
use npvar::learner::LearnerConfig;
use npvar::{Error, Level, Run, Seed};
use serde_json::Value;

use super::board::Board;
use super::failure::Failure;
use super::history::{History, Summary};
use super::preview::{check_size, read_options};
use super::progress::{Progress, Status, Watcher};
use super::uploads::Upload;
use super::{Limits, random_name};
use crate::{Report, ShownRows, Truth};

/// What to run.
pub(super) struct Request {
    pub(super) table: Arc<Upload>,
    pub(super) config: LearnerConfig,
    pub(super) header: bool,
    pub(super) columns: Vec<String>,
    pub(super) missing: Missing,
    pub(super) seed: Seed,
    pub(super) bootstrap: Option<Bootstrap>,
    pub(super) knowledge: Option<WrittenKnowledge>,
    /// The request as it came.
    pub(super) asked: Value,
}

/// A run that is not over.
pub(super) struct Job {
    pub(super) id: String,
    request: Request,
    stop: AtomicBool,
}

impl Job {
    pub(super) fn title(&self) -> (&str, &'static str) {
        (&self.request.table.name, self.request.config.info().name)
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Arc<Job>>,
    running: Option<Arc<Job>>,
    closed: bool,
    /// The thread has ended.
    ended: bool,
}

/// How long the end of the server waits for the run that goes on: every learner stops within a second, and a finished run
/// may be on its way to the disk.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

struct Desk {
    queue: Mutex<Queue>,
    changed: Condvar,
    history: Arc<History>,
    board: Arc<Board>,
    limits: Limits,
    log: fn(&str),
}

impl Desk {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) struct Worker(Arc<Desk>);

impl Drop for Worker {
    /// The run that goes on is given up, and nobody is waited for.
    fn drop(&mut self) {
        drop(self.give_up());
    }
}

impl Worker {
    pub(super) fn start(history: Arc<History>, limits: Limits, log: fn(&str)) -> Result<Self> {
        let (queue, changed, board) = (Mutex::default(), Condvar::new(), Arc::default());
        let desk = Arc::new(Desk { queue, changed, history, board, limits, log });
        let own = desk.clone();
        std::thread::Builder::new().name("npvar-runs".to_owned()).spawn(move || work(&own))?;
        Ok(Worker(desk))
    }

    /// Gives up every run, and waits until the one that went on has stopped or is on the disk.
    pub(super) fn close(&self) {
        let queue = self.give_up();
        let waited = self.0.changed.wait_timeout_while(queue, LAST_PATIENCE, |queue| !queue.ended);
        if waited.is_ok_and(|(_, waited)| waited.timed_out()) {
            (self.0.log)("the run that went on did not stop; it is lost");
        }
    }

    fn give_up(&self) -> MutexGuard<'_, Queue> {
        let mut queue = self.0.queue();
        queue.closed = true;
        queue.running.iter().chain(&queue.waiting).for_each(|job| job.stop());
        self.0.changed.notify_all();
        queue
    }

    /// What watchers are told.
    pub(super) fn board(&self) -> &Arc<Board> {
        &self.0.board
    }

    /// Puts a run at the end of the queue.
    pub(super) fn submit(&self, request: Request) -> Result<Arc<Job>, Failure> {
        let id = random_name().map_err(Failure::internal)?;
        let job = Arc::new(Job { id, request, stop: AtomicBool::new(false) });
        let mut queue = self.0.queue();
        if queue.waiting.len() >= self.0.limits.waiting_runs {
            let message = "too many runs are waiting; cancel one or come back later";
            return Err(Failure::new(StatusCode::TOO_MANY_REQUESTS, message));
        }
        self.0.board.set(&job.id, Progress::new(Status::Queued, "waiting for the runs before it"));
        queue.waiting.push_back(job.clone());
        self.0.changed.notify_all();
        Ok(job)
    }

    /// Stops a run, or takes it out of the queue; false when there is none of this name.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let mut queue = self.0.queue();
        if let Some(place) = queue.waiting.iter().position(|job| job.id == id) {
            queue.waiting.remove(place);
            self.0.board.set(id, Progress::new(Status::Cancelled, "cancelled"));
            return true;
        }
        let running = queue.running.as_ref().filter(|job| job.id == id);
        running.inspect(|job| job.stop()).is_some()
    }

    /// The runs that are not over, the one that goes on first.
    pub(super) fn jobs(&self) -> Vec<Arc<Job>> {
        let queue = self.0.queue();
        queue.running.iter().chain(&queue.waiting).cloned().collect()
    }
}

fn work(desk: &Desk) {
    loop {
        let job = {
            let mut queue = desk.queue();
            loop {
                if queue.closed {
                    queue.ended = true;
                    desk.changed.notify_all();
                    return;
                }
                if let Some(job) = queue.waiting.pop_front() {
                    queue.running = Some(job.clone());
                    break job;
                }
                queue = desk.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        };
        finish(desk, &job);
        desk.queue().running = None;
    }
}

/// Makes the run, keeps what came of it, and only then says that it is over.
fn finish(desk: &Desk, job: &Job) {
    desk.board.set(&job.id, Progress::new(Status::Running, "reading the table"));
    let begun = Instant::now();
    // A fault of a learner must not end the server.
    let made = catch_unwind(AssertUnwindSafe(|| make(job, &desk.board, desk.limits)))
        .unwrap_or_else(|_| Err(Ended::Failed("the learner stopped with a fault of its own".to_owned())));
    let mut summary = Summary {
        id: job.id.clone(),
        title: job.request.table.name.clone(),
        learner: job.request.config.info().name.to_owned(),
        status: Status::Done,
        message: None,
        samples: 0,
        nodes: 0,
        edges: 0,
        warnings: 0,
        seed: job.request.seed.0,
        finished: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
        seconds: begun.elapsed().as_secs_f64(),
        asked: Some(job.request.asked.clone()),
        not_kept: None,
    };
    let report = match made {
        Ok((Answer { learned, document, .. }, report)) => {
            summary.samples = learned.n;
            summary.nodes = document.nodes.len();
            summary.edges = document.edges.len();
            summary.warnings = document.diagnostics.iter().filter(|found| found.level == Level::Warning).count();
            Some(report)
        }
        Err(Ended::Cancelled) => {
            desk.board.set(&job.id, Progress::new(Status::Cancelled, "cancelled"));
            return;
        }
        Err(Ended::Failed(message)) => {
            summary.status = Status::Failed;
            summary.message = Some(message);
            None
        }
    };
    let (status, mut words) = (summary.status, summary.message.clone().unwrap_or_default());
    if let Some(why) = desk.history.keep(summary, report) {
        (desk.log)(&format!("the run {} cannot be written and is held in memory: {why}", job.id));
        words += "it could not be written to the disk, and is here until the server ends";
    }
    desk.board.set(&job.id, Progress::new(status, words));
}

enum Ended {
    Cancelled,
    Failed(String),
}

fn make(job: &Job, board: &Board, limits: Limits) -> Result<(Answer, Value), Ended> {
    let Request { table, config, header, columns, missing, seed, bootstrap, knowledge, .. } = &job.request;
    let ended = |error: Error| match error {
        Error::Cancelled => Ended::Cancelled,
        error => Ended::Failed(table.shown(&error)),
    };
    let begun = Instant::now();
    let clock = || begun.elapsed();
    let stopwatch = Stopwatch::start(&clock);
    let watcher = Watcher::new(board, &job.id, &job.stop);
    let run = Run::new(*seed).observed(&watcher).stopped_by(&job.stop);
    let choice = if columns.is_empty() { ColumnChoice::All } else { ColumnChoice::Only(columns.clone()) };
    let read = config.reading(read_options(*header, choice, *missing));
    let source = open(&table.path.to_string_lossy(), &read).map_err(ended)?;
    check_size(&source, limits).map_err(ended)?;
    let loaded = source.load().map_err(ended)?;
    run.check().map_err(ended)?;
    let evidence = bootstrap.map_or(AskedEvidence::Curves, AskedEvidence::Bootstrap);
    let knowledge = knowledge.as_ref().map(|written| Knowledge::new(loaded.data.names(), written));
    let knowledge = knowledge.transpose().map_err(ended)?;
    let call = Call {
        read,
        bootstrap: *bootstrap,
        knowledge: knowledge.is_some().then(|| "knowledge.toml".to_owned()),
        made_by: table.made_by.clone(),
        ..Call::new([table.name.clone()], config.clone(), *seed)
    };
    let asked = Some(call.clone());
    let question = Question { evidence, knowledge: knowledge.as_ref(), call: asked, ..Question::new(&loaded) };
    let answer = answer(config, &question, &stopwatch, &run).map_err(ended)?;
    let n = answer.learned.n;
    let report = Report {
        title: table.name.clone(),
        samples: Some(n),
        document: &answer.document,
        sample: Some(ShownRows::of(&loaded.data, n).map_err(ended)?),
        truth: table.truth.clone().map(|(name, graph)| Truth { name, graph }),
        note: table.note.clone(),
        call,
    };
    let report = report.to_json().map_err(|error| Ended::Failed(error.to_string()))?;
    Ok((answer, report))
}
