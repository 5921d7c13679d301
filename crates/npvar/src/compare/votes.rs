//! What the learners say about every two columns, and what the believable ones have in common.

use std::collections::BTreeMap;

use super::document::{ComparedEdge, ConsensusEdge};
use crate::graph::{EdgeKind, Node, Pdag};

/// What a graph says about two nodes.
fn vote(graph: &Pdag, a: Node, b: Node) -> &'static str {
    if graph.has_directed(a, b) {
        "forward"
    } else if graph.has_directed(b, a) {
        "backward"
    } else if graph.has_undirected(a, b) {
        "undirected"
    } else if graph.has_bidirected(a, b) {
        "bidirected"
    } else {
        "absent"
    }
}

/// How many graphs say what about two nodes.
#[derive(Default, Clone, Copy)]
struct Count {
    forward: usize,
    backward: usize,
    joined: usize,
}

impl Count {
    fn of<'g>(graphs: impl Iterator<Item = &'g Pdag>, a: Node, b: Node) -> Self {
        let mut count = Count::default();
        for graph in graphs {
            let vote = vote(graph, a, b);
            count.forward += usize::from(vote == "forward");
            count.backward += usize::from(vote == "backward");
            count.joined += usize::from(vote != "absent");
        }
        count
    }
}

/// Every two columns that some learner joined.
pub(super) fn edges(names: &[String], learned: &[(String, &Pdag)]) -> Vec<ComparedEdge> {
    let d = names.len();
    let mut edges = Vec::new();
    for (a, b) in (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b))) {
        let count = Count::of(learned.iter().map(|(_, graph)| *graph), a, b);
        if count.joined == 0 {
            continue;
        }
        let (from, to) = if count.backward > count.forward { (b, a) } else { (a, b) };
        let votes: BTreeMap<String, String> =
            learned.iter().map(|(name, graph)| (name.clone(), vote(graph, from, to).to_owned())).collect();
        edges.push(ComparedEdge { from: names[from].clone(), to: names[to].clone(), votes });
    }
    edges
}

/// The graph that most of the voices agree on: two columns are joined where more than half join them, in the direction most
/// of these say, undirected where as many say the one as the other. Those with the clearest direction come first, and one
/// that would close a cycle is left undirected. With two voices or fewer the first voice decides.
pub(super) fn consensus(names: &[String], voices: &[&Pdag]) -> Vec<ConsensusEdge> {
    let d = names.len();
    let voices = if voices.len() < 3 { &voices[..voices.len().min(1)] } else { voices };
    let mut pairs: Vec<(usize, usize, Node, Node, Count)> = Vec::new();
    for (a, b) in (0..d).flat_map(|a| (a + 1..d).map(move |b| (a, b))) {
        let count = Count::of(voices.iter().copied(), a, b);
        if 2 * count.joined > voices.len() {
            let (from, to) = if count.backward > count.forward { (b, a) } else { (a, b) };
            pairs.push((count.joined, count.forward.abs_diff(count.backward), from, to, count));
        }
    }
    pairs.sort_by_key(|&(joined, lead, from, to, _)| (usize::MAX - lead, usize::MAX - joined, from, to));
    let mut below: Vec<Vec<bool>> = (0..d).map(|node| (0..d).map(|other| node == other).collect()).collect();
    let mut edges = Vec::new();
    for (joined, lead, from, to, _) in pairs {
        let directed = lead > 0 && !below[to][from];
        if directed {
            let under: Vec<Node> = (0..d).filter(|&node| below[to][node]).collect();
            for above in below.iter_mut().filter(|above| above[from]) {
                under.iter().for_each(|&node| above[node] = true);
            }
        }
        edges.push(ConsensusEdge {
            from: names[from].clone(),
            to: names[to].clone(),
            kind: if directed { EdgeKind::Directed } else { EdgeKind::Undirected },
            support: Some(joined as f64 / voices.len() as f64),
        });
    }
    edges
}

/// A graph's edges by name.
pub(super) fn named(names: &[String], graph: &Pdag) -> Vec<ConsensusEdge> {
    let edge = |(from, to, kind): (Node, Node, EdgeKind)| ConsensusEdge {
        from: names[from].clone(),
        to: names[to].clone(),
        kind,
        support: None,
    };
    graph.edges().into_iter().map(edge).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeKind::{Directed, Undirected};

    fn names() -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }

    fn graph(edges: &[(Node, Node, EdgeKind)]) -> Pdag {
        Pdag::from_edges(3, edges.iter().copied()).unwrap()
    }

    #[test]
    fn votes_are_told_along_the_direction_most_learners_say() {
        let (first, second) = (graph(&[(1, 0, Directed)]), graph(&[(0, 1, Undirected), (1, 2, Directed)]));
        let edges = edges(&names(), &[("x".to_owned(), &first), ("y".to_owned(), &second)]);
        let words: Vec<(&str, &str, &str, &str)> = edges
            .iter()
            .map(|edge| (&edge.from[..], &edge.to[..], &edge.votes["x"][..], &edge.votes["y"][..]))
            .collect();
        assert_eq!(words, [("b", "a", "forward", "undirected"), ("b", "c", "absent", "forward")]);
    }

    #[test]
    fn a_consensus_of_cycles_is_acyclic_and_a_draw_has_no_direction() {
        // Two of three say each of a → b → c → a: the cycle's last edge stays without a direction.
        let voices = [
            graph(&[(0, 1, Directed), (1, 2, Directed)]),
            graph(&[(1, 2, Directed), (2, 0, Directed)]),
            graph(&[(0, 1, Directed), (2, 0, Directed)]),
        ];
        let found = consensus(&names(), &voices.iter().collect::<Vec<_>>());
        let directed = found.iter().filter(|edge| edge.kind == Directed).count();
        assert_eq!((found.len(), directed), (3, 2));
        assert!(found.iter().all(|edge| (edge.support.unwrap() - 2.0 / 3.0).abs() < 1e-15));
        let draw = [graph(&[(0, 1, Directed)]), graph(&[(1, 0, Directed)]), graph(&[(0, 1, Undirected)])];
        let found = consensus(&names(), &draw.iter().collect::<Vec<_>>());
        assert_eq!((found.len(), found[0].kind), (1, Undirected));
        // One voice more than none is what it says.
        assert_eq!(consensus(&names(), &[&voices[0]]).len(), 2);
        assert_eq!(consensus(&names(), &[]), []);
    }
}
