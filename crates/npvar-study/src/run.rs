//! Carries out a study: worker processes, limits, the log; goes on where an earlier run stopped.
//!
//! Every slot has a worker process and a thread that feeds it. One more thread watches all of them: a worker that overruns the
//! time limit by more than a little (the learner itself should have stopped) is killed, and so is, while the workers together
//! take more memory than they may, the one that began its cell last. Its cell is put off and run alone at the end; only one
//! that takes too much alone is recorded as `memory-limit`. So the rows do not depend on how many cells run at once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::cell::Cell;
use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::log::Log;
use crate::memory;
use crate::queue::Queue;
use crate::row::{Row, Status};
use crate::shard::Shard;
use crate::study::Study;
use crate::table::{Places, arranged, text, write_whole};

mod slot;

use slot::{Answer, Slot};

/// How often workers are looked at.
const WATCH: Duration = Duration::from_millis(50);

/// What one may choose about a run; the numbers do not depend on it.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Where results go.
    pub out: PathBuf,
    /// The part of the study to run.
    pub shard: Shard,
    /// Cells at once; nothing is the study's choice, or one per processor.
    pub jobs: Option<usize>,
    /// GiB that all cells together may take; nothing is the study's choice, or three quarters of what is free.
    pub memory_gib: Option<f64>,
    /// Whether cells that did not end well are run again.
    pub retry: bool,
    /// The program and arguments of a worker, which calls [`worker::work`](crate::worker::work).
    pub worker: (PathBuf, Vec<String>),
}

