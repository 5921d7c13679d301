//! The letters that travel with the program: Roboto, Latin and Greek, in two weights.
//!
//! A letter that the font does not have (of another script, say) is drawn as its empty box; SVG, which readers draw with
//! fonts of their own, shows it as it is.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::layout::Point;
use crate::picture::{Path, Step, Text};

pub(crate) struct Font {
    pub(crate) name: &'static str,
    /// The file.
    pub(crate) data: &'static [u8],
    pub(crate) face: Face<'static>,
}

const REGULAR: &[u8] = include_bytes!("../fonts/Roboto-Regular-subset.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/Roboto-Bold-subset.ttf");

/// Both weights.
pub(crate) struct Fonts {
    weights: [Font; 2],
}

impl Fonts {
    pub(crate) fn new() -> Fonts {
        let font = |name, data| Font { name, data, face: Face::parse(data, 0).expect("our own font can be read") };
        Fonts { weights: [font("Roboto-Regular", REGULAR), font("Roboto-Bold", BOLD)] }
    }

    pub(crate) fn weight(&self, bold: bool) -> &Font {
        &self.weights[usize::from(bold)]
    }
}

impl Font {
    /// The letters of a text and how far from its beginning each stands, as shares of the letters' size; and its width.
    pub(crate) fn set(&self, words: &str) -> (Vec<(GlyphId, f64)>, f64) {
        let mut width = 0.0;
        let glyph = |letter| {
            let glyph = self.face.glyph_index(letter).unwrap_or(GlyphId(0));
            let at = width;
            width += self.advance(glyph);
            (glyph, at)
        };
        (words.chars().map(glyph).collect(), width)
    }

    /// How far the next letter is, as a share of the size.
    pub(crate) fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) / self.em()
    }

    pub(crate) fn em(&self) -> f64 {
        f64::from(self.face.units_per_em())
    }

    pub(crate) fn has(&self, letter: char) -> bool {
        self.face.glyph_index(letter).is_some()
    }

    /// The outlines of a text where it stands in the picture.
    pub(crate) fn outline(&self, text: &Text) -> Path {
        let (glyphs, width) = self.set(&text.words);
        let mut outline = Outline { steps: Vec::new(), last: [0.0; 2], text, em: self.em(), before: 0.0 };
        for (glyph, at) in glyphs {
            outline.before = at - text.share_before() * width;
            self.face.outline_glyph(glyph, &mut outline);
        }
        Path(outline.steps)
    }
}

struct Outline<'a> {
    steps: Vec<Step>,
    last: Point,
    text: &'a Text,
    em: f64,
    /// Where the letter begins, as a share of the size.
    before: f64,
}

impl Outline<'_> {
    fn place(&self, x: f32, y: f32) -> Point {
        let along = (f64::from(x) / self.em + self.before) * self.text.size;
        let above = f64::from(y) / self.em * self.text.size;
        let [left, base] = self.text.at;
        if self.text.upwards { [left - above, base - along] } else { [left + along, base - above] }
    }
}

impl OutlineBuilder for Outline<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        self.last = self.place(x, y);
        self.steps.push(Step::Move(self.last));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.last = self.place(x, y);
        self.steps.push(Step::Line(self.last));
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (bend, end) = (self.place(x1, y1), self.place(x, y));
        let towards = |from: Point| [0, 1].map(|side| from[side] + 2.0 / 3.0 * (bend[side] - from[side]));
        self.steps.push(Step::Curve(towards(self.last), towards(end), end));
        self.last = end;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.last = self.place(x, y);
        self.steps.push(Step::Curve(self.place(x1, y1), self.place(x2, y2), self.last));
    }

    fn close(&mut self) {
        self.steps.push(Step::Close);
    }
}
