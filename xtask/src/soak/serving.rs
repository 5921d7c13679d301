//! `npvar serve` with a careless crowd, ended or killed at any moment, and started again.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::chance::Chance;
use super::client::Site;
use super::learning::files;
use super::program::{open_files, signal, status_number};
use super::tables;
use super::{Setting, Trial};

/// A server, and what it printed beside its address.
pub(super) struct Serving {
    child: Child,
    pub(super) site: Site,
    told: thread::JoinHandle<String>,
}

impl Serving {
    pub(super) fn start(program: &Path, folder: &Path, file_limit: Option<usize>) -> Result<Self> {
        let full = file_limit.map_or_else(String::new, |limit| format!("trap '' XFSZ; ulimit -f {limit}; "));
        let script = format!(
            "ulimit -c 0; {full}exec env --default-signal=INT,TERM,HUP \"$0\" serve --history runs --upload-limit 8"
        );
        let mut command = Command::new("bash");
        command.args(["-c", &script]).arg(program).current_dir(folder).env("TMPDIR", folder.join("tmp"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stderr = child.stderr.take().context("no standard error")?;
        let told = thread::spawn(move || {
            let lines = BufReader::new(stderr).lines().map_while(std::result::Result::ok);
            lines.collect::<Vec<_>>().join("\n")
        });
        let mut address = String::new();
        BufReader::new(child.stdout.take().context("no standard output")?).read_line(&mut address)?;
        Ok(Serving { site: Site::of(&address).with_context(|| format!("the server said `{address}`"))?, child, told })
    }

    /// Ends it by a signal; its status as a shell gives it, the seconds it took, and what it told.
    pub(super) fn end(mut self, name: &str) -> Result<(i32, f64, String)> {
        use std::os::unix::process::ExitStatusExt;
        let begun = Instant::now();
        signal(self.child.id(), name);
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if begun.elapsed() > Duration::from_secs(60) {
                signal(self.child.id(), "KILL");
            }
            thread::sleep(Duration::from_millis(5));
        };
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        Ok((code, begun.elapsed().as_secs_f64(), self.told.join().unwrap_or_default()))
    }
}

pub(super) fn trial(setting: &Setting, chance: &mut Chance, folder: &Path) -> Result<Trial> {
    let full = chance.once_in(6).then(|| *chance.one_of(&[8, 64]));
    let actions = chance.between(3, 25);
    let limit = full.map_or_else(String::new, |limit| format!(", no file beyond {limit} KiB"));
    let mut trial = Trial::new(format!("npvar serve, {actions} requests{limit}"));
    let serving = Serving::start(&setting.program, folder, full)?;
    let site = serving.site.clone();
    let (mut tables, mut kept, mut held) = (Vec::new(), Vec::<String>::new(), Vec::new());
    for _ in 0..actions {
        trial.count("requests");
        match chance.below(10) {
            0..3 => {
                let made = if chance.once_in(2) { tables::any(chance) } else { tables::table(chance) };
                let (status, answer) = site.json("POST", "api/tables?name=t.csv", &made.bytes)?;
                trial
                    .holds(status == 200 || answer["error"].is_string(), "an upload is taken or refused in a sentence");
                trial.holds(
                    status < 500 || full.is_some(),
                    &format!("{} is no fault of the server's ({answer})", made.kind),
                );
                tables.extend(answer["id"].as_str().map(str::to_owned));
            }
            3..6 if !tables.is_empty() => {
                let request = json!({
                    "table": chance.one_of(&tables), "learner": chance.one_of(&setting.learners), "seed": 1,
                    "drop_missing": true, "bootstrap": chance.once_in(4).then_some(5),
                });
                let (status, answer) = site.json("POST", "api/runs", request.to_string().as_bytes())?;
                trial
                    .holds([200, 400, 429].contains(&status), &format!("a run is taken or refused: {status} {answer}"));
                if let Some(id) = answer["id"].as_str().map(str::to_owned) {
                    if chance.once_in(3) {
                        thread::sleep(Duration::from_millis(chance.below(300) as u64));
                        site.json("POST", &format!("api/runs/{id}/cancel"), b"")?;
                    }
                    kept.extend(finished(&site, &id, Duration::from_secs(4))?);
                }
            }
            6 if !kept.is_empty() => {
                let id = chance.one_of(&kept).clone();
                let (status, report) = site.ask("GET", &format!("api/runs/{id}"), b"")?;
                trial.holds(status == 200 && serde_json::from_str::<Value>(&report).is_ok(), "a finished run is shown");
            }
            7 => {
                // An upload that breaks off.
                let mut stream = site.connect()?;
                let _ = stream.write_all(site.head("POST", "api/tables", 100_000).as_bytes());
                let _ = stream.write_all(&[b'1'; 5000]);
                if chance.once_in(2) {
                    held.push(stream);
                }
            }
            8 => held.push(site.connect()?),
            _ => {
                let path =
                    *chance.one_of(&["api/nothing", "../secret", "api/runs/..%2fx", "api/tables/x?header=maybe"]);
                let (status, answer) = site.json("GET", path, b"")?;
                trial.holds((400..500).contains(&status) && answer["error"].is_string(), "nonsense is refused as JSON");
            }
        }
    }
    let name = *chance.one_of(&["INT", "TERM", "HUP", "KILL", "KILL"]);
    let running = chance.once_in(2) && tables.last().is_some();
    if let (true, Some(table)) = (running, tables.last()) {
        let endless = json!({"table": table, "learner": "gsges", "seed": 1, "bootstrap": 100_000});
        site.json("POST", "api/runs", endless.to_string().as_bytes())?;
    }
    let (code, seconds, told) = serving.end(name)?;
    drop(held);
    trial.title += &format!(", ended by SIG{name}");
    trial.holds(!told.contains("panicked"), "nothing panicked");
    trial.note(&told);
    if name == "KILL" {
        trial.count("servers killed");
    } else {
        trial.holds(code == 0, &format!("the server ends with 0, not {code}"));
        trial.slowest("seconds from the signal to the server's end", seconds);
        trial.holds(seconds < 12.0, "the server ends soon");
        trial.holds(files(&folder.join("tmp"))?.is_empty(), "no upload is left");
    }
    // The next one sweeps up, and has every run that was said to be finished.
    let serving = Serving::start(&setting.program, folder, None)?;
    let (_, runs) = serving.site.json("GET", "api/runs", b"")?;
    let known: Vec<&str> =
        runs["finished"].as_array().into_iter().flatten().filter_map(|run| run["id"].as_str()).collect();
    // On a full disk runs are held in memory, and said to be.
    trial.holds(full.is_some() || kept.iter().all(|id| known.contains(&id.as_str())), "no finished run is lost");
    trial.holds(files(&folder.join("tmp"))?.len() <= 1, "what the killed one left is removed");
    let parts = files(&folder.join("runs"))?.into_iter().filter(|name| name.ends_with(".part")).count();
    trial.holds(parts == 0, "no half-written run is left");
    let private =
        Command::new("find").args([".", "-path", "./runs/*", "-perm", "/077"]).current_dir(folder).output()?;
    trial.holds(private.stdout.is_empty(), "runs are readable by their owner alone");
    let (code, ..) = serving.end("INT")?;
    trial.holds(code == 0, "the second server ends with 0");
    trial.holds(files(&folder.join("tmp"))?.is_empty(), "the second leaves nothing");
    Ok(trial)
}

/// The run's name once it is done, or nothing when it failed, was cancelled or takes longer (it is cancelled then).
fn finished(site: &Site, id: &str, patience: Duration) -> Result<Option<String>> {
    let begun = Instant::now();
    loop {
        let (_, runs) = site.json("GET", "api/runs", b"")?;
        let has = |list: &str| runs[list].as_array().and_then(|list| list.iter().find(|run| run["id"] == id));
        if let Some(run) = has("finished") {
            return Ok((run["status"] == "done").then(|| id.to_owned()));
        }
        if has("going").is_none() {
            // Finished between the two lists, or cancelled.
            let (status, _) = site.ask("GET", &format!("api/runs/{id}"), b"")?;
            return Ok((status == 200).then(|| id.to_owned()));
        }
        if begun.elapsed() > patience {
            site.json("POST", &format!("api/runs/{id}/cancel"), b"")?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// One server and so many runs, each with its upload, its report, and its removal: a line of figures every tenth.
pub(super) fn flatness(setting: &Setting, folder: &Path, runs: usize) -> Result<()> {
    let serving = Serving::start(&setting.program, folder, None)?;
    let (site, process) = (serving.site.clone(), serving.child.id());
    let table = (0..200).map(|i| (f64::from(i) * 0.7).sin()).collect::<Vec<_>>();
    let rows = table.windows(3).map(|w| format!("{},{},{}\n", w[0], w[1] + w[0], w[2] * w[1])).collect::<String>();
    println!("{:>6} {:>10} {:>11} {:>16} {:>8}", "runs", "RSS (KiB)", "open files", "temporary files", "history");
    for run in 1..=runs {
        let (_, table) = site.json("POST", "api/tables?name=t.csv", format!("a,b,c\n{rows}").as_bytes())?;
        let learner = &setting.learners[run % setting.learners.len()];
        let request = json!({"table": table["id"], "learner": learner, "seed": run});
        let (_, started) = site.json("POST", "api/runs", request.to_string().as_bytes())?;
        let id = started["id"].as_str().with_context(|| format!("no run: {started}"))?.to_owned();
        if finished(&site, &id, Duration::from_secs(120))?.is_some() {
            site.ask("GET", &format!("api/runs/{id}/report.html"), b"")?;
        }
        site.ask("DELETE", &format!("api/runs/{id}"), b"")?;
        if run % (runs / 10).max(1) == 0 || run == 1 {
            println!(
                "{run:>6} {:>10} {:>11} {:>16} {:>8}",
                status_number(process, "VmRSS").unwrap_or(0),
                open_files(process).unwrap_or(0),
                walk(&folder.join("tmp"))?,
                files(&folder.join("runs"))?.len()
            );
        }
    }
    let (code, ..) = serving.end("INT")?;
    anyhow::ensure!(code == 0, "the server ended with {code}");
    anyhow::ensure!(walk(&folder.join("tmp"))? == 0, "the server left temporary files");
    Ok(())
}

/// How many files a folder holds, at any depth.
fn walk(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        count += if path.is_dir() { walk(&path)? } else { 1 };
    }
    Ok(count)
}
