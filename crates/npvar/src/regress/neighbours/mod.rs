//! Nearest neighbours.

mod knn;
mod nearest;

pub use knn::{FittedKnn, Knn};
