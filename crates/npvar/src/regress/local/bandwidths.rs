//! Bandwidths that minimise the corrected Akaike criterion (Hurvich, Simonoff & Tsai 1998); see [`super::kernel`].

use rayon::prelude::*;

use super::local_fit::{Degree, LocalFit, Widths};
use crate::error::{Error, Result};
use crate::numerics::optimise::{Bounds, Minimiser, Minimum, minimise};
use crate::regress::unit_scale::{Rows, evenly_spread};
use crate::run::Run;

/// Starts, as multiples of the normal rule of thumb `1.06 n^(-1/(4 + d))`.
const LADDER: [f64; 5] = [0.4, 0.8, 1.6, 4.0, 16.0];
/// How many starts are followed to their minimum.
const FOLLOWED: usize = 2;
/// The largest bandwidth, in standard deviations: the line is global to six digits.
const LARGEST: f64 = 1e3;
/// The smallest, as a multiple of the rule of thumb.
const SMALLEST: f64 = 0.02;

/// How well a linear smoother `ŷ = L y` does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quality {
    n: f64,
    /// `Σ (y − ŷ)² / n`.
    mean_square: f64,
    /// `tr(L) / n`.
    share: f64,
}

impl Quality {
    /// Averages over at most `at_most` rows.
    pub(super) fn of(
        rows: &Rows,
        y: &[f64],
        bandwidths: &[f64],
        degree: Degree,
        at_most: usize,
        run: &Run<'_>,
    ) -> Result<Self> {
        let widths = Widths::new(bandwidths);
        let at = evenly_spread(rows.len(), at_most);
        let parts: Vec<(f64, f64)> = at
            .par_iter()
            .map(|&i| {
                run.check()?;
                let fit = LocalFit::new(rows, y, rows.row(i), &widths, degree);
                Ok((y[i] - fit.estimate, fit.own_influence()))
            })
            .collect::<Result<_>>()?;
        Ok(Quality::averaged(rows.len(), parts.into_iter()))
    }

    /// From residuals and own influences.
    fn averaged(n: usize, parts: impl ExactSizeIterator<Item = (f64, f64)>) -> Self {
        let points = parts.len() as f64;
        let (squares, trace) = parts.fold((0.0, 0.0), |(squares, trace), (residual, influence)| {
            (squares + residual * residual, trace + influence)
        });
        Quality { n: n as f64, mean_square: squares / points, share: trace / points }
    }

    /// The denominator of the criterion.
    fn left(&self) -> f64 {
        1.0 - self.share - 2.0 / self.n
    }

    pub(super) fn criterion(&self) -> f64 {
        if self.left() <= 0.0 { f64::INFINITY } else { self.mean_square.ln() + (1.0 + self.share) / self.left() }
    }

    /// `Σ (y − ŷ)² / (n − tr(L))`.
    pub(super) fn noise_variance(&self) -> f64 {
        // With one parameter per row nothing is left to tell the noise by.
        self.mean_square / (1.0 - self.share).max(1e-6)
    }
}

struct Criterion<'a> {
    rows: &'a Rows,
    y: &'a [f64],
    /// Columns with a finite bandwidth.
    free: &'a [usize],
    degree: Degree,
    /// Rows it is averaged over.
    at: Vec<usize>,
}

/// The bandwidths of the `free` columns, in standard deviations, that minimise the criterion averaged over at most
/// `criterion_rows` rows; the other columns' are infinite.
pub(super) fn choose(
    rows: &Rows,
    y: &[f64],
    free: &[usize],
    degree: Degree,
    criterion_rows: usize,
    run: &Run<'_>,
) -> Result<Vec<f64>> {
    if free.is_empty() {
        return Ok(vec![f64::INFINITY; rows.width()]);
    }
    let at = evenly_spread(rows.len(), criterion_rows);
    let criterion = Criterion { rows, y, free, degree, at };
    let size = free.len();
    let rule_of_thumb = 1.06 * (rows.len() as f64).powf(-1.0 / (4.0 + size as f64));
    let mut bounds = Bounds::none(size);
    (0..size).for_each(|j| bounds.restrict(j, (SMALLEST * rule_of_thumb).ln(), LARGEST.ln()));
    let mut gradient = vec![0.0; size];
    let mut starts = Vec::new();
    for start in LADDER.iter().map(|step| (step * rule_of_thumb).ln()).chain([LARGEST.ln()]) {
        starts.push((criterion.value(&vec![start; size], &mut gradient, run)?, start));
    }
    starts.retain(|(value, _)| value.is_finite());
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let options =
        Minimiser { value_tolerance: 1e-9, gradient_tolerance: 1e-6, max_iterations: 100, ..Minimiser::default() };
    let mut best: Option<Minimum> = None;
    for &(_, start) in starts.iter().take(FOLLOWED) {
        let mut objective = |x: &[f64], gradient: &mut [f64]| criterion.value(x, gradient, run);
        let minimum = minimise(&mut objective, &vec![start; size], &bounds, &options)?;
        if best.as_ref().is_none_or(|best| minimum.value < best.value) {
            best = Some(minimum);
        }
    }
    let needed = if degree == Degree::Linear { rows.width() + 4 } else { 4 };
    let best = best.ok_or(Error::TooFewSamples { what: "the choice of bandwidths", needed, n: rows.len() })?;
    Ok(criterion.bandwidths(&best.x))
}

