//! Whole systems: from a table to a graph. A learner is a file with its options, the facts about it and what it finds; those
//! that find an order share one selection of parents along it (`along_order.rs`), as the paper evaluates them; `registry.rs`
//! lists them all, and what is the same for all is added around them (`learned.rs`).

mod advice;
mod along_order;
pub(crate) mod alternatives;
mod assignment;
mod best_order;
mod cam;
mod caps;
mod das;
mod describe;
mod direct_lingam;
mod eqvar;
mod estimator;
mod facts;
mod found;
mod gds;
mod ges;
mod gsges;
mod input;
mod learned;
mod linear_parents;
mod nats;
mod nearest;
mod nogam;
mod notears;
mod npvar;
mod pc;
mod registry;
pub(crate) mod reports;
mod resit;
mod score;
mod sort_regress;
mod stein_search;
mod weights;

pub use assignment::{Assignment, keyword};
pub use best_order::{BestOrderConfig, BestOrderNoise, BestOrderScore, BestOrderStart};
pub use cam::{CamConfig, CamScore, NeighbourhoodSelection, PSplineScore, Pruning, ThinPlateScore};
pub use caps::CapsConfig;
pub use das::DasConfig;
pub use describe::{KindDescription, LearnerDescription, OptionDescription, Takes};
pub use direct_lingam::DirectLingamConfig;
pub use eqvar::{Direction, EqvarConfig};
pub use estimator::{AutoConfig, EstimatorConfig};
pub(crate) use facts::RestsOn;
pub use facts::{LearnerInfo, ModelKind, NoOptions};
pub use gds::{GdsConfig, GdsModel};
pub use ges::{BdeuConfig, GaussianBicConfig, GesConfig, GesScore, Penalty};
pub use gsges::{CrossValidatedConfig, GsgesConfig, GsgesScore, LowRankUse, MarginalConfig};
pub use input::Input;
pub use learned::{Learned, Learner, learn};
pub use linear_parents::{LinearParents, LinearParentsConfig};
pub use nats::{EdgeNats, Nats, TotalNats};
pub use nogam::NogamConfig;
pub use notears::{NotearsConfig, NotearsMlpConfig, NotearsParents, SignificanceConfig};
pub use npvar::{NegativeVariance, NpvarConfig, ParentSelection, SampleSplit, learn_from_sums, learn_with};
pub use pc::{IndependenceConfig, KciConfig, PcConfig, RcotConfig};
pub use registry::{LEARNERS, LearnerConfig};
pub use resit::{ResitConfig, ResitParents, SplineBasis};
pub use score::ScoreConfig;
pub use sort_regress::{R2SortRegressConfig, VarSortRegressConfig};
pub use stein_search::Units;
pub use weights::EdgeWeight;

pub use crate::regress::GamConfig;
pub use crate::regress::gp::GpConfig;
