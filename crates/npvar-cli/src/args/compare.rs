//! `npvar compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::budget::budget;
use super::read::ReadArguments;
use super::threads::threads;

#[derive(Args)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) read: ReadArguments,
    /// About how long learners may take: what would take longer is not begun, and after this many seconds those that are not done
    /// are given up, as after the first Ctrl-C; what was found is judged and shown. 60 unless said otherwise
    #[arg(long, value_name = "SECONDS", value_parser = budget)]
    pub(crate) budget: Option<Duration>,
    /// The seed of every random choice; without it one is picked and reported
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to use, 512 at most; 0 is all. The answer does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(crate) threads: usize,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page: one HTML file with the learners, which can be switched on and off, and the edges by their votes
    #[arg(long, value_name = "R.html")]
    pub(crate) report: Option<PathBuf>,
    /// Leave out how long everything took, so that equal runs give equal bytes
    #[arg(long)]
    pub(crate) no_timing: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
