//! A chart of small panels as SVG: lines with error bars, one legend.
//!
//! Sized in CSS pixels (96 to the inch) so that the text is 8 points at the width of a page, and still 7 where four panels share it.

use std::fmt::Write;

use crate::axis::{Axis, Spread};
use crate::style::Style;
use crate::svg::{INK, picture, text, text_width};

const TEXT: f64 = 10.5;
const SMALL: f64 = 9.0;
/// The width of a page's text: 7 inches.
const PAGE: f64 = 672.0;
const WIDEST_PANEL: f64 = 250.0;
const PLOT_HEIGHT: f64 = 104.0;
/// Room for the numbers on the left of a panel, and for title and numbers above and below.
const LEFT: f64 = 32.0;
const ABOVE: f64 = 32.0;
const BELOW: f64 = 20.0;
const RIGHT: f64 = 11.0;
/// Room for the words on the left of all panels, and below.
const MARGIN: f64 = 18.0;
const GREY: &str = "#666666";

/// A chart.
pub struct Chart {
    /// What a reader who cannot see it is told.
    pub title: String,
    /// Below all panels.
    pub x_label: String,
    /// On the left of all panels.
    pub y_label: String,
    /// How the values of the vertical axes are spread.
    pub spread: Spread,
    /// The range of every panel's vertical axis; nothing is each panel's own, from zero.
    pub y_range: Option<(f64, f64)>,
    /// The lines' names and looks.
    pub lines: Vec<(String, Style)>,
    /// From left to right, row by row.
    pub panels: Vec<Panel>,
    /// The most panels beside each other.
    pub columns: usize,
}

/// A panel.
pub struct Panel {
    /// Above it.
    pub title: String,
    /// A line of small print.
    pub subtitle: String,
    /// The points of each line, from left to right.
    pub points: Vec<Vec<Point>>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Along the horizontal axis.
    pub x: f64,
    /// Along the vertical axis.
    pub y: f64,
    /// Half the length of its bar.
    pub error: Option<f64>,
    /// Something is missing from it: its marker is hollow.
    pub partial: bool,
}

impl Chart {
    /// Drawn.
    pub fn svg(&self) -> String {
        let columns = self.columns.min(self.panels.len()).max(1);
        let panel = ((PAGE - MARGIN) / columns as f64).min(WIDEST_PANEL);
        let width = MARGIN + panel * columns as f64;
        let mut body = String::new();
        let legend = self.legend(&mut body, width);
        let row = ABOVE + PLOT_HEIGHT + BELOW;
        let rows = self.panels.len().div_ceil(columns);
        let height = legend + row * rows as f64 + MARGIN;
        for (at, it) in self.panels.iter().enumerate() {
            let (left, top) = (MARGIN + panel * (at % columns) as f64, legend + row * (at / columns) as f64);
            self.panel(&mut body, it, (left + LEFT, top + ABOVE), panel - LEFT - RIGHT);
        }
        let middle = legend + row * rows as f64 / 2.0;
        let centre = MARGIN + (width - MARGIN) / 2.0;
        text(&mut body, (centre, height - 5.0), TEXT, "middle", INK, "", &self.x_label);
        let turn = format!(" transform=\"rotate(-90 11 {middle:.1})\"");
        text(&mut body, (11.0, middle), TEXT, "middle", INK, &turn, &self.y_label);
        picture(&self.title, (width, height), &body)
    }

