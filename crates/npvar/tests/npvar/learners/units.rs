//! Which learners the units of the columns matter to: every one learns again after columns were given other units.

use npvar::data::Dataset;
use npvar::learner::{Assignment, Input, LEARNERS, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};
use rayon::prelude::*;

/// Metres to millimetres, grams to kilograms, and a column that grows less.
const FACTORS: [f64; 5] = [1000.0, 1.0, 0.001, 1.0, 37.0];

/// Options beside the defaults that decide about units.
const VARIANTS: [(&str, &str); 4] =
    [("best-order", "noise=own"), ("score", "units=standardised"), ("npvar", "estimator=gp"), ("pc", "test=kci")];

fn tables() -> Vec<Dataset> {
    let draw = |(setting, seed): (&str, u64)| {
        let options = SimulateOptions { nodes: Some(FACTORS.len()), samples: 150, ..SimulateOptions::default() };
        simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap().data
    };
    [("ER-SIN-1", 1), ("ER-AGP-1", 2), ("ER-LIN-2", 3), ("SF-NGP-1", 4)].map(draw).into()
}

fn rescaled(data: &Dataset) -> Dataset {
    let column = |node: usize| data.column(node).iter().map(|value| FACTORS[node] * value).collect();
    Dataset::new(data.names().to_vec(), (0..data.d()).map(column).collect()).unwrap()
}

/// On how many tables the graph changes.
fn changed(config: &LearnerConfig, tables: &[Dataset]) -> usize {
    let learner = config.build().unwrap();
    let graph = |data: &Dataset| learner.learn(&Input::new(data), &Run::new(Seed(1))).unwrap().graph;
    tables.iter().filter(|data| graph(data) != graph(&rescaled(data))).count()
}

#[test]
fn a_learner_says_whether_units_matter_to_it() {
    let tables = tables();
    let defaults = LEARNERS.iter().map(|info| (info.name, None));
    let variants = VARIANTS.iter().map(|&(name, option)| (name, Some(option)));
    let configured: Vec<(String, LearnerConfig)> = defaults
        .chain(variants)
        .map(|(name, option)| {
            let assignments: Vec<Assignment> = option.iter().map(|text| Assignment::parse(text).unwrap()).collect();
            let config = LearnerConfig::resolve(name, &assignments).unwrap();
            (format!("{name} {}", option.unwrap_or("")), config)
        })
        .collect();
    let found: Vec<(&String, bool, usize)> = configured
        .par_iter()
        .map(|(name, config)| (name, config.depends_on_units(), changed(config, &tables)))
        .collect();
    // A fact that is too careful is as wrong as one that is too bold: where units are said to matter, they do on some table.
    let wrong: Vec<_> = found.iter().filter(|(_, depends, changed)| *depends != (*changed > 0)).collect();
    assert!(wrong.is_empty(), "{wrong:?} of {found:?}");
}
