//! Tables written as comma-separated text.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Dataset;

/// Writes a header and the rows, each number with the fewest digits that read back as the same number.
///
/// ```
/// use npvar::data::{Dataset, write_csv};
/// let data = Dataset::new(vec!["a".into(), "b,c".into()], vec![vec![0.1, 2.0], vec![-0.0, 1e300]])?;
/// let mut text = Vec::new();
/// write_csv(&data, &mut text).unwrap();
/// assert_eq!(text, b"a,\"b,c\"\n0.1,-0\n2,1e300\n");
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When `output` cannot be written to.
pub fn write_csv(data: &Dataset, output: impl Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(data.names())?;
    let mut field = String::new();
    for row in 0..data.n() {
        for node in 0..data.d() {
            field.clear();
            write_number(&mut field, data.column(node)[row]);
            writer.write_field(&field)?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

fn write_number(text: &mut String, value: f64) {
    // Both forms are shortest; the plain one would write out all zeros of 1e300.
    let plain = value == 0.0 || (1e-5..1e16).contains(&value.abs());
    let written = if plain { write!(text, "{value}") } else { write!(text, "{value:e}") };
    written.expect("a string can always be written to");
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;
    use crate::data::source::read_text;
    use crate::data::{ReadOptions, RowBlocks};

    proptest! {
        #[test]
        fn what_is_written_is_read_back_bit_for_bit(
            rows in prop::collection::vec(prop::array::uniform3(any::<f64>().prop_filter("finite", |v| v.is_finite())), 1..40),
            names in prop::collection::hash_set("[a-z][ -~é]{0,8}[a-z]", 3),
        ) {
            let names: Vec<String> = names.into_iter().collect();
            let columns: Vec<Vec<f64>> = (0..3).map(|j| rows.iter().map(|row| row[j]).collect()).collect();
            let data = Dataset::new(names, columns).unwrap();
            let mut text = Vec::new();
            write_csv(&data, &mut text).unwrap();
            let options = ReadOptions { separator: crate::data::Separator::Byte(b','), ..ReadOptions::default() };
            let loaded = read_text(Cursor::new(text), "t.csv", &options).unwrap();
            prop_assert_eq!(RowBlocks::names(&loaded.data), data.names());
            for node in 0..3 {
                let bits = |data: &Dataset| data.column(node).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(&loaded.data), bits(&data));
            }
        }
    }
}
