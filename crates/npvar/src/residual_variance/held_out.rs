//! Residual variances on a half of the sample the regressions have not seen (step 3 of Algorithm 2, equation 3).
//!
//! The held-out half enters only through its raw Gram matrix: with `f = B b` the fitted functions there, `Σ f`, `Σ f²`
//! and `Σ y f` are sums over its blocks. Knots come from the whole sample. For the plug-in form columns are centred at
//! their mean over the whole sample first, so that it does not depend on where zero is (the paper's variables lie in
//! [0, 1] and its formula takes them as they are).

use faer::Mat;
use rayon::prelude::*;

use super::Conditioning;
use super::factor::AdditiveFactor;
use super::form::Form;
use crate::data::{ColumnSummary, RowBlocks, random_half};
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::linalg::{Into, multiply, small};
use crate::regress::{Smoother, Smoothing, smooth_fit};
use crate::run::{Run, Seed};
use crate::smooth::{AdditiveGram, RawGram, SmoothSpec};

/// Two halves of a sample: regressions are estimated on one, residual variances on the other.
pub struct Halves {
    /// The half the regressions are estimated on.
    pub fitted: AdditiveGram,
    fitted_raw: RawGram,
    held_out: RawGram,
}

impl Halves {
    /// Splits the rows of `source`, `columns` long, at random.
    ///
    /// # Errors
    /// What reading the source came upon, or cancelling.
    pub fn split(
        source: &dyn RowBlocks,
        spec: SmoothSpec,
        columns: &[ColumnSummary],
        seed: Seed,
        run: &Run<'_>,
    ) -> Result<Self> {
        let half = random_half(columns[0].n, seed);
        let (fitted_raw, held_out) = RawGram::of_halves(source, &half, spec, columns, run)?;
        Ok(Halves::new(fitted_raw, held_out))
    }

    /// Regressions from one Gram matrix, residual variances from the other.
    pub(super) fn new(fitted_raw: RawGram, held_out: RawGram) -> Self {
        Halves { fitted: AdditiveGram::new(&fitted_raw), fitted_raw, held_out }
    }

    /// How many rows the residual variances are from.
    pub(super) fn held_out_rows(&self) -> usize {
        self.held_out.n()
    }

    /// The held-out half's Gram matrix as a sample of its own.
    pub fn second(&self) -> AdditiveGram {
        AdditiveGram::new(&self.held_out)
    }

    /// The variance of a column over the whole sample, and its mean.
    fn whole(&self, node: Node) -> (f64, f64) {
        let (n1, n2) = (self.fitted_raw.n() as f64, self.held_out.n() as f64);
        let (m1, m2) = (self.fitted_raw.mean(node), self.held_out.mean(node));
        let squares = self.fitted_raw.centred_square(node) + self.held_out.centred_square(node);
        let variance = (squares + n1 * n2 / (n1 + n2) * (m1 - m2).powi(2)) / (n1 + n2 - 1.0);
        (variance, (n1 * m1 + n2 * m2) / (n1 + n2))
    }

    /// Residual variances of the targets given `order`; `coefficients` holds each target's, in the order's terms.
    fn variances(&self, order: &[Node], targets: &[Node], coefficients: &[Vec<f64>], form: Form) -> Vec<f64> {
        if order.is_empty() {
            return targets.iter().map(|&target| self.whole(target).0).collect();
        }
        let functions: Vec<usize> = order.iter().map(|&node| self.held_out.bases()[node].functions()).collect();
        let total = functions.iter().sum();
        let mut gram = Mat::<f64>::zeros(total, total);
        let (mut sums, mut row) = (Vec::with_capacity(total), 0);
        for (a, &i) in order.iter().enumerate() {
            sums.extend(self.held_out.column_sums(i));
            let mut column = 0;
            for (b, &j) in order.iter().enumerate() {
                let entry = self.held_out.entry(i, j);
                for r in 0..functions[a] {
                    for c in 0..functions[b] {
                        gram[(row + r, column + c)] = entry(r, c);
                    }
                }
                column += functions[b];
            }
            row += functions[a];
        }
        let mut raw = Mat::<f64>::zeros(total, targets.len());
        for (slot, coefficients) in coefficients.iter().enumerate() {
            raw.col_as_slice_mut(slot).copy_from_slice(&self.expand(order, coefficients));
        }
        let mut images = Mat::zeros(total, targets.len());
        multiply(images.as_mut(), Into::Replace, gram.as_ref(), raw.as_ref(), 1.0);
        (0..targets.len())
            .into_par_iter()
            .map(|slot| {
                let raw = raw.col_as_slice(slot);
                let moments = (small::dot(raw, &sums), small::dot(raw, images.col_as_slice(slot)));
                self.variance(order, targets[slot], raw, moments, form)
            })
            .collect()
    }

    fn expand(&self, order: &[Node], coefficients: &[f64]) -> Vec<f64> {
        let mut start = 0;
        let mut raw = Vec::new();
        for &node in order {
            let term = self.fitted.term(node);
            if term.size() > 0 {
                raw.extend(term.raw_coefficients(&coefficients[start..start + term.size()]));
            }
            start += term.size();
        }
        raw
    }

