//! The tables of README and benchmarks page, from `benchmarks/measured.json`.

use std::fmt::Write;

use super::measured::{AgainstR, InLibrary, Measured, Spread};
use crate::compare::decimals;

/// README: the least that shows where the speed is.
pub(crate) fn speed(measured: &Measured) -> String {
    let mut text = "| order and selection | R + mgcv | `npvar`, a fresh process | the library, called again |\n\
                    |---|---:|---:|---:|\n"
        .to_string();
    let mut sizes: Vec<(usize, usize)> = measured.against_r.iter().map(|row| (row.nodes, row.samples)).collect();
    sizes.extend(measured.library.iter().map(|row| (row.nodes, row.samples)));
    sizes.sort_unstable();
    sizes.dedup();
    for (nodes, samples) in sizes {
        let r = measured.against_r.iter().find(|row| (row.nodes, row.samples) == (nodes, samples));
        let library = measured.library.iter().find(|row| (row.nodes, row.samples) == (nodes, samples));
        let (theirs, cold) = (r.map(|row| range(&row.r)), r.map(|row| duration(row.cold[1].median)));
        let warm = library.map(|row| duration(row.seconds.median));
        let [theirs, cold, warm] = [theirs, cold, warm].map(|cell| cell.unwrap_or_else(|| "–".to_string()));
        let _ = writeln!(text, "| d = {nodes}, n = {samples} | {theirs} | {cold} | {warm} |");
    }
    for stream in &measured.streams {
        let found = format!("{}, {:.0} MiB", duration(stream.seconds), stream.peak_mebibytes);
        let rows = count(stream.rows);
        let _ = writeln!(text, "| {rows} rows × {} columns from Parquet | – | {found} | – |", stream.columns);
    }
    format!(
        "{text}\nMeasured {} with commit {} on two threads ({}, {} cores; medians).{}",
        measured.date,
        measured.commit,
        measured.machine.processor,
        measured.machine.cores,
        like_with_like(measured).unwrap_or_default()
    )
}

/// CAM's two ratios: with R's own score, and with the one that is the default here.
fn like_with_like(measured: &Measured) -> Option<String> {
    let ratio = |same_score: bool| {
        let cam = measured.peers.iter().filter(|row| row.learner == "cam" && row.setting == "ER-SIN-1");
        let row = cam.into_iter().find(|row| row.options.contains("preset=reference") == same_score)?;
        Some(decimals(row.theirs.best / row.ours.best))
    };
    let (same, default) = (ratio(true)?, ratio(false)?);
    Some(format!(
        "\nLike with like matters: R's CAM takes {default} times as long as ours by default, {same} times as long as ours\n\
         with R's own score."
    ))
}

/// The benchmarks page: everything in the file.
pub(crate) fn everything(measured: &Measured) -> String {
    let machine = &measured.machine;
    let mut text = format!(
        "Commit {}, {}: {}, {} cores, load {:.1} before the run, which took {:.0} minutes. Medians, with best and worst and\n\
         the number of runs in brackets.\n\nVersions: {}.\n",
        measured.commit,
        measured.date,
        machine.processor,
        machine.cores,
        machine.load_before,
        measured.minutes,
        measured.versions.join(", ")
    );
    against_r(&mut text, &measured.against_r);
    in_library(&mut text, &measured.library);
    for stream in &measured.streams {
        let rate = stream.rows as f64 / stream.seconds / 1e6;
        let _ = writeln!(
            text,
            "\n{} rows × {} columns from Parquet: {}, {rate:.2} million rows/s, {:.0} MiB peak memory; {}.",
            count(stream.rows),
            stream.columns,
            duration(stream.seconds),
            stream.peak_mebibytes,
            stream.edges
        );
    }
    if !measured.peers.is_empty() {
        text += "\n| learner | options | data | d | n | peer | peer | npvar | ratio | agreement |\n\
                 |---|---|---|---:|---:|---|---:|---:|---:|---|\n";
    }
    for row in &measured.peers {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.learner,
            if row.options.is_empty() { "default" } else { &row.options },
            row.setting,
            row.nodes,
            row.samples,
            row.peer,
            spread(&row.theirs),
            spread(&row.ours),
            decimals(row.theirs.best / row.ours.best),
            row.agreement
        );
    }
    text.trim_end().to_string()
}

fn against_r(text: &mut String, rows: &[AgainstR]) {
    if rows.is_empty() {
        return;
    }
    *text += "\n| data | d | n | files | R | npvar, 1 thread | ratio | 2 threads | ratio | process | p-values within |\n\
              |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    for row in rows {
        let [one, two] = row.cold.map(|cold| (spread(&cold), decimals(row.r.median / cold.median)));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1e} |",
            row.setting,
            row.nodes,
            row.samples,
            row.files,
            spread(&row.r),
            one.0,
            one.1,
            two.0,
            two.1,
            spread(&row.process),
            row.largest_p_value_difference
        );
    }
}

fn in_library(text: &mut String, rows: &[InLibrary]) {
    if rows.is_empty() {
        return;
    }
    *text += "\n| d | n | the library, called again | peak memory |\n|---:|---:|---:|---:|\n";
    for row in rows {
        let seconds = spread(&row.seconds);
        let _ = writeln!(text, "| {} | {} | {seconds} | {:.0} MiB |", row.nodes, row.samples, row.peak_mebibytes);
    }
}

fn spread(seconds: &Spread) -> String {
    if seconds.runs == 1 {
        return format!("{} (1 run)", duration(seconds.median));
    }
    let [best, worst] = [seconds.best, seconds.worst].map(duration);
    format!("{} ({best}–{worst}, {})", duration(seconds.median), seconds.runs)
}

fn range(seconds: &Spread) -> String {
    let [best, worst] = [seconds.best, seconds.worst].map(duration);
    if best == worst { best } else { format!("{best}–{worst}") }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{} ms", decimals(1e3 * seconds)) } else { format!("{} s", decimals(seconds)) }
}

fn count(rows: u64) -> String {
    if rows.is_multiple_of(1_000_000) { format!("{} million", rows / 1_000_000) } else { rows.to_string() }
}
