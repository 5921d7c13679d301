//! What SCORE, DAS, NoGAM and CaPS share: the columns in their units, the rows that carry the estimate of the log density's
//! derivatives, and the warning when the ridge decides them.

use rand::seq::index::sample;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::{Error, Result, within};
use crate::order::{SteinRows, SteinRule};
use crate::run::{Diagnostic, Run};

/// The ridge should be small beside the kernel's height: above this share it decides the derivatives.
const RIDGE_DECIDES: f64 = 0.1;
/// The fewest inducing rows an estimate can rest on.
const FEWEST_INDUCING: usize = 10;

/// The units of the columns in the order search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// As they are, as the authors do.
    #[default]
    AsGiven,
    /// Every column divided by its standard deviation.
    Standardised,
}

/// The options they share.
#[derive(Clone, Copy)]
pub(super) struct SteinSearch {
    pub(super) eta_g: f64,
    pub(super) eta_h: f64,
    pub(super) units: Units,
    pub(super) exact_up_to: usize,
    pub(super) inducing: usize,
}

impl SteinSearch {
    pub(super) fn check(&self) -> Result<()> {
        for (option, ridge) in [("eta-g", self.eta_g), ("eta-h", self.eta_h)] {
            within(option, ridge > 0.0 && ridge.is_finite(), "must be a positive number", ridge)?;
        }
        let requirement = format!("must be at least {FEWEST_INDUCING}");
        within("inducing", self.inducing >= FEWEST_INDUCING, &requirement, self.inducing)
    }

    /// How the derivatives are estimated from `n` rows.
    pub(super) fn rule(&self, n: usize, diagnostics: &mut Vec<Diagnostic>, run: &Run<'_>) -> SteinRule {
        let rows = match n <= self.exact_up_to.max(self.inducing) {
            true => SteinRows::All,
            false => {
                let mut rows = sample(&mut run.seed.child("inducing rows", 0).rng(), n, self.inducing).into_vec();
                rows.sort_unstable();
                diagnostics.push(Diagnostic::info(
                    "inducing-rows",
                    format!(
                        "the order rests on {} inducing rows of the {n} samples (`exact-up-to` is {})",
                        rows.len(),
                        self.exact_up_to
                    ),
                ));
                SteinRows::Inducing(rows)
            }
        };
        SteinRule { eta_g: self.eta_g, eta_h: self.eta_h, rows }
    }

    /// The columns in the units of the search.
    pub(super) fn columns(&self, data: &Dataset) -> Vec<Vec<f64>> {
        let columns = (0..data.d()).map(|node| data.column(node));
        match self.units {
            Units::AsGiven => columns.map(<[f64]>::to_vec).collect(),
            Units::Standardised => columns.map(standardised).collect(),
        }
    }

    /// Columns in small units make the kernel so high that no ridge makes it invertible: that is said, not the ridge.
    pub(super) fn in_small_units(&self, error: Error, columns: &[&[f64]]) -> Error {
        let range = |column: &&[f64]| {
            let ends = (f64::INFINITY, f64::NEG_INFINITY);
            let (least, most) = column.iter().fold(ends, |(a, b), &x| (a.min(x), b.max(x)));
            most - least
        };
        let widest = columns.iter().map(range).fold(0.0, f64::max);
        match error {
            Error::InvalidOption { option: "eta-g" | "eta-h", .. } if self.units == Units::AsGiven && widest < 1.0 => {
                let requirement = format!(
                    "must be `standardised` for columns in so small a unit (none varies by more than {widest:.1e}), unless \
                     `eta-g` and `eta-h` are larger"
                );
                Error::InvalidOption { option: "units", requirement, got: "`as-given`".to_owned() }
            }
            error => error,
        }
    }

    /// Columns in large units make the kernel low beside its ridge.
    pub(super) fn ridge_decides(&self, widths: impl Iterator<Item = f64>) -> Option<Diagnostic> {
        let ridge = self.eta_g.max(self.eta_h);
        let widest = widths.fold(0.0, f64::max);
        (ridge * widest > RIDGE_DECIDES).then(|| {
            Diagnostic::warning(
                "ridge-decides",
                format!(
                    "rows are {widest:.3e} apart, so that the kernel's height {:.3e} is not large beside the ridge {ridge}: \
                     the order depends on the units",
                    1.0 / widest
                ),
            )
            .advise("take the units away with `--set units=standardised`")
        })
    }
}

/// Columns as the searches take them.
pub(super) fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(|column| &column[..]).collect()
}

fn standardised(column: &[f64]) -> Vec<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    // A constant column stays as it is: the search leaves it out.
    let scale = if deviation > 0.0 { deviation } else { 1.0 };
    column.iter().map(|value| (value - mean) / scale).collect()
}
