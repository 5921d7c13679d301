//! The process approximated by random Fourier features (Rahimi & Recht 2007), for many coordinates and many points.
//!
//! ```text
//! f(x) = F^(−1/2) Σ_{i ≤ F} (a_i cos ω_i'x + b_i sin ω_i'x)      ω_i ~ N(0, I),  a_i, b_i ~ N(0, 1)
//! ```
//!
//! Given the frequencies, `f` is a draw from the process with kernel `F⁻¹ Σ cos ω_i'(x − x')`: right in the mean, exactly one
//! at `x = x'`, and elsewhere off with standard deviation at most `(2F)^(−1/2)`, 0.011 for our 4096 features.

use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use crate::run::Seed;

/// `F`.
const FEATURES: usize = 4096;

/// A draw at these points.
pub(super) fn draw(coordinates: &[&[f64]], seed: Seed) -> Vec<f64> {
    draw_with(coordinates, FEATURES, seed)
}

/// A draw from the process with this many features.
pub(super) fn draw_with(coordinates: &[&[f64]], features: usize, seed: Seed) -> Vec<f64> {
    let mut rng = seed.rng();
    let m = coordinates.len();
    let n = coordinates.first().map_or(0, |coordinate| coordinate.len());
    let mut normals = |count: usize| -> Vec<f64> { (0..count).map(|_| StandardNormal.sample(&mut rng)).collect() };
    let (frequencies, cosines, sines) = (normals(features * m), normals(features), normals(features));
    let scale = (features as f64).sqrt().recip();
    (0..n)
        .into_par_iter()
        .map(|row| {
            let point: Vec<f64> = coordinates.iter().map(|coordinate| coordinate[row]).collect();
            let sum: f64 = frequencies
                .chunks_exact(m)
                .zip(cosines.iter().zip(&sines))
                .map(|(frequency, (a, b))| {
                    let phase: f64 = frequency.iter().zip(&point).map(|(w, x)| w * x).sum();
                    let (sin, cos) = phase.sin_cos();
                    a * cos + b * sin
                })
                .sum();
            scale * sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearby_points_have_nearby_values() {
        let x: Vec<f64> = vec![0.0, 1e-6];
        let f = draw(&[&x, &x, &x, &x], Seed(5));
        // The gradient has standard deviation one per coordinate, two along (1,1,1,1); six of them.
        assert!((f[0] - f[1]).abs() < 12e-6);
    }
}