    /// Draws the legend and says how high it is.
    fn legend(&self, svg: &mut String, width: f64) -> f64 {
        const LINE: f64 = 15.0;
        const SAMPLE: f64 = 26.0;
        let item = |label: &str| SAMPLE + 4.0 + text_width(label, TEXT) + 12.0;
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        let mut used = 0.0;
        for (at, (label, _)) in self.lines.iter().enumerate() {
            if used + item(label) > width - 8.0 && used > 0.0 {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += item(label);
            rows.last_mut().expect("there is one").push(at);
        }
        for (down, row) in rows.iter().enumerate() {
            let taken: f64 = row.iter().map(|&at| item(&self.lines[at].0)).sum();
            let mut x = (width - taken) / 2.0 + 6.0;
            let y = 10.0 + LINE * down as f64;
            for &at in row {
                let (label, style) = &self.lines[at];
                let _ = writeln!(
                    svg,
                    "<path d=\"M{x:.1} {y:.1}h{SAMPLE}\" stroke=\"{}\" stroke-width=\"1.5\" stroke-dasharray=\"{}\"/>{}",
                    style.colour,
                    dash(style),
                    style.marker.svg((x + SAMPLE / 2.0, y), 3.2, style.colour, false)
                );
                text(svg, (x + SAMPLE + 4.0, y + 3.6), TEXT, "start", INK, "", label);
                x += item(label);
            }
        }
        6.0 + LINE * rows.len() as f64
    }

    fn panel(&self, svg: &mut String, panel: &Panel, (left, top): (f64, f64), width: f64) {
        let (x_axis, y_axis) = (self.x_axis(), self.y_axis(panel));
        // A little air beside the first and last point.
        let across = |x: f64| left + width * (0.04 + 0.92 * x_axis.place(x));
        let up = |y: f64| top + PLOT_HEIGHT * (1.0 - y_axis.place(y).clamp(0.0, 1.0));
        text(svg, (left, top - 15.0), TEXT, "start", INK, " font-weight=\"bold\"", &panel.title);
        text(svg, (left, top - 4.5), SMALL, "start", GREY, "", &panel.subtitle);
        for (value, label) in y_axis.ticks(5) {
            let y = up(value);
            let _ = writeln!(svg, "<path d=\"M{left:.1} {y:.1}h{width:.1}\" stroke=\"#e3e3e3\" stroke-width=\"0.7\"/>");
            text(svg, (left - 4.0, y + 3.2), SMALL, "end", INK, "", &label);
        }
        for (value, label) in self.x_ticks(&across) {
            let (x, bottom) = (across(value), top + PLOT_HEIGHT);
            let _ = writeln!(svg, "<path d=\"M{x:.1} {bottom:.1}v3\" stroke=\"{INK}\" stroke-width=\"0.8\"/>");
            text(svg, (x, bottom + 13.0), SMALL, "middle", INK, "", &label);
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{left:.1} {top:.1}v{PLOT_HEIGHT}h{width:.1}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"0.8\"/>"
        );
        // The first line is drawn last, on top. Lines are shifted sideways by a hair, so that equal ones can be told apart.
        let count = self.lines.len() as f64;
        for at in (0..self.lines.len()).rev() {
            let style = &self.lines[at].1;
            let aside = (at as f64 - (count - 1.0) / 2.0) * (9.0 / count).min(2.5);
            let place = |point: &Point| (across(point.x) + aside, up(point.y));
            let Some(points) = panel.points.get(at).filter(|points| !points.is_empty()) else { continue };
            let steps: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.2} {y:.2}")).collect();
            let colour = style.colour;
            let _ = writeln!(
                svg,
                "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\" stroke-dasharray=\"{}\"/>",
                steps.join("L"),
                dash(style)
            );
            for point in points {
                let (x, y) = place(point);
                if let Some(error) = point.error.filter(|error| *error > 0.0) {
                    let (low, high) = (up(point.y - error), up(point.y + error));
                    let _ = writeln!(
                        svg,
                        "<path d=\"M{x:.2} {low:.2}V{high:.2}M{0:.2} {low:.2}h3M{0:.2} {high:.2}h3\" stroke=\"{colour}\" \
                         stroke-width=\"0.9\"/>",
                        x - 1.5
                    );
                }
                let _ = writeln!(svg, "{}", style.marker.svg((x, y), 2.6, colour, point.partial));
            }
        }
        if panel.points.iter().all(Vec::is_empty) {
            let centre = (left + width / 2.0, top + PLOT_HEIGHT / 2.0);
            text(svg, centre, SMALL, "middle", GREY, "", "no results");
        }
    }

