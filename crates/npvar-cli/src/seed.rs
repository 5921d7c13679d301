//! A seed where none was given.

use std::hash::{BuildHasher, Hasher, RandomState};

use npvar::Seed;

/// From the operating system, and short enough to be typed again.
pub(crate) fn random() -> Seed {
    Seed(RandomState::new().build_hasher().finish() >> 32)
}
