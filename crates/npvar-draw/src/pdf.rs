//! A picture as PDF: one page of its own size, with text that can be selected and the font inside.
//!
//! Written by hand after ISO 32000-1. Letters are written as the numbers of their glyphs, with a table that leads back to
//! them; a text with a letter that the font does not have carries its true words beside the boxes that are drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ttf_parser::GlyphId;

use crate::font::{Font, Fonts};
use crate::layout::Point;
use crate::picture::{Colour, Fill, Line, Path, Picture, Shape, Step, Text};

/// Points per CSS pixel.
const POINTS: f64 = 72.0 / 96.0;
/// Entries in one part of a table of letters.
const TABLE_PART: usize = 100;

impl Picture {
    /// As PDF. Letters of scripts other than Latin and Greek are drawn as empty boxes; copied text has them as they are.
    pub fn pdf(&self) -> Vec<u8> {
        let fonts = Fonts::new();
        let (width, height) = (self.width * POINTS, self.height * POINTS);
        let mut page = Page {
            fonts: &fonts,
            content: String::new(),
            used: [BTreeMap::new(), BTreeMap::new()],
            opacities: BTreeSet::new(),
        };
        // From points from the bottom to pixels from the top.
        let _ = writeln!(page.content, "{POINTS} 0 0 -{POINTS} 0 {} cm", number(height));
        self.shapes.iter().for_each(|shape| page.draw(shape));

        let mut file = File { bytes: b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec(), places: Vec::new() };
        let mut font_names = String::new();
        for (bold, used) in page.used.iter().enumerate() {
            if !used.is_empty() {
                let at = file.font(fonts.weight(bold == 1), used);
                let _ = write!(font_names, "/F{bold} {at} 0 R ");
            }
        }
        let states: String = page
            .opacities
            .iter()
            .map(|percent| format!("/O{percent} << /ca {} >> ", f64::from(*percent) / 100.0))
            .collect();
        let content = file.stream("", page.content.as_bytes());
        let pages = file.next() + 1;
        let page = file.object(&format!(
            "<< /Type /Page /Parent {pages} 0 R /MediaBox [0 0 {} {}] /Contents {content} 0 R /Resources << /Font << \
             {font_names}>> /ExtGState << {states}>> >> >>",
            number(width),
            number(height)
        ));
        file.object(&format!("<< /Type /Pages /Kids [{page} 0 R] /Count 1 >>"));
        let root = file.object(&format!(
            "<< /Type /Catalog /Pages {pages} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>"
        ));
        let about = file.object(&format!("<< /Title {} /Producer (npvar) >>", utf16(&self.title)));
        file.finish(root, about)
    }
}

struct Page<'a> {
    fonts: &'a Fonts,
    content: String,
    /// By weight: the letters' glyphs, with the letter of each.
    used: [BTreeMap<u16, char>; 2],
    /// In hundredths.
    opacities: BTreeSet<u8>,
}

