//! Learning from a Parquet file larger than memory.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin stream -- generate big.parquet 50000000
//! cargo run --release -p npvar-lab --bin stream -- learn big.parquet
//! ```
//!
//! `generate` writes rows of a sine network of 20 nodes; `learn` reads them block by block and prints rows per second and
//! the peak memory of the process.

use std::time::Instant;

use npvar::data::{BLOCK_ROWS, Block, ParquetWriter, ReadOptions, RowBlocks, open};
use npvar::graph::Dag;
use npvar::simulate::{Noise, erdos_renyi};
use npvar::{Run, Seed};

const NODES: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", path, rows] => generate(path, rows.parse()?),
        ["learn", path] => learn(path),
        _ => Err("expected `generate FILE ROWS` or `learn FILE`".into()),
    }
}

fn truth() -> Dag {
    erdos_renyi(NODES, 1, Seed(1))
}

fn generate(path: &str, rows: usize) -> Result<(), Box<dyn std::error::Error>> {
    let dag = truth();
    let names: Vec<String> = (1..=NODES).map(|j| format!("X{j}")).collect();
    let mut writer = ParquetWriter::create(path, &names)?;
    for first_row in (0..rows).step_by(BLOCK_ROWS) {
        let n = BLOCK_ROWS.min(rows - first_row);
        let seed = Seed(1).child("block", first_row);
        let mut columns: Vec<Vec<f64>> =
            (0..NODES).map(|j| Noise::Gaussian.draw(n, 0.5, seed.child("noise", j))).collect();
        for &child in dag.order().nodes() {
            for parent in dag.parents(child).ones() {
                let effect: Vec<f64> = columns[parent].iter().map(|x| x.sin()).collect();
                columns[child].iter_mut().zip(effect).for_each(|(x, effect)| *x += effect);
            }
        }
        writer.write(&Block { first_row, columns: columns.iter().map(Vec::as_slice).collect() })?;
    }
    writer.finish()?;
    Ok(())
}

fn learn(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let source = open(path, &ReadOptions::default())?;
    let start = Instant::now();
    let learned = npvar::learn(&source, &Run::new(Seed(1)))?;
    let seconds = start.elapsed().as_secs_f64();
    let rows = source.row_count().unwrap_or(learned.n);
    let found =
        learned.graph.to_dag().map_or(0, |dag| truth().edges().iter().filter(|(a, b)| dag.has_edge(*a, *b)).count());
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: unknown");
    println!("{rows} rows in {seconds:.1} s: {:.2} million rows/s", rows as f64 / seconds / 1e6);
    println!("{found} of {} true edges found, {} edges in all", truth().edge_count(), learned.graph.edge_count());
    println!("{peak}");
    Ok(())
}
