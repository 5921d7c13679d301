//! How high every vertex stands within its layer, after Brandes & Köpf (2001).
//!
//! Every vertex wants to stand beside the median of its neighbours. Vertices that can are joined into blocks that run straight
//! through several layers, the bends of a long edge before all others; the blocks are then pushed together. This is done four
//! times, from either end and from either side, and the middle of the four answers is taken.
//!
//! Differs from the paper: blocks are pushed together along the longest path of the graph of blocks, not class by class, which
//! needs no shifting afterwards; and what it leaves wide is drawn together: in a few rounds every vertex moves as near to the
//! mean of its neighbours as the order and the distances allow, which is isotonic regression.

use std::collections::HashSet;

use super::vertices::Vertices;

/// The least distance between two nodes.
const NODE_GAP: f64 = 20.0;
/// Between a node and an edge that passes it.
pub(super) const EDGE_GAP: f64 = 14.0;
/// Between two edges.
const BEND_GAP: f64 = 12.0;
/// Rounds in which vertices draw together.
const ROUNDS: usize = 40;
/// How much more an edge's bends pull at each other than two nodes do, and how much a bend and a node.
const PULLS: [f64; 2] = [6.0, 2.0];
/// How much a node without edges pulls to the middle.
const LONELY_PULL: f64 = 0.01;

/// Which way one of the four answers is looked for.
#[derive(Clone, Copy)]
struct Way {
    backwards: bool,
    from_below: bool,
}

const WAYS: [Way; 4] = [
    Way { backwards: false, from_below: false },
    Way { backwards: false, from_below: true },
    Way { backwards: true, from_below: false },
    Way { backwards: true, from_below: true },
];

impl Vertices {
    /// The height of every vertex's middle; `boxes` are the nodes' sizes along and across the layers.
    pub(super) fn heights(&self, boxes: &[[f64; 2]]) -> Vec<f64> {
        let half = |vertex: usize| boxes.get(vertex).map_or(0.0, |size| size[1] / 2.0);
        let distance = |a: usize, b: usize| {
            let gap = match (self.is_bend(a), self.is_bend(b)) {
                (false, false) => NODE_GAP,
                (true, true) => BEND_GAP,
                _ => EDGE_GAP,
            };
            half(a) + gap + half(b)
        };
        let conflicts = self.conflicts();
        let mut answers = WAYS.map(|way| self.compact(&self.blocks(way, &conflicts), way, &distance));
        line_up(&mut answers, &half);
        let middle = |vertex: usize| {
            let mut four = [0, 1, 2, 3].map(|way| answers[way][vertex]);
            four.sort_by(f64::total_cmp);
            (four[1] + four[2]) / 2.0
        };
        let mut heights: Vec<f64> = (0..self.layer_of.len()).map(middle).collect();
        for _ in 0..ROUNDS {
            self.draw_together(&mut heights, &distance);
        }
        heights
    }

    fn draw_together(&self, heights: &mut [f64], distance: &impl Fn(usize, usize) -> f64) {
        let middle = heights.iter().sum::<f64>() / heights.len() as f64;
        for layer in &self.layers {
            let mut offset = 0.0;
            // The mean of some vertices' wishes, less their offsets; its weight; how many they are.
            let mut pools: Vec<(f64, f64, usize)> = Vec::new();
            let mut offsets = Vec::with_capacity(layer.len());
            for (at, &vertex) in layer.iter().enumerate() {
                if at > 0 {
                    offset += distance(layer[at - 1], vertex);
                }
                offsets.push(offset);
                let (wish, weight) = self.wish(vertex, heights).unwrap_or((middle, LONELY_PULL));
                let mut pool = (wish - offset, weight, 1);
                while let Some(&(value, weight, count)) = pools.last().filter(|last| last.0 > pool.0) {
                    let together = pool.1 + weight;
                    pool = ((pool.0 * pool.1 + value * weight) / together, together, pool.2 + count);
                    pools.pop();
                }
                pools.push(pool);
            }
            let values = pools.into_iter().flat_map(|(value, _, count)| std::iter::repeat_n(value, count));
            for ((&vertex, value), offset) in layer.iter().zip(values).zip(offsets) {
                heights[vertex] = value + offset;
            }
        }
    }

