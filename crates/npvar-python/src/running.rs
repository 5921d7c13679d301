//! Long work on behalf of Python: the interpreter is free meanwhile, Ctrl-C stops the work, and a callback sees its events.
//!
//! The work runs on a thread pool of its own; the calling thread, the only one on which Python delivers signals, waits for
//! it, looks for signals, and hands events to the callback.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use npvar::judge::Stopwatch;
use npvar::{Error, Event, Flow, Observer, Run, Seed, Stage};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::raised;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);
/// Events that may wait for the callback before the work waits for it.
const EVENTS_AHEAD: usize = 64;

/// What Python raised while the work ran, which stops the work.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<(Mutex<Option<PyErr>>, AtomicBool)>);

impl Raised {
    /// Stops the work; the first error is the one that is raised in the end.
    pub(crate) fn set(&self, error: PyErr) {
        self.error().get_or_insert(error);
        self.stop().store(true, Ordering::Relaxed);
    }

    fn stop(&self) -> &AtomicBool {
        &self.0.1
    }

    fn error(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event that can be sent.
enum Seen {
    Stage(&'static str),
    Rows { done: usize, total: Option<usize> },
    Layer { layer: Vec<usize>, ordered: usize, nodes: usize },
    Working { phase: String, done: usize, total: Option<usize> },
    Selected { done: usize, nodes: usize },
}

impl Seen {
    fn of(event: &Event<'_>) -> Option<Seen> {
        Some(match *event {
            Event::Stage(Stage::Order) => Seen::Stage("order"),
            Event::Stage(Stage::Selection) => Seen::Stage("selection"),
            Event::Rows { done, total } => Seen::Rows { done, total },
            Event::Layer { layer, ordered, nodes } => Seen::Layer { layer: layer.to_vec(), ordered, nodes },
            Event::Working { phase, done, total } => Seen::Working { phase: phase.to_owned(), done, total },
            Event::Selected { done, nodes } => Seen::Selected { done, nodes },
            _ => return None,
        })
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let event = PyDict::new(py);
        match self {
            Seen::Stage(stage) => {
                event.set_item("event", "stage")?;
                event.set_item("stage", stage)?;
            }
            Seen::Rows { done, total } => {
                event.set_item("event", "rows")?;
                event.set_item("done", done)?;
                event.set_item("total", total)?;
            }
            Seen::Layer { layer, ordered, nodes } => {
                event.set_item("event", "layer")?;
                event.set_item("layer", layer)?;
                event.set_item("done", ordered)?;
                event.set_item("total", nodes)?;
            }
            Seen::Working { phase, done, total } => {
                event.set_item("event", "working")?;
                event.set_item("phase", phase)?;
                event.set_item("done", done)?;
                event.set_item("total", total)?;
            }
            Seen::Selected { done, nodes } => {
                event.set_item("event", "selected")?;
                event.set_item("done", done)?;
                event.set_item("total", nodes)?;
            }
        }
        Ok(event)
    }
}

/// Passes events on.
struct Watch {
    /// Its end tells the waiting thread that the work is done.
    events: SyncSender<Seen>,
    wanted: bool,
}

impl Observer for Watch {
    fn on(&self, event: &Event<'_>) -> Flow {
        if self.wanted
            && let Some(seen) = Seen::of(event)
        {
            // The waiting thread receives until the work ends, so this fails only when it has gone.
            return if self.events.send(seen).is_ok() { Flow::Continue } else { Flow::Stop };
        }
        Flow::Continue
    }
}

/// How many threads are wanted; 0 is all.
///
/// # Errors
/// `ValueError` for a number out of range, `TypeError` for what is none.
pub(crate) fn threads(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map_err(|error| in_words(error, value, "threads", usize::MAX as u64))
}

/// A seed, or none.
///
/// # Errors
/// As [`threads`].
pub(crate) fn seed(value: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    value.extract().map_err(|error| in_words(error, value, "seed", u64::MAX))
}

fn in_words(error: PyErr, value: &Bound<'_, PyAny>, name: &str, most: u64) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(value.py()) {
        return PyValueError::new_err(format!("`{name}` must be a whole number from 0 to {most}, got {value}"));
    }
    error
}

/// Does `work` without holding the interpreter. The callback is called with a dictionary for every event and stops the work
/// by returning `False` or raising; so do Ctrl-C and whatever else puts an error in `python`.
///
/// # Errors
/// What the work came upon, what was raised, or `KeyboardInterrupt`.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    seed: Seed,
    threads: usize,
    callback: Option<&Bound<'_, PyAny>>,
    python: &Raised,
    work: impl FnOnce(&Stopwatch<'_>, &Run<'_>) -> npvar::Result<T> + Send,
) -> PyResult<T> {
    let callback = callback.map(|callback| callback.clone().unbind());
    let pool = pool(threads)?;
    let (events, received) = sync_channel(EVENTS_AHEAD);
    let watch = Watch { events, wanted: callback.is_some() };
    let worked = py.detach(move || {
        thread::scope(|scope| {
            let pool = &pool;
            let worker = scope.spawn(move || {
                let begun = Instant::now();
                let clock = || begun.elapsed();
                let run = Run::new(seed).observed(&watch).stopped_by(python.stop());
                pool.install(|| work(&Stopwatch::start(&clock), &run))
            });
            let mut looked = Instant::now();
            loop {
                let seen = match received.recv_timeout(PATIENCE) {
                    Ok(seen) => Some(seen),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                let stopping = python.stop().load(Ordering::Relaxed);
                if stopping || seen.is_none() && looked.elapsed() < PATIENCE {
                    continue;
                }
                match Python::attach(|py| look(py, seen.as_ref(), callback.as_ref())) {
                    Ok(Flow::Continue) => {}
                    Ok(Flow::Stop) => python.stop().store(true, Ordering::Relaxed),
                    Err(error) => python.set(error),
                }
                looked = Instant::now();
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    if let Some(error) = python.error().take() {
        return Err(error);
    }
    if python.stop().load(Ordering::Relaxed) {
        return Err(raised(py, Error::Cancelled)); // also when the work had ended before it was told
    }
    worked.map_err(|error| raised(py, error))
}

/// Looks for signals, and shows an event to the callback.
fn look(py: Python<'_>, seen: Option<&Seen>, callback: Option<&Py<PyAny>>) -> PyResult<Flow> {
    py.check_signals()?;
    let (Some(seen), Some(callback)) = (seen, callback) else { return Ok(Flow::Continue) };
    let answer = callback.bind(py).call1((seen.to_python(py)?,))?;
    Ok(if matches!(answer.extract::<bool>(), Ok(false)) { Flow::Stop } else { Flow::Continue })
}

/// The pool of this process, by its number of threads. A process that was forked has none of its parent's threads, so it
/// makes its own.
fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    static POOL: Mutex<Option<(u32, usize, Arc<ThreadPool>)>> = Mutex::new(None);
    let process = std::process::id();
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, size, pool)) = &*known
        && (*of, *size) == (process, threads)
    {
        return Ok(pool.clone());
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = Arc::new(pool.map_err(|error| PyRuntimeError::new_err(format!("threads cannot be started: {error}")))?);
    let before = known.replace((process, threads, pool.clone()));
    if let Some((of, _, old)) = before
        && of != process
    {
        mem::forget(old); // its threads are not in this process; waiting for them would never end
    }
    Ok(pool)
}
