//! Which assumption fits? One learner per class of assumptions looks at the same table, and what they found is judged by
//! means that are common to all graphs.
//!
//! The yardstick is the log likelihood of rows that were not used: the sample is dealt into five folds, every node is
//! regressed on its parents without a fold, and what is left over in the fold is valued by a density estimated without it.
//! That is done under several models ([`Model`]): what a mean may look like (linear, additive, joint) times what the noise
//! may be (Gaussian with one variance for all nodes, Gaussian with one of its own for each, any law). Every graph is valued
//! under every model, whoever found it.
//!
//! An assumption is rejected where the best graph under the models that make it is worse than the best graph under those
//! that do not, by more than two standard errors of the difference over the rows (lines and Gaussian noise by less:
//! splines and kernel densities that are not needed lose). The model that makes every assumption not rejected is the yardstick of the choice: among the graphs that
//! are not clearly worse than the best under it, the one whose learner rests on just these assumptions is chosen, or else
//! the one with fewest edges. So a class of graphs is left a class where the data say that nothing but linear Gaussian
//! relations is there: its members have one likelihood, unless variances in common units are alike along one of them. Noise
//! of any law decides only where what it leaves over is independent of the parents.
//!
//! Beside it stands what no likelihood shows: are the held-out residuals of a graph independent of the parents and of each
//! other (HSIC, Holm's correction over all tests of the graph)?
//!
//! ```text
//! candidates → (learned) → held_out → valued → assumptions → choice → votes → document
//!                             └─────→ residual_tests ───────────────────────────┘
//! ```
//!
//! The library reads no clock: a shell says by [`Run::until`](crate::run::Run::until) when it is enough. What has not been
//! learned by then is a row that says so, and the rest is judged.

mod assumptions;
mod best;
mod candidates;
mod choice;
mod comparison;
mod density;
mod document;
mod held_out;
mod model;
mod residual_tests;
mod sentences;
mod valued;
mod votes;

pub use best::{AUTO, answer_with_best, without_options};
pub use comparison::{Comparing, compare};
pub use document::{
    Assessment, AssumptionRow, ComparedEdge, Comparison, ConsensusEdge, HeldOut, LearnerRow, ModelRow, ResidualRow,
    Status,
};
pub use model::{Law, Mean, Model};
