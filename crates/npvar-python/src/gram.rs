//! Sums over portions of the rows: knots, partial Gram matrices, their merging, and learning from the whole.

use npvar::data::Tabular;
use npvar::graph::Order;
use npvar::judge::answer_from_sums;
use npvar::learner::{LearnerConfig, NpvarConfig};
use npvar::smooth::{Knots, SmoothSpec, Summed};
use npvar::{Error, Result, Seed};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::{Map, Value};

use crate::errors::raised;
use crate::given::{Given, Opened};
use crate::learn::text;
use crate::learners::config;
use crate::read_options::read_options;
use crate::running::{self, Raised};

/// The knots of one table as JSON; nothing when it has no rows.
#[pyfunction]
pub(crate) fn knots(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    k: Option<usize>,
    few_valued: Option<&str>,
    read: &str,
    #[pyo3(from_py_with = running::threads)] threads: usize,
) -> PyResult<Option<String>> {
    let in_python = |error: Error| raised(py, error);
    let spec = spec(k, few_valued).map_err(in_python)?;
    let mut read = read_options(read).map_err(in_python)?;
    let given = Given::of(data, &mut read)?;
    let view = given.view();
    let knots = running::run(py, Seed(0), threads, None, &Raised::default(), move |_, run| {
        let table = match Opened::in_place(view, &read) {
            Err(Error::NoRows { .. }) => return Ok(None),
            table => table?,
        };
        Knots::of(table.rows(), spec, run).map(Some)
    })?;
    Ok(knots.map(|knots| text(&knots)))
}

/// The knots of all parts, in the order given.
#[pyfunction]
pub(crate) fn merge_knots(py: Python<'_>, parts: Vec<String>) -> PyResult<String> {
    let merged = || {
        let mut parts = parts.iter().map(|part| read_knots(part));
        let mut all = parts.next().ok_or(Error::NoRows { source_name: "the table".to_owned() })??;
        parts.try_for_each(|part| all.merge(&part?))?;
        Ok(text(&all))
    };
    merged().map_err(|error| raised(py, error))
}

/// The sum over one table and, where there is one, the sum before it.
#[pyfunction]
pub(crate) fn partial_gram<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    knots: &str,
    before: Option<PyBackedBytes>,
    read: &str,
    #[pyo3(from_py_with = running::threads)] threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let in_python = |error: Error| raised(py, error);
    let knots = read_knots(knots).map_err(in_python)?;
    let mut read = read_options(read).map_err(in_python)?;
    let given = Given::of(data, &mut read)?;
    let view = given.view();
    let bytes = running::run(py, Seed(0), threads, None, &Raised::default(), move |_, run| {
        let mut sum = match before {
            Some(before) => Summed::from_bytes(&before)?,
            None => Summed::none(&knots),
        };
        match Opened::in_place(view, &read) {
            Err(Error::NoRows { .. }) => {}
            table => sum.add(table?.rows(), run)?,
        }
        Ok(sum.to_bytes())
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The sum of two parts.
#[pyfunction]
pub(crate) fn merge_two<'py>(
    py: Python<'py>,
    first: PyBackedBytes,
    second: PyBackedBytes,
) -> PyResult<Bound<'py, PyBytes>> {
    let merged = py.detach(|| {
        let mut sum = Summed::from_bytes(&first)?;
        sum.merge(&Summed::from_bytes(&second)?)?;
        Ok(sum.to_bytes())
    });
    Ok(PyBytes::new(py, &merged.map_err(|error| raised(py, error))?))
}

/// NPVAR from the sum over all rows.
#[pyfunction]
pub(crate) fn learn_from_gram(
    py: Python<'_>,
    gram: PyBackedBytes,
    options: &str,
    #[pyo3(from_py_with = running::seed)] seed: Option<u64>,
    #[pyo3(from_py_with = running::threads)] threads: usize,
    order: Option<Vec<String>>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let config = npvar_config(options).map_err(|error| raised(py, error))?;
    let seed = seed.map_or_else(Seed::random, Seed);
    let answer = running::run(py, seed, threads, callback, &Raised::default(), move |stopwatch, run| {
        let sums = Summed::from_bytes(&gram)?;
        let order = order.map(|order| Order::of_names(&order, sums.knots().names())).transpose()?;
        answer_from_sums(&sums, &config, order, stopwatch, run)
    })?;
    Ok(text(&answer.document))
}

/// The bases that these options of the parent selection name.
fn spec(k: Option<usize>, few_valued: Option<&str>) -> Result<SmoothSpec> {
    let mut options = Map::new();
    options.extend(k.map(|k| ("selection__k".to_owned(), k.into())));
    options.extend(few_valued.map(|word| ("selection__few_valued".to_owned(), word.into())));
    Ok(npvar_config(&Value::Object(options).to_string())?.selection.spec())
}

fn npvar_config(options: &str) -> Result<NpvarConfig> {
    match config("npvar", options)? {
        LearnerConfig::Npvar(config) => Ok(config),
        other => {
            Err(Error::Options { option: "`learner`".to_owned(), problem: format!("got `{}`", other.info().name) })
        }
    }
}

fn read_knots(json: &str) -> Result<Knots> {
    serde_json::from_str(json)
        .map_err(|error| Error::Format { path: "the knots".to_owned(), problem: error.to_string() })
}
