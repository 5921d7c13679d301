//! A table in the library's own memory, which Python can look at in every way it likes.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use npvar::data::{Dataset, write_csv};
use numpy::ndarray::{Array2, ShapeBuilder};
use numpy::{PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use pyo3_arrow::PyTable;

/// A table of numbers with named columns, such as simulated data.
///
/// Understands `numpy.asarray`, the Arrow interface (`polars.DataFrame(table)`, `pyarrow.table(table)`), and
/// `to_pandas()`.
#[pyclass(frozen, module = "npvar")]
pub(crate) struct Table(pub(crate) Arc<Dataset>);

#[pymethods]
impl Table {
    #[new]
    fn new(names: Vec<String>, columns: Vec<Vec<f64>>, py: Python<'_>) -> PyResult<Self> {
        Dataset::new(names, columns).map(|data| Table(Arc::new(data))).map_err(|error| crate::errors::raised(py, error))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// The numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.n(), self.0.d())
    }

    fn __len__(&self) -> usize {
        self.0.n()
    }

    fn __repr__(&self) -> String {
        format!("<npvar.Table: {} rows, {} columns ({})>", self.0.n(), self.0.d(), shown(self.0.names()))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Table>().is_ok_and(|other| self.0 == other.get().0)
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(pyo3::exceptions::PyTypeError::new_err("unhashable type: 'npvar.Table'"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let columns: Vec<Vec<f64>> = (0..self.0.d()).map(|j| self.0.column(j).to_vec()).collect();
        let arguments = (self.0.names().to_vec(), columns).into_pyobject(py)?;
        (py.get_type::<Table>(), arguments).into_pyobject(py)
    }

    /// The values of a column as a list.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.0.column(self.position(name)?))
    }

    /// The values of a column as a NumPy array.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(self.0.column(self.position(name)?).to_pyarray(py))
    }

    /// The table as a NumPy array, one row per sample.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let values: Vec<f64> = (0..self.0.d()).flat_map(|j| self.0.column(j).iter().copied()).collect();
        let array = Array2::from_shape_vec((self.0.n(), self.0.d()).f(), values)
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        Ok(PyArray2::from_owned_array(py, array))
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(pyo3::exceptions::PyValueError::new_err("a copy cannot be avoided: use the Arrow interface"));
        }
        let array = self.to_numpy(py)?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array.into_any()),
        }
    }

    /// The table as a pandas data frame.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let arguments = pyo3::types::PyDict::new(py);
        arguments.set_item("columns", self.0.names())?;
        py.import("pandas")?.getattr("DataFrame")?.call((self.to_numpy(py)?,), Some(&arguments))
    }

    /// Writes the table as CSV, with every digit.
    fn to_csv(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| {
            let file = std::fs::File::create(&path)?;
            write_csv(&self.0, std::io::BufWriter::new(file))
        })
        .map_err(|error: std::io::Error| PyOSError::new_err(format!("{}: {error}", path.display())))
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let fields: Vec<Field> = self.0.names().iter().map(|name| Field::new(name, DataType::Float64, false)).collect();
        let schema = Arc::new(Schema::new(fields));
        let column = |j: usize| Arc::new(Float64Array::from(self.0.column(j).to_vec())) as ArrayRef;
        let batch = RecordBatch::try_new(schema.clone(), (0..self.0.d()).map(column).collect())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let table = PyTable::try_new(vec![batch], schema)?.into_pyobject(py)?;
        table.call_method1("__arrow_c_stream__", (requested_schema,))
    }
}

impl Table {
    fn position(&self, name: &str) -> PyResult<usize> {
        let unknown = || PyKeyError::new_err(format!("no column `{name}`; the columns are {}", shown(self.0.names())));
        self.0.names().iter().position(|known| known == name).ok_or_else(unknown)
    }
}

/// The first few names.
fn shown(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += ", …";
    }
    text
}
