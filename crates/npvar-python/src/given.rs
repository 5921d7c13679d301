//! What Python gives to learn from, and how it is opened.

use std::sync::Arc;

use arrow_array::ArrayRef;
use npvar::data::{
    ColumnChoice, Dataset, HeldColumn, IntakeEntry, Loaded, Missing, ReadOptions, RowBlocks, Strictness, Tabular,
    checks, take_in,
};
use npvar::{Diagnostic, Run};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;

use crate::columns::{Column, HeldColumn as Held};
use crate::errors::raised;
use crate::frame::Frame;
use crate::table::Table;

/// Tables up to this size are copied once, so that all rows can be checked as those of a small file are; larger ones are
/// read where they stand.
const COPIED_BYTES: usize = 64 << 20;

/// A table as Python gave it, held in place.
pub(crate) enum Given<'py> {
    Paths(Vec<String>),
    Table(Arc<Dataset>),
    Columns(Vec<String>, Vec<Held<'py>>),
}

/// The same, readable from any thread.
pub(crate) enum View<'a> {
    Paths(&'a [String]),
    Table(&'a Arc<Dataset>),
    Columns(&'a [String], Vec<Column<'a>>),
}

impl<'py> Given<'py> {
    /// Takes a `Table`, a list of paths, a pair of names and columns, or anything that speaks Arrow. Columns that the options
    /// leave out are not looked at: they may hold text.
    pub(crate) fn of(data: &Bound<'py, PyAny>, options: &mut ReadOptions) -> PyResult<Self> {
        let py = data.py();
        if let Ok(table) = data.cast::<Table>() {
            let data = table.get().0.clone();
            if options.columns == ColumnChoice::All {
                return Ok(Given::Table(data));
            }
            let positions = take_choice(options, data.names()).map_err(|error| raised(py, error))?;
            let names = positions.iter().map(|&j| data.names()[j].clone()).collect();
            let columns = positions.iter().map(|&j| Held::Values(data.column(j).to_vec())).collect();
            return Ok(Given::Columns(names, columns));
        }
        if let Ok(paths) = data.extract::<Vec<String>>() {
            return Ok(Given::Paths(paths));
        }
        if let Ok((names, columns)) = data.extract::<(Vec<String>, Vec<Bound<'py, PyAny>>)>() {
            let positions = take_choice(options, &names).map_err(|error| raised(py, error))?;
            let columns = positions.iter().map(|&j| Held::of(&columns[j])).collect::<PyResult<Vec<_>>>()?;
            return Ok(Given::Columns(positions.iter().map(|&j| names[j].clone()).collect(), columns));
        }
        if data.hasattr("__arrow_c_stream__")? || data.hasattr("__arrow_c_array__")? {
            return arrow(data, options);
        }
        Err(PyTypeError::new_err(format!("a table was expected, got {}", data.get_type().name()?)))
    }

    /// The files, where they are given.
    pub(crate) fn paths(&self) -> &[String] {
        match self {
            Given::Paths(paths) => paths,
            Given::Table(_) | Given::Columns(..) => &[],
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        match self {
            Given::Paths(paths) => View::Paths(paths),
            Given::Table(data) => View::Table(data),
            Given::Columns(names, columns) => View::Columns(names, columns.iter().map(Held::view).collect()),
        }
    }
}

fn arrow<'py>(data: &Bound<'py, PyAny>, options: &mut ReadOptions) -> PyResult<Given<'py>> {
    let table = data.extract::<AnyRecordBatch>()?.into_table().map_err(PyErr::from)?;
    let (batches, schema) = table.into_inner();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    let mut open = || -> npvar::Result<Given<'py>> {
        let positions = take_choice(options, &names)?;
        let mut columns = Vec::new();
        for &j in &positions {
            let chunks: Vec<ArrayRef> = batches.iter().map(|batch| batch.column(j).clone()).collect();
            columns.push(Held::of_arrow(&names[j], schema.field(j).data_type(), chunks)?);
        }
        Ok(Given::Columns(positions.iter().map(|&j| names[j].clone()).collect(), columns))
    };
    open().map_err(|error| raised(data.py(), error))
}