impl Page<'_> {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Drawn { figure, line, fill } => self.paint(&figure.path(), *line, *fill),
            Shape::Text(text) => self.text(text),
            Shape::Named { shapes, .. } => shapes.iter().for_each(|shape| self.draw(shape)),
        }
    }

    fn paint(&mut self, path: &Path, line: Option<Line>, fill: Option<Fill>) {
        self.content += "q ";
        if let Some(Fill { colour, opacity }) = fill {
            self.content += &colour_of(colour, "rg");
            if opacity < 1.0 {
                let percent = (100.0 * opacity).round() as u8;
                self.opacities.insert(percent);
                let _ = write!(self.content, "/O{percent} gs ");
            }
        }
        if let Some(Line { colour, width, dash }) = line {
            let dash: Vec<String> = dash.iter().map(|&length| number(length)).collect();
            let _ = write!(self.content, "{}{} w [{}] 0 d ", colour_of(colour, "RG"), number(width), dash.join(" "));
        }
        for step in &path.0 {
            match *step {
                Step::Move(to) => self.content += &format!("{} m ", place(to)),
                Step::Line(to) => self.content += &format!("{} l ", place(to)),
                Step::Curve(first, second, to) => {
                    self.content += &format!("{} {} {} c ", place(first), place(second), place(to));
                }
                Step::Close => self.content += "h ",
            }
        }
        self.content += match (line.is_some(), fill.is_some()) {
            (true, true) => "B Q\n",
            (true, false) => "S Q\n",
            (false, true) => "f Q\n",
            (false, false) => "n Q\n",
        };
    }

    fn text(&mut self, text: &Text) {
        let font = self.fonts.weight(text.bold);
        let (glyphs, width) = font.set(&text.words);
        let before = text.share_before() * width * text.size;
        let [x, y] = text.at;
        // Which way the letters run and stand, and where they begin; the page's y axis points down.
        let (ways, [x, y]) = if text.upwards { ("0 -1 -1 0", [x, y + before]) } else { ("1 0 0 -1", [x - before, y]) };
        let letters: String = glyphs.iter().map(|(GlyphId(glyph), _)| format!("{glyph:04X}")).collect();
        for ((GlyphId(glyph), _), letter) in glyphs.iter().zip(text.words.chars()) {
            self.used[usize::from(text.bold)].entry(*glyph).or_insert(letter);
        }
        let shown = format!(
            "BT {}/F{} {} Tf {ways} {} {} Tm <{letters}> Tj ET",
            colour_of(text.colour, "rg"),
            u8::from(text.bold),
            number(text.size),
            number(x),
            number(y)
        );
        let _ = match text.words.chars().all(|letter| font.has(letter)) {
            true => writeln!(self.content, "{shown}"),
            false => writeln!(self.content, "/Span << /ActualText {} >> BDC {shown} EMC", utf16(&text.words)),
        };
    }
}

/// To a hundredth of a pixel.
fn number(value: f64) -> String {
    ((value * 100.0).round() / 100.0 + 0.0).to_string()
}

fn place([x, y]: Point) -> String {
    format!("{} {}", number(x), number(y))
}

fn colour_of(colour: Colour, operator: &str) -> String {
    let [red, green, blue] = colour.channels().map(|channel| (f64::from(channel) / 2.55).round() / 100.0);
    format!("{red} {green} {blue} {operator} ")
}

/// A text of any letters.
fn utf16(words: &str) -> String {
    let units: String = words.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
    format!("<FEFF{units}>")
}

struct File {
    bytes: Vec<u8>,
    /// Where every object begins.
    places: Vec<usize>,
}

impl File {
    /// The number of the next object.
    fn next(&self) -> usize {
        self.places.len() + 1
    }

    fn object(&mut self, content: &str) -> usize {
        self.raw(content.as_bytes())
    }

    fn stream(&mut self, entries: &str, content: &[u8]) -> usize {
        let mut object = format!("<< /Length {} {entries}>>\nstream\n", content.len()).into_bytes();
        object.extend(content);
        object.extend(b"\nendstream");
        self.raw(&object)
    }

    fn raw(&mut self, content: &[u8]) -> usize {
        let at = self.next();
        self.places.push(self.bytes.len());
        self.bytes.extend(format!("{at} 0 obj\n").as_bytes());
        self.bytes.extend(content);
        self.bytes.extend(b"\nendobj\n");
        at
    }

