//! Directing what colliders imply: Meek's rules, and the order in which they are applied.
//!
//! Where skeleton and colliders belong to some DAG the order does not matter. Where they do not (tests contradict each other,
//! knowledge contradicts tests), two rules may ask for opposite directions and the packages differ; the sweeps below are
//! theirs, step by step, so that their graphs can be compared with ours on every sample.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::colliders::{Oriented, Triple};
use crate::graph::{EdgeKind, Node, NodeSet, Pdag};

/// The order in which Meek's rules are applied. The results differ only where the colliders belong to no DAG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OrientationRules {
    /// Rules 1 to 4 edge by edge until none applies; the first to reach an edge wins.
    #[default]
    Closure,
    /// Rules 1, 2, 3 in turn over all edges until nothing changes, later ones overwriting within a sweep (pcalg).
    Pcalg,
    /// Rules 1, 2, 3 in turn over all triples until nothing changes, leaving out what would close a directed cycle as far as
    /// an incomplete table of ancestors tells (causal-learn 0.1.4.8). For comparison only: see `docs/src/lab/differences.md`.
    CausalLearn,
}

impl OrientationRules {
    /// Directs what `oriented` implies in `graph`; `before` is the graph before its colliders were oriented.
    pub(super) fn apply(self, graph: &mut Pdag, before: &Pdag, oriented: &Oriented, definite: bool) {
        match self {
            OrientationRules::Closure => graph.meek_closure(),
            OrientationRules::Pcalg => pcalg(graph),
            OrientationRules::CausalLearn => {
                let mut ancestors = Ancestors::after(before, &oriented.steps);
                if definite {
                    let lists = Lists::of(graph);
                    while lists.definite_sweep(graph, oriented, &mut ancestors) {}
                }
                let lists = Lists::of(graph);
                while lists.sweep(graph, &mut ancestors) {}
            }
        }
    }
}

fn pcalg(graph: &mut Pdag) {
    let d = graph.nodes();
    loop {
        let before = graph.clone();
        // Rule 1, for the edges a -> b directed when the sweep begins.
        let directed: Vec<(Node, Node)> = pairs(d).filter(|&(a, b)| before.has_directed(a, b)).collect();
        for (a, b) in directed {
            for c in graph.neighbours(b).clone().ones().filter(|&c| c != a) {
                if !graph.adjacent(a, c) {
                    graph.set(b, c, EdgeKind::Directed);
                }
            }
        }
        // Rules 2 and 3, for the edges a -- b undirected when the sweep begins, from either end: the later end overwrites.
        for (a, b) in undirected(graph) {
            if !graph.children(a).is_disjoint(graph.parents(b)) {
                graph.set(a, b, EdgeKind::Directed);
            }
        }
        for (a, b) in undirected(graph) {
            let between: Vec<Node> = graph.neighbours(a).intersection(graph.parents(b)).collect();
            let open = |(place, &c): (usize, &Node)| between[place + 1..].iter().any(|&d| !graph.adjacent(c, d));
            if between.iter().enumerate().any(open) {
                graph.set(a, b, EdgeKind::Directed);
            }
        }
        if *graph == before {
            return;
        }
    }
}

/// All ordered pairs, by the second node first.
fn pairs(d: usize) -> impl Iterator<Item = (Node, Node)> {
    (0..d).flat_map(move |b| (0..d).map(move |a| (a, b)))
}

fn undirected(graph: &Pdag) -> Vec<(Node, Node)> {
    pairs(graph.nodes()).filter(|&(a, b)| graph.has_undirected(a, b)).collect()
}

/// Triples and kites in causal-learn's order, made once before the first sweep.
struct Lists {
    unshielded: Vec<Triple>,
    triangles: Vec<Triple>,
    kites: Vec<(Node, Node, Node, Node)>,
}

impl Lists {
    fn of(graph: &Pdag) -> Self {
        // Adjacent pairs (a, b): first those with a tail at b, then those with an arrow, by b and then a.
        let arrow_at = |a: Node, b: Node| graph.has_directed(a, b) || graph.has_bidirected(a, b);
        let adjacent = || pairs(graph.nodes()).filter(|&(a, b)| a != b && graph.adjacent(a, b));
        let mut list: Vec<(Node, Node)> = adjacent().filter(|&(a, b)| !arrow_at(a, b)).collect();
        list.extend(adjacent().filter(|&(a, b)| arrow_at(a, b)));
        let (mut unshielded, mut triangles) = (Vec::new(), Vec::new());
        for &(i, j) in &list {
            for &(_, k) in list.iter().filter(|&&(middle, k)| middle == j && k != i) {
                if graph.adjacent(i, k) { triangles.push((i, j, k)) } else { unshielded.push((i, j, k)) }
            }
        }
        let mut kites = Vec::new();
        for &(i, j, l) in &triangles {
            let opposite = triangles.iter().filter(|&&(a, k, b)| (a, b) == (i, l) && j < k && !graph.adjacent(j, k));
            kites.extend(opposite.map(|&(_, k, _)| (i, j, k, l)));
        }
        Lists { unshielded, triangles, kites }
    }

