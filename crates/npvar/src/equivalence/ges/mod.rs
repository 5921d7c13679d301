//! Greedy equivalence search (Chickering 2003, "Optimal structure identification with greedy search"), with the turning
//! phase of Hauser & Bühlmann (2012, "Characterization and greedy learning of interventional Markov equivalence classes").
//!
//! The state is a CPDAG. Forward, the valid insertion with the largest gain in score is applied while there is one with a
//! gain above zero; backward, likewise deletions; turning, likewise reversals of an edge. An operator is a pair of nodes
//! `x → y` and a set `C` of neighbours of `y`: the members of the class in which just `C` (of `y`'s neighbours) are
//! parents of `y` get, lose or turn the edge `x → y`. With `N = ne(y) ∩ ad(x)`:
//!
//! ```text
//! Insert  x, y not adjacent    N ⊆ C (C = N ∪ T), C a clique, C blocks every semi-directed path from y to x
//! Delete  x → y or x -- y      C ⊆ N (C = N \ H), C a clique
//! Turn    y → x                N ⊆ C, C a clique, C ∪ ne(x) blocks every other semi-directed path from y to x
//! Turn    y -- x               C ⊆ ne(y) \ x a clique, not within N, C ∩ N separates C \ N from N \ C in ne(y)
//! ```
//!
//! Under a score-equivalent, consistent score and enough data the result is the true class. The search looks again only at
//! operators whose surroundings the last step changed; paths are checked only for the operator about to be applied. All
//! subsets `T` that make cliques are tried, so the cost is exponential in the largest clique of neighbours, as in the paper;
//! past 4096 cliques at one node only the smaller are, and [`GesResult::incomplete`] names the node.
//! While phases are repeated no class is visited twice, so that a score which is not quite score-equivalent cannot lead the search in a circle.
//! Gains within [`ROUNDING`] of zero count as zero. Equal gains: the smaller `y`, then `x`, then `C` wins.

mod apply;
mod operator;
mod paths;
mod propose;
mod search;
mod surroundings;

pub use operator::{Operator, OperatorKind};
pub use search::{GesOptions, GesResult, GesStep, Phases, ROUNDING, ges, ges_within};

#[cfg(test)]
mod tests;
