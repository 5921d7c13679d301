use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int32Array, Int64Array,
    PrimitiveArray, RecordBatch, StringArray, UInt32Array, UInt64Array,
};
use arrow_ipc::writer::FileWriter;
use tempfile::TempDir;

use crate::data::{
    BLOCK_ROWS, Block, ColumnChoice, Dataset, Decimal, Missing, ParquetWriter, ReadOptions, RowBlocks, Source, open,
    read, summarise,
};
use crate::run::{Run, Seed};

fn write_parquet(path: &Path, batch: &RecordBatch, group_rows: usize, statistics: EnabledStatistics) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group_rows))
        .set_statistics_enabled(statistics)
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn write_arrow(path: &Path, batch: &RecordBatch, batch_rows: usize) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    for start in (0..batch.num_rows()).step_by(batch_rows) {
        writer.write(&batch.slice(start, batch_rows.min(batch.num_rows() - start))).unwrap();
    }
    writer.finish().unwrap();
}

/// The batch as a Parquet and as an Arrow file.
fn both(batch: &RecordBatch) -> (TempDir, [String; 2]) {
    let directory = tempfile::tempdir().unwrap();
    let paths = ["t.parquet", "t.arrow"].map(|name| directory.path().join(name));
    write_parquet(&paths[0], batch, 1000, EnabledStatistics::Chunk);
    write_arrow(&paths[1], batch, 1000);
    (directory, paths.map(|path| path.to_str().unwrap().to_owned()))
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| (name, column, true))).unwrap()
}

fn floats(values: impl IntoIterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

fn columns(data: &Dataset) -> Vec<Vec<f64>> {
    (0..data.d()).map(|node| data.column(node).to_vec()).collect()
}

fn message(path: &str, options: &ReadOptions) -> String {
    let error = read(path, options).unwrap_err().to_string();
    error.strip_prefix(path).unwrap_or_else(|| panic!("{error}")).to_owned()
}

#[test]
fn every_numeric_type_is_read() {
    fn small<T: ArrowPrimitiveType<Native: From<i8>>>() -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::from_iter_values([3, 0, 100].map(T::Native::from)))
    }
    fn small_unsigned<T: ArrowPrimitiveType<Native: From<u8>>>() -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::from_iter_values([3, 0, 100].map(T::Native::from)))
    }
    let mut arrays = vec![
        small::<Int8Type>(),
        small::<Int16Type>(),
        small::<Int32Type>(),
        small::<Int64Type>(),
        small_unsigned::<UInt8Type>(),
        small_unsigned::<UInt16Type>(),
        small_unsigned::<UInt32Type>(),
        small_unsigned::<UInt64Type>(),
        small::<Float16Type>(),
        small::<Float32Type>(),
        small::<Float64Type>(),
    ];
    let mut expected = vec![vec![3.0, 0.0, 100.0]; arrays.len()];
    arrays.push(Arc::new(BooleanArray::from(vec![true, false, true])));
    expected.push(vec![1.0, 0.0, 1.0]);
    arrays.push(Arc::new(Decimal128Array::from(vec![110, -25, 0]).with_precision_and_scale(10, 2).unwrap()));
    expected.push(vec![1.1, -0.25, 0.0]);
    arrays.push(Arc::new(UInt32Array::from(vec![u32::MAX, 0, 1])));
    expected.push(vec![f64::from(u32::MAX), 0.0, 1.0]);
    arrays.push(Arc::new(UInt64Array::from(vec![1 << 63, 0, 1])));
    expected.push(vec![9_223_372_036_854_775_808.0, 0.0, 1.0]);
    arrays.push(Arc::new(Int64Array::from(vec![-(1 << 40), 0, 1])));
    expected.push(vec![-1_099_511_627_776.0, 0.0, 1.0]);
    arrays.push(Arc::new(DictionaryArray::<Int8Type>::new(
        vec![1, 0, 1].into(),
        Arc::new(Int32Array::from(vec![7, -8])),
    )));
    expected.push(vec![-8.0, 7.0, -8.0]);

    let names: Vec<String> = (0..arrays.len()).map(|j| format!("X{j}")).collect();
    let (_directory, paths) = both(&batch(names.iter().map(String::as_str).zip(arrays).collect()));
    for path in &paths {
        assert_eq!(columns(&read(path, &ReadOptions::default()).unwrap().data), expected, "{path}");
    }
    let without_dictionary = ReadOptions {
        columns: ColumnChoice::Except(names.last().cloned().into_iter().collect()),
        ..Default::default()
    };
    let ranges = open(&paths[0], &without_dictionary).unwrap().known_ranges().unwrap().unwrap();
    for ((range, column), name) in ranges.into_iter().zip(&expected).zip(&names) {
        let min = column.iter().copied().fold(f64::INFINITY, f64::min);
        let max = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(range, (min, max), "{name}");
    }
}

