//! Learning Markov equivalence classes: PC and, where common causes may be hidden, FCI, from tests of independence; GES, from
//! scores.

mod colliders;
mod fci;
pub mod ges;
mod lists;
mod pc;
mod rules;
mod skeleton;

pub use colliders::{ColliderRule, ConflictRule};
pub use fci::{FciOptions, FciResult, SecondSearch, fci};
pub use pc::{PcOptions, PcResult, pc};
pub use rules::OrientationRules;
pub use skeleton::{SeparatingSets, Skeleton, SkeletonOptions, SkeletonOrder, skeleton};
