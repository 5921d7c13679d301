//! The command line as a type: a file per command with more than a few arguments.

mod budget;
mod compare;
mod learn;
mod plan;
mod read;
mod simulate;
mod study;
#[cfg(test)]
mod tests;
mod threads;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use compare::CompareArguments;
pub(crate) use learn::{LearnArguments, is_edge_list};
pub(crate) use plan::{PlanBoundsArguments, PlanCommand, PlanSimulateArguments};
pub(crate) use read::ReadArguments;
pub(crate) use simulate::SimulateArguments;
pub(crate) use study::{StudyCommand, StudyRunArguments};

/// Learns causal graphs from tables.
#[derive(Parser)]
#[command(name = "npvar", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Learn a graph from a table
    Learn(LearnArguments),
    /// Draw a sample with a known graph: the paper's settings and examples
    Simulate(SimulateArguments),
    /// Compare a learned graph with the true one
    Evaluate(EvaluateArguments),
    /// Are the assumptions believable for a table? Scale, residual variances, separation, sortability
    Diagnose(DiagnoseArguments),
    /// Which assumption fits? One learner per class of assumptions learns from a table, and what they found is judged by common
    /// means
    Compare(CompareArguments),
    /// Show a page in the browser that learns from a file you drop in; on this machine only
    Serve(ServeArguments),
    /// The main job on built-in data: learns a known graph and compares
    Demo(DemoArguments),
    /// List the learners, or one learner's options with their defaults
    Learners(LearnersArguments),
    /// Compare learners over simulated data: run a study, join its shards, draw its figures and tables
    Study {
        /// What to do
        #[command(subcommand)]
        command: StudyCommand,
    },
    /// How many samples? The paper's bounds, or recovery against n by simulation
    Plan {
        /// What to do
        #[command(subcommand)]
        command: PlanCommand,
    },
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Args)]
pub(crate) struct EvaluateArguments {
    /// The learned graph: .json, .csv, .dot or .graphml
    pub(crate) estimate: PathBuf,
    /// The true graph, in any of these formats
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct DiagnoseArguments {
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct ServeArguments {
    /// The port on 127.0.0.1; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// The folder that keeps finished runs; by default `npvar/runs` where this system keeps a user's data
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Option<PathBuf>,
    /// The largest file that may be uploaded, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(crate) upload_limit: u32,
}

#[derive(Args)]
pub(crate) struct DemoArguments {
    /// The seed of the simulated data
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The folder for the demo's files
    #[arg(long, value_name = "DIR", default_value = "npvar-demo")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct LearnersArguments {
    /// Show this learner's options
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
