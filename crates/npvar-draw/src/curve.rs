//! One figure of shares against the number of samples, with bands: what `npvar plan` draws.

use std::fmt::Write;

use crate::axis::{Axis, Spread};
use crate::svg::{INK, picture, text};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 112.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 44.0;
const TEXT: f64 = 11.5;
const SMALL: f64 = 10.0;

/// A line with a band around it.
pub struct Curve {
    /// What stands at its end.
    pub label: String,
    /// From left to right.
    pub points: Vec<CurvePoint>,
}

/// A share and its interval at a number of samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// The number of samples.
    pub samples: usize,
    /// The share.
    pub share: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

/// Up to two curves over a logarithmic axis, and a line at the share that is wanted, as SVG.
pub fn svg(title: &str, curves: &[Curve], target: f64) -> String {
    // Blue and orange that differ in lightness too; the second is dashed.
    const LOOKS: [(&str, &str); 2] = [("#0b5fa5", ""), ("#d98200", "6 3")];
    let samples = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.samples as f64);
    let (first, last) = (samples().fold(f64::INFINITY, f64::min), samples().fold(0.0, f64::max));
    let (low, high) = (first.ln(), last.ln());
    let plot = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let across = |samples: f64| {
        let place = if high > low { (samples.ln() - low) / (high - low) } else { 0.5 };
        LEFT + plot.0 * (0.03 + 0.94 * place)
    };
    let up = |share: f64| TOP + plot.1 * (1.0 - share);
    let mut body = String::new();
    text(&mut body, (LEFT, 20.0), TEXT, "start", INK, " font-weight=\"bold\"", title);
    for (value, label) in Axis::new(Spread::Linear, 0.0, 1.0).ticks(5) {
        let y = up(value);
        let _ = writeln!(body, "<path d=\"M{LEFT} {y:.1}h{:.1}\" stroke=\"#e3e3e3\" stroke-width=\"0.8\"/>", plot.0);
        text(&mut body, (LEFT - 6.0, y + 3.5), SMALL, "end", INK, "", &label);
    }
    let mut ticks: Vec<usize> = curves.iter().flat_map(|curve| &curve.points).map(|point| point.samples).collect();
    ticks.sort_unstable();
    ticks.dedup();
    let mut free = f64::NEG_INFINITY;
    for tick in ticks {
        let (x, label) = (across(tick as f64), tick.to_string());
        let _ = writeln!(body, "<path d=\"M{x:.1} {:.1}v4\" stroke=\"{INK}\" stroke-width=\"0.8\"/>", TOP + plot.1);
        let half = 3.2 * label.len() as f64;
        if x - half > free {
            text(&mut body, (x, TOP + plot.1 + 16.0), SMALL, "middle", INK, "", &label);
            free = x + half + 4.0;
        }
    }
    let y = up(target);
    let _ = writeln!(
        body,
        "<path d=\"M{LEFT} {y:.1}h{:.1}\" stroke=\"{INK}\" stroke-width=\"0.8\" stroke-dasharray=\"2 3\"/>",
        plot.0
    );
    let mut taken: Vec<f64> = Vec::new();
    for (curve, (colour, dash)) in curves.iter().zip(LOOKS) {
        let place = |samples: usize, share: f64| format!("{:.1} {:.1}", across(samples as f64), up(share));
        let upper = curve.points.iter().map(|point| place(point.samples, point.interval.1));
        let lower = curve.points.iter().rev().map(|point| place(point.samples, point.interval.0));
        let band: Vec<String> = upper.chain(lower).collect();
        let line: Vec<String> = curve.points.iter().map(|point| place(point.samples, point.share)).collect();
        let _ = writeln!(body, "<path d=\"M{}Z\" fill=\"{colour}\" fill-opacity=\"0.16\"/>", band.join("L"));
        let _ = writeln!(
            body,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"/>",
            line.join("L")
        );
        for point in &curve.points {
            let (x, y) = (across(point.samples as f64), up(point.share));
            let _ = writeln!(body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.8\" fill=\"{colour}\"/>");
        }
        if let Some(last) = curve.points.last() {
            let mut y = up(last.share) + 3.5;
            while taken.iter().any(|other| (other - y).abs() < 14.0) {
                y += 14.0;
            }
            taken.push(y);
            text(&mut body, (across(last.samples as f64) + 9.0, y), TEXT, "start", colour, "", &curve.label);
        }
    }
    let _ = writeln!(
        body,
        "<path d=\"M{LEFT} {TOP}v{:.1}h{:.1}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"0.9\"/>",
        plot.1, plot.0
    );
    text(&mut body, (LEFT + plot.0 / 2.0, HEIGHT - 8.0), TEXT, "middle", INK, "", "samples n");
    let middle = TOP + plot.1 / 2.0;
    let turn = format!(" transform=\"rotate(-90 14 {middle:.1})\"");
    text(&mut body, (14.0, middle), TEXT, "middle", INK, &turn, "share recovered");
    picture(title, (WIDTH, HEIGHT), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_bands_and_labels_are_drawn_inside_the_figure() {
        let point = |samples, share| CurvePoint { samples, share, interval: (share / 2.0, (share + 1.0) / 2.0) };
        let curve = |label: &str| Curve { label: label.to_owned(), points: vec![point(50, 0.2), point(1000, 1.0)] };
        let svg = svg("a < b", &[curve("order"), curve("graph")], 0.9);
        assert!(svg.contains("a &lt; b") && svg.contains(">order<") && svg.contains(">graph<"));
        assert_eq!(svg.matches("fill-opacity").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(
            !super::svg("one", &[Curve { label: "x".to_owned(), points: vec![point(50, 0.2)] }], 0.9).contains("NaN")
        );
    }
}
