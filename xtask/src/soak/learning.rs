//! `npvar learn` on any file with any learner, disturbed in any way.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::chance::Chance;
use super::program::{Ended, Started};
use super::tables;
use super::{Setting, Trial};

/// How long a run may take before it is asked to stop.
const PATIENCE: Duration = Duration::from_secs(12);
/// CPU seconds from a signal to the end.
const STOPS_WITHIN: f64 = 1.5;
/// Options that reach parts of the program which defaults do not, and the learner that has them; none is for all.
const OPTIONS: [(&str, &str); 20] = [
    ("", ""),
    ("", ""),
    ("", "--bootstrap 3"),
    ("", "--evidence"),
    ("", "--missing drop"),
    ("", "--no-header"),
    ("", "--quiet"),
    ("npvar", "--set preset=reference"),
    ("npvar", "--set estimator=gp"),
    ("npvar", "--set estimator.smoothing=gcv --bootstrap 50"),
    ("npvar", "--set eta=0.05 --set split=half"),
    ("cam", "--set pruning=own"),
    ("resit", "--set parents=independence"),
    ("pc", "--set test=kci"),
    ("pc", "--set test=hsic"),
    ("pc", "--set colliders=majority"),
    ("pc", "--set test=g-square"),
    ("ges", "--set score=bdeu"),
    ("gds", "--set model=additive"),
    ("score", "--set units=standardised"),
];
const SIGNALS: [&str; 3] = ["INT", "TERM", "HUP"];
const OUTPUTS: [&str; 6] = ["out.json", "out.csv", "out.dot", "out.graphml", "out.svg", "r.html"];
/// What stood in an output's place before.
const OLD: &str = "what was there before";