#[test]
fn nulls_and_nan_are_missing() {
    let a: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let b = floats([0.5, 0.25, f64::NAN, -0.0]);
    let (_directory, paths) = both(&batch(vec![("a", a), ("b", b)]));
    for path in paths {
        let stop = message(&path, &ReadOptions { missing: Missing::Error, ..Default::default() });
        assert_eq!(stop, ", row 2, column `a`: the value is missing (drop such rows with `--missing drop`)");
        let options = ReadOptions { missing: Missing::DropRows, ..Default::default() };
        let source = open(&path, &options).unwrap();
        assert_eq!(source.row_count(), None);
        let loaded = source.load().unwrap();
        assert_eq!(columns(&loaded.data), [[1.0, 4.0], [0.5, -0.0]]);
        assert_eq!(loaded.dropped_rows, 2);
        assert_eq!(loaded.diagnostics[0].message, "dropped 2 of 4 rows with missing values");
    }
}

#[test]
fn words_are_read_as_those_of_a_text_and_dates_are_left_out() {
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("Rome"), Some("Paris, F"), Some("Rome"), None]));
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1, 2, 3, 4]));
    let categories: ArrayRef = Arc::new(["y", "x", "y", "x"].into_iter().collect::<DictionaryArray<Int8Type>>());
    let table = [
        ("city", text),
        ("a", floats([1.5, 2.0, 0.1, 7.0])),
        ("b", floats([4.0, 3.5, 0.25, 1e-30])),
        ("day", dates),
        ("kind", categories),
    ];
    let (_directory, paths) = both(&batch(table.to_vec()));
    for path in paths {
        let loaded = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(loaded.data.names(), ["city", "a", "b", "kind"]);
        assert_eq!(columns(&loaded.data), [[1.0, 0.0, 1.0], [1.5, 2.0, 0.1], [4.0, 3.5, 0.25], [1.0, 0.0, 1.0]]);
        let said: Vec<String> = loaded.intake.iter().map(ToString::to_string).collect();
        assert_eq!(said[0], "`day`: left out (it holds dates (Date32), not numbers)");
        assert_eq!(said[1], "`city`: read as 0 and 1 (two words: `Paris, F` is 0, `Rome` is 1)");
        let with = |columns: ColumnChoice| read(&path, &ReadOptions { columns, ..Default::default() });
        let named = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(with(ColumnChoice::Except(named(&["city"]))).unwrap().data.names(), ["a", "b", "kind"]);
        let data = with(ColumnChoice::Only(named(&["b", "kind", "a"]))).unwrap().data;
        assert_eq!(columns(&data), [[4.0, 3.5, 0.25, 1e-30], [1.0, 0.0, 1.0, 0.0], [1.5, 2.0, 0.1, 7.0]]);
        let error = with(ColumnChoice::Only(named(&["a", "b", "day"]))).unwrap_err().to_string();
        assert!(error.ends_with("`day`: left out (it holds dates (Date32), not numbers)"), "{error}");
        let decimal = ReadOptions { decimal: Decimal::Comma, ..Default::default() };
        assert_eq!(columns(&read(&path, &decimal).unwrap().data), columns(&loaded.data), "typed numbers have no sign");
    }
}

fn blocks(source: &Source) -> Vec<(usize, Vec<Vec<f64>>)> {
    let mut blocks = Vec::new();
    let keep = &mut |block: &Block<'_>| {
        blocks.push((block.first_row, block.columns.iter().map(|column| column.to_vec()).collect()));
        Ok(())
    };
    source.for_each_block(keep).unwrap();
    blocks
}

