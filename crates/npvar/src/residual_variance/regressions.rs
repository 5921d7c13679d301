//! Residual variances by any estimator, on a table in memory: fit, predict, plug in.
//!
//! Every target is regressed on the whole ancestral set at every step; targets (and folds) run in parallel. What an
//! estimator could carry over from one step to the next is lost here: the additive model and the Gaussian process have
//! conditionings of their own.

use faer::Mat;
use rayon::prelude::*;

use super::Conditioning;
use super::folds::average_over_folds;
use super::form::{FoldForm, Form};
use crate::data::{ColumnKind, Dataset, random_folds, random_half};
use crate::error::{Error, Result};
use crate::graph::Node;
use crate::regress::{ConditionalMean, NoiseVariance};
use crate::run::Run;

/// Which rows a regression sees, and what its residual variance is formed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowUse {
    /// All rows for both.
    SameRows(Form),
    /// One random half for the regressions, the other for the residual variances.
    Half(Form),
    /// The same with a fresh split for every layer.
    Fresh(Form),
    /// Every fold predicted from the others.
    Folds(usize, FoldForm),
}

/// Regressions of any kind on a growing ancestral set.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::regress::Linear;
/// use npvar::residual_variance::{Conditioning, RowUse, Form, Regressions};
/// use npvar::{Run, Seed};
/// let x = vec![0.0, 1.0, 2.0, 3.0];
/// let y = vec![1.0, 1.0, 3.0, 3.0];
/// let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y])?;
/// let run = Run::new(Seed(1));
/// let mut given = Regressions::new(&data, &Linear, RowUse::SameRows(Form::Rss));
/// given.extend(&[0], &run)?;
/// // the line 0.8 + 0.8 x leaves 0.2, -0.6, 0.6, -0.2, with two degrees of freedom
/// assert!((given.variances(&[1], &run)?[0] - 0.4).abs() < 1e-12);
/// # Ok::<(), npvar::Error>(())
/// ```
pub struct Regressions<'a> {
    data: &'a Dataset,
    estimator: &'a dyn ConditionalMean,
    row_use: RowUse,
    given: Vec<Node>,
    layers: usize,
}

/// Rows to fit on and rows to predict.
struct Part {
    fitted: Vec<usize>,
    held_out: Vec<usize>,
}

impl<'a> Regressions<'a> {
    /// Begins at the empty ancestral set.
    pub fn new(data: &'a Dataset, estimator: &'a dyn ConditionalMean, row_use: RowUse) -> Self {
        Regressions { data, estimator, row_use, given: Vec::new(), layers: 0 }
    }

    fn same_rows(&self, targets: &[Node], form: Form, run: &Run<'_>) -> Result<Vec<f64>> {
        let z = covariates(self.data, &self.given, &(0..self.data.n()).collect::<Vec<_>>());
        let variance = |&target: &Node| {
            let y = self.data.column(target);
            let fitted = self.estimator.fit_during(z.as_ref(), y, run)?;
            let edf = match form {
                Form::Rss => fitted.edf().ok_or_else(no_degrees_of_freedom)?,
                Form::Difference | Form::PlugIn => 0.0,
            };
            Ok(on_same_rows(form, y, &fitted.predict_during(z.as_ref(), run)?, edf))
        };
        targets.par_iter().with_max_len(1).map(variance).collect()
    }

