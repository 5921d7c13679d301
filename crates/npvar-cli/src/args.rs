//! The command line as a type.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use npvar::Seed;
use npvar::data::{
    Categories, ColumnChoice, Decimal, Header, Missing, ReadOptions, Separator, Strictness, table_files,
};
use npvar::graph::GraphFormat;
use npvar::judge::{AskedEvidence, Bootstrap, Call, OrderGiven, Resampling};
use npvar::learner::{Assignment, LearnerConfig};
use npvar::simulate::{Noise, Setting};
use npvar_draw::PictureFormat;
use npvar_study::Shard;

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

/// How a table is read.
#[derive(Args)]
pub(crate) struct ReadArguments {
    /// The table: CSV or any other text, also packed with gzip, Parquet or Arrow; `-` is text from standard input. Several files, a folder or a pattern in
    /// quotes (`"big/*.parquet"`) are one table, one below the other
    #[arg(value_name = "DATA", required = true)]
    pub(crate) data: Vec<String>,
    /// Read only these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed, conflicts_with = "exclude")]
    columns: Vec<String>,
    /// Leave these columns out
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed)]
    exclude: Vec<String>,
    /// What to do where values are missing: auto leaves out the columns and rows without which most of the table is kept;
    /// drop-rows (or drop), drop-columns, error
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = missing)]
    missing: Missing,
    /// The first row of a text file holds data; the columns are called X1, X2, …
    #[arg(long)]
    no_header: bool,
    /// What stands between the fields of a text file: auto, tab, whitespace, or any one character
    #[arg(long, default_value = "auto", value_parser = separator)]
    separator: Separator,
    /// What stands before the decimals of a text file: auto, `.` or `,`
    #[arg(long, value_name = "SIGN", default_value = "auto", value_parser = decimal)]
    decimal: Decimal,
    /// How many lines of a text file stand before the header; found unless it is said
    #[arg(long, value_name = "N")]
    skip_rows: Option<usize>,
    /// Refuse a table that is more than plain numbers, instead of reading it and saying what was done
    #[arg(long)]
    strict: bool,
}

impl ReadArguments {
    /// How the table is read for a learner that can do this with columns of words.
    pub(crate) fn options(&self, categories: Categories) -> ReadOptions {
        ReadOptions {
            header: if self.no_header { Header::No } else { Header::Detect },
            skip_rows: self.skip_rows,
            separator: self.separator,
            decimal: self.decimal,
            missing: self.missing,
            categories,
            strictness: if self.strict { Strictness::Strict } else { Strictness::Forgiving },
            columns: match (self.columns.is_empty(), self.exclude.is_empty()) {
                (false, _) => ColumnChoice::Only(self.columns.clone()),
                (true, false) => ColumnChoice::Except(self.exclude.clone()),
                (true, true) => ColumnChoice::All,
            },
        }
    }
}

/// Starting thousands takes longer than most runs, and no machine has so many cores.
const MOST_THREADS: usize = 512;

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        Ok(_) => Err(format!("{MOST_THREADS} threads are the most; 0 is one for every core")),
        Err(_) => Err("expected a whole number".to_owned()),
    }
}

/// A name in a list: `a, b` are two.
fn trimmed(text: &str) -> Result<String, String> {
    Ok(text.trim().to_owned())
}

fn budget(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(budget) if !budget.is_zero() => Ok(budget),
        _ => Err("expected a number of seconds larger than 0".to_owned()),
    }
}

fn separator(text: &str) -> Result<Separator, String> {
    Separator::named(text).ok_or_else(|| "a separator is auto, tab, whitespace or one character, no letter".to_owned())
}

fn missing(text: &str) -> Result<Missing, String> {
    Missing::named(text).ok_or_else(|| "expected auto, drop-rows (or drop), drop-columns or error".to_owned())
}