#[test]
fn blocks_do_not_depend_on_row_groups_or_batches() {
    let n = 2 * BLOCK_ROWS + 100;
    let table = batch(vec![
        ("a", floats((0..n).map(|i| i as f64))),
        ("b", floats((0..n).map(|i| (i as f64).sin()))),
        ("c", floats((0..n).map(|i| if i % 7 == 3 { f64::NAN } else { 1.0 / (i + 1) as f64 }))),
    ]);
    let directory = tempfile::tempdir().unwrap();
    for missing in [Missing::Error, Missing::DropRows] {
        let columns = match missing {
            Missing::Error => ColumnChoice::Except(vec!["c".into()]),
            _ => ColumnChoice::All,
        };
        let options = ReadOptions { missing, columns, ..Default::default() };
        let mut all = Vec::new();
        for rows in [997, BLOCK_ROWS, BLOCK_ROWS + 1, 10 * BLOCK_ROWS] {
            let path = directory.path().join("t.parquet");
            write_parquet(&path, &table, rows, EnabledStatistics::Chunk);
            let source = open(path.to_str().unwrap(), &options).unwrap();
            all.push(blocks(&source));
            assert_eq!(Some(&blocks(&source)), all.last(), "a second reading gives the same");
            let path = directory.path().join("t.arrow");
            write_arrow(&path, &table, rows);
            all.push(blocks(&open(path.to_str().unwrap(), &options).unwrap()));
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
        assert!(all[0][..all[0].len() - 1].iter().all(|(_, columns)| columns[0].len() == BLOCK_ROWS));
    }
}

#[test]
fn ranges_are_known_only_from_complete_statistics() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    let known = |table: &RecordBatch, statistics, missing| {
        write_parquet(&path, table, 2, statistics);
        let options = ReadOptions { missing, ..Default::default() };
        open(path.to_str().unwrap(), &options).unwrap().known_ranges().unwrap()
    };
    let table = batch(vec![("a", floats([3.0, -1.0, 2.0, 8.0, 0.5])), ("b", floats([1.0, 1.5, 2.5, 2.0, 1.0]))]);
    let ranges = Some(vec![(-1.0, 8.0), (1.0, 2.5)]);
    assert_eq!(known(&table, EnabledStatistics::Chunk, Missing::Error), ranges);
    assert_eq!(known(&table, EnabledStatistics::Page, Missing::Error), ranges);
    assert_eq!(known(&table, EnabledStatistics::None, Missing::Error), None);
    assert_eq!(known(&table, EnabledStatistics::Chunk, Missing::DropRows), None);
    let nulls: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(2)]));
    let table = batch(vec![("a", floats([3.0, -1.0, 2.0])), ("b", nulls)]);
    assert_eq!(known(&table, EnabledStatistics::Chunk, Missing::Error), None);
    let table = batch(vec![("a", floats([3.0, -1.0, 2.0])), ("b", floats([1.0, f64::INFINITY, 2.0]))]);
    assert_eq!(known(&table, EnabledStatistics::Chunk, Missing::Error), None);
}

#[test]
fn a_summary_from_statistics_equals_one_from_all_rows() {
    let n = BLOCK_ROWS + 1000;
    let names = ["a".to_owned(), "b".to_owned()];
    let columns = vec![(0..n).map(|i| (i as f64).cos()).collect(), (0..n).map(|i| i as f64).collect()];
    let data = Dataset::new(names.to_vec(), columns).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.pq");
    let path = path.to_str().unwrap();
    let mut writer = ParquetWriter::create(path, &names).unwrap();
    data.for_each_block(&mut |block| writer.write(block)).unwrap();
    writer.finish().unwrap();
    let dropping = ReadOptions { missing: Missing::DropRows, ..Default::default() };
    let source = open(path, &dropping).unwrap();
    assert_eq!((source.row_count(), source.stated_rows()), (None, Some(n)));
    let source = open(path, &ReadOptions::default()).unwrap();
    assert_eq!(source.row_count(), Some(n));
    assert!(source.known_ranges().unwrap().is_some());
    let run = Run::new(Seed(1));
    assert_eq!(summarise(&source, &run).unwrap(), summarise(&data, &run).unwrap());
}

