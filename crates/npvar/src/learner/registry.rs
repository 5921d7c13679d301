//! The list of learners. A learner is a struct of options that implements [`Options`] and one line below; everything
//! else (names, presets, TOML, `--set`, the option reference) follows from the two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cam::CamConfig;
use super::config::{EqvarConfig, NpvarConfig};
use super::gds::GdsConfig;
use super::ges::GesConfig;
use super::gsges::GsgesConfig;
use super::notears::{NotearsConfig, NotearsMlpConfig};
use super::pc::PcConfig;
use super::resit::ResitConfig;
use super::score::ScoreConfig;
use super::sort_regress::{R2SortRegressConfig, VarSortRegressConfig};
use super::{InPool, StructureLearner};
use crate::error::{Error, Result};

/// A learner's name, what it is, and what it assumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LearnerInfo {
    /// The name.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// When its answer is right.
    pub assumes: &'static str,
}

/// A learner's options. `Default` is the learner as the paper runs it.
pub(super) trait Options: Default {
    /// The learner.
    const INFO: LearnerInfo;

    /// Why the learner cannot use background knowledge, where it cannot.
    const REFUSES_KNOWLEDGE: Option<&str> = None;

    /// The public implementation it is compared with, to the digit, where there is one.
    fn reference() -> Option<Self> {
        None
    }

    /// Whether every option is within its range.
    fn check(&self) -> Result<()>;

    /// The learner with these options, which are valid.
    fn learner(&self) -> Box<dyn StructureLearner + Sync>;
}

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
            /// The default or the reference options of the learner called `name`; nothing when there are none.
            fn named(name: &str, reference: bool) -> Option<Self> {
                $(if name == <$config as Options>::INFO.name {
                    let options = if reference { <$config as Options>::reference() } else { Some(<$config>::default()) };
                    return options.map(LearnerConfig::$variant);
                })+
                None
            }

            pub(super) fn check(&self) -> Result<()> {
                match self {
                    $(LearnerConfig::$variant(options) => options.check(),)+
                }
            }

            /// The learner's name, what it is, and what it assumes.
            pub fn info(&self) -> LearnerInfo {
                match self {
                    $(LearnerConfig::$variant(_) => <$config as Options>::INFO,)+
                }
            }

            fn learner(&self) -> InPool {
                match self {
                    $(LearnerConfig::$variant(options) => InPool {
                        learner: options.learner(),
                        info: self.info(),
                        refuses_knowledge: <$config as Options>::REFUSES_KNOWLEDGE,
                    },)+
                }
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
    /// GES.
    Ges(GesConfig),
    /// GDS.
    Gds(GdsConfig),
    /// SCORE.
    Score(ScoreConfig),
    /// Var-sort-regress.
    VarSortRegress(VarSortRegressConfig),
    /// R²-sort-regress.
    R2SortRegress(R2SortRegressConfig),
}

impl LearnerConfig {
    pub(super) fn preset(algorithm: &str, preset: Option<&str>) -> Result<Self> {
        let unknown = |option: &str, problem: String| Error::Options { option: format!("`{option}`"), problem };
        if !LEARNERS.iter().any(|learner| learner.name == algorithm) {
            let known: Vec<String> = LEARNERS.iter().map(|learner| format!("`{}`", learner.name)).collect();
            let problem = format!("unknown learner `{algorithm}`; the learners are {}", known.join(", "));
            return Err(unknown("learner", problem));
        }
        let reference = match preset {
            None | Some("paper") => false,
            Some("reference") => true,
            Some(other) => {
                let problem = format!("unknown preset `{other}`; the presets are `paper` and `reference`");
                return Err(unknown("preset", problem));
            }
        };
        LearnerConfig::named(algorithm, reference)
            .ok_or_else(|| unknown("preset", format!("`{algorithm}` has no preset `reference`")))
    }

    /// The learner with these options.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when one is out of range.
    pub fn build(&self) -> Result<Box<dyn StructureLearner>> {
        self.check()?;
        Ok(Box::new(self.learner()))
    }
}
