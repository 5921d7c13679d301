//! One figure of shares against the number of samples, with bands: what `npvar plan` draws.

use crate::axis::{Axis, Spread};
use crate::picture::{Anchor, Colour, Figure, Fill, Line, Path, Picture, Text};

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

/// Up to two curves over a logarithmic axis, and a line at the share that is wanted.
pub fn picture(title: &str, curves: &[Curve], target: f64) -> Picture {
    // Blue and orange that differ in lightness too; the second is dashed.
    const LOOKS: [(Colour, &[f64]); 2] = [(Colour(0x0b_5fa5), &[]), (Colour(0xd9_8200), &[6.0, 3.0])];
    let samples = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.samples as f64);
    let (first, last) = (samples().fold(f64::INFINITY, f64::min), samples().fold(0.0, f64::max));
    let (low, high) = (first.ln(), last.ln());
    let (width, height) = (WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    let (right, bottom) = (LEFT + width, TOP + height);
    let across = |samples: f64| {
        let place = if high > low { (samples.ln() - low) / (high - low) } else { 0.5 };
        LEFT + width * (0.03 + 0.94 * place)
    };
    let up = |share: f64| TOP + height * (1.0 - share);
    let mut picture = Picture::new(title, WIDTH, HEIGHT);
    picture.text(Text { bold: true, ..text([LEFT, 20.0], Anchor::Start, title) });
    for (value, label) in Axis::new(Spread::Linear, 0.0, 1.0).ticks(5) {
        let y = up(value);
        picture.line(Path::from([LEFT, y]).to([right, y]), Line::solid(Colour(0xe3_e3e3), 0.8));
        picture.write([LEFT - 6.0, y + 3.5], SMALL, Anchor::End, Colour::INK, &label);
    }
    let mut ticks: Vec<usize> = curves.iter().flat_map(|curve| &curve.points).map(|point| point.samples).collect();
    ticks.sort_unstable();
    ticks.dedup();
    let mut free = f64::NEG_INFINITY;
    for tick in ticks {
        let (x, label) = (across(tick as f64), tick.to_string());
        picture.line(Path::from([x, bottom]).to([x, bottom + 4.0]), Line::solid(Colour::INK, 0.8));
        let half = 3.2 * label.len() as f64;
        if x - half > free {
            picture.write([x, bottom + 16.0], SMALL, Anchor::Middle, Colour::INK, &label);
            free = x + half + 4.0;
        }
    }
    let wanted = Line { colour: Colour::INK, width: 0.8, dash: &[2.0, 3.0] };
    picture.line(Path::from([LEFT, up(target)]).to([right, up(target)]), wanted);
    let mut taken: Vec<f64> = Vec::new();
    for (curve, (colour, dash)) in curves.iter().zip(LOOKS) {
        let place = |samples: usize, share: f64| [across(samples as f64), up(share)];
        let upper = curve.points.iter().map(|point| place(point.samples, point.interval.1));
        let lower = curve.points.iter().rev().map(|point| place(point.samples, point.interval.0));
        let band = Figure::Path(Path::through(upper.chain(lower)).close());
        picture.draw(band, None, Some(Fill { colour, opacity: 0.16 }));
        let line = Path::through(curve.points.iter().map(|point| place(point.samples, point.share)));
        picture.line(line, Line { colour, width: 1.8, dash });
        for point in &curve.points {
            let middle = place(point.samples, point.share);
            picture.draw(Figure::Circle { middle, radius: 2.8 }, None, Some(Fill::solid(colour)));
        }
        if let Some(last) = curve.points.last() {
            let mut y = up(last.share) + 3.5;
            while taken.iter().any(|other| (other - y).abs() < 14.0) {
                y += 14.0;
            }
            taken.push(y);
            picture.write([across(last.samples as f64) + 9.0, y], TEXT, Anchor::Start, colour, &curve.label);
        }
    }
    picture.line(Path::through([[LEFT, TOP], [LEFT, bottom], [right, bottom]]), Line::solid(Colour::INK, 0.9));
    picture.text(text([LEFT + width / 2.0, HEIGHT - 8.0], Anchor::Middle, "samples n"));
    picture.text(Text { upwards: true, ..text([14.0, TOP + height / 2.0], Anchor::Middle, "share recovered") });
    picture
}

fn text(at: [f64; 2], anchor: Anchor, words: &str) -> Text {
    Text { at, size: TEXT, anchor, colour: Colour::INK, bold: false, upwards: false, words: words.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_bands_and_labels_are_drawn_inside_the_figure() {
        let point = |samples, share| CurvePoint { samples, share, interval: (share / 2.0, (share + 1.0) / 2.0) };
        let curve = |label: &str| Curve { label: label.to_owned(), points: vec![point(50, 0.2), point(1000, 1.0)] };
        let svg = picture("a < b", &[curve("order"), curve("graph")], 0.9).svg();
        assert!(svg.contains("a &lt; b") && svg.contains(">order<") && svg.contains(">graph<"));
        assert_eq!(svg.matches("fill-opacity").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        let one = picture("one", &[Curve { label: "x".to_owned(), points: vec![point(50, 0.2)] }], 0.9);
        assert!(!one.svg().contains("NaN"));
    }
}