impl Criterion<'_> {
    fn bandwidths(&self, log: &[f64]) -> Vec<f64> {
        let mut bandwidths = vec![f64::INFINITY; self.rows.width()];
        self.free.iter().zip(log).for_each(|(&column, log)| bandwidths[column] = log.exp());
        bandwidths
    }

    /// The criterion and its gradient by the logarithms of the bandwidths; infinite where the fit leaves no freedom.
    fn value(&self, log: &[f64], gradient: &mut [f64], run: &Run<'_>) -> Result<f64> {
        let widths = Widths::new(&self.bandwidths(log));
        let parts: Vec<(f64, f64, Vec<f64>, Vec<f64>)> = self
            .at
            .par_iter()
            .map(|&i| {
                run.check()?;
                let fit = LocalFit::new(self.rows, self.y, self.rows.row(i), &widths, self.degree);
                let (estimate, influence) = fit.bandwidth_derivatives();
                Ok((self.y[i] - fit.estimate, fit.own_influence(), estimate, influence))
            })
            .collect::<Result<_>>()?;
        let quality = Quality::averaged(self.rows.len(), parts.iter().map(|part| (part.0, part.1)));
        if quality.left() <= 0.0 {
            return Ok(f64::INFINITY);
        }
        // An exact fit would be sought without end: the floor is rounding.
        let (n, points) = (quality.n, parts.len() as f64);
        let floor = 1e-24 * self.y.iter().map(|y| y * y).sum::<f64>() / n + f64::MIN_POSITIVE;
        let floored = Quality { mean_square: quality.mean_square + floor, ..quality };
        let by_share = (2.0 - 2.0 / n) / quality.left().powi(2);
        for (slot, &column) in gradient.iter_mut().zip(self.free) {
            let square: f64 = parts.iter().map(|part| -2.0 * part.0 * part.2[column]).sum::<f64>() / points;
            let influence: f64 = parts.iter().map(|part| part.3[column]).sum::<f64>() / points;
            *slot = square / floored.mean_square + by_share * influence;
        }
        Ok(floored.criterion())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;
    use crate::run::Seed;

    #[test]
    fn the_gradient_agrees_with_differences() {
        let z = faer::Mat::from_fn(60, 2, |i, j| ((i * (3 + 4 * j)) as f64 * 0.7).sin() + 0.1 * (i % 5) as f64);
        let y: Vec<f64> = (0..60).map(|i| z[(i, 0)].powi(2) + 0.3 * ((i * i) as f64).sin()).collect();
        let rows = UnitScale::of(z.as_ref()).rows(z.as_ref());
        let free = [0, 1];
        let criterion = Criterion { rows: &rows, y: &y, free: &free, degree: Degree::Linear, at: (0..60).collect() };
        let (at, mut gradient, mut unused) = ([-0.5, 0.2], [0.0; 2], [0.0; 2]);
        let run = Run::new(Seed(0));
        criterion.value(&at, &mut gradient, &run).unwrap();
        for j in 0..2 {
            let (mut up, mut down) = (at, at);
            up[j] += 1e-5;
            down[j] -= 1e-5;
            let mut value = |at: &[f64]| criterion.value(at, &mut unused, &run).unwrap();
            let difference = (value(&up) - value(&down)) / 2e-5;
            assert!((difference - gradient[j]).abs() < 1e-6, "{difference} {}", gradient[j]);
        }
    }
}