/// The chosen positions; nothing is left to choose afterwards.
fn take_choice(options: &mut ReadOptions, names: &[String]) -> npvar::Result<Vec<usize>> {
    let positions = options.columns.positions(names, "the table")?;
    options.columns = ColumnChoice::All;
    Ok(positions)
}

/// A table that is ready to be read.
pub(crate) enum Opened<'a> {
    File(npvar::data::Table),
    TakenIn(Loaded),
    Memory(Arc<Dataset>, Vec<Diagnostic>),
    InPlace(Frame<'a>, Vec<Diagnostic>),
}

impl<'a> Opened<'a> {
    /// Opens what was given.
    ///
    /// # Errors
    /// What the table or its values came upon.
    pub(crate) fn new(view: View<'a>, options: &ReadOptions, run: &Run<'_>) -> npvar::Result<Self> {
        match view {
            View::Paths(paths) => npvar::data::Table::open(paths, options).map(Opened::File),
            View::Table(data) => Ok(Opened::Memory(data.clone(), checks::diagnostics(data))),
            View::Columns(names, columns) => {
                let has_words = columns.iter().any(|column| matches!(column, Column::Words(_)));
                let bytes = columns.iter().map(Column::len).sum::<usize>() * size_of::<f64>();
                let is_plain = options.strictness == Strictness::Forgiving
                    && matches!(options.missing, Missing::Error | Missing::DropRows);
                let fills = matches!(options.missing, Missing::DropColumns | Missing::Impute | Missing::Pairwise);
                if has_words || fills || !is_plain && bytes <= COPIED_BYTES {
                    return taken_in(names, &columns, options).map(Opened::TakenIn);
                }
                let frame = Frame::new(names, columns, options)?;
                let mut diagnostics = frame.diagnostics();
                if frame.bytes() > COPIED_BYTES {
                    diagnostics.extend(checks::first_rows(&frame)?);
                    return Ok(Opened::InPlace(frame, diagnostics));
                }
                let data = Dataset::of(&frame, &Run::new(run.seed))?;
                diagnostics.extend(checks::diagnostics(&data));
                Ok(Opened::Memory(Arc::new(data), diagnostics))
            }
        }
    }

    /// Opens what was given without looking for what might mislead a learner.
    ///
    /// # Errors
    /// As [`Opened::new`].
    pub(crate) fn in_place(view: View<'a>, options: &ReadOptions) -> npvar::Result<Self> {
        match view {
            View::Paths(paths) => npvar::data::Table::open(paths, options).map(Opened::File),
            View::Table(data) => Ok(Opened::Memory(data.clone(), Vec::new())),
            View::Columns(names, columns) => Ok(Opened::InPlace(Frame::new(names, columns, options)?, Vec::new())),
        }
    }
}

/// Takes the columns in as those of a file.
fn taken_in(names: &[String], columns: &[Column<'_>], options: &ReadOptions) -> npvar::Result<Loaded> {
    let mut numbers: Vec<Vec<f64>> = Vec::new();
    for column in columns {
        let mut values = Vec::new();
        if !matches!(column, Column::Words(_)) {
            column.gather(0..column.len(), &mut values)?;
        }
        numbers.push(values);
    }
    let mut held: Vec<HeldColumn<'_>> = Vec::new();
    for (column, numbers) in columns.iter().zip(&numbers) {
        held.push(match column {
            Column::Words(words) => HeldColumn::Words(words),
            _ => HeldColumn::Numbers(numbers),
        });
    }
    take_in(names, &held, options)
}

impl Tabular for Opened<'_> {
    fn rows(&self) -> &dyn RowBlocks {
        match self {
            Opened::File(table) => table.rows(),
            Opened::TakenIn(loaded) => &loaded.data,
            Opened::Memory(data, _) => &**data,
            Opened::InPlace(frame, _) => frame,
        }
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Opened::File(table) => table.diagnostics(),
            Opened::TakenIn(loaded) => loaded.diagnostics.clone(),
            Opened::Memory(_, diagnostics) | Opened::InPlace(_, diagnostics) => diagnostics.clone(),
        }
    }

    fn intake(&self) -> Vec<IntakeEntry> {
        match self {
            Opened::File(table) => table.intake(),
            Opened::TakenIn(loaded) => loaded.intake.clone(),
            Opened::Memory(..) | Opened::InPlace(..) => Vec::new(),
        }
    }
}
