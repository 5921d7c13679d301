//! GES: greedy equivalence search over a Gaussian or a discrete score.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::facts::{LearnerInfo, Options, RestsOn, Uses};
use super::found::{Found, StructureLearner};
use super::input::Task;
use super::reports;
use crate::data::{Categories, ColumnSummary, Covariance, Dataset, GapUse};
use crate::equivalence::ges::{GesOptions as Search, GesResult, Phases, ges_within};
use crate::error::{Result, within};
use crate::graph::{Knowledge, Node, Pdag};
use crate::local_score::{Bdeu, Cached, GaussianBic, LocalScore};
use crate::run::{Diagnostic, Run};

/// `λ`, what each coefficient costs. Written as `bic` or a number.
///
/// ```
/// use npvar::learner::Penalty;
/// assert_eq!(serde_json::from_str::<Penalty>("2.5").unwrap(), Penalty::Fixed(2.5));
/// assert_eq!(serde_json::to_string(&Penalty::Bic).unwrap(), "\"bic\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Penalty {
    /// `log(n)/2`.
    #[default]
    Bic,
    /// This number, not negative.
    Fixed(f64),
}

const PENALTIES: &str = "`bic` or a number that is not negative";

impl Serialize for Penalty {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Penalty::Bic => serializer.serialize_str("bic"),
            Penalty::Fixed(lambda) => serializer.serialize_f64(*lambda),
        }
    }
}

impl<'de> Deserialize<'de> for Penalty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer) {
            Ok(Written::Number(lambda)) if lambda >= 0.0 && lambda.is_finite() => Ok(Penalty::Fixed(lambda)),
            Ok(Written::Word(word)) if word == "bic" => Ok(Penalty::Bic),
            _ => Err(serde::de::Error::custom(format!("`lambda` must be {PENALTIES}"))),
        }
    }
}

impl JsonSchema for Penalty {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Penalty".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "bic, or a number that is not negative",
            "anyOf": [{"enum": ["bic"]}, {"type": "number", "minimum": 0}]
        })
    }
}

/// The ℓ0-penalised Gaussian likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GaussianBicConfig {
    /// λ, the cost of each coefficient: `bic` (log(n)/2) or a number.
    pub lambda: Penalty,
}

/// Bayesian Dirichlet equivalent uniform.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BdeuConfig {
    /// The equivalent sample size of the prior.
    pub sample_prior: f64,
    /// The number of parents a node is expected to have; 0 for no preference.
    pub structure_prior: f64,
}

impl Default for BdeuConfig {
    /// causal-learn's.
    fn default() -> Self {
        BdeuConfig { sample_prior: 1.0, structure_prior: 1.0 }
    }
}

/// What GES maximises.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GesScore {
    /// For continuous columns.
    GaussianBic(GaussianBicConfig),
    /// For discrete columns.
    Bdeu(BdeuConfig),
}

impl Default for GesScore {
    fn default() -> Self {
        GesScore::GaussianBic(GaussianBicConfig::default())
    }
}

/// GES (Chickering 2003): the equivalence class with the best score, by greedy insertions, deletions and turns of edges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GesConfig {
    /// The score: `gaussian-bic` (continuous columns) or `bdeu` (discrete columns).
    pub score: GesScore,
    /// `turning` (forward, backward and turning until none improves, as pcalg) or `forward-backward` (Chickering 2003).
    pub phases: Phases,
    /// No node gets more parents than this; no limit when left out.
    pub max_parents: Option<usize>,
}

impl Default for GesConfig {
    /// As the paper ran it: pcalg's `ges` with `GaussL0penObsScore` and λ = log(n)/2, whose phases include turning.
    fn default() -> Self {
        GesConfig { score: GesScore::default(), phases: Phases::Turning, max_parents: None }
    }
}

impl Options for GesConfig {
    const INFO: LearnerInfo = LearnerInfo {
        name: "ges",
        title: "GES",
        summary: "GES (Chickering 2003): greedy search for the equivalence class with the best penalised likelihood",
        assumes: "all variables observed, linear Gaussian relations (or discrete columns with `score=bdeu`), faithfulness; \
                  edges that the class leaves open stay undirected",
    };

    fn reference() -> Option<Self> {
        Some(GesConfig::default())
    }

    fn check(&self) -> Result<()> {
        if let GesScore::Bdeu(BdeuConfig { sample_prior, structure_prior }) = self.score {
            let positive = sample_prior > 0.0 && sample_prior.is_finite();
            within("sample-prior", positive, "must be above 0", sample_prior)?;
            let not_negative = structure_prior >= 0.0 && structure_prior.is_finite();
            within("structure-prior", not_negative, "must not be negative", structure_prior)?;
        }
        Ok(())
    }

    fn categories(&self) -> Categories {
        match self.score {
            GesScore::GaussianBic(_) => Categories::LeftOut,
            GesScore::Bdeu(_) => Categories::Anywhere,
        }
    }

