//! The layer decomposition of a graph, drawn: `L_1` holds the sources, `L_j` the sources of what is left.

use npvar::graph::NamedGraph;
use npvar_draw::layout::Direction;

use super::Drawing;
use crate::error::{Error, Result};
use crate::file::PictureFile;
use crate::study::Study;

/// A picture for every setting of the study, of its first data set.
pub(super) fn drawings(picture: &PictureFile, study: &Study) -> Result<Vec<Drawing>> {
    let several = study.file.settings.len() > 1;
    let problem = |error: npvar::Error| Error::Figure { name: picture.name.clone(), problem: error.to_string() };
    let mut drawings = Vec::new();
    for &setting in &study.file.settings {
        let Some(sample) = study.samples.iter().find(|sample| sample.setting == setting) else { continue };
        let simulated = sample.draw().map_err(problem)?;
        let graph = NamedGraph::from_dag(simulated.data.names().to_vec(), &simulated.truth).map_err(problem)?;
        let name = if several { format!("{}-{setting}", picture.name) } else { picture.name.clone() };
        let caption = format!("{} ({sample}).", picture.caption.trim_end_matches('.'));
        let drawing = npvar_draw::Drawing {
            layers: Some(simulated.truth.layers()),
            direction: Some(Direction::Across),
            ..npvar_draw::Drawing::of(&graph)
        };
        drawings.push(Drawing { name, caption, picture: drawing.picture() });
    }
    Ok(drawings)
}
