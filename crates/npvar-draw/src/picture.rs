//! A picture: boxes, circles, paths and text on white paper, in CSS pixels from the top left.
//!
//! Graphs and charts are drawn as a [`Picture`] first; SVG, PNG and PDF are written from the same list of shapes, so that all
//! three show the same.

use std::path::Path as FilePath;

use crate::layout::Point;

/// A drawing that can be written as SVG, PNG or PDF.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What a reader who cannot see it is told.
    pub(crate) title: String,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// From the bottom to the top.
    pub(crate) shapes: Vec<Shape>,
}

/// The formats of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    /// For the web and for drawing programs.
    Svg,
    /// Dots, 300 to the inch.
    Png,
    /// For print, with its letters inside.
    Pdf,
}

impl PictureFormat {
    /// The format that a file's ending names: `.svg`, `.png` or `.pdf`.
    ///
    /// ```
    /// use npvar_draw::PictureFormat;
    /// assert_eq!(PictureFormat::of_path("graph.PDF".as_ref()), Some(PictureFormat::Pdf));
    /// assert_eq!(PictureFormat::of_path("graph.json".as_ref()), None);
    /// ```
    pub fn of_path(path: &FilePath) -> Option<PictureFormat> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => Some(PictureFormat::Svg),
            "png" => Some(PictureFormat::Png),
            "pdf" => Some(PictureFormat::Pdf),
            _ => None,
        }
    }
}

impl Picture {
    /// An empty page.
    pub(crate) fn new(title: &str, width: f64, height: f64) -> Picture {
        Picture { title: title.to_owned(), width, height, shapes: Vec::new() }
    }

    /// How wide and how high it is, in CSS pixels.
    pub fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// The content of a file.
    pub fn to_bytes(&self, format: PictureFormat) -> Vec<u8> {
        match format {
            PictureFormat::Svg => self.svg().into_bytes(),
            PictureFormat::Png => self.png(),
            PictureFormat::Pdf => self.pdf(),
        }
    }

    pub(crate) fn draw(&mut self, figure: Figure, line: Option<Line>, fill: Option<Fill>) {
        self.shapes.push(Shape::Drawn { figure, line, fill });
    }

    pub(crate) fn line(&mut self, path: Path, line: Line) {
        self.draw(Figure::Path(path), Some(line), None);
    }

    pub(crate) fn write(&mut self, at: Point, size: f64, anchor: Anchor, colour: Colour, words: &str) {
        self.text(Text { at, size, anchor, colour, bold: false, upwards: false, words: words.to_owned() });
    }

    pub(crate) fn text(&mut self, text: Text) {
        if !text.words.is_empty() {
            self.shapes.push(Shape::Text(text));
        }
    }

    /// What `draw` adds has a name that a pointer over it is told.
    pub(crate) fn named(&mut self, name: String, draw: impl FnOnce(&mut Picture)) {
        let begin = self.shapes.len();
        draw(self);
        let shapes = self.shapes.split_off(begin);
        self.shapes.push(Shape::Named { name, shapes });
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Drawn { figure: Figure, line: Option<Line>, fill: Option<Fill> },
    Text(Text),
    Named { name: String, shapes: Vec<Shape> },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Figure {
    /// With round corners.
    Box {
        corner: Point,
        size: Point,
        radius: f64,
    },
    Circle {
        middle: Point,
        radius: f64,
    },
    Path(Path),
}

impl Figure {
    /// As steps of a path.
    pub(crate) fn path(&self) -> Path {
        match self {
            Figure::Path(path) => path.clone(),
            Figure::Circle { middle: [x, y], radius } => {
                rounded([x - radius, y - radius], [2.0 * radius, 2.0 * radius], *radius)
            }
            Figure::Box { corner, size, radius } => rounded(*corner, *size, *radius),
        }
    }
}

/// A box whose corners are quarters of a circle, which cubic curves meet to a hair.
fn rounded([left, top]: Point, [width, height]: Point, radius: f64) -> Path {
    const QUARTER: f64 = 0.552_284_75;
    let (right, bottom) = (left + width, top + height);
    let pull = radius * (1.0 - QUARTER);
    let mut path = Path::from([left + radius, top]).to([right - radius, top]);
    let corners = [
        ([right - pull, top], [right, top + pull], [right, top + radius], [right, bottom - radius]),
        ([right, bottom - pull], [right - pull, bottom], [right - radius, bottom], [left + radius, bottom]),
        ([left + pull, bottom], [left, bottom - pull], [left, bottom - radius], [left, top + radius]),
        ([left, top + pull], [left + pull, top], [left + radius, top], [left + radius, top]),
    ];
    for (first, second, end, next) in corners {
        path = path.bend(first, second, end).to(next);
    }
    path.close()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Move(Point),
    Line(Point),
    Curve(Point, Point, Point),
    Close,
}

/// Lines and curves, one after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Path(pub(crate) Vec<Step>);

impl Path {
    pub(crate) fn from(at: Point) -> Path {
        Path(vec![Step::Move(at)])
    }

    pub(crate) fn to(mut self, at: Point) -> Path {
        self.0.push(Step::Line(at));
        self
    }

    pub(crate) fn bend(mut self, first: Point, second: Point, end: Point) -> Path {
        self.0.push(Step::Curve(first, second, end));
        self
    }

    pub(crate) fn close(mut self) -> Path {
        self.0.push(Step::Close);
        self
    }

    pub(crate) fn and(mut self, other: Path) -> Path {
        self.0.extend(other.0);
        self
    }

    /// Straight from point to point.
    pub(crate) fn through(points: impl IntoIterator<Item = Point>) -> Path {
        let mut points = points.into_iter();
        match points.next() {
            Some(first) => points.fold(Path::from(first), Path::to),
            None => Path::default(),
        }
    }

    /// A point, then three for every piece of a Bézier curve.
    pub(crate) fn bezier(points: &[Point]) -> Path {
        let pieces = points[1..].chunks_exact(3);
        pieces.fold(Path::from(points[0]), |path, piece| path.bend(piece[0], piece[1], piece[2]))
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Line {
    pub(crate) colour: Colour,
    pub(crate) width: f64,
    /// Lengths of dashes and gaps; none is solid.
    pub(crate) dash: &'static [f64],
}

impl Line {
    pub(crate) const fn solid(colour: Colour, width: f64) -> Line {
        Line { colour, width, dash: &[] }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fill {
    pub(crate) colour: Colour,
    pub(crate) opacity: f64,
}

impl Fill {
    pub(crate) const fn solid(colour: Colour) -> Fill {
        Fill { colour, opacity: 1.0 }
    }
}

/// `0xRRGGBB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u32);

impl Colour {
    pub(crate) const WHITE: Colour = Colour(0xff_ffff);
    /// Of text and axes.
    pub(crate) const INK: Colour = Colour(0x22_2222);

    pub(crate) fn channels(self) -> [u8; 3] {
        let [_, red, green, blue] = self.0.to_be_bytes();
        [red, green, blue]
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Text {
    /// On the line that the letters stand on.
    pub(crate) at: Point,
    pub(crate) size: f64,
    pub(crate) anchor: Anchor,
    pub(crate) colour: Colour,
    pub(crate) bold: bool,
    /// From the bottom to the top of the page.
    pub(crate) upwards: bool,
    pub(crate) words: String,
}

impl Text {
    /// How much of its width stands before its point.
    pub(crate) fn share_before(&self) -> f64 {
        match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => 0.5,
            Anchor::End => 1.0,
        }
    }
}