    fn sweep(&self, graph: &mut Pdag, ancestors: &mut Ancestors) -> bool {
        let mut changed = false;
        for &(i, j, k) in &self.unshielded {
            changed |= graph.has_directed(i, j) && ancestors.direct(graph, j, k);
        }
        changed |= self.rule_2(graph, ancestors);
        for &(i, j, k, l) in &self.kites {
            let kite = graph.has_undirected(i, j)
                && graph.has_undirected(i, k)
                && graph.has_directed(j, l)
                && graph.has_directed(k, l);
            changed |= kite && ancestors.direct(graph, i, l);
        }
        changed
    }

    fn rule_2(&self, graph: &mut Pdag, ancestors: &mut Ancestors) -> bool {
        let mut changed = false;
        for &(i, j, k) in &self.triangles {
            changed |= graph.has_directed(i, j) && graph.has_directed(j, k) && ancestors.direct(graph, i, k);
        }
        changed
    }

    /// Rules 1 and 3 for triples that are certain, and rule 2.
    fn definite_sweep(&self, graph: &mut Pdag, oriented: &Oriented, ancestors: &mut Ancestors) -> bool {
        let mut changed = false;
        for &(i, j, k) in &oriented.non_colliders {
            if graph.has_directed(i, j) && graph.has_undirected(j, k) {
                changed |= ancestors.direct(graph, j, k);
            } else if graph.has_directed(k, j) {
                changed |= ancestors.direct(graph, j, i);
            }
        }
        changed |= self.rule_2(graph, ancestors);
        for &(i, j, k, l) in &self.kites {
            // j < k, as in every triple.
            let kite = oriented.colliders.contains(&(j, l, k)) && oriented.non_colliders.contains(&(j, i, k));
            changed |= kite && ancestors.direct(graph, i, l);
        }
        changed
    }
}

/// causal-learn's table of ancestors. When `a -> b` is added, the ancestors of `a` become ancestors of `b`, and `a` an ancestor
/// of the descendants of `b`; the ancestors of `a` do not become ancestors of the descendants of `b`, so longer paths can be
/// missing. When a directed edge is removed, the table is made anew in the same way, from the last edge to the first.
struct Ancestors {
    /// `of[b]` holds `a` when `a` is known as an ancestor of `b`.
    of: Vec<NodeSet>,
}

impl Ancestors {
    /// The table after these edges have been set in turn, each in place of what joined the two nodes before.
    fn after(before: &Pdag, steps: &[(Node, Node, EdgeKind)]) -> Self {
        let mut graph = before.clone();
        let mut ancestors = Ancestors::anew(&graph);
        for &(from, to, kind) in steps {
            let replaced = graph.has_directed(from, to) || graph.has_directed(to, from);
            graph.remove(from, to);
            if replaced {
                ancestors = Ancestors::anew(&graph);
            }
            graph.set(from, to, kind);
            if kind == EdgeKind::Directed {
                ancestors.add(from, to);
            }
        }
        ancestors
    }

    fn anew(graph: &Pdag) -> Self {
        let d = graph.nodes();
        let mut ancestors = Ancestors { of: vec![NodeSet::with_capacity(d); d] };
        (0..d).for_each(|node| ancestors.of[node].insert(node));
        let mut edges = graph.edges();
        edges.retain(|&(_, _, kind)| kind == EdgeKind::Directed);
        edges.sort_unstable_by_key(|&(a, b, _)| std::cmp::Reverse((a.min(b), a.max(b))));
        edges.into_iter().for_each(|(from, to, _)| ancestors.add(from, to));
        ancestors
    }

    fn add(&mut self, from: Node, to: Node) {
        self.of[to].insert(from);
        for node in 0..self.of.len() {
            if self.of[from].contains(node) {
                self.of[to].insert(node);
            }
            if self.of[node].contains(to) {
                self.of[node].insert(from);
            }
        }
    }

    /// `from -- to` becomes `from -> to` unless `to` is known as an ancestor of `from`; whether it did.
    fn direct(&mut self, graph: &mut Pdag, from: Node, to: Node) -> bool {
        if !graph.has_undirected(from, to) || self.of[from].contains(to) {
            return false;
        }
        graph.set(from, to, EdgeKind::Directed);
        self.add(from, to);
        true
    }
}
