//! From residual variances to an order: the searches, which have never heard of splines.

mod bottom_up;
mod eta;
mod greedy_edges;
mod lingam;
mod reinsertion;
mod resit;
mod stein;
mod top_down;

pub use bottom_up::{Sink, bottom_up, bottom_up_within};
pub use eta::{Comparison, Eta, LastNode};
pub use greedy_edges::{GreedyEdges, Inclusion, greedy_edges, greedy_edges_after};
pub use lingam::{LingamStep, lingam, lingam_within};
pub use reinsertion::{Placed, Reinsertion, random_order};
pub use resit::{
    Dependence, PreparedTest, ResitRemoval, ResitStep, Weakest, resit_order, resit_order_within, resit_parents,
};
pub use stein::{
    CandidateRule, Candidates, CapsStep, NogamStep, RidgeRule, SteinRows, SteinRule, SteinStep, caps_within,
    nogam_within, parent_scores, stein, stein_candidates, stein_within,
};
pub use top_down::{LayerRule, Search, Step, layers, layers_within, search, search_within};
