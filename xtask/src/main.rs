//! Tasks of this repository, run as `cargo xtask TASK`.

mod bench;
mod browser;
mod command;
mod compare;
#[cfg(unix)]
mod deb;
mod dependencies;
mod docs;
mod python;
mod r;
mod release;
#[cfg(target_os = "linux")]
mod soak;
mod test;

use std::env;
use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask TASK [OPTIONS]

Tasks:
  test
      Format, lints, tests, documentation, the page, the Python and R packages; stops at the first failure.

  test-page
      The report and the page of `npvar serve` in Chromium; a part of `test`.
      Installs Debian's Chromium and npm packages when absent.

  python [PYTEST OPTIONS]
      Type-check and test the Python package and run its notebooks; a part of `test`.
      Installs what that needs from PyPI into target/python, and Debian's Java for Spark.

  r
      Install the R package into target/r/library and run its tests; a part of `test`.
      Installs Debian's R when absent.

  r-package
      Make the R source package with all Rust sources in it (target/r/source), and check it with `R CMD check`.

  wheel [MATURIN OPTIONS]
      Build the Python wheel (`--profile dist` unless told otherwise) and try it in a fresh environment.

  deb [--program FILE]
      Make a Debian package (target/deb) of the program, which is built with `--profile dist` unless one is given, with
      manual pages and completions.

  release --dry-run
      Check that versions agree and the changelog has an entry, and gather in target/published the crates, the wheel,
      the R and Debian packages that were made, a bill of materials and checksums. Publishes nothing.

  docs
      Check the links and commands of every page, and build the Rust pages and the book into target/doc;
      a part of `test`.

  dependencies
      Hold the lock file to deny.toml (licences, versions, bans, sources) without a network; a part of `test`.

  soak [OPTIONS]
      Learners, awkward files, signals, full disks and killed processes until the time is up, with what must hold
      checked after each (Linux; no part of `test`). Counts stand in one line at the end.
      --minutes N      how long (default 10)
      --seed N         of every choice (default 1)
      --only KIND      learn, serve or study (default: all)
      --program FILE   an npvar to try (default: builds one)
      --folder DIR     where trials run and findings are kept (default target/soak); one for each soak side by side
      --server-runs N  instead: memory, open files and temporary files of one server over N runs

  bench [OPTIONS]
      Measure every speed that README and the benchmarks page claim, at this commit, in half an hour at most; write
      benchmarks/measured.json and the pages' tables. Peers that are not installed leave no row.
      --quick       the small version, in a minute or two; nothing is written
      --only NAMES  of r, library, stream, peers; nothing is written
      --out FILE    write the figures there and leave the pages alone
      --peers FOLDER  where Python environments are made (default target/peers)
      --pages       measure nothing, make the pages' tables from the figures that are kept

  compare-r [FILE.csv...] [OPTIONS]
      Time the R procedure and ours on the same files, and say whether they agree.
      Without files, simulates ER-SIN-4 with 5, 10 and 20 nodes and 1000 samples.
      Installs R and mgcv from Debian when absent.
      --large      simulate 40 nodes too (minutes per run in R)
      --seeds N    simulated files per number of nodes (default 3)
      --repeat N   runs of each program on each file (default 3)
      --out FILE   write the table to FILE too (Markdown)

  compare-peers [OPTIONS]
      Time the public implementations of PC, GES, GSGES, CAM, RESIT, NOTEARS and SCORE and ours on the same
      simulated files, and say how far they agree. Installs Python packages from PyPI; see benchmarks/README.md
      for the others.
      --only NAMES     learners or peers, such as pc,ges or cam-r (default: all); a name that is both means the peer
      --nodes NUMBERS  such as 20,40 (default: each case's own)
      --repeats N      runs of each program on each file (default 3; a peer that needs a minute runs once)
      --samples N      rows of the simulated files (default: each case's own)
      --seed N         of the simulated files (default 1)
      --seeds N        accuracy and objectives over N data sets, from that seed on, instead of times on one
      --threads N      for ours, and for the peers' linear algebra (default 1)
      --limit SECONDS  for one run of a peer (default 600)
      --peers FOLDER   where Python environments are made (default target/peers)
      --out FILE       write the table to FILE too (Markdown)

  check-r [NAME...]
      Hold benchmarks/npvar.R to the published R code's numbers in reference/r/npvar.
      NAME is a data set such as ER-SIN-4_d10 (default: all with at most 10 nodes)
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let task = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let outcome = match task.as_deref() {
        Some("test") => test::run(&rest),
        Some("test-page") => browser::run(&rest),
        Some("python") => python::run(&rest),
        Some("r") => r::run(&rest),
        Some("r-package") => r::package(&rest),
        Some("wheel") => python::wheel(&rest),
        #[cfg(unix)]
        Some("deb") => deb::run(&rest),
        Some("release") => release::run(&rest),
        Some("docs") => docs::run(&rest),
        Some("dependencies") => dependencies::run(&rest),
        #[cfg(target_os = "linux")] // it reads /proc and sends signals
        Some("soak") => soak::run(&rest),
        Some("bench") => bench::run(&rest),
        Some("compare-r") => compare::compare_r(&rest),
        Some("compare-peers") => compare::compare_peers(&rest),
        Some("check-r") => compare::check_r(&rest),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(unknown) => {
            eprint!("error: unknown task `{unknown}`\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
