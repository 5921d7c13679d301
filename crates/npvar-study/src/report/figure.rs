//! From a figure's description and the rows to charts.

use npvar_draw::axis::Spread;
use npvar_draw::chart::{Chart, Panel, Point};

use super::Drawing;
use super::average::Average;
use super::style::styles;
use crate::Dimension;
use crate::file::{FigureFile, Measure};
use crate::row::Row;
use crate::study::Study;

/// A chart for every combination of what the figure has one each for.
pub(super) fn drawings(figure: &FigureFile, study: &Study, rows: &[Row]) -> Vec<Drawing> {
    let rows: Vec<&Row> = rows.iter().filter(|row| wanted(figure, row)).collect();
    groups(&figure.each, &rows)
        .into_iter()
        .map(|(values, rows)| {
            let named: Vec<String> =
                figure.each.iter().zip(&values).map(|(dimension, value)| dimension.named(value)).collect();
            let parts: Vec<String> = figure
                .each
                .iter()
                .zip(&values)
                .map(|(dimension, value)| {
                    format!("-{}{value}", dimension.symbol().replace('σ', "variance").replace('²', ""))
                })
                .collect();
            let mut caption = figure.caption.trim().to_owned();
            if !named.is_empty() {
                caption = format!("{} ({}).", caption.trim_end_matches('.'), named.join(", "));
            }
            let chart = chart(figure, study, &rows, &caption);
            caption += &remark(figure, &chart, &rows);
            Drawing { name: format!("{}{}", figure.name, parts.concat()), caption, picture: chart.picture() }
        })
        .collect()
}

fn wanted(figure: &FigureFile, row: &Row) -> bool {
    (figure.settings.is_empty() || figure.settings.contains(&row.setting))
        && (figure.nodes.is_empty() || figure.nodes.contains(&row.nodes))
        && (figure.samples.is_empty() || figure.samples.contains(&row.samples))
        && !figure.without.contains(&row.learner)
}

/// Rows by the values of some dimensions, in the order in which they first appear.
pub(super) fn groups<'a>(dimensions: &[Dimension], rows: &[&'a Row]) -> Vec<(Vec<String>, Vec<&'a Row>)> {
    let mut groups: Vec<(Vec<String>, Vec<&Row>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for &row in rows {
        let key: Vec<String> = dimensions.iter().map(|dimension| dimension.text(row)).collect();
        let at = *places.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(row);
    }
    groups
}

fn chart(figure: &FigureFile, study: &Study, rows: &[&Row], title: &str) -> Chart {
    // A learner that has no point of this measure (an order of PC's, say) has no line in the legend either.
    let algorithms: Vec<&str> = study.learners.iter().map(|learner| learner.config.info().name).collect();
    let shown: Vec<_> = study
        .learners
        .iter()
        .zip(styles(&algorithms))
        .filter(|(learner, _)| {
            rows.iter().any(|row| row.learner == learner.label && row.value(figure.measure).is_some())
        })
        .map(|(learner, style)| (learner.label.clone(), style))
        .collect();
    let panel = |(values, rows): (Vec<String>, Vec<&Row>)| Panel {
        title: values.iter().map(|value| figure.panels.named(value)).collect(),
        subtitle: sortability(&rows),
        points: shown.iter().map(|(label, _)| points(figure, label, &rows)).collect(),
    };
    Chart {
        title: title.to_owned(),
        x_label: figure.x.axis().to_owned(),
        y_label: figure.measure.axis().to_owned(),
        spread: match figure.measure {
            Measure::Seconds | Measure::Memory => Spread::Logarithmic,
            _ => Spread::Linear,
        },
        y_range: match figure.measure {
            Measure::OrderRecovery | Measure::Precision | Measure::Recall | Measure::F1 => Some((-0.04, 1.04)),
            _ => None,
        },
        lines: shown.clone(),
        panels: groups(&[figure.panels], rows).into_iter().map(panel).collect(),
        columns: figure.columns,
    }
}

fn points(figure: &FigureFile, label: &str, rows: &[&Row]) -> Vec<Point> {
    let rows: Vec<&Row> = rows.iter().copied().filter(|row| row.learner == label).collect();
    let mut points: Vec<Point> = groups(&[figure.x], &rows)
        .into_iter()
        .filter_map(|(_, rows)| {
            let Average { mean, error, count, tried } = Average::of(&rows, figure.measure)?;
            Some(Point { x: figure.x.number(rows[0])?, y: mean, error, partial: count < tried })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// How well sorting alone would do: without it a result on simulated data says little.
fn sortability(rows: &[&Row]) -> String {
    let mean = |values: Vec<f64>| Average::over(&values, 0).map(|average| format!("{:.2}", average.mean));
    let variance = mean(rows.iter().filter_map(|row| row.var_sortability).collect());
    let r2 = mean(rows.iter().filter_map(|row| row.r2_sortability).collect());
    match (variance, r2) {
        (Some(variance), Some(r2)) => format!("var {variance}, R² {r2}"),
        _ => String::new(),
    }
}

/// What a reader of the figure must know.
fn remark(figure: &FigureFile, chart: &Chart, rows: &[&Row]) -> String {
    let mut remark =
        " Bars: ±1 standard error. Under each title: the sortability of the data by variance and by R².".to_owned();
    let over: Vec<String> = Dimension::ALL
        .into_iter()
        .filter(|dimension| *dimension != figure.x && *dimension != figure.panels && !figure.each.contains(dimension))
        .filter_map(|dimension| {
            let mut values: Vec<String> = Vec::new();
            for row in rows {
                let value = dimension.text(row);
                if !value.is_empty() && !values.contains(&value) {
                    values.push(value);
                }
            }
            (values.len() > 1).then(|| format!("{} = {}", dimension.symbol(), values.join(", ")))
        })
        .collect();
    if !over.is_empty() {
        remark += &format!(" Averaged over {}.", over.join("; "));
    }
    if chart.panels.iter().flat_map(|panel| panel.points.iter().flatten()).any(|point| point.partial) {
        remark += " Hollow (thin) markers: some cells did not finish and are missing from the mean.";
    }
    remark
}
