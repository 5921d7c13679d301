//! Noise of mean zero and a given variance.

use std::fmt;
use std::str::FromStr;

use rand_distr::{Distribution, Exp1, Open01, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::run::Seed;

/// The law of the noise; its mean is zero and its variance is what one asks for.
///
/// ```
/// use npvar::Seed;
/// use npvar::simulate::Noise;
/// let noise = Noise::Uniform.draw(100, 0.5, Seed(1));
/// assert!(noise.iter().all(|value| value.abs() <= (3.0 * 0.5_f64).sqrt()));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// The paper's choice.
    #[default]
    Gaussian,
    /// Bounded, symmetric.
    Uniform,
    /// Heavy tails, symmetric.
    Laplace,
    /// Skewed.
    Gumbel,
}

/// Euler's constant, the mean of the standard Gumbel law.
const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;

impl Noise {
    const ALL: [(&'static str, Noise); 4] = [
        ("gaussian", Noise::Gaussian),
        ("uniform", Noise::Uniform),
        ("laplace", Noise::Laplace),
        ("gumbel", Noise::Gumbel),
    ];

    /// `n` independent values; a longer draw with the same seed begins with the shorter one.
    pub fn draw(self, n: usize, variance: f64, seed: Seed) -> Vec<f64> {
        let mut rng = seed.rng();
        let scale = variance.sqrt();
        (0..n).map(|_| scale * self.standard(&mut rng)).collect()
    }

    /// One value of variance 1.
    fn standard(self, rng: &mut impl rand::Rng) -> f64 {
        match self {
            Noise::Gaussian => StandardNormal.sample(rng),
            Noise::Uniform => {
                let u: f64 = Open01.sample(rng);
                12_f64.sqrt() * (u - 0.5)
            }
            // The difference of two standard exponentials is Laplace with variance 2.
            Noise::Laplace => {
                let (a, b): (f64, f64) = (Exp1.sample(rng), Exp1.sample(rng));
                (a - b) / 2_f64.sqrt()
            }
            // −ln of a standard exponential is Gumbel with variance π²/6.
            Noise::Gumbel => {
                let e: f64 = Exp1.sample(rng);
                (-e.ln() - EULER_GAMMA) * 6_f64.sqrt() / std::f64::consts::PI
            }
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Noise::ALL.iter().find(|(_, noise)| noise == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for Noise {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Noise::ALL.iter().find(|(name, _)| text.eq_ignore_ascii_case(name)).map(|&(_, noise)| noise).ok_or_else(|| {
            Error::InvalidOption {
                option: "noise",
                requirement: format!("must be one of {}", Noise::ALL.map(|(name, _)| name).join(", ")),
                got: text.to_owned(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_has_mean_zero_and_the_variance_asked_for() {
        let n = 100_000;
        for (name, noise) in Noise::ALL {
            assert_eq!(name.parse::<Noise>().expect(name), noise);
            let values = noise.draw(n, 0.5, Seed(11));
            let mean = values.iter().sum::<f64>() / n as f64;
            let variance = values.iter().map(|value| value * value).sum::<f64>() / n as f64;
            // sd of the mean: sqrt(0.5/n) = 0.0022. Kurtosis at most 6 (Laplace; Gumbel 5.4), so the sd of the mean square
            // is at most 0.5 sqrt(5/n) = 0.0035. Five standard deviations each.
            assert!(mean.abs() < 0.0112, "{name}: {mean}");
            assert!((variance - 0.5).abs() < 0.0177, "{name}: {variance}");
        }
    }

    #[test]
    fn an_unknown_law_is_told_the_known_ones() {
        assert!(
            "cauchy".parse::<Noise>().expect_err("unknown").to_string().contains("gaussian, uniform, laplace, gumbel")
        );
    }
}