    fn on_parts(&self, targets: &[Node], parts: &[Part], forms: &[Form], run: &Run<'_>) -> Result<Vec<f64>> {
        let covariates: Vec<(Mat<f64>, Mat<f64>)> = parts
            .iter()
            .map(|part| {
                (covariates(self.data, &self.given, &part.fitted), covariates(self.data, &self.given, &part.held_out))
            })
            .collect();
        let units: Vec<(Node, usize)> =
            targets.iter().flat_map(|&target| (0..parts.len()).map(move |part| (target, part))).collect();
        let variance = |&(target, part): &(Node, usize)| {
            let (Part { fitted, held_out }, (z, new)) = (&parts[part], &covariates[part]);
            let column = self.data.column(target);
            let at = |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&row| column[row]).collect() };
            let fitted = self.estimator.fit_during(z.as_ref(), &at(fitted), run)?;
            let fit = fitted.predict_during(new.as_ref(), run)?;
            let (y, centre) = (at(held_out), mean(column));
            Ok(forms.iter().map(|form| form.held_out(&y, &fit, centre)).sum::<f64>() / forms.len() as f64)
        };
        let variances: Vec<f64> = units.par_iter().with_max_len(1).map(variance).collect::<Result<_>>()?;
        let rows = parts.iter().map(|part| part.held_out.len());
        let of_target = |values: &[f64]| average_over_folds(rows.clone().zip(values.iter().copied()));
        Ok(variances.chunks_exact(parts.len()).map(of_target).collect())
    }

    fn half(&self, index: usize, run: &Run<'_>) -> Part {
        let half = random_half(self.data.n(), run.seed.child("split", index));
        let (fitted, held_out) = (0..self.data.n()).partition(|&row| half.contains(row));
        Part { fitted, held_out }
    }

    fn folds(&self, folds: usize, run: &Run<'_>) -> Vec<Part> {
        let fold_of = random_folds(self.data.n(), folds, run.seed.child("folds", 0));
        let count = fold_of.iter().max().map_or(1, |last| last + 1);
        let part = |fold| {
            let (held_out, fitted) = (0..self.data.n()).partition(|&row| fold_of[row] == fold);
            Part { fitted, held_out }
        };
        (0..count).map(part).collect()
    }
}

impl Conditioning for Regressions<'_> {
    fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
        self.given.extend(varying(self.data, layer));
        self.layers += 1;
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        if self.given.is_empty() {
            return Ok(sample_variances(self.data, targets));
        }
        match self.row_use {
            RowUse::SameRows(form) => self.same_rows(targets, form, run),
            RowUse::Half(form) => self.on_parts(targets, &[self.half(0, run)], &[form], run),
            RowUse::Fresh(form) => self.on_parts(targets, &[self.half(self.layers, run)], &[form], run),
            RowUse::Folds(folds, form) => self.on_parts(targets, &self.folds(folds, run), form.forms(), run),
        }
    }
}

/// The noise variances that an estimator finds by itself.
pub struct OwnNoise<'a> {
    data: &'a Dataset,
    estimator: &'a dyn NoiseVariance,
    given: Vec<Node>,
}

impl<'a> OwnNoise<'a> {
    /// Begins at the empty ancestral set.
    pub fn new(data: &'a Dataset, estimator: &'a dyn NoiseVariance) -> Self {
        OwnNoise { data, estimator, given: Vec::new() }
    }
}

impl Conditioning for OwnNoise<'_> {
    fn extend(&mut self, layer: &[Node], _: &Run<'_>) -> Result<()> {
        self.given.extend(varying(self.data, layer));
        Ok(())
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        if self.given.is_empty() {
            return Ok(sample_variances(self.data, targets));
        }
        let z = covariates(self.data, &self.given, &(0..self.data.n()).collect::<Vec<_>>());
        let variance = |&target: &Node| self.estimator.noise_variance_during(z.as_ref(), self.data.column(target), run);
        targets.par_iter().with_max_len(1).map(variance).collect()
    }
}

/// Constant columns explain nothing, and no estimator should have to find that out.
fn varying<'a>(data: &'a Dataset, layer: &'a [Node]) -> impl Iterator<Item = Node> + 'a {
    layer.iter().copied().filter(|&node| data.kind(node) != ColumnKind::Constant)
}

fn sample_variances(data: &Dataset, targets: &[Node]) -> Vec<f64> {
    targets.iter().map(|&target| sample_variance(data.column(target))).collect()
}

fn no_degrees_of_freedom() -> Error {
    Error::InvalidOption {
        option: "residual-variance",
        requirement: "needs an estimator with effective degrees of freedom, or a sample split; `cross-fitted` needs \
                      neither"
            .to_owned(),
        got: "`rss`".to_owned(),
    }
}

fn on_same_rows(form: Form, y: &[f64], fit: &[f64], edf: f64) -> f64 {
    let centre = match form {
        // The variance of the fit is about its own mean, the plug-in about the response's.
        Form::Difference => mean(fit),
        Form::Rss | Form::PlugIn => mean(y),
    };
    let square = |values: &[f64], centre: f64| values.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
    let residual_square = y.iter().zip(fit).map(|(y, fit)| (y - fit).powi(2)).sum();
    form.variance(square(y, mean(y)), square(fit, centre), residual_square, edf, y.len())
}

/// The columns at these rows.
fn covariates(data: &Dataset, columns: &[Node], rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| data.column(columns[j])[rows[i]])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(super) fn sample_variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}