    fn skips_missing(&self) -> bool {
        matches!(self.score, GesScore::GaussianBic(_))
    }

    fn uses(&self) -> Uses {
        Uses::ROWS
    }

    fn rests_on(&self) -> RestsOn {
        let additivity = matches!(self.score, GesScore::GaussianBic(_));
        RestsOn { equal_variances: false, natural_scale: false, units: false, additivity }
    }

    fn joint_effects(&self) -> Option<&'static str> {
        Some("--learner gsges")
    }
}

impl StructureLearner for GesConfig {
    fn find(&self, task: &Task<'_>, run: &Run<'_>) -> Result<Found> {
        let names = task.names();
        let mut diagnostics = Vec::new();
        let mut max_parents = self.max_parents;
        let mut linear = None;
        let score: Box<dyn LocalScore> = match self.score {
            GesScore::GaussianBic(GaussianBicConfig { lambda }) => {
                let lambda = match lambda {
                    Penalty::Bic => None,
                    Penalty::Fixed(lambda) => Some(lambda),
                };
                let covariance = match task.rows.gaps().map(|gaps| (gaps, gaps.gap_use())) {
                    Some((gaps, GapUse::Skipped)) => Covariance::pairwise(&Dataset::of(task.rows, run)?, gaps, run)?,
                    Some((gaps, GapUse::Imputed)) => Covariance::imputed(task.rows, gaps, run)?,
                    None => Covariance::of(task.rows, run)?,
                };
                let n = covariance.n();
                let covariance = linear.insert(covariance);
                let score = GaussianBic::new(covariance, lambda);
                diagnostics.extend(dependent_columns(names, &score.dependent(), n));
                diagnostics.extend(few_valued(names, task.columns));
                if n - 2 < names.len() - 1 {
                    max_parents = Some(max_parents.map_or(n - 2, |most| most.min(n - 2)));
                    diagnostics.push(few_samples(n, names.len()));
                }
                Box::new(score)
            }
            GesScore::Bdeu(BdeuConfig { sample_prior, structure_prior }) => {
                Box::new(Cached::new(Bdeu::new(&Dataset::of(task.rows, run)?, sample_prior, structure_prior)?))
            }
        };
        let search = Search { phases: self.phases, max_parents };
        let found = ges_within(&*score, &search, task.knowledge, run)?;
        diagnostics.extend(many_cliques(names, &found.incomplete));
        Ok(Found { covariance: linear, ..Found::class(known_members(&found, task.knowledge), diagnostics) })
    }
}

/// The members of the class found that agree with what is known.
pub(super) fn known_members(found: &GesResult, knowledge: &Knowledge) -> Pdag {
    knowledge.members(&found.cpdag).expect("the search moves between classes that have such members")
}

fn dependent_columns(names: &[String], dependent: &[Node], n: usize) -> Option<Diagnostic> {
    // With as many columns as rows every table is dependent; `few_samples` speaks of that.
    (!dependent.is_empty() && names.len() < n).then(|| {
        Diagnostic::warning(
            "dependent-columns",
            format!(
                "{} determined linearly by the columns before: a perfect fit wins over every other, so edges among such \
                 columns say nothing about causes",
                is_or_are(names, dependent)
            ),
        )
    })
}

fn few_valued(names: &[String], columns: &[ColumnSummary]) -> Option<Diagnostic> {
    let few = |column: &ColumnSummary| column.min < column.max && column.levels.is_some();
    let nodes: Vec<Node> = (0..columns.len()).filter(|&node| few(&columns[node])).collect();
    (!nodes.is_empty()).then(|| {
        let message = format!(
            "{} few-valued and scored like a Gaussian column; for discrete columns there is `score=bdeu`",
            is_or_are(names, &nodes)
        );
        Diagnostic::info("few-valued-columns", message)
    })
}

/// Searches that left out operators.
pub(super) fn many_cliques(names: &[String], incomplete: &[Node]) -> Option<Diagnostic> {
    (!incomplete.is_empty()).then(|| {
        let message = format!(
            "the neighbours of {} had more than 4096 cliques, of which only the smaller were tried; a larger penalty or \
             `max-parents` makes the search complete",
            reports::list(names, incomplete)
        );
        Diagnostic::warning("many-cliques", message)
    })
}

fn few_samples(n: usize, d: usize) -> Diagnostic {
    let message = format!(
        "there are {n} samples for {d} columns: a regression on {} columns fits perfectly, so no node may have more than {} \
         parents, and the likelihood of so many is hardly penalised",
        n - 1,
        n - 2
    );
    Diagnostic::warning("few-samples", message)
}

fn is_or_are(names: &[String], nodes: &[Node]) -> String {
    format!("{} {}", reports::list(names, nodes), if nodes.len() == 1 { "is" } else { "are" })
}
