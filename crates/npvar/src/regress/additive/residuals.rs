//! Residuals of one column of a table given others, by any estimator, or straight from the Gram matrix of an additive model.

use std::sync::{Arc, Mutex, PoisonError};

use super::additive_fit::AdditiveFit;
use super::smooth_fit::{smooth_fit, smooth_fit_from};
use super::smoothing::{Smoothing, SmoothingSearch};
use crate::data::{Dataset, Residuals, summarise};
use crate::error::Result;
use crate::regress::ConditionalMean;
use crate::run::Run;
use crate::smooth::{AdditiveGram, Basis, Design, RawGram, SmoothSpec, WholeColumn, WholeColumns};

/// Residuals below this share of a column's standard deviation are rounding.
const DETERMINED: f64 = 1e-9;

/// Residuals by any estimator.
///
/// ```
/// use npvar::data::{Dataset, Residuals};
/// use npvar::regress::{Linear, Regressed};
/// use npvar::{Run, Seed};
/// let x = vec![0.0, 1.0, 2.0, 3.0];
/// let y = x.iter().map(|x| 1.0 - 2.0 * x).collect();
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let residuals = Regressed { data: &data, estimator: &Linear }.residuals(1, &[0], &Run::new(Seed(1)))?;
/// assert!(residuals.iter().all(|value| value.abs() < 1e-12));
/// # Ok::<(), npvar::Error>(())
/// ```
pub struct Regressed<'a> {
    /// The table.
    pub data: &'a Dataset,
    /// The estimator.
    pub estimator: &'a dyn ConditionalMean,
}

impl Residuals for Regressed<'_> {
    fn residuals(&self, target: usize, given: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        let y = self.data.column(target);
        if given.is_empty() {
            return run.check().map(|()| y.to_vec());
        }
        let z = self.data.matrix(given);
        let fitted = self.estimator.fit_during(z.as_ref(), y, run)?.predict_during(z.as_ref(), run)?;
        Ok(y.iter().zip(fitted).map(|(y, fit)| y - fit).collect())
    }
}

/// Residuals of additive models, all from one Gram matrix of the table.
///
/// P-splines continue the search for smoothing parameters where the target's last regression ended, as long as no regressor is
/// new: ask for one target's residuals in a fixed order to get the same numbers again. Other splines search from scratch.
pub struct AdditiveResiduals<'a> {
    data: &'a Dataset,
    gram: AdditiveGram,
    values: Values,
    smoothing: Smoothing,
    sp: f64,
    search: SmoothingSearch,
    /// For every target, where the search for each regressor's parameter may start.
    starts: Vec<Mutex<Vec<Option<f64>>>>,
}

/// The basis functions at the rows.
enum Values {
    /// A few are not zero.
    Local(Arc<[Basis]>),
    /// All of every column, at every row.
    Whole(Vec<Design>),
}

impl<'a> AdditiveResiduals<'a> {
    /// Reads the table into a Gram matrix; every regression then has this smoothing (with `sp` where it is fixed).
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn new(data: &'a Dataset, spec: SmoothSpec, smoothing: Smoothing, sp: f64, run: &Run<'_>) -> Result<Self> {
        let raw = RawGram::of(data, spec, &summarise(data, run)?, run)?;
        let values = Values::Local(raw.bases().clone());
        let gram = AdditiveGram::new(&raw);
        Ok(Self::from_parts(data, gram, values, (smoothing, sp), SmoothingSearch::Continued))
    }

    /// The same with cubic regression or thin-plate splines of at most this dimension.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn whole_columns(
        data: &'a Dataset,
        (kind, dimension): (WholeColumn, usize),
        smoothing: Smoothing,
        sp: f64,
        run: &Run<'_>,
    ) -> Result<Self> {
        let columns = WholeColumns::new(data, kind, dimension, run)?;
        let gram = columns.gram(dimension);
        let values = Values::Whole(columns.designs(dimension));
        Ok(Self::from_parts(data, gram, values, (smoothing, sp), SmoothingSearch::Afresh))
    }

    fn from_parts(
        data: &'a Dataset,
        gram: AdditiveGram,
        values: Values,
        (smoothing, sp): (Smoothing, f64),
        search: SmoothingSearch,
    ) -> Self {
        let starts = (0..data.d()).map(|_| Mutex::new(vec![None; data.d()])).collect();
        AdditiveResiduals { data, gram, values, smoothing, sp, search, starts }
    }

    fn fit(&self, target: usize, given: &[usize], run: &Run<'_>) -> Result<AdditiveFit> {
        if self.smoothing == Smoothing::Fixed || self.search == SmoothingSearch::Afresh {
            return smooth_fit(&self.gram, given, target, self.smoothing, self.sp, run);
        }
        // What another thread left behind is a start like any other.
        let mut starts = self.starts[target].lock().unwrap_or_else(PoisonError::into_inner);
        let start: Option<Vec<f64>> = given.iter().map(|&node| starts[node]).collect();
        let (fit, next) = smooth_fit_from(&self.gram, given, target, self.smoothing, start.as_deref(), run)?;
        given.iter().zip(next).for_each(|(&node, next)| starts[node] = Some(next));
        Ok(fit)
    }
}

#[cfg(test)]
impl AdditiveResiduals<'_> {
    pub(super) fn gram(&self) -> &AdditiveGram {
        &self.gram
    }
}

impl Residuals for AdditiveResiduals<'_> {
    fn residuals(&self, target: usize, given: &[usize], run: &Run<'_>) -> Result<Vec<f64>> {
        let mut residuals = self.data.column(target).to_vec();
        if given.is_empty() {
            return Ok(residuals);
        }
        let fit = self.fit(target, given, run)?;
        residuals.iter_mut().for_each(|value| *value -= fit.intercept());
        for (term, &node) in given.iter().enumerate() {
            let raw = self.gram.term(node).raw_coefficients(fit.coefficients(term));
            match &self.values {
                _ if raw.is_empty() => {}
                Values::Whole(designs) => {
                    for (k, &beta) in raw.iter().enumerate() {
                        let values = designs[node].values().col_as_slice(k);
                        residuals.iter_mut().zip(values).for_each(|(residual, value)| *residual -= beta * value);
                    }
                }
                Values::Local(bases) => {
                    for (residual, &x) in residuals.iter_mut().zip(self.data.column(node)) {
                        let (cell, weights) = bases[node].evaluate(x);
                        *residual -= weights.iter().zip(&raw[cell..]).map(|(weight, beta)| weight * beta).sum::<f64>();
                    }
                }
            }
        }
        // What is left of a column that the others determine is rounding, whose shape means nothing.
        let square = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        if square(&residuals) <= DETERMINED * DETERMINED * self.gram.square(target) {
            residuals.fill(0.0);
        }
        Ok(residuals)
    }
}