    /// The font with the widths of its letters and the way back from them to text.
    fn font(&mut self, font: &Font, used: &BTreeMap<u16, char>) -> usize {
        let Font { name, data, face } = font;
        let scaled = |value: i16| number(1000.0 * f64::from(value) / font.em());
        let bounds = face.global_bounding_box();
        let [left, bottom, right, top] = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scaled);
        let file = self.stream(&format!("/Length1 {} ", data.len()), data);
        let descriptor = self.object(&format!(
            "<< /Type /FontDescriptor /FontName /NPVARA+{name} /Flags 4 /FontBBox [{left} {bottom} {right} {top}] \
             /ItalicAngle 0 /Ascent {} /Descent {} /CapHeight {} /StemV 80 /FontFile2 {file} 0 R >>",
            scaled(face.ascender()),
            scaled(face.descender()),
            scaled(face.capital_height().unwrap_or(face.ascender())),
        ));
        let widths: String =
            used.keys().map(|&glyph| format!("{glyph} [{}] ", number(1000.0 * font.advance(GlyphId(glyph))))).collect();
        let letters = self.object(&format!(
            "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /NPVARA+{name} /CIDSystemInfo << /Registry (Adobe) \
             /Ordering (Identity) /Supplement 0 >> /FontDescriptor {descriptor} 0 R /CIDToGIDMap /Identity /W [{widths}] >>"
        ));
        let back = self.stream("", letters_of(used).as_bytes());
        self.object(&format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /NPVARA+{name} /Encoding /Identity-H /DescendantFonts \
             [{letters} 0 R] /ToUnicode {back} 0 R >>"
        ))
    }

    fn finish(mut self, root: usize, about: usize) -> Vec<u8> {
        let begin = self.bytes.len();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.next());
        self.places.iter().for_each(|place| table += &format!("{place:010} 00000 n \n"));
        table += &format!("trailer\n<< /Size {} /Root {root} 0 R /Info {about} 0 R >>\n", self.next());
        self.bytes.extend(table.as_bytes());
        self.bytes.extend(format!("startxref\n{begin}\n%%EOF\n").as_bytes());
        self.bytes
    }
}

/// Which letter a glyph stands for.
fn letters_of(used: &BTreeMap<u16, char>) -> String {
    let mut map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) \
                   /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def 1 \
                   begincodespacerange <0000> <FFFF> endcodespacerange\n"
        .to_owned();
    let known: Vec<(&u16, &char)> = used.iter().filter(|(glyph, _)| **glyph != 0).collect();
    for part in known.chunks(TABLE_PART) {
        let _ = writeln!(map, "{} beginbfchar", part.len());
        for (glyph, letter) in part {
            let units: String = letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04X}")).collect();
            let _ = writeln!(map, "<{glyph:04X}> <{units}>");
        }
        map += "endbfchar\n";
    }
    map + "endcmap CMapName currentdict /CMap defineresource pop end end\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{Anchor, Figure};

    fn picture() -> Picture {
        let mut picture = Picture::new("σ² (a)", 100.0, 40.0);
        picture.write([50.0, 20.0], 12.0, Anchor::Middle, Colour::INK, "σ² \\(a)");
        picture.write([50.0, 36.0], 12.0, Anchor::Start, Colour::INK, "温度");
        let band = Fill { colour: Colour(0x0b5fa5), opacity: 0.16 };
        let figure = Figure::Circle { middle: [10.0, 10.0], radius: 4.0 };
        picture.draw(figure, Some(Line { colour: Colour::INK, width: 1.0, dash: &[6.0, 5.0] }), Some(band));
        picture
    }

    #[test]
    fn every_object_stands_where_the_table_says() {
        let bytes = picture().pdf();
        let find = |text: &str| bytes.windows(text.len()).rposition(|part| part == text.as_bytes()).unwrap();
        let tail = String::from_utf8_lossy(&bytes[find("startxref")..]).into_owned();
        let table: usize = tail.lines().nth(1).unwrap().parse().unwrap();
        let text = String::from_utf8_lossy(&bytes[table..]).into_owned();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("xref"));
        let count: usize = lines.next().unwrap().strip_prefix("0 ").unwrap().parse().unwrap();
        assert!(lines.next().unwrap().ends_with(" f "));
        for at in 1..count {
            let place: usize = lines.next().unwrap()[..10].parse().unwrap();
            assert!(bytes[place..].starts_with(format!("{at} 0 obj\n").as_bytes()), "{at}");
        }
    }

    #[test]
    fn letters_lead_back_to_text_and_those_the_font_has_not_carry_it() {
        let bytes = picture().pdf();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("> <03C3>") && text.contains("> <00B2>"), "σ and ²");
        assert!(text.contains("/ActualText <FEFF6E295EA6>"), "温度");
        assert!(text.contains("/O16 << /ca 0.16 >>") && text.contains("[6 5] 0 d"));
        assert!(text.contains("/MediaBox [0 0 75 30]") && !text.contains("NaN"));
    }
}
