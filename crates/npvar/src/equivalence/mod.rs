//! Learning Markov equivalence classes: PC, from tests of independence, and GES, from scores.

mod colliders;
pub mod ges;
mod lists;
mod pc;
mod rules;
mod skeleton;

pub use colliders::{ColliderRule, ConflictRule};
pub use pc::{PcOptions, PcResult, pc};
pub use rules::OrientationRules;
pub use skeleton::{SeparatingSets, Skeleton, SkeletonOptions, SkeletonOrder, skeleton};