/// Someone who watches a study.
pub trait Watcher: Sync {
    /// The run begins: so many cells in all, so many of them done before.
    fn begins(&self, total: usize, done: usize);
    /// A cell is finished and saved.
    fn finished(&self, row: &Row);
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary {
    /// Cells of this part of the study.
    pub total: usize,
    /// Those that this run did.
    pub run: usize,
    /// Those of all that did not end well.
    pub not_ok: usize,
}

/// Runs what is not done yet of a study, and writes `table.csv` when everything is.
///
/// # Errors
/// When the folder cannot be used or written, or holds another study; [`Error::Stopped`] soon after `stop` becomes true.
/// Finished cells are safe whatever happens.
pub fn run(study: &Study, options: &RunOptions, watcher: &dyn Watcher, stop: &AtomicBool) -> Result<Summary> {
    let folder = Folder::begin(&options.out, study)?;
    let _lock = folder.lock(options.shard)?;
    let log = Log::open(&folder.log(options.shard))?;
    let done = done(study, &folder, options.retry)?;
    let cells: Vec<Cell> = study.cells().into_iter().filter(|cell| options.shard.has(cell.sample)).collect();
    let (total, before) = (cells.len(), cells.iter().filter(|cell| done.contains(cell)).count());
    watcher.begins(total, before);

    let team = Team {
        study,
        worker: (options.worker.0.as_path(), options.worker.1.as_slice()),
        log: Mutex::new(log),
        saved: AtomicUsize::new(before),
        total,
        put_off: Mutex::default(),
        broken: AtomicBool::new(false),
        stop,
        watcher,
        memory: memory_budget(study, options),
    };
    let jobs = options.jobs.or(study.file.jobs).unwrap_or_else(processors).max(1);
    let mut outcome = team.work(cells.into_iter().filter(|cell| !done.contains(cell)), jobs);
    let put_off = std::mem::take(&mut *locked(&team.put_off));
    if outcome.is_ok() && !team.halted() && !put_off.is_empty() {
        outcome = team.work(put_off, 1);
    }
    let mut log = locked(&team.log);
    let synced = log.sync();
    let saved = team.saved.load(Ordering::Relaxed);
    outcome?;
    synced.map_err(Error::io(log.path()))?;
    if stop.load(Ordering::Relaxed) {
        return Err(Error::Stopped { done: saved, total });
    }
    let rows = arranged(study, folder.rows()?);
    if rows.len() == study.cells().len() {
        write_whole(&folder.path.join("table.csv"), text(&rows).as_bytes())?;
    }
    let not_ok = rows.iter().filter(|row| row.status != Status::Ok).count();
    Ok(Summary { total, run: saved - before, not_ok })
}

/// The cells that need not be run.
fn done(study: &Study, folder: &Folder, retry: bool) -> Result<HashSet<Cell>> {
    let places = Places::new(study);
    let rows = arranged(study, folder.rows()?);
    let counts = |row: &&Row| !retry || row.status == Status::Ok;
    Ok(rows.iter().filter(counts).filter_map(|row| places.of(row)).collect())
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes that all workers may take together; no bound where nothing is known.
fn memory_budget(study: &Study, options: &RunOptions) -> u64 {
    const GIB: f64 = 1024.0 * 1024.0 * 1024.0;
    let chosen = options.memory_gib.or(study.file.memory_gib).map(|gib| (gib * GIB) as u64);
    chosen.or_else(|| memory::available().map(|free| free / 4 * 3)).unwrap_or(u64::MAX)
}

/// What the threads of a run share.
struct Team<'a> {
    study: &'a Study,
    worker: (&'a Path, &'a [String]),
    log: Mutex<Log>,
    saved: AtomicUsize,
    total: usize,
    put_off: Mutex<Vec<Cell>>,
    /// Something happened after which nobody should begin another cell.
    broken: AtomicBool,
    stop: &'a AtomicBool,
    watcher: &'a dyn Watcher,
    memory: u64,
}

impl Team<'_> {
    fn halted(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed)
    }

    /// Runs these cells, `jobs` at once.
    fn work(&self, cells: impl IntoIterator<Item = Cell>, jobs: usize) -> Result<()> {
        let queue = Mutex::new(Queue::new(cells));
        let slots: Vec<Slot> = (0..jobs).map(|_| Slot::new(self.study.file.time_limit)).collect();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (queue, alone) = (&queue, jobs == 1);
            let threads: Vec<_> = slots.iter().map(|slot| scope.spawn(move || self.feed(slot, queue, alone))).collect();
            scope.spawn(|| self.watch(&slots, &over));
            let outcomes: Vec<Result<()>> = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|failure| std::panic::resume_unwind(failure)))
                .collect();
            over.store(true, Ordering::Relaxed);
            outcomes.into_iter().collect()
        })
    }

    /// One slot's thread: cell after cell.
    fn feed(&self, slot: &Slot, queue: &Mutex<Queue>, alone: bool) -> Result<()> {
        let mut last = None;
        while !self.halted() {
            let Some(cell) = locked(queue).next(last) else { break };
            last = Some(cell.sample);
            let task = self.study.task(cell);
            let answer = slot.ask(&task, self.worker).inspect_err(|_| self.broken.store(true, Ordering::Relaxed))?;
            let failed = |status, message: &str| Row { status, message: message.to_owned(), ..Row::of(&task) };
            let row = match answer {
                Answer::Row(row) => *row,
                Answer::Stopped => break,
                Answer::Overran => failed(Status::TimeLimit, ""),
                Answer::TooLarge if alone => failed(Status::MemoryLimit, ""),
                Answer::TooLarge => {
                    locked(&self.put_off).push(cell);
                    continue;
                }
                Answer::Died(how) => failed(Status::Crash, &how),
            };
            self.save(&row)?;
        }
        slot.dismiss();
        Ok(())
    }

    fn save(&self, row: &Row) -> Result<()> {
        let mut log = locked(&self.log);
        if self.broken.load(Ordering::Relaxed) {
            return Ok(()); // another row could not be written; this one would stand behind half of it
        }
        if let Err(source) = log.append(row) {
            self.broken.store(true, Ordering::Relaxed);
            let path = log.path().display().to_string();
            return Err(Error::NotSaved { path, source, saved: self.saved.load(Ordering::Relaxed), total: self.total });
        }
        self.saved.fetch_add(1, Ordering::Relaxed);
        drop(log);
        self.watcher.finished(row);
        Ok(())
    }

    /// The watching thread.
    fn watch(&self, slots: &[Slot], over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            std::thread::sleep(WATCH);
            if self.halted() {
                slots.iter().for_each(Slot::stop);
                continue;
            }
            slots.iter().for_each(Slot::check_time);
            let held: u64 = slots.iter().filter_map(Slot::resident).sum();
            if held > self.memory
                && let Some(youngest) =
                    slots.iter().filter(|slot| slot.since().is_some()).max_by_key(|slot| slot.since())
            {
                youngest.evict();
            }
        }
    }
}

/// A lock whose holder never panics half-way through a change.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
