//! The study files that come with the project are studies, of both sizes.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use npvar_study::{Size, Study};

#[test]
fn every_shipped_study_reads_in_both_sizes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let [quick, full] =
            [Size::Quick, Size::Full].map(|size| Study::read(&path, size).unwrap_or_else(|error| panic!("{error}")));
        assert!(quick.cells().len() <= full.cells().len());
        assert!(!full.file.figures.is_empty() || !full.file.tables.is_empty() || !full.file.pictures.is_empty());
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn the_grid_covers_every_d_and_n_of_the_paper() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/grid.toml");
    let study = Study::read(&path, Size::Full).unwrap();
    assert_eq!(study.file.nodes, [5, 10, 20, 40, 50, 60, 70]);
    assert_eq!(study.file.samples, [100, 200, 500, 750, 1000]);
    let algorithms: Vec<&str> = study.learners.iter().map(|learner| learner.config.info().name).collect();
    for name in ["npvar", "eqvar", "cam", "resit", "notears-mlp", "gsges", "pc", "ges"] {
        assert!(algorithms.contains(&name), "{name}");
    }
}
