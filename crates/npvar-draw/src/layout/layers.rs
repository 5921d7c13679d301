//! A layer for every node: after all its parents, and not far before its children.

use npvar::graph::{EdgeKind, Node};

/// A layer for every node: the length of the longest path to it, but nearer to its children where that shortens its edges.
/// Edges without a direction run as the order does that the directed ones (and `o->`) allow; an edge that would close a cycle is read
/// backwards. A node without edges stands in the emptiest layer.
///
/// ```
/// use npvar::graph::EdgeKind::{Directed, Undirected};
/// use npvar_draw::layout::layers;
/// assert_eq!(layers(3, &[(1, 0, Directed), (2, 0, Undirected)]), [1, 0, 2]);
/// ```
pub fn layers(nodes: usize, edges: &[(Node, Node, EdgeKind)]) -> Vec<usize> {
    let position = positions(nodes, edges);
    let mut children = vec![Vec::new(); nodes];
    let mut parents = vec![0; nodes];
    for &(from, to, _) in edges {
        let (first, last) = if position[from] < position[to] { (from, to) } else { (to, from) };
        children[first].push(last);
        parents[last] += 1;
    }
    let mut order: Vec<Node> = (0..nodes).collect();
    order.sort_by_key(|&node| position[node]);
    let mut layer_of = vec![0; nodes];
    for &node in &order {
        for &child in &children[node] {
            layer_of[child] = layer_of[child].max(layer_of[node] + 1);
        }
    }
    for &node in order.iter().rev().filter(|&&node| children[node].len() > parents[node]) {
        layer_of[node] = children[node].iter().map(|&child| layer_of[child] - 1).min().unwrap_or(layer_of[node]);
    }
    let alone: Vec<bool> = (0..nodes).map(|node| children[node].is_empty() && parents[node] == 0).collect();
    settle(&mut layer_of, &children, &alone);
    layer_of
}

/// Where every node stands in an order that follows the directed edges, as far as one can; the first of those that may come
/// next does.
fn positions(nodes: usize, edges: &[(Node, Node, EdgeKind)]) -> Vec<usize> {
    let mut children = vec![Vec::new(); nodes];
    let mut waiting = vec![0; nodes];
    for &(from, to, kind) in edges {
        if matches!(kind, EdgeKind::Directed | EdgeKind::PartiallyDirected) {
            children[from].push(to);
            waiting[to] += 1;
        }
    }
    let mut left: std::collections::BTreeSet<(usize, Node)> = (0..nodes).map(|node| (waiting[node], node)).collect();
    let mut position = vec![nodes; nodes];
    let mut next = 0;
    while let Some((_, node)) = left.pop_first() {
        position[node] = next;
        next += 1;
        for &child in &children[node] {
            if left.remove(&(waiting[child], child)) {
                waiting[child] -= 1;
                left.insert((waiting[child], child));
            }
        }
    }
    position
}

/// Gives every node without edges the layer with the fewest vertices.
fn settle(layer_of: &mut [usize], children: &[Vec<Node>], alone: &[bool]) {
    let lonely = alone.iter().filter(|&&alone| alone).count();
    let connected = alone.len() - lonely;
    let depth = match connected {
        0 => (lonely as f64).sqrt().ceil() as usize,
        _ => layer_of.iter().max().map_or(0, |last| last + 1),
    };
    let mut held = vec![0; depth];
    for node in 0..layer_of.len() {
        if !alone[node] {
            held[layer_of[node]] += 1;
        }
        for &child in &children[node] {
            held[layer_of[node] + 1..layer_of[child]].iter_mut().for_each(|count| *count += 1);
        }
    }
    for node in 0..layer_of.len() {
        if alone[node] {
            let emptiest = (0..depth).min_by_key(|&layer| held[layer]).expect("a node has a layer to stand in");
            layer_of[node] = emptiest;
            held[emptiest] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use npvar::graph::EdgeKind::{Bidirected, Directed, Undirected};

    use super::*;

    #[test]
    fn every_edge_joins_two_layers_even_in_a_cycle() {
        let edges = [(0, 1, Directed), (1, 2, Directed), (2, 0, Directed), (3, 2, Undirected), (3, 0, Bidirected)];
        let layer_of = layers(4, &edges);
        assert!(edges.iter().all(|&(from, to, _)| layer_of[from] != layer_of[to]), "{layer_of:?}");
    }

    #[test]
    fn nodes_without_edges_fill_gaps() {
        assert_eq!(layers(5, &[(0, 1, Directed), (2, 1, Directed)]), [0, 1, 0, 1, 0]);
        assert_eq!(layers(4, &[]), [0, 1, 0, 1]);
        assert!(layers(0, &[]).is_empty());
    }
}
