//! The order of highest total score, for any score of "this node after that set" ([`AfterSet`](crate::local_score::AfterSet)).
//!
//! A node is taken out and put back where the sum of the nodes' scores is largest; so with every node, again and again until
//! none moves (`search.rs`, `best_place.rs`). Where that ends depends on where it began, so the best order found is perturbed and the search
//! begun again, `restarts` times (`restarts.rs`); on dense graphs these decide everything, as Wienöbst, Henckel & Weichwald
//! (2025, FLOP) found for linear scores. How sure the direction of an edge is says the best order in which its child comes
//! first (`turned.rs`), and how sure neighbours are of their places what exchanging them costs (`exchanged.rs`).
//!
//! Of a move only what it changes is asked, and of that only what could make the total larger. A score that keeps its answers
//! ([`Toggling`](crate::local_score::Toggling)) computes little of it anew.

mod best_place;
mod exchanged;
mod placed;
mod restarts;
mod search;
#[cfg(test)]
mod tests;
mod turned;

pub use placed::Placed;
pub use restarts::random_order;
pub use search::Reinsertion;
