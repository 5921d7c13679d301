//! What holds for every learner with its default options.

use std::sync::atomic::AtomicBool;

use npvar::data::Dataset;
use npvar::learner::{Input, LEARNERS, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Error, Run, Seed};

fn sample() -> Dataset {
    let options = SimulateOptions { nodes: Some(4), samples: 60, ..SimulateOptions::default() };
    simulate("ER-SIN-1".parse().unwrap(), &options, Seed(1)).unwrap().data
}

fn scaled(data: &Dataset, factor: f64) -> Dataset {
    let column = |node: usize| data.column(node).iter().map(|value| factor * value).collect();
    Dataset::new(data.names().to_vec(), (0..data.d()).map(column).collect()).unwrap()
}

#[test]
fn values_whose_squares_overflow_or_vanish_are_refused() {
    let data = sample();
    for info in LEARNERS {
        let learner = LearnerConfig::resolve(info.name, &[]).unwrap().build().unwrap();
        let learn = |factor: f64| learner.learn(&Input::new(&scaled(&data, factor)), &Run::new(Seed(1)));
        assert!(matches!(learn(1e150), Err(Error::TooLarge { .. })), "{}", info.name);
        for factor in [1e-160, 1e-300] {
            assert!(matches!(learn(factor), Err(Error::TooSmall { .. })), "{}", info.name);
        }
    }
}

#[test]
fn a_set_stop_flag_ends_the_run() {
    let (data, stop) = (sample(), AtomicBool::new(true));
    for info in LEARNERS {
        let learner = LearnerConfig::resolve(info.name, &[]).unwrap().build().unwrap();
        let cancelled = learner.learn(&Input::new(&data), &Run::new(Seed(1)).stopped_by(&stop));
        assert!(matches!(cancelled, Err(Error::Cancelled)), "{}", info.name);
    }
}
