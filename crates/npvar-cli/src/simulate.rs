//! `npvar simulate`: a sample with a known graph, as files.

use std::path::Path;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail};
use npvar::data::write_csv;
use npvar::graph::{GraphFormat, NamedGraph};
use npvar::simulate::{Setting, SimulateOptions, Simulated, simulate};
use npvar::{Error, Seed};

use crate::args::SimulateArguments;
use crate::text::{self, Align, row};
use crate::{interrupt, output};

pub(crate) fn run(arguments: &SimulateArguments) -> Result<()> {
    let Some(written) = write_asked(arguments)? else { return output::print(&list()) };
    written.iter().for_each(|line| output::tell(line));
    Ok(())
}

/// Draws the sample that the arguments ask for and writes it; what there is to say about it. Nothing where none is asked for.
pub(crate) fn write_asked(arguments: &SimulateArguments) -> Result<Option<[String; 2]>> {
    let (Some(setting), Some(out)) = (arguments.setting, &arguments.out) else { return Ok(None) };
    let (data, truth) = (out.join("data.csv"), out.join("truth.csv"));
    if let Some(there) = [&data, &truth].into_iter().find(|path| path.exists() && !arguments.force) {
        bail!("{}: is there already; --force replaces it", there.display());
    }
    let seed = arguments.seed.map_or_else(Seed::random, Seed);
    let options = SimulateOptions {
        nodes: arguments.nodes,
        samples: arguments.samples.unwrap_or(SimulateOptions::default().samples),
        noise_variance: arguments.noise_variance,
        p: arguments.p,
        noise: arguments.noise,
        delta: arguments.delta,
    };
    let simulated = interrupt::computing(|| simulate(setting, &options, seed))?;
    if interrupt::stop_flag().load(Ordering::Relaxed) {
        return Err(Error::Cancelled.into());
    }
    std::fs::create_dir_all(out).map_err(|error| anyhow::anyhow!("{}: {error}", out.display()))?;
    write(&simulated, &data, &truth)?;
    let (n, d) = (simulated.data.n(), simulated.data.d());
    let edges = text::count(simulated.truth.edge_count(), "edge");
    Ok(Some([
        format!("{}: {n} samples of {d} nodes ({setting}, seed {})", data.display(), seed.0),
        format!("{}: the true graph, {edges}", truth.display()),
    ]))
}

/// Writes the sample and its true graph.
fn write(simulated: &Simulated, data: &Path, truth: &Path) -> Result<()> {
    let mut sample = Vec::new();
    write_csv(&simulated.data, &mut sample).context("the sample cannot be written")?;
    let graph = NamedGraph::from_dag(simulated.data.names().to_vec(), &simulated.truth)?;
    let sample = String::from_utf8(sample).context("the sample is not text")?;
    output::write_files([(data, sample), (truth, graph.to_text(GraphFormat::Csv))])
}

fn list() -> String {
    let mut page = "Settings of the paper: GRAPH-MODEL or GRAPH-MODEL-k, for example ER-SIN-4\n\n".to_owned();
    let parts = [
        ["graph", "MC", "a chain with permuted labels (no k)"],
        ["", "ER", "Erdős–Rényi: k edges per node"],
        ["", "SF", "scale-free: every node attaches to k older ones"],
        ["model", "SIN", "sum of the sines of the parents"],
        ["", "AGP", "sum of a Gaussian-process draw per parent"],
        ["", "NGP", "one Gaussian-process draw over all parents jointly"],
        ["", "GLM", "binary nodes, P(X = 1) is p or 1 - p"],
        ["", "LIN", "linear, weights between 0.5 and 1.5 in size"],
    ];
    page += &text::table(&[Align::Left; 3], &parts.map(row));
    page += "\nExamples of the paper\n\n";
    let examples: Vec<Vec<String>> = Setting::examples().map(|(name, about)| row([name, about])).collect();
    page + &text::table(&[Align::Left; 2], &examples)
}
