//! `npvar study run`, killed at any moment, and its workers too; the same command goes on to the same table.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use super::chance::Chance;
use super::learning::check_end;
use super::program::{Started, children, signal};
use super::{Setting, Trial};

const STUDY: &str = r#"
title = "Soak"
settings = ["MC-SIN", "ER-LIN-1"]
nodes = [4]
samples = [60]
seeds = 12
time-limit = 60
learners = [{ name = "npvar" }, { name = "pc" }, { name = "eqvar" }]

[[figures]]
name = "shd"
caption = "SHD."
measure = "shd"
"#;
/// Cells of the study: settings × seeds × learners.
const CELLS: usize = 2 * 12 * 3;
/// The command is given again at most so often.
const TIMES: usize = 8;

pub(super) fn trial(setting: &Setting, chance: &mut Chance, folder: &Path) -> Result<Trial> {
    fs::write(folder.join("s.toml"), STUDY)?;
    let words: Vec<String> = "study run s.toml --out r --jobs 2".split(' ').map(str::to_owned).collect();
    let mut trial = Trial::new("npvar study run, killed and begun again".to_owned());
    let mut worker_killed = false;
    for time in 0..TIMES {
        let last = time + 1 == TIMES;
        let limit = (!last && chance.once_in(4)).then(|| chance.between(1, 12));
        let mut started = Started::new(&setting.program, folder, &words, limit)?;
        let mut signalled = None;
        if !last && !started.over_within(Duration::from_millis(chance.below(700) as u64))? {
            match chance.below(3) {
                0 => {
                    let workers = children(started.child.id());
                    if let Some(&worker) = workers.get(chance.below(workers.len().max(1))) {
                        signal(worker, "KILL");
                        trial.count("workers killed");
                        worker_killed = true;
                    }
                }
                1 => {
                    signalled = Some("KILL");
                    started.signal("KILL");
                    trial.count("studies killed");
                }
                _ => {
                    let name = *chance.one_of(&["INT", "TERM", "HUP"]);
                    signalled = Some(name);
                    trial.stopped(started.stop(name)?, 5.0);
                }
            }
        }
        let ended = started.end()?;
        check_end(&mut trial, &ended, signalled);
        trial.count("studies begun or continued");
        if ended.code() == 0 {
            break;
        }
    }
    let log = fs::read_to_string(folder.join("r/results.csv")).context("no log")?;
    trial.holds(log.ends_with('\n') && log.lines().count() == CELLS + 1, "every cell stands in the log once");
    let crashes = log.lines().filter(|line| line.contains(",crash,")).count();
    trial.holds(worker_killed || crashes == 0, "only a killed worker's cell is a crash");
    trial.holds(fs::metadata(folder.join("r/table.csv")).is_ok(), "the table is there");
    Ok(trial)
}