    fn variance(&self, order: &[Node], target: Node, raw: &[f64], (sum, square): (f64, f64), form: Form) -> f64 {
        let n = self.held_out.n() as f64;
        let centred_fit = square - sum * sum / n;
        let centred_y = self.held_out.centred_square(target);
        let (mean, intercept) = (self.held_out.mean(target), self.fitted.mean(target));
        match form {
            Form::Difference => (centred_y - centred_fit) / (n - 1.0),
            Form::Rss => {
                let product = self.centred_product(order, target, raw, sum);
                (centred_y - 2.0 * product + centred_fit) / n + (mean - intercept - sum / n).powi(2)
            }
            Form::PlugIn => {
                let centre = self.whole(target).1;
                let second_moment = centred_y / n + (mean - centre).powi(2);
                let fit_mean = intercept - centre + sum / n;
                second_moment - (centred_fit / n + fit_mean * fit_mean)
            }
        }
    }

    /// `Σ (y − mean(y)) f` over the held-out rows; `y` is its own basis times known coefficients.
    fn centred_product(&self, order: &[Node], target: Node, raw: &[f64], sum: f64) -> f64 {
        let identity = self.held_out.bases()[target].identity_coefficients();
        if identity.is_empty() {
            return 0.0;
        }
        let shift = small::dot(&identity, &self.held_out.column_sums(target)) / self.held_out.n() as f64;
        let (mut product, mut start) = (0.0, 0);
        for &node in order {
            let entry = self.held_out.entry(node, target);
            for a in 0..self.held_out.bases()[node].functions() {
                product += raw[start] * (0..identity.len()).map(|b| entry(a, b) * identity[b]).sum::<f64>();
                start += 1;
            }
        }
        product - shift * sum
    }
}

/// One fixed split: two Gram matrices and one growing factor.
pub struct HalfSplit<'h> {
    halves: &'h Halves,
    factor: AdditiveFactor<'h>,
    order: Vec<Node>,
    smoother: Smoother,
    form: Form,
}

impl<'h> HalfSplit<'h> {
    /// Begins at the empty ancestral set.
    pub fn new(halves: &'h Halves, smoother: Smoother, form: Form) -> Self {
        let factor = AdditiveFactor::new(&halves.fitted, smoother.sp);
        HalfSplit { halves, factor, order: Vec::new(), smoother, form }
    }
}

impl Conditioning for HalfSplit<'_> {
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()> {
        self.order.extend_from_slice(layer);
        match self.smoother.smoothing {
            Smoothing::Fixed => layer.iter().try_for_each(|&node| self.factor.append(node, run)),
            Smoothing::Gcv | Smoothing::Reml => Ok(()),
        }
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        let coefficients: Vec<Vec<f64>> = match self.smoother.smoothing {
            Smoothing::Fixed => {
                let size = self.factor.offsets()[self.order.len()];
                targets.iter().map(|&target| self.factor.coefficients_at(target, size).to_vec()).collect()
            }
            Smoothing::Gcv | Smoothing::Reml => {
                estimated_coefficients(&self.halves.fitted, &self.order, targets, self.smoother, run)?
            }
        };
        Ok(self.halves.variances(&self.order, targets, &coefficients, self.form))
    }
}

/// A fresh split for every layer, as the paper writes step 3(a): two Gram matrices and a new factor each time.
pub struct FreshSplit<'s> {
    source: &'s dyn RowBlocks,
    spec: SmoothSpec,
    columns: &'s [ColumnSummary],
    smoother: Smoother,
    form: Form,
    order: Vec<Node>,
    layers: usize,
}

impl<'s> FreshSplit<'s> {
    /// Begins at the empty ancestral set.
    pub fn new(
        source: &'s dyn RowBlocks,
        spec: SmoothSpec,
        columns: &'s [ColumnSummary],
        smoother: Smoother,
        form: Form,
    ) -> Self {
        FreshSplit { source, spec, columns, smoother, form, order: Vec::new(), layers: 0 }
    }
}

impl Conditioning for FreshSplit<'_> {
    fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
        self.order.extend_from_slice(layer);
        self.layers += 1;
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        let seed = run.seed.child("split", self.layers);
        let halves = Halves::split(self.source, self.spec, self.columns, seed, run)?;
        let mut split = HalfSplit::new(&halves, self.smoother, self.form);
        split.extend(&self.order, run)?;
        split.variances(targets, run)
    }
}

fn estimated_coefficients(
    gram: &AdditiveGram,
    order: &[Node],
    targets: &[Node],
    smoother: Smoother,
    run: &Run<'_>,
) -> Result<Vec<Vec<f64>>> {
    targets
        .par_iter()
        .map(|&target| {
            let fit = smooth_fit(gram, order, target, smoother.smoothing, smoother.sp, run)?;
            Ok((0..order.len()).flat_map(|term| fit.coefficients(term).to_vec()).collect())
        })
        .collect()
}
