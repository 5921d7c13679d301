//! The layer decomposition of a graph, drawn: `L_1` holds the sources, `L_j` the sources of what is left.

use std::fmt::Write;

use npvar::graph::Dag;

use super::chart::{FONT, text};
use super::{Drawing, escaped};
use crate::error::{Error, Result};
use crate::file::PictureFile;
use crate::study::Study;

const LAYER: f64 = 92.0;
const SLOT: f64 = 54.0;
const RADIUS: f64 = 15.0;
const TOP: f64 = 30.0;
const INK: &str = "#222222";

/// A picture for every setting of the study, of its first data set.
pub(super) fn drawings(picture: &PictureFile, study: &Study) -> Result<Vec<Drawing>> {
    let several = study.file.settings.len() > 1;
    let mut drawings = Vec::new();
    for &setting in &study.file.settings {
        let Some(sample) = study.samples.iter().find(|sample| sample.setting == setting) else { continue };
        let simulated =
            sample.draw().map_err(|error| Error::Figure { name: picture.name.clone(), problem: error.to_string() })?;
        let name = if several { format!("{}-{setting}", picture.name) } else { picture.name.clone() };
        let caption = format!("{} ({sample}).", picture.caption.trim_end_matches('.'));
        let svg = svg(&caption, &simulated.truth);
        drawings.push(Drawing { name, caption, svg });
    }
    Ok(drawings)
}

fn svg(title: &str, dag: &Dag) -> String {
    let layers = arranged(dag);
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(1) as f64;
    let (width, height) = (LAYER * layers.len() as f64 + 16.0, TOP + SLOT * tallest + 12.0);
    let mut place = vec![(0.0, 0.0); dag.nodes()];
    for (at, layer) in layers.iter().enumerate() {
        for (down, &node) in layer.iter().enumerate() {
            let above = (tallest - layer.len() as f64) / 2.0;
            // Every other layer a little lower, so that edges over several layers do not run through nodes.
            let aside = if at % 2 == 1 && layer.len() as f64 == tallest { 0.0 } else { 0.12 * (at % 2) as f64 };
            place[node] = (8.0 + LAYER * (at as f64 + 0.5), TOP + SLOT * (above + down as f64 + 0.5 + aside));
        }
    }
    let mut body = String::new();
    for at in 0..layers.len() {
        let left = 8.0 + LAYER * at as f64 + 5.0;
        let _ = writeln!(
            body,
            "<rect x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" fill=\"#eaf2f9\" \
             stroke=\"#0072B2\" stroke-width=\"0.8\" stroke-dasharray=\"4 3\"/>",
            LAYER - 10.0,
            SLOT * tallest + 6.0
        );
        let label = format!("L{}", subscript(at + 1));
        text(&mut body, (left + LAYER / 2.0 - 5.0, TOP - 8.0), 12.0, "middle", INK, "", &label);
    }
    for (from, to) in dag.edges() {
        let ((x0, y0), (x1, y1)) = (place[from], place[to]);
        // Edges over several layers bend outwards.
        let skipped = ((x1 - x0) / LAYER).round() - 1.0;
        let middle = TOP + SLOT * tallest / 2.0;
        let reach = if skipped > 0.0 { SLOT * (0.55 + 0.25 * skipped) } else { 0.0 };
        let bend = reach * if y0 + y1 < 2.0 * middle { -1.0 } else { 1.0 };
        let (cx, cy) = ((x0 + x1) / 2.0, (y0 + y1) / 2.0 + bend);
        let towards = |(x, y): (f64, f64), radius: f64| {
            let length = ((cx - x).powi(2) + (cy - y).powi(2)).sqrt().max(1.0);
            (x + radius * (cx - x) / length, y + radius * (cy - y) / length)
        };
        let (start, end) = (towards((x0, y0), RADIUS), towards((x1, y1), RADIUS + 6.0));
        let _ = writeln!(
            body,
            "<path d=\"M{:.1} {:.1}Q{cx:.1} {cy:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.2\" \
             marker-end=\"url(#head)\"/>",
            start.0, start.1, end.0, end.1
        );
    }
    for (node, &(x, y)) in place.iter().enumerate() {
        let _ = writeln!(
            body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{RADIUS}\" fill=\"#ffffff\" stroke=\"{INK}\" stroke-width=\"1.2\"/>"
        );
        let label = format!("X{}", subscript(node + 1));
        text(&mut body, (x, y + 4.0), 12.0, "middle", INK, "", &label);
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" font-family=\"{FONT}\">\n<title>{}</title>\n<defs><marker id=\"head\" \
         viewBox=\"0 0 10 10\" refX=\"3\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" \
         orient=\"auto\"><path d=\"M0 1L10 5L0 9z\" fill=\"{INK}\"/></marker></defs>\n<rect width=\"100%\" height=\"100%\" \
         fill=\"#ffffff\"/>\n{body}</svg>\n",
        escaped(title)
    )
}

/// Layers whose nodes stand near their parents.
fn arranged(dag: &Dag) -> Vec<Vec<usize>> {
    let mut layers: Vec<Vec<usize>> = dag.layers().layers().to_vec();
    let mut height = vec![0.0; dag.nodes()];
    for layer in &mut layers {
        let wish = |node: usize, height: &[f64]| {
            let parents: Vec<f64> = dag.parents(node).ones().map(|parent| height[parent]).collect();
            if parents.is_empty() { 0.5 } else { parents.iter().sum::<f64>() / parents.len() as f64 }
        };
        layer.sort_by(|&a, &b| wish(a, &height).total_cmp(&wish(b, &height)).then(a.cmp(&b)));
        let count = layer.len() as f64;
        for (at, &node) in layer.iter().enumerate() {
            height[node] = (at as f64 + 0.5) / count;
        }
    }
    layers
}

fn subscript(number: usize) -> String {
    number.to_string().chars().map(|digit| char::from_u32(0x2050 + digit as u32).unwrap_or(digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_edge_and_layer_is_drawn() {
        let dag = Dag::from_edges(6, [(0, 2), (1, 2), (2, 3), (2, 4), (0, 4), (4, 5)]).unwrap();
        let svg = svg("Layers", &dag);
        assert_eq!(svg.matches("<circle").count(), 6);
        assert_eq!(svg.matches("marker-end").count(), 6);
        assert_eq!(svg.matches("stroke-dasharray").count(), dag.layers().depth());
        assert!(svg.contains(">L₄</text>") && svg.contains(">X₆</text>") && !svg.contains("NaN"));
    }
}
