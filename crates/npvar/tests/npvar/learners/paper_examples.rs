//! The paper's small examples, over many seeds, with bounds derived where they stand.

use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

/// The first seed of the tests; rates and bounds were found on seeds below 2000.
const FIRST: u64 = 10_000;

/// In how many of `runs` data sets NPVAR finds a topological order of the truth.
fn recovered(setting: &str, samples: usize, runs: u64) -> u64 {
    let found = |seed: u64| {
        let options = SimulateOptions { samples, ..SimulateOptions::default() };
        let simulated = simulate(setting.parse().unwrap(), &options, Seed(seed)).unwrap();
        let learned = npvar::learn(&simulated.data, &Run::new(Seed(seed))).unwrap();
        u64::from(simulated.truth.is_consistent_with(&learned.order.unwrap()))
    };
    (FIRST..FIRST + runs).map(found).sum()
}

/// The paper's CAM example and the appendix's second family: CAM is misled, the order by residual variances is not.
/// Each rate is at least 0.98 (the first 200 seeds, all of them right, bound it so with 98 % confidence); fewer than 34 of
/// 40 then has probability below 1e-4 in any of the eight.
#[test]
fn the_models_that_mislead_cam_do_not_mislead_npvar() {
    for example in ["CAM-POW14", "CAM-SIN", "CAM-LIN", "CAM2-POW14", "CAM2-SIN", "CAM2-LIN", "CAM2-TANH", "CAM2-SQRT"] {
        let found = recovered(example, 500, 40);
        assert!(found >= 34, "{example}: {found} of 40");
    }
}

/// Causal pairs, binomial models and heteroskedastic noise: no linearity, additivity or independent noise, yet identified.
/// Rates as above.
#[test]
fn the_identifiability_examples_are_learned() {
    for (example, samples) in [("PAIR", 1000), ("BINOMIAL", 2000), ("HETERO", 2000)] {
        let found = recovered(example, samples, 40);
        assert!(found >= 34, "{example}: {found} of 40");
    }
}

/// Ten Poisson nodes are slow to tell apart (their variances differ little): rates of 115 and 194 in 200 other seeds at n = 2000 and
/// n = 20,000. With 40 runs each, standard deviations are 3.1 and 1.1 runs; both bounds are at least three of them away.
#[test]
fn poisson_networks_are_learned_as_the_sample_grows() {
    let (small, large) = (recovered("POISSON", 2000, 40), recovered("POISSON", 20_000, 40));
    assert!(small >= 14 && large >= 33, "{small} and {large} of 40");
}

/// Condition met (σ₃² = 1/2): rates of about 0.5, 0.99 and 1 at n = 100, 1000 and 10,000; with 100 runs the first has
/// standard deviation 5, the others below 1.
#[test]
fn unequal_variances_within_the_condition_are_learned_more_and_more_often() {
    let rates = [100, 1000, 10_000].map(|samples| recovered("UNEQUAL-HALF", samples, 100));
    assert!(rates[0] < 75 && rates[1] > 90 && rates[2] > 95, "{rates:?}");
}

/// Condition violated (σ₃² = 1/3): the wrong order has the smaller population variances, 0.654 against 0.667, a difference of
/// one standard error at n = 10,000. Rates were 0.308, 0.233, 0.187 and 0.03 at n = 1000, 10,000, 30,000 and 100,000
/// (1000 runs, 300 and 100 for the last two). A quarter is 1.3 standard deviations above the rate at n = 10,000 in 1000 runs: with
/// fixed seeds the test is repeatable, but other seeds may miss it once in ten.
#[test]
fn unequal_variances_beyond_the_condition_are_learned_less_and_less_often() {
    let rates = [recovered("UNEQUAL-THIRD", 10_000, 1000), recovered("UNEQUAL-THIRD", 100_000, 40)];
    assert!(rates[0] <= 250, "at n = 10,000: {} of 1000", rates[0]);
    assert!(rates[1] <= 6, "at n = 100,000: {} of 40", rates[1]);
}
