//! An estimator that Python brings: any object with scikit-learn's `fit` and `predict`.
//!
//! The engine asks for conditional means from several threads; each fit works on a copy of the object, so that what was
//! given stays as it was. What the object raises stops the run and is raised again by [`running::run`](crate::running::run).

use faer::MatRef;
use npvar::Error;
use npvar::regress::{ConditionalMean, FittedMean};
use numpy::ndarray::Array2;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::running::Raised;

/// A Python object as an estimator.
pub(crate) struct OwnEstimator {
    object: Py<PyAny>,
    /// Its class, for the result.
    pub(crate) name: String,
    raised: Raised,
}

impl OwnEstimator {
    /// Takes an object with `fit` and `predict`.
    pub(crate) fn of(object: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Self> {
        let name = format!("Python's `{}`", object.get_type().name()?);
        Ok(OwnEstimator { object: object.clone().unbind(), name, raised: raised.clone() })
    }
}

impl ConditionalMean for OwnEstimator {
    fn fit(&self, z: MatRef<'_, f64>, y: &[f64]) -> npvar::Result<Box<dyn FittedMean>> {
        let fitted = Python::attach(|py| -> PyResult<Py<PyAny>> {
            let copy = py.import("copy")?.call_method1("deepcopy", (&self.object,))?;
            copy.call_method1("fit", (matrix(py, z)?, PyArray1::from_slice(py, y)))?;
            Ok(copy.unbind())
        });
        match fitted {
            Ok(object) => Ok(Box::new(Fitted { object, raised: self.raised.clone() })),
            Err(error) => {
                self.raised.set(error);
                Err(Error::Cancelled)
            }
        }
    }
}

struct Fitted {
    object: Py<PyAny>,
    raised: Raised,
}

impl FittedMean for Fitted {
    fn predict(&self, z: MatRef<'_, f64>) -> Vec<f64> {
        let predicted = Python::attach(|py| predict(self.object.bind(py), z));
        predicted.unwrap_or_else(|error| {
            self.raised.set(error);
            vec![0.0; z.nrows()] // not looked at: the run stops
        })
    }
}

fn predict(object: &Bound<'_, PyAny>, z: MatRef<'_, f64>) -> PyResult<Vec<f64>> {
    let py = object.py();
    let predicted = object.call_method1("predict", (matrix(py, z)?,))?;
    let numpy = py.import("numpy")?;
    let flat = numpy.call_method1("asarray", (predicted, "float64"))?.call_method0("ravel")?;
    let values: Vec<f64> = flat.cast::<PyArray1<f64>>()?.to_vec()?;
    if values.len() != z.nrows() {
        let problem = format!("`predict` gave {} numbers for {} rows", values.len(), z.nrows());
        return Err(PyValueError::new_err(problem));
    }
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        return Err(PyValueError::new_err(format!("`predict` gave {value}, which is no number to work with")));
    }
    Ok(values)
}

/// A copy with one row per sample, in the layout that scikit-learn prefers.
fn matrix<'py>(py: Python<'py>, z: MatRef<'_, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let values = (0..z.nrows()).flat_map(|i| (0..z.ncols()).map(move |j| z[(i, j)])).collect();
    let array = Array2::from_shape_vec((z.nrows(), z.ncols()), values)
        .map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyArray2::from_owned_array(py, array))
}
