//! `cargo xtask soak`: learners, awkward files, signals, full disks and killed processes, from a seed, until the time is up.
//!
//! Every trial checks after itself: the status is one of ours, nothing panicked, a failure is one sentence, outputs are whole
//! or as they were, nothing is left behind, no finished run is lost. What does not hold is a finding, kept in
//! `FOLDER/finding-N` with what was run.

mod chance;
mod client;
mod learning;
mod program;
mod serving;
mod studying;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{cargo, output, target};
use chance::Chance;

/// What every trial needs to know.
struct Setting {
    program: PathBuf,
    learners: Vec<String>,
}

/// What a trial did, and what did not hold after it.
struct Trial {
    title: String,
    findings: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
    largest: BTreeMap<&'static str, f64>,
    words: String,
}

impl Trial {
    fn new(title: String) -> Self {
        Trial { title, findings: Vec::new(), counts: BTreeMap::new(), largest: BTreeMap::new(), words: String::new() }
    }

    fn holds(&mut self, holds: bool, what: &str) {
        *self.counts.entry("checks").or_default() += 1;
        if !holds {
            self.findings.push(format!("it does not hold that {what}"));
        }
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn slowest(&mut self, what: &'static str, seconds: f64) {
        let largest = self.largest.entry(what).or_default();
        *largest = largest.max(seconds);
    }

    /// What the program told, for a finding.
    fn note(&mut self, words: &str) {
        self.words.push_str(words);
    }

    /// The CPU time from a signal to the end.
    fn stopped(&mut self, seconds: Option<f64>, within: f64) {
        self.count("signals");
        self.slowest("CPU seconds from a signal to the end", seconds.unwrap_or(f64::INFINITY));
        let told =
            seconds.map_or("not within a minute".to_owned(), |seconds| format!("after {seconds:.1} CPU seconds"));
        self.holds(seconds.is_some_and(|seconds| seconds <= within), &format!("a signal stops it ({told})"));
    }
}

/// What was asked for.
struct Asked {
    minutes: f64,
    seed: u64,
    only: Option<String>,
    program: Option<PathBuf>,
    folder: PathBuf,
    server_runs: Option<usize>,
}

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let asked = asked(arguments)?;
    let program = match &asked.program {
        Some(program) => program.canonicalize().with_context(|| format!("there is no {}", program.display()))?,
        None => {
            ensure!(cargo().args(["build", "--release", "-p", "npvar-cli"]).status()?.success(), "the build failed");
            target().join("release/npvar")
        }
    };
    let listed = output(std::process::Command::new(&program).args(["learners", "--json"]))?;
    let listed: serde_json::Value = serde_json::from_str(&listed)?;
    let names = listed.as_array().context("no list of learners")?.iter().filter_map(|learner| learner["name"].as_str());
    let setting = Setting { program, learners: names.map(str::to_owned).collect() };
    // Trials run in folders of their own, where a relative path would mean another place.
    let home = std::path::absolute(&asked.folder)?;
    if let Some(runs) = asked.server_runs {
        let folder = fresh(&home.join("server"))?;
        serving::flatness(&setting, &folder, runs)?;
        fs::remove_dir_all(folder)?;
        return Ok(());
    }
    soak(&setting, &home, &asked)
}

fn soak(setting: &Setting, home: &Path, asked: &Asked) -> Result<()> {
    let (begun, limit) = (Instant::now(), Duration::from_secs_f64(60.0 * asked.minutes));
    let (mut counts, mut largest) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, f64>::new());
    let (mut trials, mut findings) = (0, 0);
    while begun.elapsed() < limit {
        let mut chance = Chance::of(asked.seed, trials);
        let kind = asked.only.as_deref().unwrap_or(match chance.below(20) {
            0..16 => "learn",
            16..19 => "serve",
            _ => "study",
        });
        let folder = fresh(&home.join("trial"))?;
        let outcome = match kind {
            "learn" => learning::trial(setting, &mut chance, &folder),
            "serve" => serving::trial(setting, &mut chance, &folder),
            "study" => studying::trial(setting, &mut chance, &folder),
            other => bail!("`--only` is learn, serve or study, not `{other}`"),
        };
        // What could not even be tried is a finding too: a server that does not answer, a log that is not there.
        let trial = outcome.unwrap_or_else(|error| {
            let mut trial = Trial::new(kind.to_owned());
            trial.findings.push(format!("{error:#}"));
            trial
        });
        *counts.entry(kind_of_trial(kind)).or_default() += 1;
        trial.counts.iter().for_each(|(what, count)| *counts.entry(what).or_default() += count);
        for (what, &value) in &trial.largest {
            let most = largest.entry(what).or_default();
            *most = most.max(value);
        }
        if !trial.findings.is_empty() {
            findings += 1;
            let kept = home.join(format!("finding-{findings}"));
            let _ = fs::remove_dir_all(&kept);
            fs::rename(&folder, &kept)?;
            let told = format!("trial {trials}: {}\n  {}\n{}", trial.title, trial.findings.join("\n  "), trial.words);
            fs::write(kept.join("finding.txt"), &told)?;
            println!("{told}");
        }
        trials += 1;
    }
    let minutes = begun.elapsed().as_secs_f64() / 60.0;
    let counted = counts.iter().map(|(what, count)| format!("{what}: {count}"));
    let told = counted.chain(largest.iter().map(|(what, value)| format!("largest {what}: {value:.2}")));
    println!(
        "seed {}, {minutes:.0} minutes, {trials} trials, {findings} findings; {}",
        asked.seed,
        told.collect::<Vec<_>>().join("; ")
    );
    if findings > 0 {
        bail!("{findings} findings, kept in {}", home.display());
    }
    Ok(())
}

fn kind_of_trial(kind: &str) -> &'static str {
    match kind {
        "learn" => "trials of learn",
        "serve" => "trials of serve",
        _ => "trials of study",
    }
}

/// An empty folder, with one for temporary files in it.
fn fresh(folder: &Path) -> Result<PathBuf> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder.join("tmp"))?;
    Ok(folder.to_owned())
}

fn asked(arguments: &[String]) -> Result<Asked> {
    let mut asked =
        Asked { minutes: 10.0, seed: 1, only: None, program: None, folder: target().join("soak"), server_runs: None };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let value = rest.next().with_context(|| format!("`{option}` needs a value"))?;
        match option.as_str() {
            "--minutes" => asked.minutes = value.parse().context("`--minutes` is a number")?,
            "--seed" => asked.seed = value.parse().context("`--seed` is a whole number")?,
            "--only" => asked.only = Some(value.clone()),
            "--program" => asked.program = Some(value.into()),
            "--folder" => asked.folder = value.into(),
            "--server-runs" => asked.server_runs = Some(value.parse().context("`--server-runs` is a whole number")?),
            _ => bail!("`soak` has no option `{option}`"),
        }
    }
    Ok(asked)
}
