//! What the columns of a Parquet file hold, in Arrow's words: by the file's own types, and by the Arrow schema that most
//! writers leave beside them, which alone tells durations from whole numbers and categories from text.

use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::root_as_message;
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::{ColumnDescriptor, Type};

use super::selection::kind_unless_numeric;

/// Where writers that know Arrow leave its schema.
const ARROW_SCHEMA: &str = "ARROW:schema";
/// The most digits of a decimal of 128 bits.
const DIGITS_OF_128_BITS: i32 = 38;

/// A field per column at the top of the file.
pub(super) fn schema(file: &FileMetaData) -> Schema {
    let columns = file.schema_descr();
    let stated = stated(file);
    let field = |(root, column): (usize, &std::sync::Arc<Type>)| {
        let own = match only_leaf(file, root) {
            Some(leaf) if column.is_primitive() => leaf_type(&columns.column(leaf)),
            _ => DataType::Struct(Fields::empty()),
        };
        let stated =
            stated.as_ref().and_then(|schema| schema.field_with_name(column.name()).ok()).map(Field::data_type);
        // A file that states numbers where it has none is not believed.
        let believed =
            stated.filter(|stated| kind_unless_numeric(stated).is_some() || kind_unless_numeric(&own).is_none());
        let data_type = believed.cloned().unwrap_or(own);
        Field::new(column.name(), data_type, true)
    };
    Schema::new(columns.root_schema().get_fields().iter().enumerate().map(field).collect::<Vec<Field>>())
}

/// The leaf of a column at the top, where it has but one.
pub(super) fn only_leaf(file: &FileMetaData, root: usize) -> Option<usize> {
    let columns = file.schema_descr();
    let mut leaves = (0..columns.num_columns()).filter(|&leaf| columns.get_column_root_idx(leaf) == root);
    leaves.next().filter(|_| leaves.next().is_none())
}

fn leaf_type(column: &ColumnDescriptor) -> DataType {
    if column.max_rep_level() > 0 || column.self_type().get_basic_info().repetition() == Repetition::REPEATED {
        return DataType::Struct(Fields::empty());
    }
    let logical = logical_type(column);
    if let Some(LogicalType::Unknown) = logical {
        return DataType::Null;
    }
    match (column.physical_type(), logical) {
        (PhysicalType::BOOLEAN, _) => DataType::Boolean,
        (PhysicalType::FLOAT, _) => DataType::Float32,
        (PhysicalType::DOUBLE, _) => DataType::Float64,
        (PhysicalType::INT96, _) => DataType::Timestamp(TimeUnit::Nanosecond, None),
        (PhysicalType::INT32 | PhysicalType::INT64, Some(LogicalType::Integer(kind))) => {
            match (kind.bit_width, kind.is_signed) {
                (8, true) => DataType::Int8,
                (16, true) => DataType::Int16,
                (32, true) => DataType::Int32,
                (_, true) => DataType::Int64,
                (8, false) => DataType::UInt8,
                (16, false) => DataType::UInt16,
                (32, false) => DataType::UInt32,
                (_, false) => DataType::UInt64,
            }
        }
        (PhysicalType::INT32, Some(LogicalType::Date)) => DataType::Date32,
        (PhysicalType::INT32, Some(LogicalType::Time(_))) => DataType::Time32(TimeUnit::Millisecond),
        (PhysicalType::INT64, Some(LogicalType::Time(time))) => DataType::Time64(unit(&time.unit)),
        (PhysicalType::INT64, Some(LogicalType::Timestamp(time))) => DataType::Timestamp(unit(&time.unit), None),
        (_, Some(LogicalType::Decimal(kind))) if bytes(column) <= 32 => {
            let (digits, scale) = (u8::try_from(kind.precision).unwrap_or(0), i8::try_from(kind.scale).unwrap_or(0));
            match kind.precision > DIGITS_OF_128_BITS {
                true => DataType::Decimal256(digits, scale),
                false => DataType::Decimal128(digits, scale),
            }
        }
        (PhysicalType::INT32, _) => DataType::Int32,
        (PhysicalType::INT64, _) => DataType::Int64,
        (PhysicalType::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16)) if bytes(column) == 2 => DataType::Float16,
        (PhysicalType::BYTE_ARRAY, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json)) => DataType::Utf8,
        _ => DataType::Binary,
    }
}

