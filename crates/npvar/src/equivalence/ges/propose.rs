//! The operators at a node `y`, up to the check of paths, which [`is_valid`] makes.

use super::operator::{Kind, Operator, Proposal, Term};
use super::surroundings::Surroundings;
use crate::graph::{Node, NodeSet};

/// All operators of one kind that point at `y` and leave no node with more than `max_parents` parents.
pub(super) fn proposals(state: &Surroundings, kind: Kind, y: Node, max_parents: usize) -> Vec<Proposal> {
    match kind {
        Kind::Insert => {
            let mut others = NodeSet::with_capacity(state.nodes());
            others.insert_range(..);
            others.difference_with(state.adjacents(y));
            others.remove(y);
            others.ones().flat_map(|x| insertions(state, x, y, max_parents)).collect()
        }
        Kind::Delete => {
            let above = state.graph.parents(y).union(state.graph.neighbours(y));
            sorted(above).into_iter().flat_map(|x| deletions(state, x, y)).collect()
        }
        Kind::Turn => {
            let directed = state.graph.children(y).ones().flat_map(|x| reversals(state, x, y, max_parents));
            let undirected = state.graph.neighbours(y).ones().flat_map(|x| orientations(state, x, y, max_parents));
            directed.chain(undirected).collect()
        }
    }
}

/// The part of an operator's validity that depends on the whole graph.
pub(super) fn is_valid(state: &Surroundings, operator: &Operator) -> bool {
    let mut blocked = set(state.nodes(), &operator.clique);
    match operator.kind {
        Kind::Insert => !state.reaches(operator.y, operator.x, &blocked),
        Kind::Turn if state.graph.has_directed(operator.y, operator.x) => {
            blocked.union_with(state.graph.neighbours(operator.x));
            !state.reaches(operator.y, operator.x, &blocked)
        }
        Kind::Turn | Kind::Delete => true,
    }
}

fn insertions(state: &Surroundings, x: Node, y: Node, max_parents: usize) -> Vec<Proposal> {
    let parents = state.graph.parents(y);
    let common = state.common(x, y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + common.count_ones(..) + 1) else {
        return Vec::new();
    };
    if !state.is_clique(&common) {
        return Vec::new();
    }
    let mut free = state.graph.neighbours(y).clone();
    free.difference_with(state.adjacents(x));
    let cliques = state.cliques(&common, &free, room);
    let proposal = |clique: NodeSet| {
        let without = union(parents, &clique);
        let with = plus(&without, x);
        propose(Kind::Insert, x, y, &clique, vec![(y, with)], vec![(y, without.ones().collect())])
    };
    cliques.into_iter().map(proposal).collect()
}

fn deletions(state: &Surroundings, x: Node, y: Node) -> Vec<Proposal> {
    let mut parents = state.graph.parents(y).clone();
    parents.set(x, false);
    let cliques = state.cliques(&NodeSet::with_capacity(state.nodes()), &state.common(x, y), usize::MAX);
    let proposal = |clique: NodeSet| {
        let without = union(&parents, &clique);
        let with = plus(&without, x);
        propose(Kind::Delete, x, y, &clique, vec![(y, without.ones().collect())], vec![(y, with)])
    };
    cliques.into_iter().map(proposal).collect()
}

/// `y → x` becomes `x → y`.
fn reversals(state: &Surroundings, x: Node, y: Node, max_parents: usize) -> Vec<Proposal> {
    let parents = state.graph.parents(y);
    let common = state.common(x, y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + common.count_ones(..) + 1) else {
        return Vec::new();
    };
    if !state.is_clique(&common) {
        return Vec::new();
    }
    let mut free = state.graph.neighbours(y).clone();
    free.difference_with(&common);
    let parents_of_x = state.graph.parents(x);
    let mut others_of_x = parents_of_x.clone();
    others_of_x.set(y, false);
    let proposal = |clique: NodeSet| {
        let without = union(parents, &clique);
        let gained = vec![(y, plus(&without, x)), (x, others_of_x.ones().collect())];
        let lost = vec![(y, without.ones().collect()), (x, parents_of_x.ones().collect())];
        propose(Kind::Turn, x, y, &clique, gained, lost)
    };
    state.cliques(&common, &free, room).into_iter().map(proposal).collect()
}

/// `y -- x` becomes `x → y` with a new collider at `y`.
fn orientations(state: &Surroundings, x: Node, y: Node, max_parents: usize) -> Vec<Proposal> {
    let parents = state.graph.parents(y);
    let common = state.common(x, y);
    let Some(room) = max_parents.checked_sub(parents.count_ones(..) + 1) else {
        return Vec::new();
    };
    let mut others = state.graph.neighbours(y).clone();
    others.set(x, false);
    let admissible = |clique: &NodeSet| {
        let mut own = clique.clone();
        own.difference_with(&common);
        let mut rest = common.clone();
        rest.difference_with(clique);
        let mut cut = clique.clone();
        cut.intersect_with(&common);
        // `x` itself lies among y's neighbours and joins its own neighbours there; it is not part of the separation.
        !own.is_clear() && state.separates(&cut, &own, &rest, &others)
    };
    let proposal = |clique: NodeSet| {
        let without = union(parents, &clique);
        let mut shared = clique.clone();
        shared.intersect_with(&common);
        let above_x = union(state.graph.parents(x), &shared);
        let gained = vec![(y, plus(&without, x)), (x, above_x.ones().collect())];
        let lost = vec![(y, without.ones().collect()), (x, plus(&above_x, y))];
        propose(Kind::Turn, x, y, &clique, gained, lost)
    };
    let cliques = state.cliques(&NodeSet::with_capacity(state.nodes()), &others, room);
    cliques.into_iter().filter(admissible).map(proposal).collect()
}

fn propose(kind: Kind, x: Node, y: Node, clique: &NodeSet, gained: Vec<Term>, lost: Vec<Term>) -> Proposal {
    Proposal { operator: Operator { kind, x, y, clique: clique.ones().collect() }, gained, lost }
}

fn union(a: &NodeSet, b: &NodeSet) -> NodeSet {
    let mut union = a.clone();
    union.union_with(b);
    union
}

fn plus(set: &NodeSet, node: Node) -> Vec<Node> {
    let mut with = set.clone();
    with.grow_and_insert(node);
    with.ones().collect()
}

fn set(nodes: usize, members: &[Node]) -> NodeSet {
    let mut set = NodeSet::with_capacity(nodes);
    set.extend(members.iter().copied());
    set
}

fn sorted(nodes: impl Iterator<Item = Node>) -> Vec<Node> {
    let mut nodes: Vec<Node> = nodes.collect();
    nodes.sort_unstable();
    nodes
}
