//! How long CAM takes: `cargo run --release -p npvar-lab --bin cam -- [setting] [nodes] [samples] [which]`.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use npvar::learner::{CamConfig, CamScore, Input, LearnerConfig, NeighbourhoodSelection, PSplineScore, ThinPlateScore};
use npvar::metrics::shd;
use npvar::regress::Smoothing;
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let setting = arguments.first().map_or("ER-SIN-1", String::as_str).parse().unwrap();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let options =
        SimulateOptions { nodes: Some(number(1, 20)), samples: number(2, 1000), ..SimulateOptions::default() };
    let wanted = arguments.get(3).cloned().unwrap_or_default();
    let spline = |smoothing| CamScore::PSpline(PSplineScore { smoothing, ..PSplineScore::default() });
    for (name, score) in [
        ("p-spline gcv", spline(Smoothing::Gcv)),
        ("p-spline reml", spline(Smoothing::Reml)),
        ("p-spline fixed", spline(Smoothing::Fixed)),
        ("thin-plate", CamScore::ThinPlate(ThinPlateScore::default())),
    ] {
        for neighbourhood_selection in [NeighbourhoodSelection::Boosting, NeighbourhoodSelection::None] {
            if !format!("{name}, {neighbourhood_selection:?}").contains(&wanted) {
                continue;
            }
            let config = CamConfig { score, neighbourhood_selection, ..CamConfig::default() };
            for seed in 0..3 {
                let simulated = simulate(setting, &options, Seed(seed)).unwrap();
                let learner = LearnerConfig::Cam(config.clone()).build().unwrap();
                let begin = Instant::now();
                let learned = learner.learn(&Input::new(&simulated.data), &Run::new(Seed(0))).unwrap();
                let seconds = begin.elapsed().as_secs_f64();
                let right = simulated.truth.is_consistent_with(&learned.order.unwrap());
                let distance = shd(&learned.graph, &simulated.truth);
                println!(
                    "{name}, {neighbourhood_selection:?}, seed {seed}: {seconds:.3} s, order {right}, shd {distance:?}"
                );
            }
        }
    }
}