/// The bytes of a value of fixed length; zero for others.
fn bytes(column: &ColumnDescriptor) -> i32 {
    if column.physical_type() == PhysicalType::FIXED_LEN_BYTE_ARRAY { column.type_length() } else { 0 }
}

fn unit(unit: &ParquetUnit) -> TimeUnit {
    match unit {
        ParquetUnit::MILLIS => TimeUnit::Millisecond,
        ParquetUnit::MICROS => TimeUnit::Microsecond,
        ParquetUnit::NANOS => TimeUnit::Nanosecond,
    }
}

/// What values stand for; old files say it in older words.
pub(super) fn logical_type(column: &ColumnDescriptor) -> Option<LogicalType> {
    let older = || match column.converted_type() {
        ConvertedType::UTF8 => Some(LogicalType::String),
        ConvertedType::ENUM => Some(LogicalType::Enum),
        ConvertedType::JSON => Some(LogicalType::Json),
        ConvertedType::BSON => Some(LogicalType::Bson),
        ConvertedType::DECIMAL => Some(LogicalType::decimal(column.type_scale(), column.type_precision())),
        ConvertedType::DATE => Some(LogicalType::Date),
        ConvertedType::TIME_MILLIS => Some(LogicalType::time(true, ParquetUnit::MILLIS)),
        ConvertedType::TIME_MICROS => Some(LogicalType::time(true, ParquetUnit::MICROS)),
        ConvertedType::TIMESTAMP_MILLIS => Some(LogicalType::timestamp(true, ParquetUnit::MILLIS)),
        ConvertedType::TIMESTAMP_MICROS => Some(LogicalType::timestamp(true, ParquetUnit::MICROS)),
        ConvertedType::UINT_8 => Some(LogicalType::integer(8, false)),
        ConvertedType::UINT_16 => Some(LogicalType::integer(16, false)),
        ConvertedType::UINT_32 => Some(LogicalType::integer(32, false)),
        ConvertedType::UINT_64 => Some(LogicalType::integer(64, false)),
        ConvertedType::INT_8 => Some(LogicalType::integer(8, true)),
        ConvertedType::INT_16 => Some(LogicalType::integer(16, true)),
        _ => None,
    };
    column.logical_type_ref().cloned().or_else(older)
}

/// The Arrow schema that the writer left, where there is one that can be read.
fn stated(file: &FileMetaData) -> Option<Schema> {
    let entries = file.key_value_metadata()?;
    let text = entries.iter().find(|entry| entry.key == ARROW_SCHEMA)?.value.as_ref()?;
    let bytes = base64(text)?;
    let message = if bytes.starts_with(&[0xff; 4]) { bytes.get(8..)? } else { &bytes[..] };
    root_as_message(message).ok()?.header_as_schema().map(fb_to_schema)
}

/// Four letters are three bytes.
fn base64(text: &str) -> Option<Vec<u8>> {
    let six_bits = |letter: u8| match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for letters in text.trim_end_matches('=').as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for &letter in letters {
            bits = bits << 6 | u32::from(six_bits(letter)?);
        }
        bits <<= 6 * (4 - letters.len());
        bytes.extend_from_slice(&bits.to_be_bytes()[1..letters.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_every_length_is_read() {
        for (text, bytes) in [("", ""), ("TQ==", "M"), ("TWE=", "Ma"), ("TWFu", "Man"), ("TWFuTQ==", "ManM")] {
            assert_eq!(base64(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(base64("/+8=").unwrap(), [0xff, 0xef]);
        assert_eq!(base64("T*"), None);
    }
}
