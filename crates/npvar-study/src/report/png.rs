//! SVG to PNG, with a font that travels with the program.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Dots per CSS pixel: 300 to the inch.
const SCALE: f32 = 300.0 / 96.0;

pub(super) struct Renderer {
    options: Options<'static>,
}

impl Renderer {
    pub(super) fn new() -> Renderer {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(include_bytes!("../../fonts/Roboto-Regular-subset.ttf").to_vec());
        fonts.load_font_data(include_bytes!("../../fonts/Roboto-Bold-subset.ttf").to_vec());
        Renderer { options: Options { fontdb: Arc::new(fonts), ..Options::default() } }
    }

    /// The picture; in words what went wrong.
    pub(super) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| error.to_string())?;
        let size = tree.size().to_int_size().scale_by(SCALE).ok_or("it has no size")?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("it has no size")?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_without_any_font_of_the_system() {
        let picture = |text: &str| {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\" width=\"40\" height=\"20\" font-family=\"{}\">\
                 <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/><text x=\"2\" y=\"15\" font-size=\"12\">{text}</text></svg>",
                super::super::chart::FONT
            );
            Renderer::new().png(&svg).unwrap()
        };
        let [blank, sigma, bold] = ["", "σ² ±", "<tspan font-weight=\"bold\">σ² ±</tspan>"].map(picture);
        assert!(blank.starts_with(b"\x89PNG") && sigma != blank && bold != sigma);
    }
}
