//! The command line as a type.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use npvar::data::{ColumnChoice, Header, Missing, ReadOptions, Separator};
use npvar::graph::GraphFormat;
use npvar::learner::Setting as LearnerSetting;
use npvar::simulate::{Noise, Setting};

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
    /// The main job on built-in data: learns a known graph and compares
    Demo(DemoArguments),
    /// List the learners, or one learner's options with their defaults
    Learners(LearnersArguments),
    /// Write a completion script for a shell to standard output
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// How a table is read.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// The table: CSV, TSV, Parquet or Arrow; `-` is text from standard input. Several files, a folder or a pattern in
    /// quotes (`"big/*.parquet"`) are one table, one below the other
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Read only these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "exclude")]
    columns: Vec<String>,
    /// Leave these columns out
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    exclude: Vec<String>,
    /// What to do with rows that have missing values
    #[arg(long, value_enum, default_value = "error")]
    missing: MissingArgument,
    /// The first row of a text file holds data; the columns are called X1, X2, …
    #[arg(long)]
    no_header: bool,
    /// What stands between the fields of a text file: auto, `,`, `;`, tab or whitespace
    #[arg(long, default_value = "auto", value_parser = separator)]
    separator: Separator,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingArgument {
    /// Stop at the first
    Error,
    /// Leave the row out
    Drop,
}

impl ReadArguments {
    pub(crate) fn options(&self) -> ReadOptions {
        ReadOptions {
            header: if self.no_header { Header::No } else { Header::Yes },
            separator: self.separator,
            missing: match self.missing {
                MissingArgument::Error => Missing::Error,
                MissingArgument::Drop => Missing::Drop,
            },
            columns: match (self.columns.is_empty(), self.exclude.is_empty()) {
                (false, _) => ColumnChoice::Only(self.columns.clone()),
                (true, false) => ColumnChoice::Except(self.exclude.clone()),
                (true, true) => ColumnChoice::All,
            },
        }
    }
}

fn separator(text: &str) -> Result<Separator, String> {
    Ok(match text {
        "auto" => Separator::Detect,
        "," | "comma" => Separator::Comma,
        ";" | "semicolon" => Separator::Semicolon,
        "tab" | "\t" | "\\t" => Separator::Tab,
        "whitespace" | " " => Separator::Whitespace,
        _ => return Err("the separators are auto, `,`, `;`, tab and whitespace".to_owned()),
    })
}

#[derive(Args)]
pub(crate) struct LearnArguments {
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// The learner (see `npvar learners`); npvar unless the configuration file names another
    #[arg(long, value_name = "NAME")]
    pub(crate) learner: Option<String>,
    /// Options from a TOML file
    #[arg(long, value_name = "F.toml")]
    pub(crate) config: Option<PathBuf>,
    /// One option, applied after the file's: `--set cutoff=0.01`, `--set preset=reference`
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = LearnerSetting::parse)]
    pub(crate) settings: Vec<LearnerSetting>,
    /// The seed of every random choice; without it one is picked and reported
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to use; 0 is all. The answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Write the graph to a file, in the format its ending names: .json, .csv, .dot, .graphml; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = graph_file)]
    pub(crate) outputs: Vec<PathBuf>,
    /// Print everything that was learned as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Take the order from a file (names separated by lines, commas or spaces) and only select parents
    #[arg(long, value_name = "O.txt")]
    pub(crate) order: Option<PathBuf>,
    /// Background knowledge: a TOML file with `required` and `forbidden` edges and `tiers`, by column names (for `pc`)
    #[arg(long, value_name = "K.toml")]
    pub(crate) knowledge: Option<PathBuf>,
    /// A second sample of the same columns, for `--set eta=adaptive`
    #[arg(long, value_name = "FILE")]
    pub(crate) second_sample: Option<String>,
    /// Leave out how long it took, so that equal runs give equal bytes
    #[arg(long)]
    pub(crate) no_timing: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn graph_file(text: &str) -> npvar::Result<PathBuf> {
    GraphFormat::of_path(Path::new(text)).map(|_| PathBuf::from(text))
}

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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
