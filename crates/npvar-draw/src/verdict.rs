//! How the edges of a learned graph stand to those of the true one.

use npvar::graph::{Dag, Node};

/// How an edge stands to the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// In both graphs.
    Found,
    /// Only in the true one.
    Missed,
    /// Only in the learned one.
    Wrong,
}

impl Verdict {
    /// In the order in which they are told.
    pub const ALL: [Verdict; 3] = [Verdict::Found, Verdict::Missed, Verdict::Wrong];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Found => "found",
            Verdict::Missed => "missed",
            Verdict::Wrong => "wrong",
        }
    }
}

/// Every edge of either graph.
///
/// ```
/// use npvar::graph::Dag;
/// use npvar_draw::{Verdict, verdicts};
/// let (learned, truth) = (Dag::from_edges(2, [(0, 1)])?, Dag::from_edges(2, [(1, 0)])?);
/// assert_eq!(verdicts(&learned, &truth), [(0, 1, Verdict::Wrong), (1, 0, Verdict::Missed)]);
/// # Ok::<(), npvar::Error>(())
/// ```
pub fn verdicts(learned: &Dag, truth: &Dag) -> Vec<(Node, Node, Verdict)> {
    let estimated = learned
        .edges()
        .into_iter()
        .map(|(from, to)| (from, to, if truth.has_edge(from, to) { Verdict::Found } else { Verdict::Wrong }));
    let missed = truth.edges().into_iter().filter(|&(from, to)| !learned.has_edge(from, to));
    estimated.chain(missed.map(|(from, to)| (from, to, Verdict::Missed))).collect()
}
