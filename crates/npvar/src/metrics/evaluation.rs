//! All comparisons of an estimate with the truth, in one report.

use serde::{Deserialize, Serialize};

use super::marks::{same_adjacencies, same_edges};
use super::{
    EdgeScores, MarkScores, OrderRecovery, SidBounds, class_shd, directed_edges, marks, order_recovery, shd, sid,
    sid_bounds, skeleton_edges,
};
use crate::error::{Error, Result};
use crate::graph::{Cpdag, Dag, EdgeKind, NamedGraph, Order, Pdag, match_names};

/// What the true graph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TruthKind {
    /// A directed acyclic graph.
    Dag,
    /// The Markov equivalence class of one.
    EquivalenceClass,
    /// A graph with circles or two-headed edges, for which common causes may be hidden.
    PartialAncestralGraph,
}

/// An estimate compared with the truth, nodes matched by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// `d`.
    pub nodes: usize,
    /// Edges of the truth.
    pub true_edges: usize,
    /// Edges of the estimate, of any kind.
    pub estimated_edges: usize,
    /// What the true graph is. What needs a true DAG (`sid`, `sid_bounds`, `order`) is `None` against another.
    pub truth: TruthKind,
    /// Structural Hamming distance; see [`shd()`]. Against a true graph that is no DAG: the pairs of nodes that the two join
    /// differently, marks included; an undirected edge is the same as one with two circles.
    pub shd: usize,
    /// Distance between the equivalence classes; `None` when the estimate has none. See [`class_shd`].
    pub class_shd: Option<usize>,
    /// Structural intervention distance; `None` when the estimate is not a DAG. See [`sid()`].
    pub sid: Option<usize>,
    /// Its range over an equivalence class; `None` when the estimate is not one (or has too many members). See [`sid_bounds()`].
    pub sid_bounds: Option<SidBounds>,
    /// The marks at the ends of common adjacencies; `None` against a DAG. See [`marks()`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<MarkScores>,
    /// Edges with their directions; see [`directed_edges`]. Against a true graph that is no DAG: an edge is a hit when the truth
    /// has the very same.
    pub directed: EdgeScores,
    /// Adjacencies; see [`skeleton_edges`].
    pub skeleton: EdgeScores,
    /// How the estimated order stands to the truth; `None` when there is no order.
    pub order: Option<OrderRecovery>,
}

impl Evaluation {
    /// Compares an estimate, and the order it was found with if there is one, with the true DAG, equivalence class or partial
    /// ancestral graph.
    ///
    /// ```
    /// use npvar::graph::{GraphFormat::Csv, NamedGraph};
    /// use npvar::metrics::Evaluation;
    /// let truth = NamedGraph::parse("a,b\n0,1\n0,0\n", Csv, "truth.csv")?;
    /// let estimate = NamedGraph::parse("b,a\n0,0\n1,0\n", Csv, "estimate.csv")?;
    /// let order = ["a".to_owned(), "b".to_owned()];
    /// let evaluation = Evaluation::new(&estimate, Some(&order), &truth)?;
    /// assert_eq!((evaluation.shd, evaluation.sid), (0, Some(0)));
    /// assert!(evaluation.order.is_some_and(|order| order.recovered));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidGraph`] when the truth is none of these, when the names do not match (the message lists them), or when the
    /// order does not name every node once.
    pub fn new(estimate: &NamedGraph, order: Option<&[String]>, truth: &NamedGraph) -> Result<Self> {
        let names = truth.names();
        match_names(estimate.names(), "in the estimate", names, "in the truth")?;
        let estimate = estimate.arranged(names)?;
        let order = order.map(|order| named_order(order, names)).transpose()?;
        match truth.graph().to_dag() {
            Some(dag) => Ok(Evaluation::against_dag(estimate.graph(), order.as_ref(), &dag)),
            None => Evaluation::against_class(estimate.graph(), truth.graph()),
        }
    }

