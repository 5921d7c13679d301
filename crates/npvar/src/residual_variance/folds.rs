//! Cross-fitted residual variances: every fold of the sample is predicted by regressions on the others.
//!
//! For the additive model that is `K` Gram matrices and their sums: the regressions of a fold come from the Gram matrix of
//! the other folds, its residual variances from its own. The rows are read once.

use rayon::prelude::*;

use super::Conditioning;
use super::form::FoldForm;
use super::held_out::{HalfSplit, Halves};
use crate::data::{ColumnSummary, RowBlocks, random_folds};
use crate::error::Result;
use crate::graph::Node;
use crate::regress::Smoother;
use crate::run::{Run, Seed};
use crate::smooth::{RawGram, SmoothSpec};

/// The sample in folds, each with the Gram matrix of all others.
pub struct Folds(Vec<Halves>);

impl Folds {
    /// Deals out the rows of `source`, `columns` long.
    ///
    /// # Errors
    /// What reading the source came upon, or cancelling.
    pub fn split(
        source: &dyn RowBlocks,
        spec: SmoothSpec,
        columns: &[ColumnSummary],
        folds: usize,
        seed: Seed,
        run: &Run<'_>,
    ) -> Result<Self> {
        let fold_of = random_folds(columns[0].n, folds, seed);
        let count = fold_of.iter().max().map_or(1, |last| last + 1);
        let parts = RawGram::of_parts(source, (count, &|row| fold_of[row]), spec, columns, run)?;
        let halves = (0..count).map(|fold| {
            let mut others = RawGram::for_columns(spec, columns);
            for (_, part) in parts.iter().enumerate().filter(|(other, _)| *other != fold) {
                run.check()?;
                others.merge(part)?;
            }
            Ok(Halves::new(others, parts[fold].clone()))
        });
        Ok(Folds(halves.collect::<Result<_>>()?))
    }
}

/// Additive regressions on a growing ancestral set, one for every fold.
pub struct CrossFitted<'f> {
    folds: Vec<(usize, Vec<HalfSplit<'f>>)>,
}

impl<'f> CrossFitted<'f> {
    /// Begins at the empty ancestral set.
    pub fn new(folds: &'f Folds, smoother: Smoother, form: FoldForm) -> Self {
        let conditioning = |halves: &'f Halves| {
            let each = form.forms().iter().map(|&form| HalfSplit::new(halves, smoother, form));
            (halves.held_out_rows(), each.collect())
        };
        CrossFitted { folds: folds.0.iter().map(conditioning).collect() }
    }
}

impl Conditioning for CrossFitted<'_> {
    fn extend(&mut self, layer: &[Node], run: &Run<'_>) -> Result<()> {
        self.folds.par_iter_mut().try_for_each(|(_, forms)| forms.iter_mut().try_for_each(|one| one.extend(layer, run)))
    }

    fn variances(&mut self, targets: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        let of_fold = |(rows, forms): &mut (usize, Vec<HalfSplit<'_>>)| {
            let variances: Vec<Vec<f64>> =
                forms.iter_mut().map(|one| one.variances(targets, run)).collect::<Result<_>>()?;
            Ok((*rows, variances))
        };
        let folds: Vec<(usize, Vec<Vec<f64>>)> = self.folds.par_iter_mut().map(of_fold).collect::<Result<_>>()?;
        Ok((0..targets.len())
            .map(|at| {
                average_over_folds(folds.iter().map(|(rows, forms)| {
                    (*rows, forms.iter().map(|variances| variances[at]).sum::<f64>() / forms.len() as f64)
                }))
            })
            .collect())
    }
}

/// The average of the folds' values, each weighted by its rows.
pub(super) fn average_over_folds(folds: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (rows, sum) = folds.fold((0, 0.0), |(rows, sum), (more, value)| (rows + more, sum + more as f64 * value));
    sum / rows as f64
}
