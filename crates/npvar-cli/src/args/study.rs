//! `npvar study`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use npvar_study::Shard;

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
