//! The operators at a node `y`, up to the check of paths, which [`Paths`](super::paths::Paths) makes.

use super::operator::{Batch, OperatorKind};
use super::surroundings::{Cliques, Surroundings};
use crate::graph::{Node, NodeSet};

/// Operators at a node.
#[derive(Default)]
pub(super) struct Proposed {
    pub(super) batches: Vec<Batch>,
    /// Whether some were left out because the node's neighbours have too many cliques.
    pub(super) incomplete: bool,
}

impl Proposed {
    fn of(cliques: Cliques, batch: impl FnMut(NodeSet) -> Batch) -> Self {
        Proposed { incomplete: !cliques.complete, batches: cliques.found.into_iter().map(batch).collect() }
    }

    fn all(parts: impl Iterator<Item = Proposed>) -> Self {
        parts.fold(Proposed::default(), |mut all, part| {
            all.batches.extend(part.batches);
            all.incomplete |= part.incomplete;
            all
        })
    }
}

/// All operators of one kind that point at `y` and give no node more than `max_parents` parents.
pub(super) fn batches(state: &Surroundings, kind: OperatorKind, y: Node, max_parents: usize) -> Proposed {
    match kind {
        OperatorKind::Insert => insertions(state, y, max_parents),
        OperatorKind::Delete => {
            let above = union(state.graph.parents(y), state.graph.neighbours(y));
            Proposed::all(above.ones().map(|x| deletions(state, x, y)))
        }
        OperatorKind::Turn => {
            let directed = state.graph.children(y).ones().map(|x| reversals(state, x, y, max_parents));
            let undirected = state.graph.neighbours(y).ones().map(|x| orientations(state, x, y, max_parents));
            Proposed::all(directed.chain(undirected))
        }
    }
}

/// For every clique `C` of `y`'s neighbours, the nodes `x` whose adjacent nodes among them lie in `C`.
fn insertions(state: &Surroundings, y: Node, max_parents: usize) -> Proposed {
    let parents = state.graph.parents(y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + 1) else {
        return Proposed::default();
    };
    let neighbours = state.graph.neighbours(y);
    let mut cliques = state.cliques(&NodeSet::with_capacity(state.nodes()), neighbours, room);
    if !cliques.complete {
        // Every x keeps the operator with its smallest clique.
        let apart = (0..state.nodes()).filter(|&x| x != y && !state.adjacents(y).contains(x));
        let smallest = apart.map(|x| state.common(x, y)).filter(|common| common.count_ones(..) <= room);
        cliques = smallest.filter(|common| state.is_clique(common)).fold(cliques, Cliques::with);
    }
    let batch = |clique: NodeSet| {
        let mut sources = NodeSet::with_capacity(state.nodes());
        sources.insert_range(..);
        sources.remove(y);
        sources.difference_with(state.adjacents(y));
        for other in neighbours.difference(&clique) {
            sources.difference_with(state.adjacents(other));
        }
        Batch {
            kind: OperatorKind::Insert,
            y,
            parents: union(parents, &clique).ones().collect(),
            clique: clique.ones().collect(),
            sources: sources.ones().collect(),
            above: Vec::new(),
        }
    };
    let mut proposed = Proposed::of(cliques, batch);
    proposed.batches.retain(|batch| !batch.sources.is_empty());
    proposed
}

fn deletions(state: &Surroundings, x: Node, y: Node) -> Proposed {
    let parents = without(state.graph.parents(y), x);
    let common = state.common(x, y);
    let mut cliques = state.cliques(&NodeSet::with_capacity(state.nodes()), &common, usize::MAX);
    if state.is_clique(&common) {
        cliques = cliques.with(common);
    }
    let batch = |clique: NodeSet| Batch {
        kind: OperatorKind::Delete,
        y,
        parents: union(&parents, &clique).ones().collect(),
        clique: clique.ones().collect(),
        sources: vec![x],
        above: Vec::new(),
    };
    Proposed::of(cliques, batch)
}

/// `y → x` becomes `x → y`.
fn reversals(state: &Surroundings, x: Node, y: Node, max_parents: usize) -> Proposed {
    let parents = state.graph.parents(y);
    let common = state.common(x, y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + common.count_ones(..) + 1) else {
        return Proposed::default();
    };
    if !state.is_clique(&common) {
        return Proposed::default();
    }
    let mut free = state.graph.neighbours(y).clone();
    free.difference_with(&common);
    let above: Vec<Node> = without(state.graph.parents(x), y).ones().collect();
    let batch = |clique: NodeSet| Batch {
        kind: OperatorKind::Turn,
        y,
        parents: union(parents, &clique).ones().collect(),
        clique: clique.ones().collect(),
        sources: vec![x],
        above: above.clone(),
    };
    Proposed::of(state.cliques(&common, &free, room), batch)
}

/// `y -- x` becomes `x → y` with a new collider at `y`.
fn orientations(state: &Surroundings, x: Node, y: Node, max_parents: usize) -> Proposed {
    let parents = state.graph.parents(y);
    let common = state.common(x, y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + 1) else {
        return Proposed::default();
    };
    // `x` itself is left out: it joins only nodes of N, on which the separation does not depend.
    let others = without(state.graph.neighbours(y), x);
    let admissible = |clique: &NodeSet| {
        let (mut own, mut rest, mut cut) = (clique.clone(), common.clone(), clique.clone());
        own.difference_with(&common);
        rest.difference_with(clique);
        cut.intersect_with(&common);
        !own.is_clear() && state.separates(&cut, &own, &rest, &others)
    };
    let batch = |clique: NodeSet| {
        let mut shared = clique.clone();
        shared.intersect_with(&common);
        Batch {
            kind: OperatorKind::Turn,
            y,
            parents: union(parents, &clique).ones().collect(),
            clique: clique.ones().collect(),
            sources: vec![x],
            above: union(state.graph.parents(x), &shared).ones().collect(),
        }
    };
    let mut cliques = state.cliques(&NodeSet::with_capacity(state.nodes()), &others, room);
    cliques.found.retain(admissible);
    Proposed::of(cliques, batch)
}

fn union(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let mut union = a.clone();
    union.union_with(b);
    union
}

fn without(set: &NodeSet, node: Node) -> NodeSet {
    let mut rest = set.clone();
    rest.set(node, false);
    rest
}
