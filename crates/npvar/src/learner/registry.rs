//! The list of learners. A learner is a struct of options that implements [`Options`] and one line below; everything
//! else (names, presets, TOML, `--set`, the option reference) follows from the two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::best_order::BestOrderConfig;
use super::cam::CamConfig;
use super::caps::CapsConfig;
use super::das::DasConfig;
use super::direct_lingam::DirectLingamConfig;
use super::eqvar::EqvarConfig;
use super::facts::{LearnerInfo, ModelKind, Options, RestsOn, Uses};
use super::fci::FciConfig;
use super::found::StructureLearner;
use super::gds::GdsConfig;
use super::ges::GesConfig;
use super::gsges::GsgesConfig;
use super::nearest::{did_you_mean, nearest};
use super::nogam::NogamConfig;
use super::notears::{NotearsConfig, NotearsMlpConfig};
use super::npvar::NpvarConfig;
use super::pc::PcConfig;
use super::resit::ResitConfig;
use super::score::ScoreConfig;
use super::sort_regress::{R2SortRegressConfig, VarSortRegressConfig};
use crate::data::{Categories, ReadOptions};
use crate::error::{Error, Result};
use crate::regress::GamConfig;

macro_rules! learners {
    ($($(#[$doc:meta])* $variant:ident($config:ty)),+ $(,)?) => {
        /// Any learner's options; `algorithm` names it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "algorithm", rename_all = "kebab-case")]
        pub enum LearnerConfig {
            $($(#[$doc])* $variant($config),)+
        }

        /// The learners there are.
        pub const LEARNERS: &[LearnerInfo] = &[$(<$config as Options>::INFO),+];

        impl LearnerConfig {
            /// The options of the learner called `name` under a preset; nothing when there are none.
            fn named(name: &str, preset: &str) -> Option<Self> {
                $(if name == <$config as Options>::INFO.name {
                    let options = match preset {
                        "paper" => Some(<$config>::default()),
                        "reference" => <$config as Options>::reference(),
                        other => <$config as Options>::preset(other),
                    };
                    return options.map(LearnerConfig::$variant);
                })+
                None
            }

            /// The presets that the learner called `name` has of its own.
            pub fn own_presets(name: &str) -> &'static [&'static str] {
                $(if name == <$config as Options>::INFO.name {
                    return <$config as Options>::PRESETS;
                })+
                &[]
            }

            /// The learner's name, what it is, and what it assumes.
            pub fn info(&self) -> LearnerInfo {
                match self {
                    $(LearnerConfig::$variant(_) => <$config as Options>::INFO,)+
                }
            }

            pub(super) fn method(&self) -> &(dyn StructureLearner + Sync) {
                match self {
                    $(LearnerConfig::$variant(options) => options,)+
                }
            }
        }

        learners!(@asked $($variant)+;
            pub(super) fn check(&self) -> Result<()>;
            pub(super) fn uses(&self) -> Uses;
            pub(crate) fn rests_on(&self) -> RestsOn;
            pub(crate) fn selection(&self) -> Option<GamConfig>;
            pub(crate) fn search_model(&self) -> Option<ModelKind>;
            pub(super) fn joint_effects(&self) -> Option<&'static str>;
            pub(crate) fn does_not_see(&self) -> &'static str;
            pub(super) fn keeps_the_best(&self) -> bool;
            pub(crate) fn is_misled_by_copies(&self) -> bool;
            pub fn categories(&self) -> Categories;
            pub fn skips_missing(&self) -> bool;
        );
    };
    // What is asked of any learner is answered by its options.
    (@asked $($variant:ident)+; $($visible:vis fn $question:ident(&self) -> $answer:ty;)+) => {
        learners!(@each [$($variant)+] $($visible $question $answer;)+);
    };
    (@each $variants:tt $($visible:vis $question:ident $answer:ty;)+) => {
        impl LearnerConfig {
            $(learners!(@one $variants $visible $question $answer);)+
        }
    };
    (@one [$($variant:ident)+] $visible:vis $question:ident $answer:ty) => {
        /// What the learner's options answer.
        $visible fn $question(&self) -> $answer {
            match self {
                $(LearnerConfig::$variant(options) => options.$question(),)+
            }
        }
    };
}

learners! {
    /// NPVAR.
    Npvar(NpvarConfig),
    /// EqVar.
    Eqvar(EqvarConfig),
    /// CAM.
    Cam(CamConfig),
    /// RESIT.
    Resit(ResitConfig),
    /// NOTEARS.
    Notears(NotearsConfig),
    /// NOTEARS-MLP.
    NotearsMlp(NotearsMlpConfig),
    /// GSGES.
    Gsges(GsgesConfig),
    /// PC.
    Pc(PcConfig),
    /// FCI.
    Fci(FciConfig),
    /// GES.
    Ges(GesConfig),
    /// GDS.
    Gds(GdsConfig),
    /// SCORE.
    Score(ScoreConfig),
    /// DAS.
    Das(DasConfig),
    /// NoGAM.
    Nogam(NogamConfig),
    /// CaPS.
    Caps(CapsConfig),
    /// Best order.
    BestOrder(BestOrderConfig),
    /// DirectLiNGAM.
    DirectLingam(DirectLingamConfig),
    /// Var-sort-regress.
    VarSortRegress(VarSortRegressConfig),
    /// R²-sort-regress.
    R2SortRegress(R2SortRegressConfig),
}

impl LearnerConfig {
    /// The options of reading, with what this learner can do with words and missing cells.
    pub fn reading(&self, options: ReadOptions) -> ReadOptions {
        // GES can take correlations pair by pair, and finds more wrong edges then than with imputed cells.
        let skips_missing = self.skips_missing() && !matches!(self, LearnerConfig::Ges(_));
        ReadOptions { categories: self.categories(), skips_missing, ..options }
    }

    /// Whether the learner is a search that can be told to end with the best it has ([`Run::until`](crate::run::Run::until)).
    pub fn can_stop_early(&self) -> bool {
        self.keeps_the_best()
    }

    pub(super) fn preset(algorithm: &str, preset: Option<&str>) -> Result<Self> {
        let unknown = |option: &str, problem: String| Error::Options { option: format!("`{option}`"), problem };
        if !LEARNERS.iter().any(|learner| learner.name == algorithm) {
            let known: Vec<String> = LEARNERS.iter().map(|learner| format!("`{}`", learner.name)).collect();
            let meant =
                nearest(algorithm, LEARNERS.iter().map(|learner| learner.name)).map_or_else(String::new, did_you_mean);
            let problem = format!("unknown learner `{algorithm}`{meant}; the learners are {}", known.join(", "));
            return Err(unknown("learner", problem));
        }
        let (preset, own) = (preset.unwrap_or("paper"), LearnerConfig::own_presets(algorithm));
        if !["paper", "reference"].contains(&preset) && !own.contains(&preset) {
            let own: String = own.iter().map(|name| format!(", and of its own `{name}`")).collect();
            let problem = format!("unknown preset `{preset}`; the presets are `paper` and `reference`{own}");
            return Err(unknown("preset", problem));
        }
        LearnerConfig::named(algorithm, preset)
            .ok_or_else(|| unknown("preset", format!("`{algorithm}` has no preset `{preset}`")))
    }
}
