//! Random changes of files, for every reader of the library: CSV, Parquet, Arrow IPC, and graphs as JSON, CSV, DOT and GraphML.
//!
//! ```text
//! (ulimit -v 4000000; cargo run --release -p npvar-lab --bin fuzz_readers -- seconds=600)
//! ```
//!
//! Options: `seconds` for each reader (60), `seed` (1), `only` (a part of a reader's name). Studies and background knowledge have
//! the example `fuzz_toml` of `npvar-cli`.

use std::sync::Arc;

use arrow_array::{Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use npvar::Seed;
use npvar::data::{Missing, ParquetWriter, ReadOptions, RowBlocks, open, write_csv};
use npvar::graph::{GraphFormat, NamedGraph};
use npvar::simulate::{SimulateOptions, Simulated, simulate};
use npvar_lab::fuzz::Fuzz;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut fuzz = Fuzz::from_arguments()?;
    let options = SimulateOptions { nodes: Some(3), samples: 20, ..Default::default() };
    let simulated = simulate("ER-SIN-1".parse()?, &options, Seed(1))?;
    let folder = fuzz.folder().to_owned();
    for (name, seeds) in [
        ("csv", texts(&simulated)?),
        ("parquet", vec![parquet(&simulated, &folder.join("seed.parquet").to_string_lossy())?]),
        ("arrow", vec![arrow(&simulated, None)?, arrow(&simulated, Some(arrow_ipc::CompressionType::ZSTD))?]),
    ] {
        let path = folder.join(format!("input.{name}")).to_string_lossy().into_owned();
        fuzz.target(name, seeds, &|input| std::fs::write(&path, input).is_ok() && reads(&path));
    }
    let graph = NamedGraph::from_dag(simulated.data.names().to_vec(), &simulated.truth)?;
    for (name, format) in [
        ("graph-json", GraphFormat::Json),
        ("graph-csv", GraphFormat::Csv),
        ("graph-dot", GraphFormat::Dot),
        ("graph-graphml", GraphFormat::GraphMl),
    ] {
        let text = graph.to_text(format).into_bytes();
        fuzz.target(name, vec![text], &|input| {
            NamedGraph::parse(&String::from_utf8_lossy(input), format, "fuzz").is_ok()
        });
    }
    fuzz.finish()
}

/// Reads a table block by block, and whole with missing values left out.
fn reads(path: &str) -> bool {
    let blocks = open(path, &ReadOptions::default()).and_then(|source| source.for_each_block(&mut |_| Ok(())));
    let options = ReadOptions { missing: Missing::DropRows, ..Default::default() };
    let loaded = open(path, &options).and_then(|source| source.load());
    blocks.is_ok() || loaded.is_ok()
}

fn texts(simulated: &Simulated) -> Result<Vec<Vec<u8>>, Failure> {
    let mut csv = Vec::new();
    write_csv(&simulated.data, &mut csv)?;
    let others =
        ["a;b\n1,5;2\n-0,25;1e3\n", "\u{feff}\"x \"\"y\",z\r\n1,\r\nNA,2\r\n", "1 2  3\n4 5 6\n", "a\tb\n1\t2\n"];
    Ok(others.iter().map(|text| text.as_bytes().to_vec()).chain([csv]).collect())
}

fn parquet(simulated: &Simulated, path: &str) -> Result<Vec<u8>, Failure> {
    let mut writer = ParquetWriter::create(path, simulated.data.names())?;
    simulated.data.for_each_block(&mut |block| writer.write(block))?;
    writer.finish()?;
    Ok(std::fs::read(path)?)
}

fn arrow(simulated: &Simulated, codec: Option<arrow_ipc::CompressionType>) -> Result<Vec<u8>, Failure> {
    let data = &simulated.data;
    let fields: Vec<Field> = data.names().iter().map(|name| Field::new(name, DataType::Float64, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let column = |j| Arc::new(Float64Array::from(data.column(j).to_vec())) as _;
    let batch = RecordBatch::try_new(schema.clone(), (0..data.d()).map(column).collect())?;
    let options = arrow_ipc::writer::IpcWriteOptions::default().try_with_compression(codec)?;
    let mut writer = arrow_ipc::writer::FileWriter::try_new_with_options(Vec::new(), &schema, options)?;
    writer.write(&batch)?;
    Ok(writer.into_inner()?)
}
