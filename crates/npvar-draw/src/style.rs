//! What tells lines apart: a colour, and for print without colours a marker and a dash.
//!
//! Colours are those of Okabe & Ito (2008), chosen to be distinct with any common colour vision; their yellow, which vanishes on
//! white paper, is replaced by grey.

/// A marker's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Up,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    Down,
    /// Two diagonals.
    Cross,
    /// Two axes.
    Plus,
    /// Five points.
    Star,
    /// Five corners.
    Pentagon,
    /// A triangle that points left.
    Left,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// As SVG writes it.
    pub colour: &'static str,
    /// At every point.
    pub marker: Marker,
    /// SVG's `stroke-dasharray`; empty is solid.
    pub dash: &'static str,
}

const fn style(colour: &'static str, marker: Marker, dash: &'static str) -> Style {
    Style { colour, marker, dash }
}

/// No two are alike, with or without colours; those that differ most come first.
pub const STYLES: [Style; 13] = [
    style("#D55E00", Marker::Circle, ""),
    style("#0072B2", Marker::Square, ""),
    style("#009E73", Marker::Up, "6 2"),
    style("#CC79A7", Marker::Diamond, "2 2"),
    style("#E69F00", Marker::Down, "7 2 2 2"),
    style("#56B4E9", Marker::Star, ""),
    style("#000000", Marker::Cross, "4 2"),
    style("#7F7F7F", Marker::Plus, ""),
    style("#8A6100", Marker::Left, "1 2"),
    style("#004D80", Marker::Pentagon, "5 2 1 2"),
    style("#8C4572", Marker::Square, "3 3"),
    style("#5E5E5E", Marker::Up, "1 3"),
    style("#A9A9A9", Marker::Down, "3 1"),
];

impl Marker {
    /// The marker around a point, as SVG; hollow where something is missing.
    pub fn svg(self, (x, y): (f64, f64), size: f64, colour: &str, hollow: bool) -> String {
        let fill = if hollow { "#ffffff" } else { colour };
        let polygon = |points: &[(f64, f64)]| {
            let points: Vec<String> =
                points.iter().map(|(dx, dy)| format!("{:.2},{:.2}", x + dx * size, y + dy * size)).collect();
            format!("<polygon points=\"{}\" fill=\"{fill}\" stroke=\"{colour}\"/>", points.join(" "))
        };
        let strokes = |strokes: &[(f64, f64, f64, f64)]| {
            let path: String = strokes
                .iter()
                .map(|(a, b, c, d)| {
                    format!("M{:.2} {:.2}L{:.2} {:.2}", x + a * size, y + b * size, x + c * size, y + d * size)
                })
                .collect();
            let width = if hollow { 0.8 } else { 1.6 };
            format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>")
        };
        match self {
            Marker::Circle => {
                format!(
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{:.2}\" fill=\"{fill}\" stroke=\"{colour}\"/>",
                    0.9 * size
                )
            }
            Marker::Square => polygon(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]),
            Marker::Up => polygon(&[(0.0, -1.15), (1.0, 0.75), (-1.0, 0.75)]),
            Marker::Down => polygon(&[(0.0, 1.15), (1.0, -0.75), (-1.0, -0.75)]),
            Marker::Left => polygon(&[(-1.15, 0.0), (0.75, 1.0), (0.75, -1.0)]),
            Marker::Diamond => polygon(&[(0.0, -1.25), (1.05, 0.0), (0.0, 1.25), (-1.05, 0.0)]),
            Marker::Pentagon => polygon(&regular(5, |_| 1.15)),
            Marker::Star => polygon(&regular(10, |at| if at % 2 == 0 { 1.4 } else { 0.6 })),
            Marker::Cross => strokes(&[(-0.95, -0.95, 0.95, 0.95), (-0.95, 0.95, 0.95, -0.95)]),
            Marker::Plus => strokes(&[(-1.2, 0.0, 1.2, 0.0), (0.0, -1.2, 0.0, 1.2)]),
        }
    }
}

/// The corners of a regular polygon, the first on top.
fn regular(corners: usize, radius: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    let turn = std::f64::consts::TAU / corners as f64;
    (0..corners).map(|at| (radius(at) * (turn * at as f64).sin(), -radius(at) * (turn * at as f64).cos())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_lines_look_alike_with_or_without_colour() {
        for (at, style) in STYLES.iter().enumerate() {
            for other in &STYLES[..at] {
                assert_ne!(style.colour, other.colour);
                assert_ne!((style.marker, style.dash), (other.marker, other.dash));
            }
        }
    }
}
