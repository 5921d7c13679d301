//! A chart of small panels: lines with error bars, one legend.
//!
//! Sized in CSS pixels (96 to the inch) so that the text is 8 points at the width of a page, and still 7 where four panels share it.

use crate::axis::{Axis, Spread};
use crate::picture::{Anchor, Colour, Line, Path, Picture, Text};
use crate::style::Style;
use crate::svg::text_width;

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
/// A line of the legend, and how much of a chart's line stands in it.
const LEGEND_LINE: f64 = 15.0;
const SAMPLE: f64 = 26.0;
const GREY: Colour = Colour(0x66_6666);

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
    /// The chart, drawn.
    pub fn picture(&self) -> Picture {
        let columns = self.columns.min(self.panels.len()).max(1);
        let panel = ((PAGE - MARGIN) / columns as f64).min(WIDEST_PANEL);
        let width = MARGIN + panel * columns as f64;
        let legend = self.legend_rows(width);
        let above = 6.0 + LEGEND_LINE * legend.len() as f64;
        let row = ABOVE + PLOT_HEIGHT + BELOW;
        let rows = self.panels.len().div_ceil(columns);
        let height = above + row * rows as f64 + MARGIN;
        let mut picture = Picture::new(&self.title, width, height);
        self.legend(&mut picture, &legend);
        for (at, it) in self.panels.iter().enumerate() {
            let corner = [MARGIN + panel * (at % columns) as f64 + LEFT, above + row * (at / columns) as f64 + ABOVE];
            self.panel(&mut picture, it, corner, panel - LEFT - RIGHT);
        }
        let middle = above + row * rows as f64 / 2.0;
        let centre = MARGIN + (width - MARGIN) / 2.0;
        picture.write([centre, height - 5.0], TEXT, Anchor::Middle, Colour::INK, &self.x_label);
        let words = self.y_label.clone();
        picture.text(Text { upwards: true, ..label([11.0, middle], Anchor::Middle, words) });
        picture
    }

    /// The lines of the legend, as many in a row as fit.
    fn legend_rows(&self, width: f64) -> Vec<Vec<usize>> {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new()];
        let mut used = 0.0;
        for (at, (label, _)) in self.lines.iter().enumerate() {
            if used + legend_item(label) > width - 8.0 && used > 0.0 {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += legend_item(label);
            rows.last_mut().expect("there is one").push(at);
        }
        rows
    }

    fn legend(&self, picture: &mut Picture, rows: &[Vec<usize>]) {
        for (down, row) in rows.iter().enumerate() {
            let taken: f64 = row.iter().map(|&at| legend_item(&self.lines[at].0)).sum();
            let mut x = (picture.width - taken) / 2.0 + 6.0;
            let y = 10.0 + LEGEND_LINE * down as f64;
            for &at in row {
                let (label, style) = &self.lines[at];
                let line = Line { colour: style.colour, width: 1.5, dash: style.dash };
                picture.line(Path::from([x, y]).to([x + SAMPLE, y]), line);
                style.marker.draw(picture, [x + SAMPLE / 2.0, y], 3.2, style.colour, false);
                picture.write([x + SAMPLE + 4.0, y + 3.6], TEXT, Anchor::Start, Colour::INK, label);
                x += legend_item(label);
            }
        }
    }

    fn panel(&self, picture: &mut Picture, panel: &Panel, [left, top]: [f64; 2], width: f64) {
        let (x_axis, y_axis) = (self.x_axis(), self.y_axis(panel));
        let bottom = top + PLOT_HEIGHT;
        // A little air beside the first and last point.
        let across = |x: f64| left + width * (0.04 + 0.92 * x_axis.place(x));
        let up = |y: f64| top + PLOT_HEIGHT * (1.0 - y_axis.place(y).clamp(0.0, 1.0));
        picture.text(Text { bold: true, ..label([left, top - 15.0], Anchor::Start, panel.title.clone()) });
        picture.write([left, top - 4.5], SMALL, Anchor::Start, GREY, &panel.subtitle);
        for (value, label) in y_axis.ticks(5) {
            let y = up(value);
            picture.line(Path::from([left, y]).to([left + width, y]), Line::solid(Colour(0xe3_e3e3), 0.7));
            picture.write([left - 4.0, y + 3.2], SMALL, Anchor::End, Colour::INK, &label);
        }
        for (value, label) in self.x_ticks(&across) {
            let x = across(value);
            picture.line(Path::from([x, bottom]).to([x, bottom + 3.0]), Line::solid(Colour::INK, 0.8));
            picture.write([x, bottom + 13.0], SMALL, Anchor::Middle, Colour::INK, &label);
        }
        picture
            .line(Path::through([[left, top], [left, bottom], [left + width, bottom]]), Line::solid(Colour::INK, 0.8));
        // The first line is drawn last, on top. Lines are shifted sideways by a hair, so that equal ones can be told apart.
        let count = self.lines.len() as f64;
        for at in (0..self.lines.len()).rev() {
            let Style { colour, marker, dash } = self.lines[at].1;
            let aside = (at as f64 - (count - 1.0) / 2.0) * (9.0 / count).min(2.5);
            let place = |point: &Point| [across(point.x) + aside, up(point.y)];
            let Some(points) = panel.points.get(at).filter(|points| !points.is_empty()) else { continue };
            picture.line(Path::through(points.iter().map(place)), Line { colour, width: 1.3, dash });
            for point in points {
                let [x, y] = place(point);
                if let Some(error) = point.error.filter(|error| *error > 0.0) {
                    let (low, high) = (up(point.y - error), up(point.y + error));
                    let end = |y: f64| Path::from([x - 1.5, y]).to([x + 1.5, y]);
                    let bar = Path::from([x, low]).to([x, high]).and(end(low)).and(end(high));
                    picture.line(bar, Line::solid(colour, 0.9));
                }
                marker.draw(picture, [x, y], 2.6, colour, point.partial);
            }
        }
        if panel.points.iter().all(Vec::is_empty) {
            let centre = [left + width / 2.0, top + PLOT_HEIGHT / 2.0];
            picture.write(centre, SMALL, Anchor::Middle, GREY, "no results");
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

fn legend_item(label: &str) -> f64 {
    SAMPLE + 4.0 + text_width(label, TEXT) + 12.0
}

fn label(at: [f64; 2], anchor: Anchor, words: String) -> Text {
    Text { at, size: TEXT, anchor, colour: Colour::INK, bold: false, upwards: false, words }
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
        let svg = chart.picture().svg();
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
        let svg = chart.picture().svg();
        assert!(svg.contains("no results") && !svg.contains("NaN"), "{svg}");
    }
}