    fn against_dag(estimate: &Pdag, order: Option<&Order>, truth: &Dag) -> Self {
        Evaluation {
            truth: TruthKind::Dag,
            nodes: truth.nodes(),
            true_edges: truth.edge_count(),
            estimated_edges: estimate.edge_count(),
            shd: shd(estimate, truth),
            class_shd: class_of(estimate).map(|class| class_shd(&class, &Cpdag::from_dag(truth))),
            sid: estimate.to_dag().map(|estimate| sid(&estimate, truth)),
            sid_bounds: equivalence_class(estimate).and_then(|class| sid_bounds(&class, truth)),
            marks: None,
            directed: directed_edges(estimate, truth),
            skeleton: skeleton_edges(estimate, truth),
            order: order.map(|order| order_recovery(order, truth)),
        }
    }

    /// A DAG stands for its class where the truth is one.
    fn against_class(estimate: &Pdag, truth: &Pdag) -> Result<Self> {
        let class = equivalence_class(truth);
        let kind = match &class {
            Some(_) => TruthKind::EquivalenceClass,
            None if is_ancestral(truth) => TruthKind::PartialAncestralGraph,
            None => return Err(Error::InvalidGraph(NO_TRUTH.to_owned())),
        };
        let of_estimate = class_of(estimate).filter(|_| class.is_some());
        let compared = of_estimate.as_ref().map_or(estimate, Cpdag::pdag);
        let (shd, directed) = same_edges(compared, truth);
        Ok(Evaluation {
            nodes: truth.nodes(),
            true_edges: truth.edge_count(),
            estimated_edges: estimate.edge_count(),
            truth: kind,
            shd,
            class_shd: of_estimate.as_ref().zip(class.as_ref()).map(|(estimate, truth)| class_shd(estimate, truth)),
            sid: None,
            sid_bounds: None,
            marks: Some(marks(compared, truth)),
            directed,
            skeleton: same_adjacencies(estimate, truth),
            order: None,
        })
    }
}

const NO_TRUTH: &str = "the true graph must be a DAG (all edges directed, and no cycle), the equivalence class of one, or a partial \
                        ancestral graph";

/// Whether it may be a partial ancestral graph: circles or two-headed edges, and no directed cycle.
fn is_ancestral(graph: &Pdag) -> bool {
    let edges = graph.edges();
    let hidden = edges.iter().any(|&(_, _, kind)| kind.has_circle() || kind == EdgeKind::Bidirected);
    let directed = edges.into_iter().filter(|&(_, _, kind)| kind == EdgeKind::Directed);
    hidden && Dag::from_edges(graph.nodes(), directed.map(|(from, to, _)| (from, to))).is_ok()
}

/// The estimate as an equivalence class, when that is what it is.
fn equivalence_class(estimate: &Pdag) -> Option<Cpdag> {
    Cpdag::completing(estimate).filter(|class| class.pdag() == estimate)
}

/// The equivalence class the estimate is, or as a DAG belongs to.
fn class_of(estimate: &Pdag) -> Option<Cpdag> {
    estimate.to_dag().map(|dag| Cpdag::from_dag(&dag)).or_else(|| equivalence_class(estimate))
}