#[test]
fn files_in_another_format_and_empty_ones_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["t.parquet", "t.arrow"] {
        let path = directory.path().join(name);
        std::fs::write(&path, "a,b\n1,2\n3,4\n").unwrap();
        assert!(message(path.to_str().unwrap(), &ReadOptions::default()).starts_with(": the file cannot be read ("));
    }
    let (_directory, paths) = both(&batch(vec![("a", floats([])), ("b", floats([]))]));
    for path in paths {
        assert_eq!(message(&path, &ReadOptions::default()), " has no data rows");
    }
    let (_directory, paths) = both(&batch(vec![("a", floats([1.0]))]));
    for path in paths {
        let error = read(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(error, format!("a graph needs at least two columns, {path} has 1"));
    }
}

/// A file of one row group with a page per column, and where the first page claims how large it unpacks.
fn packed(path: &Path, rows: usize, codec: Compression, dictionary: bool) -> usize {
    let table =
        batch(vec![("a", floats((0..rows).map(|i| (i % 7) as f64))), ("b", floats((0..rows).map(|i| i as f64)))]);
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_dictionary_enabled(dictionary)
        .set_data_page_size_limit(1 << 30)
        .set_data_page_row_count_limit(1 << 30)
        .set_write_batch_size(1 << 30)
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    let metadata = writer.close().unwrap();
    metadata.row_group(0).column(0).data_page_offset() as usize + 3
}

/// Writes another claim over a page's, of the same length.
fn claim(path: &Path, at: usize, bytes: &[u8]) {
    let mut content = std::fs::read(path).unwrap();
    assert_eq!(content[at - 3..at], [0x15, 0, 0x15], "a data page's header, up to its claim");
    assert!(
        content[at + bytes.len() - 2] & 0x80 != 0 && content[at + bytes.len() - 1] & 0x80 == 0,
        "of the same length"
    );
    content[at..at + bytes.len()].copy_from_slice(bytes);
    std::fs::write(path, content).unwrap();
}

#[test]
fn every_way_to_pack_pages_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    use Compression::*;
    for codec in [UNCOMPRESSED, SNAPPY, GZIP(Default::default()), ZSTD(Default::default()), LZ4, LZ4_RAW] {
        for dictionary in [false, true] {
            packed(&path, 5000, codec, dictionary);
            let data = read(path.to_str().unwrap(), &ReadOptions::default()).unwrap().data;
            assert_eq!((data.n(), data.column(1)[4999]), (5000, 4999.0), "{codec:?}");
        }
    }
}

#[test]
fn a_page_that_claims_more_than_its_values_can_be_is_refused_before_it_is_unpacked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    for codec in [Compression::SNAPPY, Compression::ZSTD(Default::default()), Compression::GZIP(Default::default())] {
        // 2,000 doubles with their levels; the claim of three bytes can be up to a mebibyte.
        let at = packed(&path, 2000, codec, false);
        claim(&path, at, &[0xfe, 0xff, 0x7f]);
        let told = message(path.to_str().unwrap(), &ReadOptions::default());
        assert!(told.contains("a page of 2000 values that claims to unpack to 1048575 bytes"), "{told}");
    }
}

#[test]
fn a_page_that_unpacks_to_more_than_it_claims_is_refused_before_it_is_unpacked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.parquet");
    // 24 MB in about 50 KB, which claim to be one.
    let at = packed(&path, 3_000_000, Compression::GZIP(Default::default()), false);
    claim(&path, at, &[0x80, 0x80, 0x80, 0x01]);
    let told = message(path.to_str().unwrap(), &ReadOptions::default());
    assert!(told.contains("a page that unpacks to more than the 1048576 bytes it claims"), "{told}");
}

#[test]
fn a_file_that_changes_between_readings_is_refused() {
    let table = batch(vec![("a", floats([1.0, 2.0])), ("b", floats([3.0, 4.0]))]);
    let larger = batch(vec![("a", floats((0..5000).map(f64::from))), ("b", floats((0..5000).map(f64::from)))]);
    let ((_directory, paths), (_other, others)) = (both(&table), both(&larger));
    for (path, other) in paths.iter().zip(&others) {
        let source = open(path, &ReadOptions::default()).unwrap();
        source.for_each_block(&mut |_| Ok(())).unwrap();
        std::fs::copy(other, path).unwrap();
        let error = source.for_each_block(&mut |_| Ok(())).unwrap_err().to_string();
        assert!(error.contains(": the file changed while it was read (it had"), "{error}");
    }
}
