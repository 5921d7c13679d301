//! Where to draw the nodes and edges of a layered graph (Sugiyama's method).
//!
//! Edges over several layers pass through a bend in each; barycentre sweeps order the vertices of every layer so that few
//! edges cross; then every vertex moves as near to the mean of its neighbours as the order and the distances allow.

use npvar::graph::Node;

/// Sweeps back and forth over the layers.
const SWEEPS: usize = 24;
/// Rounds of straightening.
const ROUNDS: usize = 60;
/// The least vertical distance between two nodes is 1; with a bend between an edge and its neighbour, this.
const BEND_DISTANCE: f64 = 0.55;

/// Points are (layer, height); heights begin at 0 and grow downwards.
pub(crate) struct Layout {
    /// One point per node.
    pub(crate) nodes: Vec<(f64, f64)>,
    /// For every edge the points it passes, its ends included.
    pub(crate) routes: Vec<Vec<(f64, f64)>>,
}

/// Places nodes, given the layer of each, and routes edges.
pub(crate) fn place(layer_of: &[usize], edges: &[(Node, Node)]) -> Layout {
    let mut graph = Vertices::new(layer_of);
    let routes: Vec<Vec<usize>> = edges.iter().map(|&(from, to)| graph.route(from, to)).collect();
    graph.reduce_crossings();
    let heights = graph.heights();
    let point = |&vertex: &usize| (graph.layer_of[vertex] as f64, heights[vertex]);
    Layout {
        nodes: (0..layer_of.len()).map(|node| point(&node)).collect(),
        routes: routes.iter().map(|route| route.iter().map(point).collect()).collect(),
    }
}

/// Nodes first, then the bends of edges.
struct Vertices {
    nodes: usize,
    layer_of: Vec<usize>,
    layers: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Vertices {
    fn new(layer_of: &[usize]) -> Self {
        let nodes = layer_of.len();
        let mut layers = vec![Vec::new(); layer_of.iter().max().map_or(0, |last| last + 1)];
        for (node, &layer) in layer_of.iter().enumerate() {
            layers[layer].push(node);
        }
        Vertices {
            nodes,
            layer_of: layer_of.to_vec(),
            layers,
            before: vec![Vec::new(); nodes],
            after: vec![Vec::new(); nodes],
        }
    }

    /// Adds an edge's bends and returns its vertices from end to end.
    fn route(&mut self, from: Node, to: Node) -> Vec<usize> {
        if self.layer_of[from] > self.layer_of[to] {
            let mut route = self.route(to, from);
            route.reverse();
            return route;
        }
        let mut route = vec![from];
        for layer in self.layer_of[from] + 1..self.layer_of[to] {
            let bend = self.layer_of.len();
            self.layer_of.push(layer);
            self.layers[layer].push(bend);
            self.before.push(Vec::new());
            self.after.push(Vec::new());
            route.push(bend);
        }
        route.push(to);
        if self.layer_of[from] < self.layer_of[to] {
            for pair in route.windows(2) {
                self.after[pair[0]].push(pair[1]);
                self.before[pair[1]].push(pair[0]);
            }
        }
        route
    }

    /// Orders every layer by the mean place of its neighbours in the layer before, then in the layer after, and keeps the
    /// arrangement with the fewest crossings.
    fn reduce_crossings(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let forward = sweep % 2 == 0;
            let last = self.layers.len().saturating_sub(1);
            for step in 1..=last {
                let layer = if forward { step } else { last - step };
                let place = self.places();
                let neighbours = if forward { &self.before } else { &self.after };
                let mut order: Vec<(f64, usize)> = self.layers[layer]
                    .iter()
                    .map(|&vertex| {
                        (
                            mean(neighbours[vertex].iter().map(|&n| place[n] as f64)).unwrap_or(place[vertex] as f64),
                            vertex,
                        )
                    })
                    .collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.layers[layer] = order.into_iter().map(|(_, vertex)| vertex).collect();
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.layer_of.len()];
        for layer in &self.layers {
            for (place, &vertex) in layer.iter().enumerate() {
                places[vertex] = place;
            }
        }
        places
    }

    fn crossings(&self) -> usize {
        let place = self.places();
        let mut crossings = 0;
        for layer in &self.layers {
            let segments: Vec<(usize, usize)> =
                layer.iter().flat_map(|&v| self.after[v].iter().map(move |&w| (v, w))).collect();
            for (i, &(a, b)) in segments.iter().enumerate() {
                crossings += segments[..i]
                    .iter()
                    .filter(|&&(c, d)| (place[a] < place[c]) != (place[b] < place[d]) && a != c && b != d)
                    .count();
            }
        }
        crossings
    }

    fn heights(&self) -> Vec<f64> {
        let mut heights: Vec<f64> = self.places().into_iter().map(|place| place as f64).collect();
        for _ in 0..ROUNDS {
            for layer in &self.layers {
                let wanted = layer.iter().map(|&vertex| {
                    let neighbours = self.before[vertex].iter().chain(&self.after[vertex]);
                    mean(neighbours.map(|&n| heights[n])).unwrap_or(heights[vertex])
                });
                let distances = layer
                    .windows(2)
                    .map(|pair| if pair.iter().all(|&vertex| vertex < self.nodes) { 1.0 } else { BEND_DISTANCE });
                let placed = nearest_with_distances(&wanted.collect::<Vec<_>>(), &distances.collect::<Vec<_>>());
                for (&vertex, height) in layer.iter().zip(placed) {
                    heights[vertex] = height;
                }
            }
        }
        let top = heights.iter().copied().fold(f64::INFINITY, f64::min);
        heights.iter().map(|height| height - top).collect()
    }
}

/// The heights nearest to the wanted ones, in squares, that keep their order and distances: isotonic regression by pooling
/// adjacent violators.
fn nearest_with_distances(wanted: &[f64], distances: &[f64]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = vec![0.0];
    for distance in distances {
        offset += distance;
        offsets.push(offset);
    }
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (want, offset) in wanted.iter().zip(&offsets) {
        let mut pool = (want - offset, 1);
        while let Some(&(value, size)) = pools.last().filter(|(value, _)| *value > pool.0) {
            pool = ((pool.0 * pool.1 as f64 + value * size as f64) / (pool.1 + size) as f64, pool.1 + size);
            pools.pop();
        }
        pools.push(pool);
    }
    let values = pools.into_iter().flat_map(|(value, size)| std::iter::repeat_n(value, size));
    values.zip(&offsets).map(|(value, offset)| value + offset).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_edges_are_untangled() {
        let layout = place(&[0, 0, 1, 1], &[(0, 3), (1, 2)]);
        let above = |a: usize, b: usize| layout.nodes[a].1 < layout.nodes[b].1;
        assert_eq!(above(0, 1), above(3, 2));
    }

    #[test]
    fn a_long_edge_bends_around_the_nodes_between() {
        let layout = place(&[0, 1, 2], &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!(layout.routes[2].len(), 3);
        assert!((layout.routes[2][1].1 - layout.nodes[1].1).abs() >= BEND_DISTANCE - 1e-9);
    }

    #[test]
    fn pooled_heights_keep_their_distance() {
        assert_eq!(nearest_with_distances(&[0.0, 0.0, 5.0], &[1.0, 1.0]), [-0.5, 0.5, 5.0]);
    }
}
