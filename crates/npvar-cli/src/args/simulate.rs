//! `npvar simulate`.

use std::path::PathBuf;

use clap::Args;
use npvar::simulate::{Noise, Setting};

#[derive(Args)]
pub(crate) struct SimulateArguments {
    /// What to simulate: a shorthand like ER-SIN-4 or the name of an example (see --list)
    #[arg(required_unless_present = "list")]
    pub(crate) setting: Option<Setting>,
    /// List the settings and examples
    #[arg(long, exclusive = true)]
    pub(crate) list: bool,
    /// The number of nodes d; by default 10, or what the example fixes
    #[arg(long, value_name = "D")]
    pub(crate) nodes: Option<usize>,
    /// The number of samples n; by default 1000
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<usize>,
    /// The residual variance of every node; by default 0.5
    #[arg(long, value_name = "V")]
    pub(crate) noise_variance: Option<f64>,
    /// The probability of the GLM and BINOMIAL settings; by default 0.3
    #[arg(long, value_name = "P")]
    pub(crate) p: Option<f64>,
    /// The law of additive noise: gaussian (the default), uniform, laplace or gumbel
    #[arg(long, value_name = "LAW")]
    pub(crate) noise: Option<Noise>,
    /// By how much the CAM-DELTA examples differ from a linear model; by default 0.2
    #[arg(long, value_name = "DELTA", allow_negative_numbers = true)]
    pub(crate) delta: Option<f64>,
    /// The seed; without it one is picked and reported
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// The folder for data.csv and truth.csv; made if it is not there
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    pub(crate) out: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    pub(crate) force: bool,
}
