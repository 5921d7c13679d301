//! A picture as PNG, with the same letters on every machine.

use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

use crate::font::Fonts;
use crate::picture::{Colour, Fill, Line, Path, Picture, Shape, Step};

/// Dots per CSS pixel: 300 to the inch.
const SCALE: f64 = 300.0 / 96.0;

/// The most dots of a picture.
const MOST_DOTS: f64 = 60e6;

impl Picture {
    /// As PNG, with 300 dots to the inch, or fewer where it would have more than 60 million. Letters of scripts other than
    /// Latin and Greek are drawn as empty boxes.
    pub fn png(&self) -> Vec<u8> {
        let scale = SCALE.min((MOST_DOTS / (self.width * self.height)).sqrt());
        let dots = |side: f64| ((side * scale) as u32).max(1);
        let mut pixels =
            Pixmap::new(dots(self.width), dots(self.height)).expect("a picture of at most 60 million dots");
        pixels.fill(tiny_skia::Color::WHITE);
        let mut canvas =
            Canvas { pixels, scale: Transform::from_scale(scale as f32, scale as f32), fonts: Fonts::new() };
        self.shapes.iter().for_each(|shape| canvas.draw(shape));
        canvas.pixels.encode_png().expect("dots in memory can be written to memory")
    }
}

struct Canvas {
    pixels: Pixmap,
    scale: Transform,
    fonts: Fonts,
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Drawn { figure, line, fill } => self.paint(&figure.path(), *line, *fill),
            Shape::Text(text) => {
                let outline = self.fonts.weight(text.bold).outline(text);
                self.paint(&outline, None, Some(Fill::solid(text.colour)));
            }
            Shape::Named { shapes, .. } => shapes.iter().for_each(|shape| self.draw(shape)),
        }
    }

    fn paint(&mut self, path: &Path, line: Option<Line>, fill: Option<Fill>) {
        let Some(path) = traced(path) else { return };
        if let Some(Fill { colour, opacity }) = fill {
            self.pixels.fill_path(&path, &paint(colour, opacity), FillRule::Winding, self.scale, None);
        }
        if let Some(Line { colour, width, dash }) = line {
            let dash = StrokeDash::new(dash.iter().map(|&length| length as f32).collect(), 0.0);
            let stroke = Stroke { width: width as f32, dash, ..Stroke::default() };
            self.pixels.stroke_path(&path, &paint(colour, 1.0), &stroke, self.scale, None);
        }
    }
}

/// Nothing, where there is nothing to draw.
fn traced(path: &Path) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    for step in &path.0 {
        let narrow = |point: [f64; 2]| point.map(|value| value as f32);
        match *step {
            Step::Move(to) => {
                let [x, y] = narrow(to);
                builder.move_to(x, y);
            }
            Step::Line(to) => {
                let [x, y] = narrow(to);
                builder.line_to(x, y);
            }
            Step::Curve(first, second, to) => {
                let ([a, b], [c, d], [x, y]) = (narrow(first), narrow(second), narrow(to));
                builder.cubic_to(a, b, c, d, x, y);
            }
            Step::Close => builder.close(),
        }
    }
    builder.finish()
}

fn paint(colour: Colour, opacity: f64) -> Paint<'static> {
    let [red, green, blue] = colour.channels();
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (255.0 * opacity).round() as u8);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Anchor, Text};

    #[test]
    fn letters_are_drawn_without_any_font_of_the_system() {
        let picture = |words: &str, bold, upwards| {
            let mut picture = Picture::new("t", 60.0, 60.0);
            let (at, anchor) = ([30.0, 30.0], Anchor::Middle);
            picture.text(Text { at, size: 12.0, anchor, colour: Colour::INK, bold, upwards, words: words.to_owned() });
            Pixmap::decode_png(&picture.png()).unwrap()
        };
        let [blank, sigma, bold, upwards, other] = [
            picture("", false, false),
            picture("σ² ±", false, false),
            picture("σ² ±", true, false),
            picture("σ² ±", false, true),
            picture("温度", false, false),
        ];
        assert!(sigma != blank && bold != sigma && upwards != sigma && other != blank);
        // A word in the middle leaves as much paper on either side, along the way it is written.
        let ink = |picture: &Pixmap, down: bool| -> Vec<u32> {
            let side = picture.width();
            let dark = |&at: &u32| {
                (0..side).any(|other| {
                    let (x, y) = if down { (other, at) } else { (at, other) };
                    picture.pixel(x, y).unwrap().red() < 128
                })
            };
            (0..side).filter(dark).collect()
        };
        for (picture, down) in [(&sigma, false), (&upwards, true)] {
            let found = ink(picture, down);
            let (before, after) = (found[0], picture.width() - 1 - found[found.len() - 1]);
            assert!(before.abs_diff(after) <= 6, "{before} {after}");
        }
    }
}
