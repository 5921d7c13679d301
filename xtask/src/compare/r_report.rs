//! The table of `cargo xtask compare-r`, as Markdown.

use std::fmt::Write;
use std::thread;

use anyhow::{Context, Result};

use super::r::{Agreement, Row, THREADS};
use super::r_procedure::MGCV_P_VALUE;
use crate::command::{command, output};

/// Where, with what, and the table.
pub(crate) fn markdown(rows: &[Row], npvar_version: &str, repeat: usize) -> Result<String> {
    let peer = rows.first().and_then(|row| row.peer.first()).context("nothing was measured")?;
    let peer_versions: Vec<String> = peer.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let rustc = output(command("rustc").arg("--version"))?;
    let cores = thread::available_parallelism().map_or("an unknown number of".to_string(), |cores| cores.to_string());
    let mut text = String::new();
    writeln!(text, "- Machine: {}, {cores} cores", processor())?;
    writeln!(text, "- Versions: {npvar_version}, {}; {}", rustc.trim(), peer_versions.join(", "))?;
    writeln!(
        text,
        "- Runs: {repeat} of each program on each file, taking turns; figures are median (smallest–largest)"
    )?;
    writeln!(
        text,
        "- Seconds: order and selection, without starting the program and reading the file; \"process\" has both"
    )?;
    writeln!(text, "- Ratio: R's CPU or elapsed time, whichever is smaller, to our elapsed time in the same turn\n")?;

    let mut header = "| file | d | n | R CPU (s) | R elapsed (s) |".to_string();
    for threads in THREADS {
        let threads = if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") };
        write!(header, " npvar, {threads} (ms) | process (ms) | ratio |")?;
    }
    header += " order | adjacency | largest p-value difference |";
    writeln!(text, "{header}\n|{}", "---|".repeat(header.matches('|').count() - 1))?;
    for row in rows {
        writeln!(text, "{}", table_row(row)?)?;
    }
    Ok(text)
}

fn table_row(row: &Row) -> Result<String> {
    let first = row.peer.first().context("nothing was measured")?;
    let cpu = spread(row.peer.iter().map(|run| run.cpu_seconds), decimals);
    let elapsed = spread(row.peer.iter().map(|run| run.elapsed_seconds), decimals);
    let mut line = format!("| {} | {} | {} | {cpu} | {elapsed} |", row.name, first.d, first.n);
    for runs in &row.ours {
        let library = spread(runs.iter().map(|run| 1e3 * run.library_seconds), decimals);
        let process = spread(runs.iter().map(|run| 1e3 * run.process_seconds), decimals);
        let ratios = row.peer.iter().zip(runs);
        let ratio = spread(
            ratios.map(|(peer, ours)| peer.cpu_seconds.min(peer.elapsed_seconds) / ours.library_seconds),
            |ratio| format!("{ratio:.0}"),
        );
        write!(line, " {library} | {process} | {ratio} |")?;
    }
    let order = if row.agreement.order_differs { "**differs**" } else { "same" };
    let largest = row.agreement.largest_p_value_difference;
    write!(line, " {order} | {} | {largest:.1e} |", adjacency(&row.agreement))?;
    Ok(line)
}

fn adjacency(agreement: &Agreement) -> String {
    match (agreement.edges_differ.len(), agreement.borderline.len()) {
        (0, 0) => "same".to_string(),
        (0, near) => format!("same but for {near} with R's p-value within {MGCV_P_VALUE:e} of the cutoff"),
        (differ, _) => format!("**{differ} differ**"),
    }
}

/// Median (smallest–largest).
pub(crate) fn spread(values: impl Iterator<Item = f64>, show: impl Fn(f64) -> String) -> String {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    match values.as_slice() {
        [] => String::new(),
        [only] => show(*only),
        [smallest, .., largest] => {
            let middle = values.len() / 2;
            let median =
                if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 };
            format!("{} ({}–{})", show(median), show(*smallest), show(*largest))
        }
    }
}

/// Three significant digits for what is below 100.
pub(crate) fn decimals(value: f64) -> String {
    let places = if value >= 100.0 { 0 } else { (2.0 - value.max(1e-6).log10().floor()).max(0.0) as usize };
    format!("{value:.places$}")
}

/// The processor's name as `lscpu` gives it.
pub(crate) fn processor() -> String {
    let listed = output(command("lscpu").env("LC_ALL", "C")).unwrap_or_default();
    let name = listed.lines().find_map(|line| line.strip_prefix("Model name:")).map(str::trim);
    name.unwrap_or("unknown processor").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_names_median_smallest_and_largest() {
        let whole = |value: f64| format!("{value:.0}");
        assert_eq!(spread([3.0, 1.0, 8.0].into_iter(), whole), "3 (1–8)");
        assert_eq!(spread([3.0, 1.0, 8.0, 5.0].into_iter(), whole), "4 (1–8)");
        assert_eq!(spread([3.0].into_iter(), whole), "3");
    }

    #[test]
    fn numbers_keep_three_significant_digits() {
        assert_eq!(decimals(123.4), "123");
        assert_eq!(decimals(12.34), "12.3");
        assert_eq!(decimals(1.234), "1.23");
        assert_eq!(decimals(0.01234), "0.0123");
    }
}
