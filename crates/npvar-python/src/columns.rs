//! One column of a table that Python holds: NumPy arrays of any number type and stride, Arrow arrays, Python lists.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use npvar::{Error, Result};
use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

macro_rules! number_types {
    ($($variant:ident($type:ty)),+ $(,)?) => {
        /// A NumPy array, held so that its memory stays.
        pub(crate) enum Held<'py> {
            $($variant(PyReadonlyArray1<'py, $type>),)+
        }

        impl<'py> Held<'py> {
            fn of(array: &Bound<'py, PyAny>) -> Option<Self> {
                $(if let Ok(array) = array.extract::<PyReadonlyArray1<'py, $type>>() {
                    return Some(Held::$variant(array));
                })+
                None
            }

            pub(crate) fn view(&self) -> Numbers<'_> {
                match self {
                    $(Held::$variant(array) => Numbers::$variant(array.as_array()),)+
                }
            }
        }

        /// The values of a NumPy array, in place.
        pub(crate) enum Numbers<'a> {
            $($variant(ArrayView1<'a, $type>),)+
        }

        impl Numbers<'_> {
            fn len(&self) -> usize {
                match self {
                    $(Numbers::$variant(values) => values.len(),)+
                }
            }

            fn gather(&self, rows: Range<usize>, into: &mut Vec<f64>) {
                match self {
                    $(Numbers::$variant(values) => {
                        let values = values.slice(numpy::ndarray::s![rows]);
                        into.extend(values.iter().map(|&value| <$type as Number>::number(value)));
                    })+
                }
            }
        }
    };
}

number_types! {
    F64(f64), F32(f32), I64(i64), I32(i32), I16(i16), I8(i8), U64(u64), U32(u32), U16(u16), U8(u8), Bool(bool),
}

/// A value as a number.
trait Number {
    fn number(self) -> f64;
}

macro_rules! lossless {
    ($($type:ty),+) => {
        $(impl Number for $type {
            fn number(self) -> f64 {
                f64::from(self)
            }
        })+
    };
}

lossless!(f32, i32, i16, i8, u32, u16, u8);

impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Number for i64 {
    fn number(self) -> f64 {
        self as f64 // the nearest, as everywhere that integers become floats
    }
}

