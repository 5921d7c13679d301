//! The tables of a study: those it asks for, how its data can be sorted, and a summary of every group of cells.

use super::average::{Average, number};
use super::figure::groups;
use super::grid::Grid;
use crate::Dimension;
use crate::file::{Measure, TableFile};
use crate::row::{Row, Status};
use crate::study::Study;

/// All tables, each with its name.
pub(super) fn tables(study: &Study, rows: &[Row]) -> Vec<(String, Grid)> {
    let rows: Vec<&Row> = rows.iter().collect();
    let mut tables: Vec<(String, Grid)> =
        study.file.tables.iter().map(|table| (table.name.clone(), asked_for(table, study, &rows))).collect();
    tables.push(("sortability".to_owned(), sortability(&rows)));
    tables.push(("summary".to_owned(), summary(study, &rows)));
    if rows.iter().any(|row| row.status != Status::Ok) {
        tables.push(("unfinished".to_owned(), unfinished(study, &rows)));
    }
    tables.into_iter().map(|(name, grid)| (name, grid.without_empty_columns())).collect()
}

/// Rows of one learner.
fn of<'a>(label: &str, rows: &[&'a Row]) -> Vec<&'a Row> {
    rows.iter().copied().filter(|row| row.learner == label).collect()
}

fn asked_for(table: &TableFile, study: &Study, rows: &[&Row]) -> Grid {
    let columns: Vec<String> = groups(&[table.columns], rows).into_iter().map(|(value, _)| value.concat()).collect();
    let mut lines = Vec::new();
    for (values, rows) in groups(&table.rows, rows) {
        for learner in &study.learners {
            let own = of(&learner.label, &rows);
            let cell = |column: &String| {
                let here: Vec<&Row> = own.iter().copied().filter(|row| table.columns.text(row) == *column).collect();
                entry(&here, table.measure, study.file.time_limit)
            };
            let mut line = values.clone();
            line.push(learner.label.clone());
            line.extend(columns.iter().map(cell));
            lines.push(line);
        }
    }
    let mut header: Vec<String> = table.rows.iter().map(|dimension| dimension.symbol().to_owned()).collect();
    header.push("learner".to_owned());
    header.extend(columns.iter().map(|column| table.columns.named(column)));
    let caption = format!("{} {}: mean ± standard error.", table.caption, table.measure.axis());
    Grid { caption, labels: table.rows.len() + 1, header, rows: lines, exact: None }
}

/// A mean, or why there is none.
fn entry(rows: &[&Row], measure: Measure, limit: f64) -> String {
    if let Some(average) = Average::of(rows, measure) {
        return average.text();
    }
    match rows.first().map(|row| row.status) {
        None | Some(Status::Ok) => "–".to_owned(),
        Some(Status::TimeLimit) if measure == Measure::Seconds => format!("> {}", number(limit)),
        Some(status) => status.name().to_owned(),
    }
}

/// How well sorting alone would order the data of each kind.
fn sortability(rows: &[&Row]) -> Grid {
    let kinds = groups(&Dimension::ALL, rows).into_iter().map(|(values, rows)| {
        let first = rows[0].learner.clone();
        let rows = of(&first, &rows);
        let mean = |value: fn(&Row) -> Option<f64>| {
            let values: Vec<f64> = rows.iter().filter_map(|row| value(row)).collect();
            Average::over(&values, rows.len()).map_or_else(|| "–".to_owned(), |average| average.text())
        };
        let edges = mean(|row| row.true_edges.map(|edges| edges as f64));
        [values, vec![edges, mean(|row| row.var_sortability), mean(|row| row.r2_sortability)]].concat()
    });
    let mut header: Vec<String> = Dimension::ALL.iter().map(|dimension| dimension.symbol().to_owned()).collect();
    header.extend(["edges", "var-sortability", "R²-sortability"].map(str::to_owned));
    let caption = "Sortability of the data: 1 means that sorting by variance (or by R²) gives an order of the true graph, \
                   0.5 that it says nothing.";
    Grid { caption: caption.to_owned(), labels: 1, header, rows: kinds.collect(), exact: None }
}

const MEASURES: [(Measure, &str); 9] = [
    (Measure::Shd, "SHD"),
    (Measure::OrderRecovery, "correct order"),
    (Measure::ViolatedEdges, "violated edges"),
    (Measure::Precision, "precision"),
    (Measure::Recall, "recall"),
    (Measure::F1, "F1"),
    (Measure::Sid, "SID"),
    (Measure::Seconds, "seconds"),
    (Measure::Memory, "MiB"),
];

fn summary(study: &Study, rows: &[&Row]) -> Grid {
    let (mut lines, mut exact) = (Vec::new(), Vec::new());
    for (values, rows) in groups(&Dimension::ALL, rows) {
        for learner in &study.learners {
            let own = of(&learner.label, &rows);
            if own.is_empty() {
                continue;
            }
            let ok = own.iter().filter(|row| row.status == Status::Ok).count();
            let averages: Vec<Option<Average>> =
                MEASURES.iter().map(|&(measure, _)| Average::of(&own, measure)).collect();
            let mut line = [&values[..], &[learner.label.clone(), format!("{ok}/{}", own.len())]].concat();
            line.extend(averages.iter().map(|average| {
                average.map_or_else(|| "–".to_owned(), |average| Average { tried: average.count, ..average }.text())
            }));
            lines.push(line);
            let plain = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
            let mut line = [&values[..], &[learner.label.clone(), own.len().to_string(), ok.to_string()]].concat();
            for average in averages {
                line.extend([plain(average.map(|it| it.mean)), plain(average.and_then(|it| it.error))]);
            }
            exact.push(line);
        }
    }
    let symbols = || Dimension::ALL.iter().map(|dimension| dimension.symbol().to_owned());
    let mut header: Vec<String> = symbols().chain(["learner", "ok"].map(str::to_owned)).collect();
    header.extend(MEASURES.iter().map(|(_, name)| (*name).to_owned()));
    let mut exact_header: Vec<String> =
        ["setting", "nodes", "samples", "noise_variance", "p", "learner", "cells", "ok"].map(str::to_owned).to_vec();
    for (_, name) in MEASURES {
        let name = name.to_lowercase().replace(' ', "_");
        exact_header.extend([name.clone(), format!("{name}_se")]);
    }
    let caption = "Every group of cells: mean ± standard error over the cells that finished.".to_owned();
    Grid { caption, header, labels: 1, rows: lines, exact: Some((exact_header, exact)) }
}

/// What did not finish, and why.
fn unfinished(study: &Study, rows: &[&Row]) -> Grid {
    let mut lines: Vec<(Vec<String>, usize)> = Vec::new();
    for learner in &study.learners {
        for row in of(&learner.label, rows).into_iter().filter(|row| row.status != Status::Ok) {
            let key = vec![
                learner.label.clone(),
                row.setting.to_string(),
                row.nodes.to_string(),
                row.samples.to_string(),
                row.status.name().to_owned(),
                row.message.clone(),
            ];
            match lines.iter_mut().find(|(other, _)| *other == key) {
                Some((_, count)) => *count += 1,
                None => lines.push((key, 1)),
            }
        }
    }
    let rows = lines.into_iter().map(|(mut key, count)| {
        key.insert(5, count.to_string());
        key
    });
    let header = ["learner", "setting", "d", "n", "status", "cells", "message"].map(str::to_owned).to_vec();
    let caption = "Cells that did not finish.".to_owned();
    Grid { caption, header, labels: 7, rows: rows.collect(), exact: None }
}
