//! SVG to PNG, with a font that travels with the program.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Dots per CSS pixel: 300 to the inch.
const SCALE: f32 = 300.0 / 96.0;

/// The most dots of a picture.
const MOST_DOTS: f32 = 60e6;

/// Why an SVG could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It cannot be read.
    #[error("it is not an SVG that can be drawn: {0}")]
    Svg(#[from] resvg::usvg::Error),
    /// There is nothing to draw.
    #[error("it has no size")]
    NoSize,
    /// The dots cannot be written.
    #[error("it cannot be written as PNG: {0}")]
    Encoding(String),
}

/// Turns SVG into PNG; the same letters on every machine.
pub struct Renderer {
    options: Options<'static>,
}

impl Default for Renderer {
    fn default() -> Self {
        Renderer::new()
    }
}

impl Renderer {
    /// Reads the font.
    pub fn new() -> Renderer {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(include_bytes!("../fonts/Roboto-Regular-subset.ttf").to_vec());
        fonts.load_font_data(include_bytes!("../fonts/Roboto-Bold-subset.ttf").to_vec());
        Renderer { options: Options { fontdb: Arc::new(fonts), ..Options::default() } }
    }

    /// The picture with 300 dots to the inch, or fewer where it would have more than 60 million.
    ///
    /// # Errors
    /// When the text is no SVG or has no size.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, RenderError> {
        let tree = Tree::from_str(svg, &self.options)?;
        let size = tree.size().to_int_size();
        let scale = SCALE.min((MOST_DOTS / (size.width() as f32 * size.height() as f32)).sqrt());
        let size = size.scale_by(scale).ok_or(RenderError::NoSize)?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(RenderError::NoSize)?;
        resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| RenderError::Encoding(error.to_string()))
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
                crate::svg::FONT
            );
            Renderer::new().png(&svg).unwrap()
        };
        let [blank, sigma, bold] = ["", "σ² ±", "<tspan font-weight=\"bold\">σ² ±</tspan>"].map(picture);
        assert!(blank.starts_with(b"\x89PNG") && sigma != blank && bold != sigma);
    }
}
