//! `cargo xtask bench`: every speed that README and benchmarks page claim, measured at the commit at hand in one go, kept
//! in one file, and the pages' tables made from it.

mod measured;
mod pages;
mod plan;
mod stages;
mod tables;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{cargo, command, output, root};
use crate::compare::processor;
use measured::{Machine, Measured};
use plan::Plan;

struct Options {
    quick: bool,
    only: Vec<String>,
    pages: bool,
    out: Option<PathBuf>,
    peers: PathBuf,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    if options.pages {
        let measured = Measured::read()?.context("benchmarks/measured.json is not there: run `cargo xtask bench`")?;
        return pages::write(&measured);
    }
    let plan = if options.quick { Plan::quick() } else { Plan::whole() };
    let asked = |part: &str| options.only.is_empty() || options.only.iter().any(|word| word == part);
    let load_before = load()?;
    let mut measured = about_this_run(&options, load_before)?;
    // A part of the run, or a small one, would leave rows of the pages without figures.
    let kept = options.out.is_none() && !options.quick && options.only.is_empty();
    ensure!(!(kept && measured.commit.ends_with('+')), "commit first: the pages name the commit that was measured");
    let built = stages::Built::new()?;
    measured.versions.insert(0, built.version()?);
    let start = Instant::now();
    if asked("r") {
        measured.against_r = built.against_r(&plan, &mut measured.versions)?;
    }
    if asked("library") {
        measured.library = built.library(&plan)?;
    }
    if asked("stream") {
        measured.streams = built.streams(&plan)?;
    }
    if asked("peers") {
        measured.peers = built.peers(&plan, options.peers)?;
    }
    measured.minutes = start.elapsed().as_secs_f64() / 60.0;
    print!("{}\n\n{}\n", tables::speed(&measured), tables::everything(&measured));
    if let Some(out) = options.out {
        measured.write(&out)?;
    }
    if kept {
        measured.write(&Measured::path())?;
        pages::write(&measured)?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<Options> {
    let peers = root().join("target").join("peers");
    let mut options = Options { quick: false, only: Vec::new(), pages: false, out: None, peers };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().with_context(|| format!("`{word}` needs a value"));
        let path = |path: &String| std::path::absolute(path).with_context(|| format!("`{path}` is not a path"));
        match word.as_str() {
            "--quick" => options.quick = true,
            "--pages" => options.pages = true,
            "--only" => options.only = value()?.split(',').map(str::to_string).collect(),
            "--out" => options.out = Some(path(value()?)?),
            "--peers" => options.peers = path(value()?)?,
            other => bail!("`bench` has no option `{other}`"),
        }
    }
    const PARTS: [&str; 4] = ["r", "library", "stream", "peers"];
    if let Some(unknown) = options.only.iter().find(|part| !PARTS.contains(&part.as_str())) {
        bail!("`--only` takes {}, not `{unknown}`", PARTS.join(", "));
    }
    Ok(options)
}

fn about_this_run(options: &Options, load_before: f64) -> Result<Measured> {
    let said = |program: &str, words: &[&str]| -> Result<String> {
        Ok(output(command(program).args(words))?.trim().to_string())
    };
    let changed = if said("git", &["status", "--porcelain"])?.is_empty() { "" } else { "+" };
    Ok(Measured {
        commit: said("git", &["rev-parse", "--short=12", "HEAD"])? + changed,
        date: said("date", &["-u", "+%Y-%m-%d"])?,
        quick: options.quick,
        minutes: 0.0,
        machine: Machine {
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load_before,
        },
        versions: vec![said("rustc", &["--version"])?, output(cargo().arg("--version"))?.trim().to_string()],
        against_r: Vec::new(),
        library: Vec::new(),
        streams: Vec::new(),
        peers: Vec::new(),
    })
}

/// Over the last minute.
fn load() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").context("`bench` runs on Linux")?;
    text.split_whitespace().next().and_then(|word| word.parse().ok()).context("/proc/loadavg begins with no number")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_mean_nothing_are_refused() {
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        assert!(parse(&words("--fast")).is_err());
        assert!(parse(&words("--only R")).is_err());
        let options = parse(&words("--quick --only library,r")).unwrap();
        assert!(options.quick && options.only == ["library", "r"] && options.out.is_none());
    }
}
