//! Every learner stops soon, however large the table: measured in CPU time, which does not depend on how busy the machine is.

use npvar::Seed;
use npvar::data::Dataset;
use npvar::learner::{Assignment, LEARNERS, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};

use super::silence::{End, Silence, silence};

/// How long a run goes on before it is stopped, and what may pass until it has ended. The aim is one second of the program that
/// people run; these tests are built with less optimisation and may meet a slower machine. What asked in no factorisation took
/// 4 to 6 seconds here.
const BEFORE: f64 = 0.4;
const WITHIN: f64 = 3.0;

fn table(nodes: usize, samples: usize) -> Dataset {
    let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
    simulate("ER-LIN-2".parse().unwrap(), &options, Seed(1)).unwrap().data
}

fn stops(title: &str, config: &LearnerConfig, data: &Dataset) {
    let Silence { seconds, questions, longest, end } = silence(config, data, BEFORE);
    let soon = matches!(end, End::Done | End::Refused(_)) || matches!(end, End::Stopped(seconds) if seconds <= WITHIN);
    assert!(soon, "{title}: {end} after {seconds:.1} s and {questions} questions, the longest silence {longest:.2} s");
}

#[test]
fn every_learner_stops_soon_at_two_thousand_columns_and_at_a_million_rows() {
    for (nodes, samples) in [(2000, 300), (4, 1_000_000)] {
        let data = table(nodes, samples);
        // The networks of NOTEARS-MLP have 80 million weights at 2000 columns: more memory than a test may take.
        for info in LEARNERS.iter().filter(|info| nodes < 2000 || info.name != "notears-mlp") {
            let config = LearnerConfig::resolve(info.name, &[]).unwrap();
            stops(&format!("`{}` on {nodes} columns and {samples} rows", info.name), &config, &data);
        }
    }
}

/// What asks for one large factorisation, eigenvalue problem or kernel matrix after the other.
#[test]
fn large_factorisations_are_broken_off() {
    for (learner, setting, nodes, samples) in [
        ("pc", "test=kci", 4, 2500),
        ("pc", "test=hsic", 4, 4000),
        ("resit", "estimator=gam", 250, 600),
        ("npvar", "estimator.smoothing=gcv", 250, 600),
        ("notears-mlp", "lambda1=0.01", 300, 300),
    ] {
        let set = [Assignment::parse(setting).unwrap()];
        let config = LearnerConfig::resolve(learner, &set).unwrap();
        stops(&format!("`{learner}` with {setting}"), &config, &table(nodes, samples));
    }
}