fn named_order(order: &[String], names: &[String]) -> Result<Order> {
    let node = |name: &String| {
        names.iter().position(|known| known == name).ok_or_else(|| {
            Error::InvalidGraph(format!("the order names `{name}`, which is not a node of the true graph"))
        })
    };
    let order = Order::new(order.iter().map(node).collect::<Result<_>>()?)?;
    if order.nodes().len() < names.len() {
        return Err(Error::InvalidGraph(format!(
            "the order names {} of the {} nodes",
            order.nodes().len(),
            names.len()
        )));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphFormat::Dot;

    fn dot(text: &str) -> NamedGraph {
        NamedGraph::parse(&format!("digraph {{ {text} }}"), Dot, "text").expect("a graph")
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn nodes_are_matched_by_name() {
        let evaluation = Evaluation::new(&dot("z; b -> c; a -> b"), None, &dot("a -> b -> c; z")).expect("comparable");
        assert_eq!((evaluation.shd, evaluation.sid, evaluation.directed.f1), (0, Some(0), 1.0));
        assert_eq!(evaluation.order, None);
    }

    #[test]
    fn a_mixed_graph_has_no_sid() {
        let evaluation = Evaluation::new(&dot("a -- b; b -> c"), None, &dot("a -> b -> c")).expect("comparable");
        assert_eq!((evaluation.shd, evaluation.sid, evaluation.estimated_edges), (0, None, 2));
        assert_eq!(evaluation.class_shd, None);
        assert_eq!(evaluation.sid_bounds, None, "a -- b would be directed in an equivalence class");
    }

    #[test]
    fn an_equivalence_class_has_a_range_of_sids() {
        let evaluation = Evaluation::new(&dot("a -- b; b -- c"), None, &dot("a -> b -> c")).expect("comparable");
        assert_eq!((evaluation.sid, evaluation.class_shd), (None, Some(0)));
        assert_eq!(evaluation.sid_bounds, Some(SidBounds { lower: 0, upper: 6 }));
    }

    #[test]
    fn names_and_orders_that_do_not_match_are_named() {
        let truth = dot("a -> b");
        let problem = |estimate: &NamedGraph, order: Option<&[String]>| {
            Evaluation::new(estimate, order, &truth).expect_err("not comparable").to_string()
        };
        assert!(problem(&dot("a -> x"), None).contains("only in the estimate: `x`; only in the truth: `b`"));
        assert!(problem(&truth, Some(&owned(&["a", "x"]))).contains("`x`"));
        assert_eq!(problem(&truth, Some(&owned(&["a"]))), "the order names 1 of the 2 nodes");
        assert!(Evaluation::new(&truth, Some(&owned(&["a", "a"])), &truth).is_err());
    }

    #[test]
    fn the_truth_may_be_an_equivalence_class() {
        let class = dot("a -- b; b -- c");
        let evaluation = Evaluation::new(&dot("c -> b -> a"), None, &class).expect("comparable");
        assert_eq!((evaluation.truth, evaluation.shd, evaluation.class_shd), (TruthKind::EquivalenceClass, 0, Some(0)));
        assert_eq!((evaluation.sid, evaluation.directed.f1), (None, 1.0));
        let collider = Evaluation::new(&dot("a -> b; c -> b"), None, &class).expect("comparable");
        assert_eq!((collider.shd, collider.class_shd, collider.skeleton.f1), (2, Some(2), 1.0));
        assert_eq!(collider.marks, Some(MarkScores { ends: 4, unfounded: 4, ..MarkScores::default() }));
    }

    #[test]
    fn the_truth_may_be_a_partial_ancestral_graph() {
        let truth = dot("a -> b [dir=both, arrowtail=odot]; c -> b [dir=both, arrowtail=odot]; b -> d");
        let evaluation = Evaluation::new(&truth, None, &truth).expect("comparable");
        assert_eq!((evaluation.truth, evaluation.shd), (TruthKind::PartialAncestralGraph, 0));
        let evaluation = Evaluation::new(&dot("a -> b; c -> b; b -> d"), None, &truth).expect("comparable");
        assert_eq!((evaluation.shd, evaluation.class_shd), (2, None));
        assert_eq!(evaluation.marks, Some(MarkScores { ends: 6, right: 4, unfounded: 2, ..MarkScores::default() }));
    }

    #[test]
    fn a_truth_that_nothing_can_be_is_refused() {
        for text in ["a -> b -> c -> a", "a -- b; b -> c", "a -> b -> c -> a; a -> d [dir=both]"] {
            let error = Evaluation::new(&dot(text), None, &dot(text)).expect_err(text).to_string();
            assert!(error.contains("the true graph must be a DAG"), "{error}");
        }
    }

    #[test]
    fn a_report_is_plain_json() {
        let truth = dot("a -> b");
        let evaluation = Evaluation::new(&truth, Some(&owned(&["b", "a"])), &truth).expect("comparable");
        let json = serde_json::to_value(&evaluation).expect("numbers");
        assert_eq!(json["shd"], 0);
        assert_eq!(json["order"]["violated_edges"], 1);
    }
}
