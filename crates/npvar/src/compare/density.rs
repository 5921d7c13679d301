//! Densities of what a regression leaves over, each estimated on other rows than those it is asked about.
//!
//! The Gaussian has the mean square of the other folds' residuals as its variance. Noise of any law has a kernel density: a
//! Gaussian kernel with Silverman's width (1986, equation 3.31) on the other folds' residuals, mixed with a share [`TAIL`] of a
//! Student law of three degrees of freedom, so that a residual farther out than any before has a density too. Both are as wide
//! as the middle half of the residuals says: a few that are very far out make neither of them wider.

/// `log √(2π)`.
const LOG_ROOT_TWO_PI: f64 = 0.918_938_533_204_672_8;
/// The Student law's share.
const TAIL: f64 = 0.02;
/// Kernels further away than this many widths add nothing.
const REACH: f64 = 8.0;
/// Quartiles nearer to each other than this share of the deviation are one value that many residuals have.
const ONE_VALUE: f64 = 1e-3;
/// A variance below this share of the column's is rounding.
pub(super) const DETERMINED: f64 = 1e-12;

/// The rows' folds.
#[derive(Clone, Copy)]
pub(super) struct Folds<'a> {
    pub(super) of_row: &'a [usize],
    pub(super) count: usize,
}

impl Folds<'_> {
    /// For every fold, the mean square over the rows outside it; at least `floor`.
    pub(super) fn variances(&self, residuals: &[f64], floor: f64) -> Vec<f64> {
        let (mut squares, mut rows) = (vec![0.0; self.count], vec![0.0; self.count]);
        for (residual, &fold) in residuals.iter().zip(self.of_row) {
            squares[fold] += residual * residual;
            rows[fold] += 1.0;
        }
        let (all_squares, all_rows) = (squares.iter().sum::<f64>(), rows.iter().sum::<f64>());
        (squares.iter().zip(&rows)).map(|(s, n)| ((all_squares - s) / (all_rows - n).max(1.0)).max(floor)).collect()
    }

    /// The Gaussian log density of every row's residual, with these variances of the folds.
    pub(super) fn gaussian(&self, residuals: &[f64], variances: &[f64]) -> Vec<f64> {
        let at = |(residual, &fold): (&f64, &usize)| gaussian(*residual, variances[fold]);
        residuals.iter().zip(self.of_row).map(at).collect()
    }

    /// The log density of every row's residual, whatever the law.
    pub(super) fn any_law(&self, residuals: &[f64], floor: f64) -> Vec<f64> {
        let variances = self.variances(residuals, floor);
        let kernels: Vec<KernelDensity> = (0..self.count)
            .map(|fold| {
                let others = residuals.iter().zip(self.of_row).filter(|(_, of)| **of != fold);
                KernelDensity::of(others.map(|(residual, _)| *residual).collect(), variances[fold])
            })
            .collect();
        residuals.iter().zip(self.of_row).map(|(residual, &fold)| kernels[fold].log_density(*residual)).collect()
    }
}

fn gaussian(residual: f64, variance: f64) -> f64 {
    -LOG_ROOT_TWO_PI - 0.5 * variance.ln() - 0.5 * residual * residual / variance
}

struct KernelDensity {
    sorted: Vec<f64>,
    width: f64,
    spread: f64,
}

impl KernelDensity {
    fn of(mut sample: Vec<f64>, variance: f64) -> Self {
        sample.sort_unstable_by(f64::total_cmp);
        let deviation = variance.sqrt();
        let at = |share: f64| sample.get((share * sample.len() as f64) as usize).copied().unwrap_or(0.0);
        let quartiles = (at(0.75) - at(0.25)) / 1.34;
        let spread = if quartiles > ONE_VALUE * deviation { quartiles.min(deviation) } else { deviation };
        let width = 0.9 * spread * (sample.len().max(1) as f64).powf(-0.2);
        KernelDensity { sorted: sample, width, spread }
    }

    fn log_density(&self, x: f64) -> f64 {
        let (first, last) = (x - REACH * self.width, x + REACH * self.width);
        let from = self.sorted.partition_point(|value| *value < first);
        let near = self.sorted[from..].iter().take_while(|value| **value <= last);
        let kernels: f64 = near.map(|value| (-0.5 * ((x - value) / self.width).powi(2)).exp()).sum();
        let kernel = kernels / (self.sorted.len().max(1) as f64 * self.width) * (-LOG_ROOT_TWO_PI).exp();
        ((1.0 - TAIL) * kernel + TAIL * student(x / self.spread) / self.spread).ln()
    }
}

/// The density of Student's law with three degrees of freedom.
fn student(t: f64) -> f64 {
    2.0 / (std::f64::consts::PI * 3_f64.sqrt() * (1.0 + t * t / 3.0).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use crate::simulate::Noise;

    /// The mean held-out log density of a law's values, Gaussian and of any law.
    fn means(noise: Noise) -> (f64, f64) {
        let residuals = noise.draw(2000, 1.0, Seed(3));
        let of_row: Vec<usize> = (0..2000).map(|row| row % 5).collect();
        let folds = Folds { of_row: &of_row, count: 5 };
        let gaussian = folds.gaussian(&residuals, &folds.variances(&residuals, 1e-12));
        let any = folds.any_law(&residuals, 1e-12);
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / 2000.0;
        (mean(gaussian), mean(any))
    }

    #[test]
    fn held_out_densities_come_near_the_negative_entropy_of_the_law() {
        // Minus the differential entropies of laws with variance 1. A mean of 2000 log densities, which have a standard
        // deviation below 1, has a standard error below 0.023; three of them, and 0.04 that a kernel estimate costs.
        let gauss = -0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
        let (gaussian, any) = means(Noise::Gaussian);
        assert!((gaussian - gauss).abs() < 0.07 && (any - gauss).abs() < 0.11, "{gaussian} {any}");
        for (noise, expected) in
            [(Noise::Laplace, -(2_f64.sqrt() * std::f64::consts::E).ln()), (Noise::Uniform, -12_f64.sqrt().ln())]
        {
            let (gaussian, any) = means(noise);
            assert!((any - expected).abs() < 0.11, "{noise}: {any} against {expected}");
            assert!(any > gaussian + 0.02, "{noise}: {any} against {gaussian}");
        }
    }

    #[test]
    fn a_value_far_from_all_others_has_a_density_too_and_leaves_theirs_as_it_is() {
        let mut residuals = Noise::Gaussian.draw(100, 1.0, Seed(1));
        let of_row: Vec<usize> = (0..100).map(|row| row % 5).collect();
        let folds = Folds { of_row: &of_row, count: 5 };
        let before = folds.any_law(&residuals, 1e-12);
        residuals[7] = 1e6;
        assert!(folds.any_law(&residuals, 1e-12).iter().all(|value| value.is_finite()));
        residuals[7] = 100.0;
        let after = folds.any_law(&residuals, 1e-12);
        // One of eighty kernels is elsewhere, and the quartiles are those of one value fewer.
        for row in (0..100).filter(|&row| row != 7) {
            assert!((before[row] - after[row]).abs() < 0.3, "{row}: {} and {}", before[row], after[row]);
        }
    }
}
