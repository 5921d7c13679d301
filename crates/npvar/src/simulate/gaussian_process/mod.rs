//! Draws from a Gaussian process with the RBF kernel of length-scale one, `k(x, x') = exp(−|x − x'|²/2)`.
//!
//! Three ways, by the number of coordinates `m` and of points `n`:
//!
//! | when | how | law | cost |
//! |---|---|---|---|
//! | `m ≤ 3` | [series](series) | exact to rounding | `n` times hundreds (`m = 1`: tens, `m = 3`: ten thousands) |
//! | more, `n ≤` [`DENSE_LIMIT`] | [Cholesky](cholesky) | exact up to white noise of variance 1e-10 | `n³/3`, `8n²` bytes |
//! | more, larger `n` | [random features](random_features) | kernel off by at most about 0.011 (one sd) | `n` times 4096 |
//!
//! The series and the random features give a function that does not depend on the sample: more rows with the same seed are
//! more values of the same function. Points so spread out that the series would need more than [`series::MOST_TERMS`]
//! coefficients go the way of larger `m`.

mod cholesky;
mod random_features;
mod series;

use crate::run::Seed;
use series::Series;

/// The largest sample for which a dense kernel matrix is factored: 200 MB and about two seconds; 10,000 points would need
/// eight times the time of that and 800 MB, for every node with more than three parents.
pub const DENSE_LIMIT: usize = 5000;

/// Coordinates up to which the series is shorter than a sample is long.
const SERIES_COORDINATES: usize = 3;

/// The values at the given points of one draw from the process; `coordinates[i]` holds the `i`-th coordinate of every point.
/// All have the same length; without coordinates there are no points.
///
/// ```
/// use npvar::{Seed, simulate::gaussian_process};
/// let x = [0.0, 1e-9, 5.0];
/// let f = gaussian_process(&[&x], Seed(1));
/// assert!((f[0] - f[1]).abs() < 1e-7 && (f[0] - f[2]).abs() > 1e-7);
/// ```
pub fn gaussian_process(coordinates: &[&[f64]], seed: Seed) -> Vec<f64> {
    let n = coordinates.first().map_or(0, |coordinate| coordinate.len());
    if coordinates.len() <= SERIES_COORDINATES
        && let Some(series) = Series::reaching(coordinates, seed)
    {
        return series.at_each(coordinates);
    }
    if n <= DENSE_LIMIT { cholesky::draw(coordinates, seed) } else { random_features::draw(coordinates, seed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean of `f(x) f(x')` over many draws, against the kernel.
    fn check_covariance(draw: impl Fn(Seed) -> Vec<f64>, kernel: f64, allowance: f64) {
        let runs = 4000;
        let (mut product, mut square) = (0.0, 0.0);
        for seed in 0..runs {
            let f = draw(Seed(seed));
            product += f[0] * f[1];
            square += f[1] * f[1];
        }
        let (product, square) = (product / runs as f64, square / runs as f64);
        // var(f f') = 1 + k² and var(f²) = 2, at most 2: five standard deviations are 5 sqrt(2/4000) = 0.112.
        assert!((product - kernel).abs() < 0.112 + allowance, "{product} against {kernel}");
        assert!((square - 1.0).abs() < 0.112 + allowance, "{square}");
    }

    #[test]
    fn draws_have_the_covariance_of_the_kernel() {
        let (x, y, z, w): ([f64; 2], [f64; 2], [f64; 2], [f64; 2]) = ([0.3, 1.1], [-0.5, -0.2], [2.0, 1.8], [0.0, 0.4]);
        for coordinates in [&[x.as_slice()][..], &[&x, &y], &[&x, &y, &z], &[&x, &y, &z, &w]] {
            let kernel = (-0.5 * coordinates.iter().map(|c| (c[0] - c[1]).powi(2)).sum::<f64>()).exp();
            check_covariance(|seed| gaussian_process(coordinates, seed), kernel, 0.0);
        }
    }

    #[test]
    fn random_features_have_the_covariance_of_the_kernel() {
        let (x, y) = ([0.3, 1.1], [-0.5, -0.2]);
        let kernel = (-0.5_f64 * (0.64 + 0.09)).exp();
        // With few features per draw the mean over draws is still the kernel's.
        check_covariance(|seed| random_features::draw_with(&[&x, &y], 16, seed), kernel, 0.0);
    }

    #[test]
    fn a_series_is_one_function_whatever_the_sample() {
        let (short, long) = ([0.5, -1.0], [0.5, -1.0, 30.0, 2.0]);
        let (few, more) = (gaussian_process(&[&short], Seed(4)), gaussian_process(&[&long], Seed(4)));
        assert_eq!(few, more[..2]);
    }

    #[test]
    fn points_too_far_apart_for_the_series_are_independent() {
        let (x, y, z) = ([0.0, 500.0], [0.0, -500.0], [0.0, 500.0]);
        check_covariance(|seed| gaussian_process(&[&x, &y, &z], seed), 0.0, 0.0);
    }
}