    fn values(&self) -> Vec<f64> {
        let mut values: Vec<f64> =
            self.panels.iter().flat_map(|panel| panel.points.iter().flatten()).map(|point| point.x).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }

    fn x_axis(&self) -> Axis {
        let values = self.values();
        let (first, last) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(1.0));
        Axis::new(Spread::Linear, first, last)
    }

    fn y_axis(&self, panel: &Panel) -> Axis {
        let points = || panel.points.iter().flatten();
        let high = points().map(|point| point.y + point.error.unwrap_or(0.0)).fold(0.0, f64::max);
        match (self.y_range, self.spread) {
            (Some((low, high)), spread) => Axis::new(spread, low, high),
            (None, Spread::Linear) => Axis::new(Spread::Linear, 0.0, if high > 0.0 { 1.06 * high } else { 1.0 }),
            (None, Spread::Logarithmic) => {
                let low = points().map(|point| point.y).filter(|y| *y > 0.0).fold(f64::INFINITY, f64::min);
                if low.is_finite() { Axis::new(self.spread, low, high) } else { Axis::new(self.spread, 0.1, 1.0) }
            }
        }
    }

    /// The values there are, where their texts fit beside each other: the ends first, then from the left.
    fn x_ticks(&self, across: &dyn Fn(f64) -> f64) -> Vec<(f64, String)> {
        let values = self.values();
        let room = |value: f64| (across(value), text_width(&value.to_string(), SMALL) / 2.0 + 2.0);
        let mut kept: Vec<f64> = Vec::new();
        let ends = [values.last(), values.first()];
        for &value in ends.into_iter().flatten().chain(&values) {
            let (x, half) = room(value);
            let fits = |other: &f64| {
                let (other, other_half) = room(*other);
                (x - other).abs() >= half + other_half
            };
            if kept.iter().all(fits) {
                kept.push(value);
            }
        }
        kept.into_iter().map(|value| (value, value.to_string())).collect()
    }
}

fn dash(style: &Style) -> &str {
    if style.dash.is_empty() { "none" } else { style.dash }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::STYLES;

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, error: Some(0.5), partial: false }
    }

    #[test]
    fn a_chart_has_its_panels_lines_bars_and_one_legend() {
        let names = ["npvar", "pc"];
        let lines = names.iter().map(|name| (*name).to_owned()).zip(STYLES).collect();
        let panel = |title: &str| Panel {
            title: title.to_owned(),
            subtitle: "sortability".to_owned(),
            points: vec![vec![point(100.0, 1.0), point(200.0, 0.5)], vec![point(100.0, 3.0)]],
        };
        let chart = Chart {
            title: "A & B".to_owned(),
            x_label: "n".to_owned(),
            y_label: "SHD".to_owned(),
            spread: Spread::Linear,
            y_range: None,
            lines,
            panels: vec![panel("ER <1>"), panel("SF")],
            columns: 4,
        };
        let svg = chart.svg();
        for (part, count) in [
            ("<title>A &amp; B</title>", 1),
            ("ER &lt;1&gt;", 1),
            (">npvar</text>", 1),
            (">SHD</text>", 1),
            ("stroke-width=\"1.3\"", 4), // a line per name and panel
            ("stroke-width=\"0.9\"", 6), // a bar per point
            (">100</text>", 2),
        ] {
            assert_eq!(svg.matches(part).count(), count, "{part}\n{svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("<script"));
    }

    #[test]
    fn a_chart_of_nothing_says_so() {
        let panels = vec![Panel { title: "ER".to_owned(), subtitle: String::new(), points: Vec::new() }];
        let chart = Chart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            spread: Spread::Logarithmic,
            y_range: None,
            lines: Vec::new(),
            panels,
            columns: 1,
        };
        let svg = chart.svg();
        assert!(svg.contains("no results") && !svg.contains("NaN"), "{svg}");
    }
}
