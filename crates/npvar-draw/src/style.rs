//! What tells lines apart: a colour, and for print without colours a marker and a dash.
//!
//! Colours are those of Okabe & Ito (2008), chosen to be distinct with any common colour vision; their yellow, which vanishes on
//! white paper, is replaced by grey.

use crate::layout::Point;
use crate::picture::{Colour, Figure, Fill, Line, Path, Picture};

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// Of line and markers.
    pub colour: Colour,
    /// At every point.
    pub marker: Marker,
    /// Lengths of dashes and gaps; none is solid.
    pub dash: &'static [f64],
}

const fn style(colour: u32, marker: Marker, dash: &'static [f64]) -> Style {
    Style { colour: Colour(colour), marker, dash }
}

/// No two are alike, with or without colours; those that differ most come first.
pub const STYLES: [Style; 19] = [
    style(0xd5_5e00, Marker::Circle, &[]),
    style(0x00_72b2, Marker::Square, &[]),
    style(0x00_9e73, Marker::Up, &[6.0, 2.0]),
    style(0xcc_79a7, Marker::Diamond, &[2.0, 2.0]),
    style(0xe6_9f00, Marker::Down, &[7.0, 2.0, 2.0, 2.0]),
    style(0x56_b4e9, Marker::Star, &[]),
    style(0x00_0000, Marker::Cross, &[4.0, 2.0]),
    style(0x7f_7f7f, Marker::Plus, &[]),
    style(0x8a_6100, Marker::Left, &[1.0, 2.0]),
    style(0x00_4d80, Marker::Pentagon, &[5.0, 2.0, 1.0, 2.0]),
    style(0x8c_4572, Marker::Square, &[3.0, 3.0]),
    style(0x5e_5e5e, Marker::Up, &[1.0, 3.0]),
    style(0xa9_a9a9, Marker::Down, &[3.0, 1.0]),
    style(0x6a_3d9a, Marker::Diamond, &[8.0, 3.0]),
    style(0x33_7a2c, Marker::Circle, &[2.0, 4.0]),
    style(0xb0_1e4f, Marker::Left, &[]),
    style(0x2f_4b7c, Marker::Star, &[5.0, 3.0]),
    style(0x80_5a00, Marker::Cross, &[1.0, 4.0]),
    style(0x1b_7f79, Marker::Plus, &[8.0, 2.0, 2.0, 2.0]),
];

impl Marker {
    /// The marker around a point; hollow where something is missing.
    pub(crate) fn draw(self, picture: &mut Picture, [x, y]: Point, size: f64, colour: Colour, hollow: bool) {
        let fill = Some(Fill::solid(if hollow { Colour::WHITE } else { colour }));
        let line = Some(Line::solid(colour, 1.0));
        let at = |&(dx, dy): &(f64, f64)| [x + dx * size, y + dy * size];
        let mut polygon = |points: &[(f64, f64)]| {
            picture.draw(Figure::Path(Path::through(points.iter().map(at)).close()), line, fill)
        };
        match self {
            Marker::Circle => picture.draw(Figure::Circle { middle: [x, y], radius: 0.9 * size }, line, fill),
            Marker::Square => polygon(&[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)]),
            Marker::Up => polygon(&[(0.0, -1.15), (1.0, 0.75), (-1.0, 0.75)]),
            Marker::Down => polygon(&[(0.0, 1.15), (1.0, -0.75), (-1.0, -0.75)]),
            Marker::Left => polygon(&[(-1.15, 0.0), (0.75, 1.0), (0.75, -1.0)]),
            Marker::Diamond => polygon(&[(0.0, -1.25), (1.05, 0.0), (0.0, 1.25), (-1.05, 0.0)]),
            Marker::Pentagon => polygon(&regular(5, |_| 1.15)),
            Marker::Star => polygon(&regular(10, |at| if at % 2 == 0 { 1.4 } else { 0.6 })),
            Marker::Cross | Marker::Plus => {
                let ends = match self {
                    Marker::Cross => [(-0.95, -0.95), (0.95, 0.95), (-0.95, 0.95), (0.95, -0.95)],
                    _ => [(-1.2, 0.0), (1.2, 0.0), (0.0, -1.2), (0.0, 1.2)],
                };
                let stroke = |ends: &[(f64, f64)]| Path::through(ends.iter().map(at));
                let line = Line::solid(colour, if hollow { 0.8 } else { 1.6 });
                picture.line(stroke(&ends[..2]).and(stroke(&ends[2..])), line);
            }
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
