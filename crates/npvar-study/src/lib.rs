//! Comparisons of learners over simulated data: settings × d × n × σ² × learners × seeds, described in one TOML file.
//!
//! ```text
//! StudyFile (what is written) → Study (checked, one size) → cells → run: worker processes → log → table → report
//! ```
//!
//! [`Study`] is the plan, [`run`](run::run) carries it out and goes on where it stopped, [`merge`] joins the shards of several
//! machines, [`report`] draws figures and tables. A cell runs in a worker process of its own ([`worker`]), so that its memory
//! can be measured and a limit enforced; the numbers depend neither on the parallelism nor on where a run was interrupted.

pub mod cell;
mod dimension;
pub mod error;
mod file;
mod fingerprint;
mod folder;
mod log;
mod measure;
mod memory;
pub mod merge;
mod queue;
pub mod report;
pub mod row;
pub mod run;
mod shard;
mod study;
mod table;
pub mod worker;

pub use dimension::Dimension;
pub use error::{Error, Result};
pub use file::{FigureFile, LearnerFile, Measure, PictureFile, QuickBounds, QuickFile, StudyFile, TableFile};
pub use shard::Shard;
pub use study::{Size, Study, StudyLearner};
