//! Figures and tables from the rows of a study: SVG, PNG and PDF, Markdown, CSV and LaTeX, and one page with everything.

mod average;
mod figure;
mod grid;
mod layers;
mod page;
mod style;
mod summary;

use std::path::{Path, PathBuf};

use npvar_draw::{Picture, PictureFormat};

use crate::error::{Error, Result};
use crate::folder::Folder;
use crate::row::Row;
use crate::study::Study;
use crate::table::{arranged, write_whole};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// The page.
    pub page: PathBuf,
    /// Figures drawn, each as SVG, PNG and PDF.
    pub figures: usize,
    /// Tables written, each as Markdown, CSV and LaTeX.
    pub tables: usize,
    /// Cells that are there.
    pub cells: usize,
    /// Cells of the study.
    pub total: usize,
}

/// A drawing with its name and caption.
struct Drawing {
    name: String,
    caption: String,
    picture: Picture,
}

/// Everything a page is made of.
struct Report<'a> {
    study: &'a Study,
    rows: &'a [Row],
    total: usize,
    version: String,
    drawings: Vec<Drawing>,
    tables: Vec<(String, grid::Grid)>,
}

/// Draws and tabulates what is there of a study, finished or not: `figures/`, `tables/` and `report.html` in its folder.
///
/// # Errors
/// When the folder holds no study, or cannot be written.
pub fn report(folder: &Path) -> Result<Reported> {
    let folder = Folder::open(folder)?;
    let study = folder.study()?;
    let rows = arranged(&study, folder.rows()?);
    let mut drawings = Vec::new();
    for figure in &study.file.figures {
        drawings.extend(figure::drawings(figure, &study, &rows));
    }
    for picture in &study.file.pictures {
        drawings.extend(layers::drawings(picture, &study)?);
    }
    let report = Report {
        study: &study,
        rows: &rows,
        total: study.cells().len(),
        version: folder.begun()?.version,
        drawings,
        tables: summary::tables(&study, &rows),
    };
    let [figures, tables] = ["figures", "tables"].map(|name| folder.path.join(name));
    for path in [&figures, &tables] {
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
    }
    for Drawing { name, picture, .. } in &report.drawings {
        let formats = [("svg", PictureFormat::Svg), ("png", PictureFormat::Png), ("pdf", PictureFormat::Pdf)];
        for (ending, format) in formats {
            write_whole(&figures.join(format!("{name}.{ending}")), &picture.to_bytes(format))?;
        }
    }
    for (name, grid) in &report.tables {
        for (ending, text) in [("md", grid.markdown()), ("csv", grid.csv()), ("tex", grid.latex())] {
            write_whole(&tables.join(format!("{name}.{ending}")), text.as_bytes())?;
        }
    }
    let page = folder.path.join("report.html");
    write_whole(&page, page::page(&report).as_bytes())?;
    Ok(Reported {
        page,
        figures: report.drawings.len(),
        tables: report.tables.len(),
        cells: rows.len(),
        total: report.total,
    })
}
