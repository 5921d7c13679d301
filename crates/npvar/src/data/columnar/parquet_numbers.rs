//! Columns of a Parquet file as doubles, straight from its own column readers.

use arrow_array::types::{ArrowPrimitiveType, Decimal256Type};
use num_traits::ToPrimitive;
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

use super::parquet_schema::logical_type;

/// How the values of a column are numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    kind: Kind,
    /// What a value is divided by: 10 to the power of a decimal's scale.
    unit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Signed,
    Unsigned,
    /// Two bytes, little end first.
    Half,
    /// Any number of bytes, big end first.
    Bytes,
}

impl Numbers {
    pub(super) fn of(column: &ColumnDescriptor) -> Numbers {
        let (mut kind, mut unit) = (Kind::Signed, 1.0);
        match logical_type(column) {
            Some(LogicalType::Integer(integer)) if !integer.is_signed => kind = Kind::Unsigned,
            Some(LogicalType::Float16) => kind = Kind::Half,
            Some(LogicalType::Decimal(decimal)) => {
                unit = 10_f64.powi(decimal.scale);
                let is_whole = matches!(column.physical_type(), PhysicalType::INT32 | PhysicalType::INT64);
                kind = if is_whole { Kind::Signed } else { Kind::Bytes };
            }
            _ => {}
        }
        Numbers { kind, unit }
    }

    /// The next `rows` values, NaN for null.
    ///
    /// # Errors
    /// When the column cannot be decoded, holds no numbers, or ends before.
    pub(super) fn read(self, column: &mut ColumnReader, rows: usize) -> Result<Vec<f64>> {
        match column {
            ColumnReader::BoolColumnReader(column) => read(column, rows, |&value| f64::from(u8::from(value))),
            ColumnReader::Int32ColumnReader(column) => read(column, rows, |&value| self.of_int32(value)),
            ColumnReader::Int64ColumnReader(column) => read(column, rows, |&value| self.of_int64(value)),
            ColumnReader::FloatColumnReader(column) => read(column, rows, |&value| f64::from(value)),
            ColumnReader::DoubleColumnReader(column) => read(column, rows, |&value| value),
            ColumnReader::ByteArrayColumnReader(column) => read(column, rows, |value| self.of_bytes(value.data())),
            ColumnReader::FixedLenByteArrayColumnReader(column) => {
                read(column, rows, |value| self.of_bytes(value.data()))
            }
            ColumnReader::Int96ColumnReader(_) => Err(ParquetError::General("a column of timestamps".to_owned())),
        }
    }

    /// The smallest and the largest value, where the statistics state them.
    pub(super) fn range(self, statistics: &Statistics) -> Option<(f64, f64)> {
        macro_rules! both {
            ($values:ident, $double:expr) => {
                Some(($double($values.min_opt()?), $double($values.max_opt()?)))
            };
        }
        match statistics {
            Statistics::Boolean(values) => both!(values, |&value: &bool| f64::from(u8::from(value))),
            Statistics::Int32(values) => both!(values, |&value: &i32| self.of_int32(value)),
            Statistics::Int64(values) => both!(values, |&value: &i64| self.of_int64(value)),
            Statistics::Float(values) => both!(values, |&value: &f32| f64::from(value)),
            Statistics::Double(values) => both!(values, |&value: &f64| value),
            Statistics::ByteArray(_) | Statistics::FixedLenByteArray(_) => {
                Some((self.of_bytes(statistics.min_bytes_opt()?), self.of_bytes(statistics.max_bytes_opt()?)))
            }
            Statistics::Int96(_) => None,
        }
    }

    fn of_int32(self, value: i32) -> f64 {
        if self.kind == Kind::Unsigned { f64::from(value.cast_unsigned()) } else { f64::from(value) / self.unit }
    }

    fn of_int64(self, value: i64) -> f64 {
        if self.kind == Kind::Unsigned { value.cast_unsigned() as f64 } else { value as f64 / self.unit }
    }

    /// NaN where the bytes are no number.
    fn of_bytes(self, bytes: &[u8]) -> f64 {
        match (self.kind, bytes.len()) {
            (Kind::Half, 2) => half(u16::from_le_bytes([bytes[0], bytes[1]])),
            (Kind::Bytes, 1..=16) => i128::from_be_bytes(widened(bytes)) as f64 / self.unit,
            (Kind::Bytes, 17..=32) => {
                let whole = <Decimal256Type as ArrowPrimitiveType>::Native::from_be_bytes(widened(bytes));
                whole.to_f64().unwrap_or(f64::NAN) / self.unit
            }
            _ => f64::NAN,
        }
    }
}

/// The same whole number in more bytes.
fn widened<const WIDTH: usize>(bytes: &[u8]) -> [u8; WIDTH] {
    let is_negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut wide = [if is_negative { 0xff } else { 0 }; WIDTH];
    wide[WIDTH - bytes.len()..].copy_from_slice(bytes);
    wide
}

/// A number of 16 bits: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

fn read<T: DataType>(column: &mut ColumnReaderImpl<T>, rows: usize, double: impl Fn(&T::T) -> f64) -> Result<Vec<f64>> {
    let (mut values, mut levels, mut read) = (Vec::with_capacity(rows), Vec::new(), 0);
    while read < rows {
        let (records, _, _) = column.read_records(rows - read, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Err(ParquetError::General(format!("a column ends {} rows before its group", rows - read)));
        }
        read += records;
    }
    let values: Vec<f64> = values.iter().map(double).collect();
    if values.len() == rows {
        return Ok(values);
    }
    // Nulls have a level, but no value.
    let mut values = values.into_iter();
    let mut at = |&level: &i16| if level > 0 { values.next().unwrap_or(f64::NAN) } else { f64::NAN };
    Ok(levels.iter().map(&mut at).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_of_any_width_keep_their_sign() {
        let decimal = Numbers { kind: Kind::Bytes, unit: 100.0 };
        for (bytes, value) in [(&[0xff][..], -0.01), (&[0x01, 0x00], 2.56), (&[0xff, 0x00], -2.56), (&[0; 20], 0.0)] {
            assert_eq!(decimal.of_bytes(bytes), value, "{bytes:?}");
        }
        let mut wide = [0xff; 32];
        wide[31] = 0x9c;
        assert_eq!(decimal.of_bytes(&wide), -1.0);
        assert!(decimal.of_bytes(&[]).is_nan() && decimal.of_bytes(&[0; 33]).is_nan());
    }

    /// From the tables of IEEE 754-2008, binary16.
    #[test]
    fn halves_are_read_to_their_last_bit() {
        let cases =
            [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2_f64.powi(-24)), (0x3555, 0.333_251_953_125)];
        for (bits, value) in cases {
            assert_eq!(half(bits), value, "{bits:x}");
        }
        assert!(half(0x8000) == 0.0 && half(0x8000).is_sign_negative());
        assert!(half(0xfc00) == f64::NEG_INFINITY && half(0x7e00).is_nan());
    }
}
