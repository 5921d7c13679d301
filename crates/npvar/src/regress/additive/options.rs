//! The options of an additive model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gam::Gam;
use super::smoother::Smoother;
use super::smoothing::Smoothing;
use crate::error::{Result, within};
use crate::regress::conditional_mean::ConditionalMean;
use crate::regress::estimator::{Estimator, Undersmoothed};
use crate::regress::undersmooth::shrinking;
use crate::run::Seed;
use crate::smooth::{FewValued, NullSpace, SmoothSpec};

/// The largest basis: beyond it a column's cells outgrow the cache for no better fit.
const LARGEST_BASIS: usize = 60;

/// An additive model of P-splines (mgcv's `s(x, bs = "ps")`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GamConfig {
    /// The smoothing parameter λ (mgcv's `sp`) when it is fixed; not used with `gcv` and `reml`.
    pub sp: f64,
    /// How smoothing parameters are chosen: `fixed`, `gcv` or `reml`.
    pub smoothing: Smoothing,
    /// B-splines per column.
    pub k: usize,
    /// What a column with at most 9 distinct values gets: `saturated` (an indicator per value) or `spline`.
    pub few_valued: FewValued,
    /// Whether straight functions are penalised too: `free` (they are not) or `shrunk`.
    pub null_space: NullSpace,
}

impl Default for GamConfig {
    /// The paper's: `bs = "ps"`, `sp = 0.6` and mgcv's basis dimension.
    fn default() -> Self {
        GamConfig {
            sp: 0.6,
            smoothing: Smoothing::Fixed,
            k: 10,
            few_valued: FewValued::Saturated,
            null_space: NullSpace::Free,
        }
    }
}

impl GamConfig {
    /// The bases.
    pub fn spec(&self) -> SmoothSpec {
        SmoothSpec::Spline { dimension: self.k, few_valued: self.few_valued, null_space: self.null_space }
    }

    /// How much is smoothed.
    pub fn smoother(&self) -> Smoother {
        Smoother { smoothing: self.smoothing, sp: self.sp }
    }

    fn gam(&self) -> Gam {
        Gam { sp: self.sp, smoothing: self.smoothing, spec: self.spec() }
    }
}

impl Estimator for GamConfig {
    fn check(&self) -> Result<()> {
        within("sp", self.sp >= 0.0 && self.sp.is_finite(), "must be a number that is not negative", self.sp)?;
        let range = format!("must be between 4 and {LARGEST_BASIS}");
        within("k", (4..=LARGEST_BASIS).contains(&self.k), &range, self.k)
    }

    fn conditional_mean(&self, _: Seed) -> Box<dyn ConditionalMean + '_> {
        Box::new(self.gam())
    }

    fn additive(&self) -> Option<(SmoothSpec, Smoother)> {
        Some((self.spec(), self.smoother()))
    }

    fn has_levels(&self) -> bool {
        self.few_valued == FewValued::Saturated
    }

    fn has_noise_variance(&self) -> bool {
        self.smoothing == Smoothing::Reml
    }

    /// The bandwidth of a spline with a penalty on second differences is of the order of the fourth root of `λ`.
    fn undersmoothed(&self, n: usize) -> Option<Undersmoothed> {
        let smoother = Smoother { sp: self.sp * shrinking(n).powi(4), ..self.smoother() };
        (self.smoothing == Smoothing::Fixed).then(|| Undersmoothed::Additive(self.spec(), smoother))
    }

    fn predicts_rows_from_others(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_falls_with_the_sample_where_it_is_fixed() {
        let Some(Undersmoothed::Additive(_, less)) = GamConfig::default().undersmoothed(1 << 20) else {
            panic!("a fixed smoothing parameter can be lowered")
        };
        assert!((less.sp - 0.6 / 16.0).abs() < 1e-12);
        assert!(GamConfig { smoothing: Smoothing::Gcv, ..GamConfig::default() }.undersmoothed(100).is_none());
    }
}