fn decimal(text: &str) -> Result<Decimal, String> {
    Decimal::named(text).ok_or_else(|| "expected auto, `.` or `,`".to_owned())
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
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = Assignment::parse)]
    pub(crate) assignments: Vec<Assignment>,
    /// The seed of every random choice; without it one is picked and reported
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to use, 512 at most; 0 is all. The answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(crate) threads: usize,
    /// Write the graph to a file, in the format its ending names: .json, .csv (adjacency matrix), .edges.csv (one row for
    /// every edge), .dot, .graphml, or a picture: .svg, .png, .pdf; may be repeated
    #[arg(short, long = "output", value_name = "OUT", value_parser = graph_file)]
    pub(crate) outputs: Vec<PathBuf>,
    /// Print everything that was learned as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report: one HTML file with the graph, the evidence for it, and how to repeat the run
    #[arg(long, value_name = "R.html")]
    pub(crate) report: Option<PathBuf>,
    /// Learn again from this many resampled tables (200, say) and say how often each edge is found
    #[arg(long, value_name = "B")]
    pub(crate) bootstrap: Option<usize>,
    /// How bootstrap samples are drawn: with-replacement (n rows) or half (half of the rows, none twice)
    #[arg(long, value_name = "HOW", requires = "bootstrap", default_value = "with-replacement", value_parser = resampling)]
    pub(crate) resampling: Resampling,
    /// Add the curve of every edge and the standard errors of every step to the JSON; --report and --bootstrap do so too
    #[arg(long)]
    pub(crate) evidence: bool,
    /// Take the order from a file (names separated by lines, commas or spaces) and only select parents
    #[arg(long, value_name = "O.txt")]
    pub(crate) order: Option<PathBuf>,
    /// Background knowledge: a TOML file with `required` and `forbidden` edges, `tiers`, `roots` and `sinks`, by column names
    #[arg(long, value_name = "K.toml")]
    pub(crate) knowledge: Option<PathBuf>,
    /// The true graph, where it is known (.csv, .json, .dot, .graphml): the report compares with it, and pictures show what was
    /// found, missed and wrong where both graphs are DAGs
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: Option<PathBuf>,
    /// A second sample of the same columns, for `--set eta=adaptive`
    #[arg(long, value_name = "FILE")]
    pub(crate) second_sample: Option<String>,
    /// Stop the search of `best-order` after this many seconds and show the best order found by then, as the first Ctrl-C does
    #[arg(long, value_name = "SECONDS", value_parser = budget, conflicts_with_all = ["bootstrap", "order"])]
    pub(crate) budget: Option<Duration>,
    /// Leave out how long it took, so that equal runs give equal bytes
    #[arg(long)]
    pub(crate) no_timing: bool,
    /// Show warnings and notes in full, with what to do about them
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) explain: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl LearnArguments {
    /// Every file that is written.
    pub(crate) fn written(&self) -> Vec<PathBuf> {
        self.outputs.iter().chain(&self.report).cloned().collect()
    }

    /// Every file that is read.
    pub(crate) fn given(&self) -> npvar::Result<Vec<PathBuf>> {
        let mut files: Vec<PathBuf> =
            [&self.config, &self.order, &self.knowledge, &self.truth].into_iter().flatten().cloned().collect();
        for path in self.read.data.iter().chain(&self.second_sample).filter(|path| *path != "-") {
            files.extend(table_files(path)?.into_iter().map(PathBuf::from));
        }
        Ok(files)
    }

    fn asked_bootstrap(&self) -> Option<Bootstrap> {
        self.bootstrap.map(|replicates| Bootstrap { replicates, resampling: self.resampling })
    }

    /// What is asked for beyond the graph.
    pub(crate) fn asked_evidence(&self) -> AskedEvidence {
        match self.asked_bootstrap() {
            Some(bootstrap) => AskedEvidence::Bootstrap(bootstrap),
            None if self.evidence || self.report.is_some() => AskedEvidence::Curves,
            None => AskedEvidence::None,
        }
    }

    /// What repeats this run; `order` are the names of an order that was given.
    pub(crate) fn call(&self, config: &LearnerConfig, seed: Seed, order: Option<Vec<String>>) -> Call {
        let name = |path: &PathBuf| path.display().to_string();
        Call {
            read: self.read.options(config.categories()),
            order: self.order.as_ref().zip(order).map(|(path, names)| OrderGiven { file: name(path), names }),
            knowledge: self.knowledge.as_ref().map(name),
            truth: self.truth.as_ref().map(name),
            bootstrap: self.asked_bootstrap(),
            second_sample: self.second_sample.clone(),
            ..Call::new(&self.read.data, config.clone(), seed)
        }
    }
}

fn resampling(text: &str) -> Result<Resampling, String> {
    serde_json::from_value(text.into()).map_err(|_| "expected `with-replacement` or `half`".to_owned())
}

/// Whether a file holds one row for every edge, by its name.
pub(crate) fn is_edge_list(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().to_lowercase().ends_with(".edges.csv"))
}

fn graph_file(text: &str) -> npvar::Result<PathBuf> {
    let path = PathBuf::from(text);
    if PictureFormat::of_path(&path).is_none() {
        GraphFormat::of_path(&path).map_err(|_| npvar::Error::Format {
            path: text.to_owned(),
            problem: "a graph file ends in .json, .csv, .edges.csv, .dot, .gv or .graphml, a picture of it in .svg, .png or .pdf"
                .to_owned(),
        })?;
    }
    Ok(path)
}

