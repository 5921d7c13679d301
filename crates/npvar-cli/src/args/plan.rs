//! `npvar plan`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use npvar::learner::Assignment;
use npvar::simulate::Setting;
use npvar_draw::PictureFormat;

use super::threads::threads;

#[derive(Subcommand)]
pub(crate) enum PlanCommand {
    /// The paper's bounds on the samples that suffice, with their assumptions (the unstated constant is taken as 1)
    Bounds(PlanBoundsArguments),
    /// How often a learner recovers the graph, against the number of samples, from a named model or one fitted to a table
    Simulate(PlanSimulateArguments),
}

#[derive(Args)]
pub(crate) struct PlanBoundsArguments {
    /// The number of nodes d
    #[arg(long, value_name = "D")]
    pub(crate) nodes: usize,
    /// The number of layers r of the graph; a chain has d
    #[arg(long, value_name = "R")]
    pub(crate) layers: usize,
    /// The threshold η, below half the gap between residual variances
    #[arg(long, value_name = "ETA")]
    pub(crate) eta: f64,
    /// The probability of wrong layers that is accepted
    #[arg(long, value_name = "EPSILON", default_value_t = 0.05)]
    pub(crate) epsilon: f64,
    /// The most ancestors d* that any conditional mean depends on
    #[arg(long, value_name = "D*")]
    pub(crate) relevant: Option<usize>,
    /// The most nodes w of a layer
    #[arg(long, value_name = "W", requires = "layer_span")]
    pub(crate) layer_width: Option<usize>,
    /// The most layers r* that an edge spans
    #[arg(long, value_name = "R*", requires = "layer_width")]
    pub(crate) layer_span: Option<usize>,
    /// The estimator's squared error δ², for the bound of Theorem 4.1 itself
    #[arg(long, value_name = "DELTA2")]
    pub(crate) squared_error: Option<f64>,
}

#[derive(Args)]
pub(crate) struct PlanSimulateArguments {
    /// What to draw samples from: a shorthand like ER-SIN-4 or the name of an example (see `npvar simulate --list`)
    #[arg(required_unless_present = "data", conflicts_with = "data")]
    pub(crate) setting: Option<Setting>,
    /// Fit the model to this table: the learner's graph, additive functions, residuals as observed
    #[arg(long, value_name = "DATA")]
    pub(crate) data: Option<String>,
    /// The number of nodes of the setting; by default 10, or what the example fixes
    #[arg(long, value_name = "D", conflicts_with = "data")]
    pub(crate) nodes: Option<usize>,
    /// The residual variance of the setting's nodes; by default 0.5
    #[arg(long, value_name = "V", conflicts_with = "data")]
    pub(crate) noise_variance: Option<f64>,
    /// The learner (see `npvar learners`)
    #[arg(long, value_name = "NAME", default_value = "npvar")]
    pub(crate) learner: String,
    /// One option of the learner: `--set cutoff=0.01`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = Assignment::parse)]
    pub(crate) assignments: Vec<Assignment>,
    /// Numbers of samples to try
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_values_t = [50, 100, 200, 500, 1000, 2000])]
    pub(crate) samples: Vec<usize>,
    /// Data sets for each number of samples
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) replicates: usize,
    /// The share of recovered orders that is wanted
    #[arg(long, value_name = "SHARE", default_value_t = 0.9)]
    pub(crate) target: f64,
    /// The seed; without it one is picked and reported
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Threads to use, 512 at most; 0 is all. The answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(crate) threads: usize,
    /// Write the figure here, in the format its ending names: .svg, .png or .pdf
    #[arg(long, value_name = "F.svg", value_parser = picture_file)]
    pub(crate) figure: Option<(PathBuf, PictureFormat)>,
    /// Write the table here, as CSV
    #[arg(long, value_name = "T.csv")]
    pub(crate) table: Option<PathBuf>,
}

fn picture_file(text: &str) -> Result<(PathBuf, PictureFormat), String> {
    let path = PathBuf::from(text);
    let format = PictureFormat::of_path(&path).ok_or("a picture ends in .svg, .png or .pdf")?;
    Ok((path, format))
}