    /// Where a vertex would stand if it were alone in its layer, and how much it matters; nothing without neighbours.
    fn wish(&self, vertex: usize, heights: &[f64]) -> Option<(f64, f64)> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for &other in self.before[vertex].iter().chain(&self.after[vertex]) {
            let weight = match (self.is_bend(vertex), self.is_bend(other)) {
                (true, true) => PULLS[0],
                (false, false) => 1.0,
                _ => PULLS[1],
            };
            sum += weight * heights[other];
            weights += weight;
        }
        (weights > 0.0).then(|| (sum / weights, weights))
    }

    /// The parts of edges (a vertex and its neighbour in the layer after) that cross a part between two bends: those give way.
    fn conflicts(&self) -> HashSet<(usize, usize)> {
        let places = self.places();
        let mut found = HashSet::new();
        for layers in self.layers.windows(2) {
            let (upper, lower) = (&layers[0], &layers[1]);
            let inner = |vertex: usize| match self.before[vertex][..] {
                [before] if self.is_bend(vertex) && self.is_bend(before) => Some(before),
                _ => None,
            };
            let (mut from, mut checked) = (0, 0);
            for at in 0..lower.len() {
                let bend = inner(lower[at]);
                if bend.is_none() && at + 1 < lower.len() {
                    continue;
                }
                let upto = bend.map_or(upper.len(), |bend| places[bend]);
                for &vertex in &lower[checked..=at] {
                    if inner(vertex).is_some() {
                        continue;
                    }
                    let crossing = |&&before: &&usize| places[before] < from || places[before] > upto;
                    found.extend(self.before[vertex].iter().filter(crossing).map(|&before| (before, vertex)));
                }
                checked = at + 1;
                from = upto;
            }
        }
        found
    }

    /// The first vertex of every vertex's block.
    fn blocks(&self, way: Way, conflicts: &HashSet<(usize, usize)>) -> Vec<usize> {
        let places = self.places();
        let mut root: Vec<usize> = (0..self.layer_of.len()).collect();
        let mut followed = vec![false; self.layer_of.len()];
        let neighbours = if way.backwards { &self.after } else { &self.before };
        for at in 0..self.layers.len() {
            let layer = &self.layers[if way.backwards { self.layers.len() - 1 - at } else { at }];
            // The last neighbour taken: blocks must not cross.
            let mut last: Option<usize> = None;
            for at in 0..layer.len() {
                let vertex = layer[if way.from_below { layer.len() - 1 - at } else { at }];
                let mut near = neighbours[vertex].clone();
                near.sort_by_key(|&other| places[other]);
                let Some(most) = near.len().checked_sub(1) else { continue };
                let mut medians = [most / 2, most.div_ceil(2)];
                if way.from_below {
                    medians.reverse();
                }
                for median in medians {
                    let other = near[median];
                    let part = if way.backwards { (vertex, other) } else { (other, vertex) };
                    let beyond = |last: usize| {
                        if way.from_below { places[other] < last } else { places[other] > last }
                    };
                    if !followed[other] && last.is_none_or(beyond) && !conflicts.contains(&part) {
                        root[vertex] = root[other];
                        followed[other] = true;
                        last = Some(places[other]);
                        break;
                    }
                }
            }
        }
        root
    }

    /// Pushes blocks as near to the side they are looked at from as their distances allow, and then back to their neighbours.
    fn compact(&self, root: &[usize], way: Way, distance: &impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut after: Vec<Vec<(usize, f64)>> = vec![Vec::new(); root.len()];
        let mut waiting = vec![0; root.len()];
        for layer in &self.layers {
            for pair in layer.windows(2) {
                let (a, b) = if way.from_below { (pair[1], pair[0]) } else { (pair[0], pair[1]) };
                after[root[a]].push((root[b], distance(a, b)));
                waiting[root[b]] += 1;
            }
        }
        let mut order: Vec<usize> =
            (0..root.len()).filter(|&block| root[block] == block && waiting[block] == 0).collect();
        let mut height = vec![0.0_f64; root.len()];
        let mut at = 0;
        while at < order.len() {
            let block = order[at];
            at += 1;
            for &(next, distance) in &after[block] {
                height[next] = height[next].max(height[block] + distance);
                waiting[next] -= 1;
                if waiting[next] == 0 {
                    order.push(next);
                }
            }
        }
        for &block in order.iter().rev() {
            let most =
                after[block].iter().map(|&(next, distance)| height[next] - distance).fold(f64::INFINITY, f64::min);
            if most.is_finite() {
                height[block] = height[block].max(most);
            }
        }
        let sign = if way.from_below { -1.0 } else { 1.0 };
        root.iter().map(|&block| sign * height[block]).collect()
    }
}

/// Moves the four answers so that those looked for from above begin where the narrowest does, and the others end there.
fn line_up(answers: &mut [Vec<f64>; 4], half: &impl Fn(usize) -> f64) {
    let ends = |heights: &[f64]| {
        heights.iter().enumerate().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (vertex, height)| {
            (low.min(height - half(vertex)), high.max(height + half(vertex)))
        })
    };
    let all = [0, 1, 2, 3].map(|way| ends(&answers[way]));
    let width = |(low, high): (f64, f64)| high - low;
    let narrowest = all.into_iter().min_by(|a, b| width(*a).total_cmp(&width(*b))).expect("there are four");
    for ((heights, way), (low, high)) in answers.iter_mut().zip(WAYS).zip(all) {
        let shift = if way.from_below { narrowest.1 - high } else { narrowest.0 - low };
        heights.iter_mut().for_each(|height| *height += shift);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_edge_runs_straight_beside_the_nodes_it_passes() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)];
        let mut graph = Vertices::new(&[0, 1, 2, 3, 4], &edges);
        graph.reduce_crossings();
        let heights = graph.heights(&[[60.0, 30.0]; 5]);
        let bends = &graph.chains[4][1..4];
        assert!(bends.iter().all(|&bend| heights[bend] == heights[bends[0]]), "{heights:?}");
        assert!((1..4).all(|node| (heights[node] - heights[bends[0]]).abs() >= 15.0 + EDGE_GAP));
    }

    #[test]
    fn neighbours_keep_their_distance() {
        let edges: Vec<(usize, usize)> = (1..9).map(|child| (0, child)).collect();
        let layers = [0, 1, 1, 1, 1, 1, 1, 1, 1];
        let heights = Vertices::new(&layers, &edges).heights(&[[60.0, 30.0]; 9]);
        let mut children = heights[1..].to_vec();
        children.sort_by(f64::total_cmp);
        assert!(children.windows(2).all(|pair| pair[1] - pair[0] >= 30.0 + NODE_GAP - 1e-9));
        assert!((heights[0] - (children[3] + children[4]) / 2.0).abs() < 1e-9, "{heights:?}");
    }
}
