//! From a setting to a sample with its true graph.

use super::ancestral::{Drawn, named};
use super::options::SimulateOptions;
use super::three_node::ThreeNodes;
use super::{Example, Setting, identifiable, model};
use crate::data::Dataset;
use crate::error::Result;
use crate::graph::Dag;
use crate::run::Seed;

/// A sample and the truth about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// The sample, columns `X1` to `Xd`.
    pub data: Dataset,
    /// The graph it was drawn from.
    pub truth: Dag,
    /// `E var(X_j | pa(j))` in the population, for every node.
    pub residual_variances: Vec<f64>,
    /// What was simulated.
    pub setting: Setting,
    /// The seed that made it.
    pub seed: Seed,
}

/// Draws a graph and a sample.
///
/// The same setting, options and seed give the same result on any number of threads. On another machine the last bits of
/// `sin`, `exp` and the like may differ; a test pins draws, and no more is claimed than where it has run.
///
/// ```
/// use npvar::Seed;
/// use npvar::simulate::{SimulateOptions, simulate};
/// let options = SimulateOptions { samples: 100, ..SimulateOptions::default() };
/// let simulated = simulate("UNEQUAL-HALF".parse()?, &options, Seed(1))?;
/// assert_eq!(simulated.truth.edges(), [(0, 1), (1, 2)]);
/// assert_eq!(simulated.residual_variances, [1.0, 2.0 / 3.0, 0.5]);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::InvalidOption`](crate::Error::InvalidOption) for fewer than two nodes, no samples, an option out of range or one
/// that the setting does not have; [`Error::NotFinite`](crate::Error::NotFinite) when values overflow (very large linear
/// models).
pub fn simulate(setting: Setting, options: &SimulateOptions, seed: Seed) -> Result<Simulated> {
    let options = options.resolve(setting)?;
    let Drawn { truth, columns, residual_variances } = match setting {
        Setting::Random { graph, model } => {
            let dag = graph.draw(options.nodes, seed.child("graph", 0));
            model::sample(model, dag, &options, seed)
        }
        Setting::Example(example) => match example {
            Example::CamFail(g) => ThreeNodes::cam_fail(g).sample(options.samples, seed),
            Example::CamFailPerturbed(g) => {
                ThreeNodes::cam_fail_perturbed(g, options.delta).sample(options.samples, seed)
            }
            Example::CamFailSquare(h) => ThreeNodes::cam_fail_square(h).sample(options.samples, seed),
            Example::UnequalHalf => ThreeNodes::unequal(1.0 / 2.0).sample(options.samples, seed),
            Example::UnequalThird => ThreeNodes::unequal(1.0 / 3.0).sample(options.samples, seed),
            Example::Pair => identifiable::pair(&options, seed),
            Example::Binomial => identifiable::binomial(&options, seed),
            Example::Poisson => identifiable::poisson(&options, seed),
            Example::Hetero => identifiable::hetero(&options, seed),
        },
    };
    Ok(Simulated { data: named(columns)?, truth, residual_variances, setting, seed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: [&str; 12] = [
        "MC-SIN", "ER-AGP-2", "SF-AGP-1", "ER-NGP-1", "SF-NGP-4", "MC-GLM", "ER-GLM-2", "ER-LIN-2", "BINOMIAL",
        "POISSON", "HETERO", "CAM-SIN",
    ];

    fn run(setting: &str, samples: usize, seed: u64) -> Simulated {
        let options = SimulateOptions { samples, ..SimulateOptions::default() };
        simulate(setting.parse().expect("known"), &options, Seed(seed)).expect(setting)
    }

    #[test]
    fn every_setting_can_be_simulated() {
        for setting in SETTINGS.into_iter().chain(Setting::examples().map(|(name, _)| name)) {
            let simulated = run(setting, 50, 1);
            assert_eq!(simulated.data.n(), 50);
            assert_eq!(simulated.data.d(), simulated.truth.nodes());
            assert_eq!(simulated.residual_variances.len(), simulated.data.d());
            assert_eq!(simulated.data.names()[1], "X2");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_data_and_another_seed_other_data() {
        for setting in SETTINGS {
            let simulated = run(setting, 60, 1);
            assert_eq!(simulated, run(setting, 60, 1));
            assert_ne!(simulated.data, run(setting, 60, 2).data);
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let (one, two) = (pool(1), pool(2));
        for setting in SETTINGS {
            assert_eq!(one.install(|| run(setting, 300, 5)), two.install(|| run(setting, 300, 5)), "{setting}");
        }
    }

    #[test]
    fn sources_have_the_noise_variance() {
        let n = 20_000;
        for setting in ["ER-SIN-1", "SF-AGP-1", "MC-NGP", "ER-LIN-1", "HETERO"] {
            let simulated = run(setting, n, 3);
            let source = simulated.truth.order().nodes()[0];
            let variance = simulated.data.column(source).iter().map(|x| x * x).sum::<f64>() / n as f64;
            // Gaussian: sd = 0.5 sqrt(2/n) = 0.005; five of them.
            assert!((variance - 0.5).abs() < 0.025, "{setting}: {variance}");
        }
    }

    #[test]
    fn residuals_of_the_sine_model_have_the_noise_variance() {
        let n = 20_000;
        let simulated = run("ER-SIN-2", n, 4);
        for node in 0..10 {
            let square = |i: usize| {
                let mean: f64 = simulated.truth.parents(node).ones().map(|k| simulated.data.column(k)[i].sin()).sum();
                (simulated.data.column(node)[i] - mean).powi(2)
            };
            let variance = (0..n).map(square).sum::<f64>() / n as f64;
            // As above.
            assert!((variance - 0.5).abs() < 0.025, "node {node}: {variance}");
        }
    }

    #[test]
    fn a_longer_sample_begins_with_the_shorter_one() {
        for setting in ["MC-SIN", "ER-AGP-1", "MC-GLM", "POISSON", "CAM2-SQRT"] {
            let (short, long) = (run(setting, 40, 9), run(setting, 90, 9));
            assert_eq!(short.data, long.data.rows(&(0..40).collect::<Vec<_>>()).expect("rows"), "{setting}");
        }
    }
}
