//! What holds for every learner with its default options.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use npvar::data::Dataset;
use npvar::learner::{Assignment, Input, LEARNERS, LearnerConfig};
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

/// Fewer questions than this in a run, whatever its size, would leave long stretches in which nobody asks.
const FEWEST_QUESTIONS: usize = 10;

/// Options that reach work which defaults do not.
const OPTIONS: [(&str, &str); 15] = [
    ("npvar", "estimator=gp"),
    ("npvar", "estimator=forest"),
    ("npvar", "estimator=mlp"),
    ("npvar", "estimator=kernel"),
    ("npvar", "estimator=knn"),
    ("npvar", "estimator=rodeo"),
    ("npvar", "estimator=grid"),
    ("npvar", "estimator.smoothing=gcv"),
    ("npvar", "residual-variance=cross-fitted"),
    ("resit", "estimator=gp"),
    ("pc", "test=kci"),
    ("pc", "test=hsic"),
    ("gsges", "score=marginal"),
    ("best-order", "score=gaussian-process"),
    ("best-order", "score=linear"),
];

/// Wherever a learner asks whether to go on, a "no" ends it there; and it asks more often where there is more to do. On one
/// thread: of several, two may look for the same value at once, so that there are not always as many questions.
#[test]
fn a_run_ends_at_whichever_question_the_answer_is_no() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(assert_runs_end_wherever_told);
}

fn assert_runs_end_wherever_told() {
    let data = |nodes, samples| {
        let options = SimulateOptions { nodes: Some(nodes), samples, ..SimulateOptions::default() };
        simulate("ER-SIN-1".parse().unwrap(), &options, Seed(1)).unwrap().data
    };
    let (small, large) = (data(4, 60), data(8, 60));
    for (name, setting) in LEARNERS.iter().map(|info| (info.name, "")).chain(OPTIONS) {
        let set = if setting.is_empty() { Vec::new() } else { vec![Assignment::parse(setting).unwrap()] };
        let learner = LearnerConfig::resolve(name, &set).unwrap().build().unwrap();
        let asked = |data: &Dataset| {
            let left = AtomicUsize::new(usize::MAX);
            learner.learn(&Input::new(data), &Run::new(Seed(1)).stopped_after(&left)).unwrap();
            usize::MAX - left.into_inner()
        };
        let questions = asked(&small);
        assert!(questions >= FEWEST_QUESTIONS, "{name} {setting} asks {questions} times");
        if setting.is_empty() {
            let more = asked(&large);
            assert!(more >= questions + 4, "{name} asks {questions} times of 4 columns and {more} of 8");
        }
        for after in [0, 1, questions / 4, questions / 2, questions - 1] {
            let left = AtomicUsize::new(after);
            let ended = learner.learn(&Input::new(&small), &Run::new(Seed(1)).stopped_after(&left));
            assert!(matches!(ended, Err(Error::Cancelled)), "{name} {setting} after {after} of {questions}");
            assert_eq!(left.load(Ordering::Relaxed), 0);
        }
    }
}

/// A test of KCI asks before every kernel, solution and eigenvalue problem, not only between tests.
#[test]
fn a_test_of_kci_can_be_stopped_in_the_middle() {
    use npvar::independence::{IndependenceTest, Kci, KciWidth};
    let data = sample();
    let left = AtomicUsize::new(usize::MAX);
    let test = Kci::new(&data, KciWidth::default()).unwrap().during(Run::new(Seed(0)).stopped_after(&left));
    test.p_value(0, 1, &[2]).unwrap();
    let questions = usize::MAX - left.load(Ordering::Relaxed);
    assert!(questions >= 9, "{questions}");
    for after in 0..questions {
        left.store(after, Ordering::Relaxed);
        assert!(matches!(test.p_value(0, 1, &[2]), Err(Error::Cancelled)), "after {after}");
    }
}
