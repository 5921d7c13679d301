//! The options of the order of highest evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::Categories;
use crate::error::{Result, within};
use crate::learner::facts::{LearnerInfo, ModelKind, Options, RestsOn, Uses};
use crate::regress::{Estimator, GamConfig};

/// More than NPVAR's: ten are too stiff for columns of wide range, and what they leave looks like unequal noise.
const SPLINES: usize = 14;

/// The evidence by which orders are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BestOrderScore {
    /// The marginal likelihood of additive models of splines, from the Gram matrix alone.
    #[default]
    Additive,
    /// The marginal likelihood of Gaussian processes, additive in some parents and joint in others: it sees interactions.
    GaussianProcess,
    /// BIC of linear Gaussian models, from the covariance matrix.
    Linear,
}

/// What is assumed of the nodes' noise variances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BestOrderNoise {
    /// Whichever of the two has the larger total evidence.
    #[default]
    Auto,
    /// One variance for all nodes: columns in common units.
    Shared,
    /// Each node its own: any units, but then only nonlinear relations have a direction.
    Own,
}

/// The order the search begins from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BestOrderStart {
    /// NPVAR's (EqVar's for the linear score).
    #[default]
    Npvar,
    /// A random one.
    Random,
}

impl BestOrderConfig {
    /// The splines: of `score=additive`, and of the order that NPVAR begins with.
    pub(super) fn gam(&self) -> GamConfig {
        GamConfig { k: self.k, ..GamConfig::default() }
    }
}

/// The order of highest evidence: nodes are taken out and put back where the total evidence is largest, and choose their parents
/// by it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BestOrderConfig {
    /// The evidence: `additive`, `gaussian-process` (slower; sees interactions) or `linear`.
    pub score: BestOrderScore,
    /// The noise variances: `shared`, each node its `own`, or `auto` (the larger total evidence).
    pub noise: BestOrderNoise,
    /// How often the best order is perturbed and the search begun again.
    pub restarts: usize,
    /// The order the search begins from: `npvar` or `random`.
    pub start: BestOrderStart,
    /// The largest false discovery rate of the edges that stay, by their evidence; none is more likely wrong than right. 1 keeps
    /// all that the search chose.
    pub false_discovery_rate: f64,
    /// The price of a coefficient with `score=linear`, in BIC's half log n.
    pub penalty: f64,
    /// B-splines per column with `score=additive`.
    pub k: usize,
}

impl Default for BestOrderConfig {
    /// As measured in the guide's chapter on it.
    fn default() -> Self {
        BestOrderConfig {
            score: BestOrderScore::Additive,
            noise: BestOrderNoise::Auto,
            restarts: 5,
            start: BestOrderStart::Npvar,
            false_discovery_rate: 0.05,
            penalty: 1.0,
            k: SPLINES,
        }
    }
}

impl Options for BestOrderConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "best-order",
        title: "Best order",
        summary: "the order of highest total evidence, found by taking nodes out and putting them back; parents by evidence",
        assumes: "additive effects and roughly Gaussian noise; with shared noise about equal variances in common units, with \
                  own noise nonlinear relations",
    };

    const PRESETS: &[&str] = &["flop"];

    /// `flop`: what the package `flopsearch` does with the options its authors recommend (Wienöbst, Henckel & Weichwald 2025). Its
    /// `lambda_bic = 2` is twice BIC's price, and it looks at no edge again.
    fn preset(name: &str) -> Option<Self> {
        (name == "flop").then(|| BestOrderConfig {
            score: BestOrderScore::Linear,
            noise: BestOrderNoise::Own,
            restarts: 20,
            false_discovery_rate: 1.0,
            penalty: 2.0,
            ..BestOrderConfig::default()
        })
    }

    fn check(&self) -> Result<()> {
        let (rate, penalty) = (self.false_discovery_rate, self.penalty);
        within("false-discovery-rate", rate > 0.0 && rate <= 1.0, "must be larger than 0 and at most 1", rate)?;
        within("penalty", penalty > 0.0 && penalty.is_finite(), "must be larger than 0", penalty)?;
        let priced = self.score == BestOrderScore::Linear || penalty == 1.0;
        within(
            "penalty",
            priced,
            "is the price of a coefficient with `score=linear`; other evidence has none",
            penalty,
        )?;
        let splines = self.score == BestOrderScore::Additive || self.k == SPLINES;
        within("k", splines, "is the number of splines with `score=additive`; other evidence has none", self.k)?;
        self.gam().check()
    }

    fn uses(&self) -> Uses {
        Uses::ORDER
    }

    /// With `auto` equal variances are believed only where the evidence is for them, which units decide.
    fn rests_on(&self) -> RestsOn {
        let shared = self.noise == BestOrderNoise::Shared;
        let units = self.noise != BestOrderNoise::Own;
        let additivity = self.score != BestOrderScore::GaussianProcess;
        RestsOn { equal_variances: shared, natural_scale: shared, units, additivity }
    }

    fn categories(&self) -> Categories {
        match self.score {
            BestOrderScore::Additive => Categories::AsCauses,
            BestOrderScore::Linear | BestOrderScore::GaussianProcess => Categories::LeftOut,
        }
    }

    fn keeps_the_best(&self) -> bool {
        true
    }

    fn search_model(&self) -> Option<ModelKind> {
        (self.score == BestOrderScore::Linear).then_some(ModelKind::Linear)
    }
}
