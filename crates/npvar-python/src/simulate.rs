//! `simulate`.

use std::sync::Arc;

use npvar::graph::{GraphFormat, NamedGraph};
use npvar::simulate::{Setting, SimulateOptions};
use npvar::{Error, Seed};
use pyo3::prelude::*;

use crate::errors::raised;
use crate::running;
use crate::table::Table;

/// A sample, its true graph as JSON, the residual variances of the population, and the seed.
#[pyfunction]
pub(crate) fn simulate(
    py: Python<'_>,
    setting: &str,
    options: &str,
    #[pyo3(from_py_with = running::seed)] seed: Option<u64>,
) -> PyResult<(Table, String, Vec<f64>, u64)> {
    let seed = seed.map_or_else(Seed::random, Seed);
    let simulated = py.detach(|| {
        let setting: Setting = setting.parse()?;
        let options: SimulateOptions = serde_json::from_str(options)
            .map_err(|error| Error::Options { option: "options".to_owned(), problem: error.to_string() })?;
        npvar::simulate::simulate(setting, &options, seed)
    });
    let simulated = simulated.map_err(|error| raised(py, error))?;
    let truth = NamedGraph::from_dag(simulated.data.names().to_vec(), &simulated.truth);
    let truth = truth.map_err(|error| raised(py, error))?.to_text(GraphFormat::Json);
    Ok((Table(Arc::new(simulated.data)), truth, simulated.residual_variances, seed.0))
}

/// The paper's examples by name, with a word on each.
#[pyfunction]
pub(crate) fn settings() -> Vec<(&'static str, &'static str)> {
    Setting::examples().collect()
}
