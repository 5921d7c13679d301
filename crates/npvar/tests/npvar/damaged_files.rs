//! Arrow and Parquet files with one part changed are read or refused; nothing panics and nothing asks for absurd memory.

use std::sync::Arc;

use arrow_array::{Float64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{DataType, Field, Schema};
use npvar::data::{ParquetWriter, ReadOptions, RowBlocks, read};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Error, Seed};

fn every_change_is_answered(name: &str, file: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name).to_string_lossy().into_owned();
    for at in 0..file.len() {
        for width in [1, 4] {
            let mut changed = file.to_vec();
            changed[at..(at + width).min(file.len())].fill(0xff);
            std::fs::write(&path, changed).unwrap();
            if let Err(error) = read(&path, &ReadOptions::default()) {
                assert!(!matches!(error, Error::Cancelled), "{name} at {at}: {error}");
            }
        }
        std::fs::write(&path, &file[..at]).unwrap();
        assert!(read(&path, &ReadOptions::default()).is_err(), "{name} cut at {at}");
    }
}

fn arrow_file(batch: &RecordBatch, codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn a_buffer_that_claims_to_unpack_to_more_than_it_may_is_refused_before_room_is_made() {
    const ROWS: usize = 10_000;
    let schema = Arc::new(Schema::new(["a", "b"].map(|name| Field::new(name, DataType::Float64, false)).to_vec()));
    let values = |period| Arc::new(Float64Array::from_iter_values((0..ROWS).map(|i| (i % period) as f64))) as _;
    let batch = RecordBatch::try_new(schema, vec![values(7), values(11)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.arrow").to_string_lossy().into_owned();
    let refusal = |file: &[u8]| {
        std::fs::write(&path, file).unwrap();
        read(&path, &ReadOptions::default()).err().map(|error| error.to_string())
    };
    for codec in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let file = arrow_file(&batch, Some(codec));
        assert_eq!(refusal(&file), None);
        let own_claim = (8 * ROWS as u64).to_le_bytes();
        let at = file.windows(8).position(|bytes| bytes == own_claim).unwrap();
        for claim in [u64::MAX >> 1, 1 << 40, (1 << 30) + 1] {
            let mut hostile = file.clone();
            hostile[at..at + 8].copy_from_slice(&claim.to_le_bytes());
            let refusal = refusal(&hostile).unwrap();
            assert!(refusal.contains("a compressed batch unpacks to"), "{refusal}");
        }
        // The same behind the prefix of old files, which is four bytes shorter: the batch's message begins at its block.
        let mut hostile = file.clone();
        hostile[at..at + 8].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        for mark in (0..at).filter(|&mark| file[mark..].starts_with(&[0xff; 4])) {
            let length = usize::try_from(u32::from_le_bytes(file[mark + 4..mark + 8].try_into().unwrap())).unwrap();
            if mark + 8 + length > at {
                continue;
            }
            let message = file[mark + 8..mark + 8 + length].to_vec();
            hostile[mark..mark + 4].copy_from_slice(&file[mark + 4..mark + 8]);
            hostile[mark + 4..mark + 4 + length].copy_from_slice(&message);
        }
        let refusal = refusal(&hostile).unwrap();
        assert!(refusal.contains("a compressed batch unpacks to"), "{refusal}");
    }
}

#[test]
fn damaged_files_are_refused_and_never_panic() {
    // The panics of the crates underneath, which are caught, need not be seen.
    std::panic::set_hook(Box::new(|_| {}));
    let options = SimulateOptions { nodes: Some(2), samples: 8, ..Default::default() };
    let data = simulate("MC-SIN".parse().unwrap(), &options, Seed(1)).unwrap().data;
    let fields: Vec<Field> = data.names().iter().map(|name| Field::new(name, DataType::Float64, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let columns = (0..2).map(|j| Arc::new(Float64Array::from(data.column(j).to_vec())) as _).collect();
    let batch = RecordBatch::try_new(schema, columns).unwrap();
    let file = arrow_file(&batch, None);
    let outcome = std::panic::catch_unwind(|| every_change_is_answered("t.arrow", &file));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed.parquet").to_string_lossy().into_owned();
    let mut writer = ParquetWriter::create(&path, data.names()).unwrap();
    data.for_each_block(&mut |block| writer.write(block)).unwrap();
    writer.finish().unwrap();
    let other = std::panic::catch_unwind(|| every_change_is_answered("t.parquet", &std::fs::read(&path).unwrap()));
    let _ = std::panic::take_hook();
    assert!(outcome.is_ok(), "an Arrow file");
    assert!(other.is_ok(), "a Parquet file");
}
