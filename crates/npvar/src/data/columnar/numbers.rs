//! Typed columns as numbers. `arrow-cast` does this for every pair of types; it and what it needs took a seventh of the build.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float16Type,
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, Float64Array};
use arrow_schema::{ArrowError, DataType};
use num_traits::ToPrimitive;

/// The values of a numeric column, each the nearest double; NaN for null.
///
/// # Errors
/// When the column is not numeric.
pub(super) fn numbers(column: &dyn Array) -> Result<Float64Array, ArrowError> {
    let numbers = match column.data_type() {
        DataType::Float64 => column.as_primitive::<Float64Type>().clone(),
        DataType::Float32 => nearest::<Float32Type>(column),
        DataType::Float16 => nearest::<Float16Type>(column),
        DataType::Int8 => nearest::<Int8Type>(column),
        DataType::Int16 => nearest::<Int16Type>(column),
        DataType::Int32 => nearest::<Int32Type>(column),
        DataType::Int64 => nearest::<Int64Type>(column),
        DataType::UInt8 => nearest::<UInt8Type>(column),
        DataType::UInt16 => nearest::<UInt16Type>(column),
        DataType::UInt32 => nearest::<UInt32Type>(column),
        DataType::UInt64 => nearest::<UInt64Type>(column),
        &DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(column, scale),
        &DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(column, scale),
        &DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(column, scale),
        &DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(column, scale),
        DataType::Boolean => {
            column.as_boolean().iter().map(|value| value.map(|value| f64::from(u8::from(value)))).collect()
        }
        DataType::Dictionary(_, _) => looked_up(column)?,
        other => return Err(ArrowError::CastError(format!("{other} is not a type of numbers"))),
    };
    Ok(match numbers.null_count() {
        0 => numbers,
        _ => numbers.iter().map(|value| value.unwrap_or(f64::NAN)).collect::<Vec<f64>>().into(),
    })
}

fn nearest<T: ArrowPrimitiveType<Native: ToPrimitive>>(column: &dyn Array) -> Float64Array {
    column.as_primitive::<T>().unary(double)
}

/// Decimals are whole numbers of 10 to the power of −`scale`.
fn decimals<T: DecimalType<Native: ToPrimitive>>(column: &dyn Array, scale: i8) -> Float64Array {
    let unit = 10_f64.powi(i32::from(scale));
    column.as_primitive::<T>().unary(|value| double(value) / unit)
}

fn double(value: impl ToPrimitive) -> f64 {
    value.to_f64().expect("every number of these types has a nearest double")
}

/// A dictionary's values where its keys say.
fn looked_up(column: &dyn Array) -> Result<Float64Array, ArrowError> {
    let dictionary = column.as_any_dictionary();
    let values = numbers(dictionary.values())?;
    if values.is_empty() {
        return Ok(Float64Array::new_null(column.len()));
    }
    // A null has some key too.
    let at = |(row, key): (usize, usize)| dictionary.keys().is_valid(row).then(|| values.value(key));
    Ok(dictionary.normalized_keys().into_iter().enumerate().map(at).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, BooleanArray, Decimal256Array, DictionaryArray, Int8Array, PrimitiveArray, StringArray,
    };

    use super::*;

    fn shown(column: &dyn Array) -> String {
        format!("{:?}", &numbers(column).unwrap().values()[..])
    }

    #[test]
    fn decimals_of_every_width_are_scaled() {
        fn scaled<T: DecimalType<Native: From<i32>>>(scale: i8) -> String {
            let values = [12_345, -1, 0].map(T::Native::from);
            let column = PrimitiveArray::<T>::from_iter_values(values).with_precision_and_scale(6, scale).unwrap();
            shown(&column)
        }
        for scaled in [scaled::<Decimal32Type>, scaled::<Decimal64Type>, scaled::<Decimal128Type>] {
            assert_eq!(scaled(2), "[123.45, -0.01, 0.0]");
            assert_eq!(scaled(-2), "[1234500.0, -100.0, 0.0]");
        }
        let wide = Decimal256Array::from(vec![Some(12_345.into()), None]).with_precision_and_scale(60, 2).unwrap();
        assert_eq!(shown(&wide), "[123.45, NaN]");
    }

    #[test]
    fn a_null_in_a_dictionary_or_in_its_keys_is_missing() {
        let keys = Int8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        let values: ArrayRef = Arc::new(BooleanArray::from(vec![None, Some(true)]));
        assert_eq!(shown(&DictionaryArray::new(keys, values)), "[1.0, NaN, NaN, 1.0]");
        let none: ArrayRef = Arc::new(Float64Array::from(Vec::<f64>::new()));
        assert_eq!(shown(&DictionaryArray::new(Int8Array::from(vec![None, None]), none)), "[NaN, NaN]");
    }

    #[test]
    fn what_is_no_number_is_an_error() {
        let error = numbers(&StringArray::from(vec!["1"])).unwrap_err().to_string();
        assert_eq!(error, "Cast error: Utf8 is not a type of numbers");
    }
}
