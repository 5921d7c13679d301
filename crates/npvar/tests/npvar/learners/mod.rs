//! Learners as a user meets them: what they find, what must not change it, and what awkward tables get.

mod any_estimator;
mod best_order;
mod cam;
mod categories;
mod doubt_cases;
mod doubts;
mod equivalence;
mod every_learner;
mod fci;
mod gaussian_process;
mod knowledge;
mod linear;
mod missing;
mod notears_gds;
mod orders;
mod paper_examples;
mod pc;
mod score_family;
#[cfg(target_os = "linux")]
mod silence;
#[cfg(target_os = "linux")]
mod stopping;
#[cfg(feature = "parquet")]
mod streaming;
mod units;
