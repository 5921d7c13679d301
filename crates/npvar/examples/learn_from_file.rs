//! A graph from a file: read a table, learn, look at the order and the edges, and write the graph.
//!
//! ```text
//! cargo run --release -p npvar --example learn_from_file -- examples/data/sachs.tsv graph.dot
//! ```

use npvar::data::{ReadOptions, read};
use npvar::graph::NamedGraph;
use npvar::{Result, Run, Seed};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "examples/data/sachs.tsv".to_owned());

    // CSV, TSV, Parquet or Arrow IPC, as the name says. What was noticed in reading comes with the table.
    let loaded = read(&path, &ReadOptions::default())?;
    for remark in &loaded.diagnostics {
        eprintln!("{}", remark.message);
    }

    // Every random choice comes from the seed, so this run can be repeated to the bit.
    let learned = npvar::learn(&loaded.data, &Run::new(Seed(1)))?;
    if let Some(order) = &learned.order {
        let names: Vec<&str> = order.nodes().iter().map(|&node| learned.names[node].as_str()).collect();
        println!("order, sources first: {}", names.join(", "));
    }

    // Nodes are numbers in the order of the columns; a named graph speaks in names, and reads and writes files.
    let graph = NamedGraph::new(learned.names, learned.graph)?;
    for edge in graph.edges() {
        println!("{} → {}", edge.from, edge.to);
    }
    if let Some(out) = arguments.next() {
        graph.write(&out)?;
    }

    // What speaks against this graph, as far as the learner could tell.
    for remark in &learned.diagnostics {
        eprintln!("{}", remark.message);
    }
    Ok(())
}