impl Number for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Number for bool {
    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

/// Values that Python holds, or that were taken over from it.
pub(crate) enum HeldColumn<'py> {
    NumPy(Held<'py>),
    Arrow(Vec<ArrayRef>),
    Values(Vec<f64>),
    /// Text, some of which may be numbers; nothing where a value is missing.
    Words(Vec<Option<String>>),
}

/// The values of a column, readable from any thread.
pub(crate) enum Column<'a> {
    NumPy(Numbers<'a>),
    Arrow(&'a [ArrayRef]),
    Values(&'a [f64]),
    Words(&'a [Option<String>]),
}

impl<'py> HeldColumn<'py> {
    /// A one-dimensional NumPy array of a number type, or else any sequence of numbers or words (`None` for a missing one).
    pub(crate) fn of(values: &Bound<'py, PyAny>) -> PyResult<Self> {
        // Without the attribute it is no array, and NumPy need not be there to be asked.
        if values.hasattr("__array_interface__")?
            && values.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 1)
            && let Some(held) = Held::of(values)
        {
            return Ok(HeldColumn::NumPy(held));
        }
        let values = values.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        let numbers = values.iter().map(number).collect::<PyResult<Option<Vec<f64>>>>()?;
        match numbers {
            Some(numbers) => Ok(HeldColumn::Values(numbers)),
            None => Ok(HeldColumn::Words(values.iter().map(word).collect::<PyResult<_>>()?)),
        }
    }

    /// An Arrow column of numbers in place, of words, dates and times as text.
    ///
    /// # Errors
    /// When it holds anything else.
    pub(crate) fn of_arrow(name: &str, data_type: &DataType, chunks: Vec<ArrayRef>) -> Result<Self> {
        let values = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        if values.is_numeric() || *values == DataType::Boolean {
            return Ok(HeldColumn::Arrow(chunks));
        }
        let is_shown = values.is_temporal()
            || matches!(values, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null);
        if !is_shown {
            return Err(not_a_number(name, 0, &data_type.to_string()));
        }
        let mut words = Vec::new();
        for chunk in &chunks {
            for i in 0..chunk.len() {
                let shown = chunk.is_valid(i).then(|| array_value_to_string(chunk, i).ok()).flatten();
                words.push(shown.filter(|_| *values != DataType::Null));
            }
        }
        Ok(HeldColumn::Words(words))
    }

    pub(crate) fn view(&self) -> Column<'_> {
        match self {
            HeldColumn::NumPy(held) => Column::NumPy(held.view()),
            HeldColumn::Arrow(chunks) => Column::Arrow(chunks),
            HeldColumn::Values(values) => Column::Values(values),
            HeldColumn::Words(words) => Column::Words(words),
        }
    }
}

/// A Python object as a number; a missing one is NaN, and nothing comes of what is no number.
fn number(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if is_missing(value)? {
        return Ok(Some(f64::NAN));
    }
    Ok(value.extract().ok())
}

/// A Python object as text, unless it is missing.
fn word(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let is_nan = value.extract::<f64>().is_ok_and(f64::is_nan);
    if is_nan || is_missing(value)? { Ok(None) } else { Ok(Some(value.str()?.to_string())) }
}

fn is_missing(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_none() || matches!(value.get_type().name()?.to_str()?, "NAType" | "NaTType"))
}

/// The error for a value at a 0-based row.
pub(crate) fn not_a_number(column: &str, row: usize, value: &str) -> Error {
    const SHOWN: usize = 40;
    let mut shown: String = value.chars().take(SHOWN).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    Error::NotANumber { source_name: "the table".to_owned(), row: row + 1, column: column.to_owned(), value: shown }
}

impl Column<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Column::NumPy(numbers) => numbers.len(),
            Column::Arrow(chunks) => chunks.iter().map(|chunk| chunk.len()).sum(),
            Column::Values(values) => values.len(),
            Column::Words(words) => words.len(),
        }
    }

    /// The first word and its 0-based row.
    pub(crate) fn first_word(&self) -> Option<(usize, &str)> {
        let Column::Words(words) = self else { return None };
        words.iter().enumerate().find_map(|(row, word)| Some((row, word.as_deref()?)))
    }

    /// The values in place, where they are consecutive 64-bit numbers.
    pub(crate) fn slice(&self, rows: Range<usize>) -> Option<&[f64]> {
        match self {
            Column::NumPy(Numbers::F64(values)) => values.to_slice().map(|values| &values[rows]),
            Column::Values(values) => Some(&values[rows]),
            Column::Arrow([only]) if only.null_count() == 0 => {
                only.as_primitive_opt::<Float64Type>().map(|values| &values.values()[rows])
            }
            _ => None,
        }
    }

    /// Appends values; NaN is a missing one.
    pub(crate) fn gather(&self, rows: Range<usize>, into: &mut Vec<f64>) -> Result<()> {
        match self {
            Column::NumPy(numbers) => numbers.gather(rows, into),
            Column::Values(values) => into.extend_from_slice(&values[rows]),
            // Read in place, words are no numbers; a table with any is refused before.
            Column::Words(_) => into.extend(rows.map(|_| f64::NAN)),
            Column::Arrow(chunks) => {
                let mut first = 0;
                for chunk in *chunks {
                    let (start, end) = (rows.start.max(first), rows.end.min(first + chunk.len()));
                    if start < end {
                        gather_chunk(&chunk.slice(start - first, end - start), into)?;
                    }
                    first += chunk.len();
                }
            }
        }
        Ok(())
    }
}

fn gather_chunk(chunk: &ArrayRef, into: &mut Vec<f64>) -> Result<()> {
    let numbers = cast(chunk, &DataType::Float64).map_err(|error| Error::Format {
        path: "the table".to_owned(),
        problem: format!("an Arrow column cannot be read ({error})"),
    })?;
    let numbers = numbers.as_primitive::<Float64Type>();
    match numbers.null_count() {
        0 => into.extend_from_slice(numbers.values()),
        _ => into.extend(numbers.iter().map(|value| value.unwrap_or(f64::NAN))),
    }
    Ok(())
}
