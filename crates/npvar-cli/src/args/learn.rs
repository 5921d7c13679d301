//! `npvar learn`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use npvar::Seed;
use npvar::data::table_files;
use npvar::graph::GraphFormat;
use npvar::judge::{AskedEvidence, Bootstrap, Call, OrderGiven, Resampling};
use npvar::learner::{Assignment, LearnerConfig};
use npvar_draw::PictureFormat;

use super::budget::budget;
use super::read::ReadArguments;
use super::threads::threads;

#[derive(Args)]
pub(crate) struct LearnArguments {
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// The learner (see `npvar learners`), or `auto` for the one that fits the table best (see `npvar compare`); npvar unless the
    /// configuration file names another
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
    /// Stop the search of `best-order`, or the comparison of `auto`, after this many seconds and show the best found by then, as
    /// the first Ctrl-C does
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
            read: self.read.options(Some(config)),
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
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| name == "edges.csv" || name.ends_with(".edges.csv"))
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
