//! Meek's rules where some triples are ambiguous, by lists: the order-independent form of Colombo & Maathuis (2014, section 4.3).
//!
//! Every rule is looked up for all edges before any is directed. An edge that a rule would direct both ways becomes bidirected.
//! So the order of the columns does not matter. A triple `x -- y -- z` that is neither a collider nor known to be none directs
//! nothing.

use super::colliders::Triple;
use crate::graph::{EdgeKind, Node, Pdag};

/// When `a -- b` becomes `a -> b`; the names of the rules are those of [`Pdag::meek_closure`].
type Rule = fn(&Pdag, &[Triple], Node, Node) -> bool;

const RULES: [Rule; 4] = [away_from_collider, away_from_cycle, double_triangle, background];

/// Directs what the colliders of `graph` imply; `ambiguous` triples imply nothing.
pub(super) fn by_lists(graph: &mut Pdag, ambiguous: &[Triple]) {
    while RULES.iter().any(|rule| sweep(graph, ambiguous, *rule)) {}
}

/// Applies one rule everywhere at once; whether it changed anything.
fn sweep(graph: &mut Pdag, ambiguous: &[Triple], rule: Rule) -> bool {
    let both_ways = |(a, b, _): &(Node, Node, EdgeKind)| [(*a, *b), (*b, *a)];
    let undirected = graph.edges().into_iter().filter(|&(_, _, kind)| kind == EdgeKind::Undirected);
    let list: Vec<(Node, Node)> =
        undirected.flat_map(|edge| both_ways(&edge)).filter(|&(a, b)| rule(graph, ambiguous, a, b)).collect();
    for &(a, b) in &list {
        let kind = if list.contains(&(b, a)) { EdgeKind::Bidirected } else { EdgeKind::Directed };
        graph.set(a, b, kind);
    }
    !list.is_empty()
}

fn is_clear(ambiguous: &[Triple], x: Node, y: Node, z: Node) -> bool {
    !ambiguous.contains(&(x.min(z), y, x.max(z)))
}

/// `c -> a`, `c` and `b` not adjacent.
fn away_from_collider(graph: &Pdag, ambiguous: &[Triple], a: Node, b: Node) -> bool {
    graph.parents(a).ones().any(|c| !graph.adjacent(c, b) && is_clear(ambiguous, c, a, b))
}

/// `a -> c -> b`.
fn away_from_cycle(graph: &Pdag, _: &[Triple], a: Node, b: Node) -> bool {
    !graph.children(a).is_disjoint(graph.parents(b))
}

/// `a -- c -> b`, `a -- d -> b`, `c` and `d` not adjacent.
fn double_triangle(graph: &Pdag, ambiguous: &[Triple], a: Node, b: Node) -> bool {
    let between: Vec<Node> = graph.parents(b).intersection(graph.neighbours(a)).collect();
    let apart = |c: Node, d: Node| c != d && !graph.adjacent(c, d) && is_clear(ambiguous, c, a, d);
    between.iter().any(|&c| between.iter().any(|&d| apart(c, d)))
}

/// `a -- c -> d -> b`, `a -- d`, `c` and `b` not adjacent.
fn background(graph: &Pdag, ambiguous: &[Triple], a: Node, b: Node) -> bool {
    graph.parents(b).intersection(graph.neighbours(a)).any(|d| {
        let mut before = graph.neighbours(a).intersection(graph.parents(d));
        before.any(|c| c != b && !graph.adjacent(c, b) && is_clear(ambiguous, c, a, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(directed: &[(Node, Node)], undirected: &[(Node, Node)]) -> Pdag {
        let mut graph = Pdag::empty(4);
        directed.iter().for_each(|&(a, b)| graph.set(a, b, EdgeKind::Directed));
        undirected.iter().for_each(|&(a, b)| graph.set(a, b, EdgeKind::Undirected));
        graph
    }

    #[test]
    fn an_ambiguous_triple_directs_nothing() {
        let mut clear = graph(&[(0, 1)], &[(1, 2)]);
        by_lists(&mut clear, &[]);
        assert!(clear.has_directed(1, 2));
        let mut ambiguous = graph(&[(0, 1)], &[(1, 2)]);
        by_lists(&mut ambiguous, &[(0, 1, 2)]);
        assert!(ambiguous.has_undirected(1, 2));
    }

    #[test]
    fn what_a_rule_asks_for_both_ways_is_bidirected() {
        // 0 -> 1 -- 2 <- 3: rule 1 points the edge in the middle both ways.
        let mut graph = graph(&[(0, 1), (3, 2)], &[(1, 2)]);
        by_lists(&mut graph, &[]);
        assert!(graph.has_bidirected(1, 2));
    }
}
