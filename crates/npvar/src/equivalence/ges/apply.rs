//! From an operator to the next class: a member of the present class in which just the operator's clique (of `y`'s
//! neighbours) points at `y`, with the edge added, removed or turned; then its class.

use super::operator::{Operator, OperatorKind};
use super::surroundings::Surroundings;
use crate::graph::{Cpdag, Dag, EdgeKind, Node, NodeSet, Pdag};

/// The class after a valid operator.
pub(super) fn apply(state: &Surroundings, operator: &Operator) -> Cpdag {
    let &Operator { kind, x, y, ref clique } = operator;
    let edges = match kind {
        OperatorKind::Insert => {
            let mut edges = member(&state.graph, &[clique.as_slice(), &[y]].concat());
            edges.push((x, y));
            edges
        }
        OperatorKind::Delete => {
            // In an undirected x -- y, the clique and x are neighbours of one another: together they come before y.
            let undirected = state.graph.has_undirected(x, y);
            let first =
                if undirected { [clique.as_slice(), &[x, y]].concat() } else { [clique.as_slice(), &[y]].concat() };
            let mut edges = member(&state.graph, &first);
            edges.retain(|&edge| edge != (x, y));
            edges
        }
        OperatorKind::Turn => {
            let prepared = prepare_turn(state, operator);
            let member = prepared.consistent_extension().expect("Hauser & Bühlmann (2012), propositions 31 and 34");
            let turned = member.edges().into_iter().map(|edge| if edge == (y, x) { (x, y) } else { edge });
            turned.collect()
        }
    };
    Cpdag::from_dag(&Dag::from_edges(state.nodes(), edges).expect("a valid operator closes no cycle"))
}

/// The edges of a member of the class of `graph` whose order begins with the clique `first`: maximum cardinality search
/// over the undirected edges (Tarjan & Yannakakis 1984), which may begin with any clique.
fn member(graph: &Pdag, first: &[Node]) -> Vec<(Node, Node)> {
    let d = graph.nodes();
    let mut edges = Vec::with_capacity(graph.edge_count() + 1);
    let mut visited = NodeSet::with_capacity(d);
    let mut weights = vec![0_usize; d];
    let mut left: Vec<Node> = (0..d).filter(|&node| !graph.neighbours(node).is_clear()).collect();
    let mut first = first.iter().copied().filter(|&node| !graph.neighbours(node).is_clear());
    while !left.is_empty() {
        let next = first.next();
        let place = match next {
            Some(node) => left.iter().position(|&other| other == node).expect("a clique lists a node once"),
            None => heaviest(&left, &weights),
        };
        let node = left.remove(place);
        for other in graph.neighbours(node).ones() {
            weights[other] += 1;
            if visited.contains(other) {
                edges.push((other, node));
            }
        }
        visited.insert(node);
    }
    for child in 0..d {
        edges.extend(graph.parents(child).ones().map(|parent| (parent, child)));
    }
    edges
}

/// The first of the nodes with the most visited neighbours.
fn heaviest(left: &[Node], weights: &[usize]) -> usize {
    let mut best = 0;
    for (place, &node) in left.iter().enumerate() {
        if weights[node] > weights[left[best]] {
            best = place;
        }
    }
    best
}

/// The class with the edges around `x` and `y` directed as a turn needs them.
fn prepare_turn(state: &Surroundings, operator: &Operator) -> Pdag {
    let &Operator { x, y, ref clique, .. } = operator;
    let mut graph = state.graph.clone();
    let undirected = graph.has_undirected(x, y);
    for node in state.graph.neighbours(y).ones() {
        let (from, to) = if clique.contains(&node) { (node, y) } else { (y, node) };
        graph.set(from, to, EdgeKind::Directed);
    }
    for node in state.graph.neighbours(x).ones().filter(|&node| node != y) {
        let above = undirected && clique.contains(&node);
        let (from, to) = if above { (node, x) } else { (x, node) };
        graph.set(from, to, EdgeKind::Directed);
    }
    graph
}
