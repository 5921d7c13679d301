//! `compare`, and the learner it chooses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use npvar::compare::{Comparing, compare as compared};
use npvar::data::{Categories, ReadOptions};
use npvar::judge::{Call, Caller};
use npvar::learner::LearnerConfig;
use npvar::{Error, Run, Seed};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::given::{Given, Opened};
use crate::learn::text;
use crate::read_options::read_options;
use crate::running::{self, Raised};

/// Seconds that learners may take where nothing is said.
const SECONDS: f64 = 60.0;

/// Which assumption fits? The answer is the text of an `npvar-compare/1` object.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the keywords of `npvar.compare`, which is where they have defaults")]
pub(crate) fn compare(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    read: &str,
    budget: Option<f64>,
    #[pyo3(from_py_with = running::seed)] seed: Option<u64>,
    #[pyo3(from_py_with = running::threads)] threads: usize,
    held: Vec<String>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let in_python = |error: Error| raised(py, error);
    let mut read = ReadOptions { categories: Categories::LeftOut, ..read_options(read).map_err(in_python)? };
    let budget = seconds(budget).map_err(in_python)?;
    let asked = read.clone();
    let given = Given::of(data, &mut read)?;
    let view = given.view();
    let seed = seed.map_or_else(Seed::random, Seed);
    let npvar = LearnerConfig::resolve("npvar", &[]).map_err(in_python)?;
    let caller = Caller::Python(held);
    let call = Call { read: asked, caller, ..Call::new(given.paths(), npvar, seed) };
    let comparison = running::run(py, seed, threads, callback, &Raised::default(), move |stopwatch, run| {
        let table = Opened::new(view, &read, run)?;
        let comparing = Comparing { table: &table, budget: Some(budget), call: Some(call) };
        within(budget, run, |run| compared(&comparing, stopwatch, run))
    })?;
    Ok(text(&comparison))
}

/// A budget in seconds.
///
/// # Errors
/// [`Error::InvalidOption`] for what is no time.
pub(crate) fn seconds(budget: Option<f64>) -> npvar::Result<f64> {
    let seconds = budget.unwrap_or(SECONDS);
    if Duration::try_from_secs_f64(seconds).is_ok_and(|time| !time.is_zero()) {
        return Ok(seconds);
    }
    let requirement = "must be a number of seconds larger than 0".to_owned();
    Err(Error::InvalidOption { option: "budget", requirement, got: seconds.to_string() })
}

/// Does work that is told after so many seconds that it is enough.
pub(crate) fn within<T>(
    seconds: f64,
    run: &Run<'_>,
    work: impl FnOnce(&Run<'_>) -> npvar::Result<T>,
) -> npvar::Result<T> {
    let enough = AtomicBool::new(false);
    thread::scope(|scope| {
        let (done, over) = channel::<()>();
        let enough = &enough;
        scope.spawn(move || {
            if over.recv_timeout(Duration::from_secs_f64(seconds)).is_err() {
                enough.store(true, Ordering::Relaxed);
            }
        });
        let worked = work(&run.until(enough));
        drop(done);
        worked
    })
}