fn picture_file(text: &str) -> Result<(PathBuf, PictureFormat), String> {
    let path = PathBuf::from(text);
    let format = PictureFormat::of_path(&path).ok_or("a picture ends in .svg, .png or .pdf")?;
    Ok((path, format))
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

#[derive(Subcommand)]
pub(crate) enum StudyCommand {
    /// Run what is not done yet of a study; the same command goes on after Ctrl-C, a crash or a full disk
    Run(StudyRunArguments),
    /// Join folders in which shards of one study ran
    Merge(StudyMergeArguments),
    /// Draw figures (SVG, PNG), tables (Markdown, CSV, LaTeX) and report.html into a study's folder
    Report(StudyReportArguments),
    /// A worker process, started by `study run`
    #[command(hide = true)]
    Worker,
}

#[derive(Args)]
pub(crate) struct StudyRunArguments {
    /// The study; the guide (docs/src/guide/studies.md) describes the file
    #[arg(value_name = "STUDY.toml")]
    pub(crate) study: PathBuf,
    /// The folder for the results; made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// The size that the file's `[quick]` describes
    #[arg(long)]
    pub(crate) quick: bool,
    /// Run part i of k, for several machines
    #[arg(long, value_name = "I/K", default_value_t = Shard::WHOLE)]
    pub(crate) shard: Shard,
    /// Cells at once; by default what the study says, or one per processor. The numbers do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Memory for all cells together; by default what the study says, or three quarters of what is free
    #[arg(long, value_name = "GIB", value_parser = gibibytes)]
    pub(crate) memory: Option<f64>,
    /// Run cells again that ended with a limit, an error or a crash
    #[arg(long)]
    pub(crate) retry: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn gibibytes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(gib) if gib > 0.0 && f64::is_finite(gib) => Ok(gib),
        _ => Err("must be a positive number of GiB".to_owned()),
    }
}

#[derive(Args)]
pub(crate) struct StudyMergeArguments {
    /// The folders
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder for all of them
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct StudyReportArguments {
    /// The study's folder
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;
    use crate::shown::{blocks, commands, pages};

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    /// The words that a shell makes of a command: quotes go, and what stands in them stays together.
    fn words(command: &str) -> Vec<String> {
        let (mut words, mut inside, mut letters) = (vec![String::new()], false, command.chars());
        while let Some(letter) = letters.next() {
            match letter {
                '\'' => inside = !inside,
                '\\' if !inside => words.last_mut().unwrap().extend(letters.next()),
                ' ' if !inside => words.push(String::new()),
                letter => words.last_mut().unwrap().push(letter),
            }
        }
        words
    }

    #[test]
    fn the_call_of_a_run_is_read_as_the_same_run() {
        let read = |words: &[String]| match Arguments::try_parse_from(words) {
            Ok(Arguments { command: Command::Learn(arguments) }) => arguments,
            Ok(_) => panic!("not `learn`"),
            Err(error) => panic!("{error}"),
        };
        for command in [
            "npvar learn t.csv",
            "npvar learn 'a b.csv' 'it'\\''s.csv' --learner pc --set test=kci --set alpha=0.2 --seed 3",
            "npvar learn t.csv --set estimator.smoothing=reml --set residual-variance=own --exclude id,'who is it'",
            "npvar learn t.csv --set estimator=knn --set estimator.k=null --set preset=reference --separator ';' --no-header",
            "npvar learn t.csv --columns a,b --missing drop-rows --separator tab --order 'my order.txt' --knowledge k.toml",
            "npvar learn t.csv --decimal , --skip-rows 3 --strict --separator '|' --missing drop-columns",
            "npvar learn t.csv --truth 'true graph.csv' --bootstrap 20 --resampling half --set eta=adaptive --second-sample s.csv",
        ] {
            let call = |arguments: &LearnArguments| {
                let config = crate::config::resolve(arguments).unwrap();
                arguments.call(&config, Seed(arguments.seed.unwrap_or(7)), Some(vec!["b".to_owned(), "a".to_owned()]))
            };
            let asked = call(&read(&words(command)));
            assert_eq!(call(&read(&words(&asked.command()))), asked, "{command}");
        }
    }

    fn parse(words: &[impl AsRef<str>]) -> Result<(), ErrorKind> {
        let words = std::iter::once("npvar").chain(words.iter().map(AsRef::as_ref));
        Arguments::try_parse_from(words).map(drop).map_err(|error| error.kind())
    }

    #[test]
    fn every_command_in_a_block_of_a_page_can_be_typed() {
        let mut count = 0;
        for (page, text) in pages() {
            for block in blocks(&text) {
                assert_ne!(block.not_run.as_deref(), Some(""), "{}: a reason is missing", page.display());
                for (line, words) in commands(&block) {
                    assert_eq!(parse(&words), Ok(()), "{}:{line}: {words:?}", page.display());
                    count += 1;
                }
            }
        }
        assert!(count > 20, "{count}");
    }

    /// In prose a command may be named without all of its arguments.
    #[test]
    fn every_command_named_in_prose_exists() {
        let mut count = 0;
        for (page, text) in pages() {
            for span in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
                let Some(words) = span.strip_prefix("npvar ") else { continue };
                let words: Vec<&str> = words.split(' ').collect();
                let parsed = parse(&words);
                let unfinished = matches!(
                    parsed,
                    Err(ErrorKind::MissingRequiredArgument
                        | ErrorKind::MissingSubcommand
                        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
                );
                assert!(parsed.is_ok() || unfinished, "{}: `{span}`: {parsed:?}", page.display());
                count += 1;
            }
        }
        assert!(count > 50, "{count}");
    }
}
