//! Greedy DAG search under equal error variances (GDS; Peters & Bühlmann 2013).
//!
//! ```text
//! score(G) = n d/2 (log(2πσ̂²) + 1) + log(n)/2 · parameters(G)      σ̂² = Σ_j RSS_j(G) / (n d)
//! ```
//!
//! the negative log-likelihood of Gaussian errors with one common variance, plus the BIC's penalty; smaller is better. From a
//! start graph the search makes the single-edge move (add, delete, reverse) that lowers the score most, until none does.
//!
//! A node's residual sum of squares depends on its parents alone, so after a move only the one or two nodes whose parents
//! changed are fitted again, against every possible further change at once.
//!
//! Differs from the authors' R code: every neighbour is scored and the best is taken (theirs looks at a random subset of the
//! neighbours), so the end point is a local optimum over all single-edge moves; the first start is the empty graph, and only
//! restarts begin at random graphs. Parameters are counted by edges in the linear model, as in the paper, and by effective
//! degrees of freedom in the additive one.

mod additive;
mod linear;
mod node_fits;
mod search;

pub use additive::AdditiveFits;
pub use linear::LinearFits;
pub use node_fits::{Fit, NodeFits, score};
pub use search::{Greedy, GreedyResult, Move, greedy, greedy_within};
