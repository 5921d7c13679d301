//! The tests of independence that PC and FCI choose from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{NoOptions, RestsOn};
use super::reports::list;
use crate::data::{Categories, Covariance, Dataset, GapUse, RowBlocks};
use crate::equivalence::Skeleton;
use crate::error::{Result, within};
use crate::graph::Node;
use crate::independence::{
    Contingency, Discrepancy, FisherZ, Hsic, HsicTest, IndependenceTest, Kci, KciWidth, Rcot, TestWise,
};
use crate::regress::{Gam, Regressed};
use crate::run::{Diagnostic, Run};

/// KCI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KciConfig {
    /// The kernels' widths: `empirical` (Zhang et al. 2011), `median`, or `median-unscaled` (causal-learn's median).
    pub width: KciWidth,
}

/// RCoT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RcotConfig {
    /// The random features of a conditioning set.
    pub features: usize,
    /// The random features of each of the two columns.
    pub own_features: usize,
}

impl Default for RcotConfig {
    /// The authors' numbers.
    fn default() -> Self {
        RcotConfig { features: 100, own_features: 5 }
    }
}

/// A test of independence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum IndependenceConfig {
    /// Fisher's z-test of partial correlations: for Gaussian columns.
    FisherZ(NoOptions),
    /// Pearson's χ² test: for discrete columns.
    ChiSquare(NoOptions),
    /// The likelihood-ratio G² test: for discrete columns.
    GSquare(NoOptions),
    /// HSIC; given a set, of the residuals of additive regressions on it.
    Hsic(Hsic),
    /// The kernel conditional independence test.
    Kci(KciConfig),
    /// The randomised conditional correlation test: kernels by random features, for many rows.
    Rcot(RcotConfig),
}

impl Default for IndependenceConfig {
    /// pcalg's for continuous data.
    fn default() -> Self {
        IndependenceConfig::FisherZ(NoOptions {})
    }
}

impl IndependenceConfig {
    /// Whether its options are within their ranges, and the level of the tests.
    pub(super) fn check(&self, alpha: f64) -> Result<()> {
        within("alpha", alpha > 0.0 && alpha < 1.0, "must be above 0 and below 1", alpha)?;
        if let IndependenceConfig::Rcot(RcotConfig { features, own_features }) = *self {
            within("features", (2..=1000).contains(&features), "must be between 2 and 1000", features)?;
            within("own-features", (1..=30).contains(&own_features), "must be between 1 and 30", own_features)?;
        }
        Ok(())
    }

    /// What it can do with a column of three or more words.
    pub(super) fn categories(&self) -> Categories {
        match self {
            IndependenceConfig::ChiSquare(_) | IndependenceConfig::GSquare(_) => Categories::Anywhere,
            _ => Categories::LeftOut,
        }
    }

    /// What an answer rests on that comes from it.
    pub(super) fn rests_on(&self) -> RestsOn {
        let additivity = matches!(self, IndependenceConfig::FisherZ(_) | IndependenceConfig::Hsic(_));
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity }
    }

    /// Whether thousands of tests take no time worth speaking of.
    pub(super) fn is_cheap(&self) -> bool {
        matches!(
            self,
            IndependenceConfig::FisherZ(_) | IndependenceConfig::ChiSquare(_) | IndependenceConfig::GSquare(_)
        )
    }

    /// What `search` finds with the test of a table, and what was noticed in making the test. Where cells are missing and skipped,
    /// every test looks at the rows that are complete in its columns.
    pub(super) fn of<T>(
        &self,
        rows: &dyn RowBlocks,
        run: &Run<'_>,
        search: impl FnOnce(&dyn IndependenceTest) -> Result<T>,
    ) -> Result<(T, Vec<Diagnostic>)> {
        if let Some(gaps) = rows.gaps().filter(|gaps| gaps.gap_use() == GapUse::Skipped) {
            let data = Dataset::of(rows, run)?;
            let p_value = |complete: &Dataset| self.p_value(complete, &run.unobserved());
            let test = TestWise::new(&data, gaps, &p_value);
            let found = search(&test)?;
            return Ok((found, few_complete(test.refused()).into_iter().collect()));
        }
        self.of_complete(rows, run, search)
    }

    fn of_complete<T>(
        &self,
        rows: &dyn RowBlocks,
        run: &Run<'_>,
        search: impl FnOnce(&dyn IndependenceTest) -> Result<T>,
    ) -> Result<(T, Vec<Diagnostic>)> {
        let contingency = |discrepancy| Contingency::new(&Dataset::of(rows, run)?, discrepancy);
        let mut noticed = Vec::new();
        let found = match *self {
            IndependenceConfig::FisherZ(_) => {
                let test = FisherZ::new(&Covariance::of(rows, run)?)?;
                noticed.extend(singular(rows.names(), &test.determined()));
                search(&test)
            }
            IndependenceConfig::ChiSquare(_) => search(&contingency(Discrepancy::ChiSquare)?),
            IndependenceConfig::GSquare(_) => search(&contingency(Discrepancy::GSquare)?),
            IndependenceConfig::Hsic(hsic) => {
                let data = Dataset::of(rows, run)?;
                let residuals = Regressed { data: &data, estimator: &Gam::default() };
                search(&HsicTest::new(&data, hsic, &residuals)?)
            }
            IndependenceConfig::Rcot(RcotConfig { features, own_features }) => {
                let seed = run.seed.child("random features", 0);
                search(&Rcot::new(&Dataset::of(rows, run)?, features, own_features, seed)?)
            }
            IndependenceConfig::Kci(kci) => search(&Kci::new(&Dataset::of(rows, run)?, kci.width)?.during(*run)),
        };
        Ok((found?, noticed))
    }

    /// Whether the first two columns of a whole table are independent given the others. (A function of its own: a closure in
    /// `of` would carry the type of the search into the next `of`, and so on.)
    fn p_value(&self, complete: &Dataset, run: &Run<'_>) -> Result<f64> {
        let given: Vec<Node> = (2..complete.d()).collect();
        Ok(self.of(complete, run, |test| test.p_value(0, 1, &given))?.0)
    }
}

/// A warning where larger sets would have been conditioned on, had the sample allowed it.
pub(super) fn cut_short(skeleton: &Skeleton) -> Option<Diagnostic> {
    skeleton.cut_short.then(|| {
        Diagnostic::warning(
            "sample-limits-depth",
            format!(
                "sets of more than {} columns were not conditioned on, because the sample is too small for it; edges that \
                 only larger sets would remove are still there",
                skeleton.tests.len() - 1
            ),
        )
    })
}

fn few_complete(refused: usize) -> Option<Diagnostic> {
    (refused > 0).then(|| {
        let tests = if refused == 1 { "1 test was".to_owned() } else { format!("{refused} tests were") };
        let message =
            format!("{tests} not made, because too few rows have all of the columns; no edge is removed by them");
        Diagnostic::warning("few-complete-rows", message)
            .advise("`--missing impute` fills the cells, so that every test has all rows")
    })
}

fn singular(names: &[String], determined: &[Node]) -> Option<Diagnostic> {
    (!determined.is_empty()).then(|| {
        Diagnostic::warning(
            "singular-correlation",
            format!(
                "the correlation matrix is singular: {} an exact linear function of columns before it; given those it \
                 counts as independent of everything, so edges between these columns can be missing",
                if determined.len() == 1 {
                    format!("{} is", list(names, determined))
                } else {
                    format!("each of {} is", list(names, determined))
                }
            ),
        )
    })
}