/// What happens to a run.
enum Disturbance {
    None,
    Signal(&'static str),
    Kill,
    FullDisk(usize),
    /// The file is written to while it is read.
    Change,
}

pub(super) fn trial(setting: &Setting, chance: &mut Chance, folder: &Path) -> Result<Trial> {
    let made = if chance.once_in(2) { tables::any(chance) } else { tables::table(chance) };
    let learner = chance.one_of(&setting.learners).clone();
    let fitting: Vec<&str> =
        OPTIONS.iter().filter(|(whose, _)| whose.is_empty() || *whose == learner).map(|(_, words)| *words).collect();
    let options = *chance.one_of(&fitting);
    let disturbance = match chance.below(20) {
        0..8 => Disturbance::None,
        8..14 => Disturbance::Signal(SIGNALS[chance.below(SIGNALS.len())]),
        14 => Disturbance::Kill,
        15..18 => Disturbance::FullDisk(*chance.one_of(&[0, 1, 4, 16, 64, 256])),
        _ => Disturbance::Change,
    };
    let old = chance.once_in(3);
    let input = folder.join("t.csv");
    fs::write(&input, &made.bytes)?;
    if old {
        OUTPUTS.iter().try_for_each(|name| fs::write(folder.join(name), OLD))?;
    }
    let threads = chance.between(1, 2);
    let written =
        OUTPUTS.iter().map(|name| if *name == "r.html" { format!("--report {name}") } else { format!("-o {name}") });
    let written = written.collect::<Vec<_>>().join(" ");
    let words =
        format!("learn t.csv --learner {learner} --seed 7 --json --no-timing --threads {threads} {written} {options}");
    let mut trial = Trial::new(format!("npvar {words}  ({}, {})", made.kind, disturbance.shown()));
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let limit = if let Disturbance::FullDisk(limit) = disturbance { Some(limit) } else { None };
    let mut started = Started::new(&setting.program, folder, &words, limit)?;
    let longest = *chance.one_of(&[10, 30, 100, 300, 1500]);
    let delay = Duration::from_millis(chance.below(longest) as u64);
    let mut signalled = None;
    match disturbance {
        Disturbance::Signal(_) | Disturbance::Kill if !started.over_within(delay)? => {
            let name = if let Disturbance::Signal(name) = disturbance { name } else { "KILL" };
            signalled = Some(name);
            trial.stopped(started.stop(name)?, STOPS_WITHIN);
        }
        Disturbance::Change => {
            started.over_within(delay / 20)?;
            let mut changed = made.bytes.clone();
            changed.extend(b"1,2\n");
            fs::write(&input, changed)?;
        }
        _ => {}
    }
    if !started.over_within(PATIENCE)? {
        signalled = Some("INT");
        trial.stopped(started.stop("INT")?, STOPS_WITHIN);
        if !started.over_within(Duration::ZERO)? {
            started.signal("KILL");
        }
    }
    let ended = started.end()?;
    check_end(&mut trial, &ended, signalled);
    check_outputs(&mut trial, &ended, folder, old, limit.is_some())?;
    let changed = matches!(disturbance, Disturbance::Change);
    trial.holds(changed || fs::read(&input)? == made.bytes, "the input is as it was");
    let parts = files(folder)?.into_iter().filter(|name| name.ends_with(".part")).count();
    trial.holds(parts == 0 || signalled == Some("KILL"), "no half-written file is left");
    trial.holds(files(&folder.join("tmp"))?.is_empty(), "no temporary file is left");
    if ended.code() == 0 && limit.is_none() && !changed && chance.once_in(4) {
        let words: Vec<String> = words
            .iter()
            .map(|word| if *word == threads.to_string() { (3 - threads).to_string() } else { word.clone() })
            .collect();
        let again = Started::new(&setting.program, folder, &words, None)?.end()?;
        trial.holds(again.stdout == ended.stdout, "another number of threads gives the same bytes");
    }
    trial.count(if ended.code() == 0 {
        "answers"
    } else if signalled.is_some() {
        "runs stopped"
    } else {
        "refusals"
    });
    Ok(trial)
}

impl Disturbance {
    fn shown(&self) -> String {
        match self {
            Disturbance::None => "undisturbed".to_owned(),
            Disturbance::Signal(name) => format!("SIG{name}"),
            Disturbance::Kill => "SIGKILL".to_owned(),
            Disturbance::FullDisk(limit) => format!("no file beyond {limit} KiB"),
            Disturbance::Change => "the file changes".to_owned(),
        }
    }
}

/// A run ends with 0, 1 or 2, or as the signal asks; what is no answer is a sentence.
pub(super) fn check_end(trial: &mut Trial, ended: &Ended, signalled: Option<&str>) {
    let code = ended.code();
    let asked = signalled.map(|name| match name {
        "INT" => 130,
        "TERM" => 143,
        "HUP" => 129,
        _ => 137,
    });
    trial.holds((0..=2).contains(&code) || Some(code) == asked, &format!("the status is one of ours, not {code}"));
    trial.holds(!ended.stderr.contains("panicked"), "nothing panicked");
    let told = ended.stderr.lines().any(|line| line.starts_with("error: "));
    // Before there is anything to lose a signal ends the program without a word.
    trial.holds(code == 0 || told || Some(code) == asked, "a failure is told in a sentence");
    trial.note(&ended.stderr);
}

/// All outputs are there and whole, or none is and what was there before still is.
fn check_outputs(trial: &mut Trial, ended: &Ended, folder: &Path, old: bool, full: bool) -> Result<()> {
    let there: Vec<Option<String>> = OUTPUTS.iter().map(|name| fs::read_to_string(folder.join(name)).ok()).collect();
    let before = if old { Some(OLD.to_owned()) } else { None };
    let untouched = there.iter().all(|content| *content == before);
    if ended.code() == 0 {
        let answer: Option<Value> = serde_json::from_str(&ended.stdout).ok();
        trial.holds(answer.is_some_and(|answer| answer["format"] == "npvar-graph/1"), "the answer is a whole object");
        trial.holds(there[0].as_ref() == Some(&ended.stdout), "out.json is what was printed");
        for (name, content) in OUTPUTS.iter().zip(&there) {
            let content = content.as_deref().unwrap_or("").trim_end();
            let end = match *name {
                "out.dot" => "}",
                "out.graphml" => "</graphml>",
                "out.svg" => "</svg>",
                "r.html" => "</html>",
                _ => "",
            };
            trial.holds(!content.is_empty() && content != OLD && content.ends_with(end), &format!("{name} is whole"));
        }
    } else {
        // A signal may come when some have taken their places; each is whole then.
        let whole = there[0].as_ref().is_none_or(|json| *json == OLD || serde_json::from_str::<Value>(json).is_ok());
        trial.holds(if full { untouched } else { untouched || whole }, "what failed left the outputs as they were");
        let unwritten = ended.stderr.contains("cannot be written (") && !ended.stdout.is_empty();
        let answer = serde_json::from_str::<Value>(&ended.stdout).is_ok();
        trial.holds(!unwritten || answer, "what cannot be written is printed all the same");
    }
    Ok(())
}

/// The names of the files in a folder.
pub(super) fn files(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}
