//! DirectLiNGAM: sources one after the other by non-Gaussianity, then parents by sparse linear regression.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::linear_parents::LinearParentsConfig;
use super::reports;
use crate::data::{Covariance, Dataset};
use crate::error::Result;
use crate::graph::Node;
use crate::order::{LingamStep, lingam_within};
use crate::regress::GamConfig;
use crate::run::{Diagnostic, Run};

/// The level of the test that a column's noise is Gaussian.
const GAUSSIAN: f64 = 0.05;

/// DirectLiNGAM (Shimizu et al. 2011): the column most independent of what it leaves of the others is the next source; then
/// sparse linear regression on all columns before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DirectLingamConfig(pub LinearParentsConfig);

impl Options for DirectLingamConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "direct-lingam",
        title: "DirectLiNGAM",
        summary: "DirectLiNGAM (Shimizu et al. 2011): sources by non-Gaussianity, parents by sparse linear regression",
        assumes: "linear relations with noise that is not Gaussian (in at most one column it may be), all variables observed",
    };

    /// The default is what the authors' package does.
    fn reference() -> Option<Self> {
        Some(DirectLingamConfig::default())
    }

    fn check(&self) -> Result<()> {
        self.0.check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    fn rests_on(&self) -> RestsOn {
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity: true }
    }

    fn selection(&self) -> Option<GamConfig> {
        self.0.selection()
    }
}

impl StructureLearner for DirectLingamConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let mut diagnostics = Vec::new();
        let order = match task.order {
            Some(order) => order.clone(),
            None => {
                let data = Dataset::of(task.rows, run)?;
                let columns: Vec<&[f64]> = (0..data.d()).map(|node| data.column(node)).collect();
                let (order, steps) = lingam_within(&columns, task.knowledge, run)?;
                diagnostics.extend(gaussian_noise(task.names(), &steps));
                order
            }
        };
        self.0.select(order, Covariance::of(task.rows, run)?, diagnostics, task, run)
    }
}

/// Columns whose noise may be Gaussian: between two of them nothing gives the direction away.
fn gaussian_noise(names: &[String], steps: &[LingamStep]) -> Option<Diagnostic> {
    let is_gaussian = |step: &&LingamStep| step.gaussian.is_some_and(|p_value| p_value > GAUSSIAN);
    let mut nodes: Vec<Node> = steps.iter().filter(is_gaussian).map(|step| step.source).collect();
    nodes.sort_unstable();
    (nodes.len() > 1).then(|| {
        let message = format!(
            "what is left of {} cannot be told from Gaussian noise (Jarque and Bera's test at {GAUSSIAN}): between two such \
             columns nothing gives the direction away, and their order may be chance",
            reports::list(names, &nodes)
        );
        Diagnostic::warning("gaussian-noise", message).advise(
            "believe the directions only where other learners agree; `pc` and `ges` leave open what linear Gaussian data cannot say",
        )
    })
}
