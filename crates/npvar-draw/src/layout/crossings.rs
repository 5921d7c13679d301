//! Orders the vertices of every layer so that few edges cross.

use super::vertices::Vertices;

/// Sweeps back and forth over the layers, at most; with many vertices as many as visit this many of them.
const SWEEPS: usize = 40;
const MOST_VISITS: usize = 400_000;
/// Times that a layer is gone through for exchanges in one sweep.
const EXCHANGES: usize = 8;
/// Sweeps without a gain after which it is enough.
const PATIENCE: usize = 8;

impl Vertices {
    /// Orders every layer by the mean place of its neighbours in the layer before, then in the layer after, exchanges
    /// neighbours where that helps, and keeps the arrangement with the fewest crossings.
    pub(super) fn reduce_crossings(&mut self) {
        let mut places = self.places();
        let mut best = (self.crossings(&places), self.layers.clone());
        let mut waited = 0;
        let sweeps = SWEEPS.min(MOST_VISITS / self.layer_of.len().max(1)).max(2);
        for sweep in 0..sweeps {
            self.sweep(sweep % 2 == 0, &mut places);
            self.exchange(&mut places);
            let crossings = self.crossings(&places);
            waited += 1;
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
                waited = 0;
            }
            if best.0 == 0 || waited == PATIENCE {
                break;
            }
        }
        self.layers = best.1;
    }

    fn sweep(&mut self, forward: bool, places: &mut [usize]) {
        let last = self.layers.len().saturating_sub(1);
        for step in 1..=last {
            let at = if forward { step } else { last - step };
            let neighbours = if forward { &self.before } else { &self.after };
            let wanted = |vertex: usize| {
                let near = &neighbours[vertex];
                let sum: usize = near.iter().map(|&other| places[other]).sum();
                if near.is_empty() { places[vertex] as f64 } else { sum as f64 / near.len() as f64 }
            };
            let mut order: Vec<(f64, usize)> = self.layers[at].iter().map(|&vertex| (wanted(vertex), vertex)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (place, &(_, vertex)) in order.iter().enumerate() {
                places[vertex] = place;
            }
            self.layers[at] = order.into_iter().map(|(_, vertex)| vertex).collect();
        }
    }

    /// Exchanges vertices that stand beside each other where fewer edges cross then, until none do or [`EXCHANGES`] is reached.
    fn exchange(&mut self, places: &mut [usize]) {
        let sorted = |vertices: &[usize], places: &[usize]| {
            let mut sorted: Vec<usize> = vertices.iter().map(|&vertex| places[vertex]).collect();
            sorted.sort_unstable();
            sorted
        };
        for layer in &mut self.layers {
            // Neighbours in other layers stay where they are.
            let mut near: Vec<[Vec<usize>; 2]> = layer
                .iter()
                .map(|&vertex| [sorted(&self.before[vertex], places), sorted(&self.after[vertex], places)])
                .collect();
            for _ in 0..EXCHANGES {
                let mut gained = false;
                for place in 1..layer.len() {
                    let (left, right) = (&near[place - 1], &near[place]);
                    let kept: usize = (0..2).map(|side| inversions(&left[side], &right[side])).sum();
                    let exchanged: usize = (0..2).map(|side| inversions(&right[side], &left[side])).sum();
                    if exchanged < kept {
                        layer.swap(place - 1, place);
                        near.swap(place - 1, place);
                        gained = true;
                    }
                }
                if !gained {
                    break;
                }
            }
            for (place, &vertex) in layer.iter().enumerate() {
                places[vertex] = place;
            }
        }
    }

    /// Counts the crossings between neighbouring layers with a Fenwick tree, in O(edges · log).
    fn crossings(&self, places: &[usize]) -> usize {
        let mut crossings = 0;
        for (at, layer) in self.layers.iter().enumerate() {
            let width = self.layers.get(at + 1).map_or(0, Vec::len);
            let mut tree = vec![0; width + 1];
            let mut seen = 0;
            for &vertex in layer {
                for &next in &self.after[vertex] {
                    let mut upto = places[next] + 1;
                    crossings += seen;
                    while upto > 0 {
                        crossings -= tree[upto];
                        upto &= upto - 1;
                    }
                }
                for &next in &self.after[vertex] {
                    let mut at = places[next] + 1;
                    while at <= width {
                        tree[at] += 1;
                        at += at & at.wrapping_neg();
                    }
                }
                seen += self.after[vertex].len();
            }
        }
        crossings
    }
}

/// How many pairs of a place on the left and one on the right stand the wrong way round; both are sorted.
fn inversions(left: &[usize], right: &[usize]) -> usize {
    let mut at = 0;
    let mut count = 0;
    for &place in left {
        while at < right.len() && right[at] < place {
            at += 1;
        }
        count += at;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crossing_edges_are_untangled() {
        let mut graph = Vertices::new(&[0, 0, 0, 1, 1, 1], &[(0, 5), (1, 4), (2, 3), (0, 4)]);
        graph.layers = vec![vec![0, 1, 2], vec![3, 4, 5]];
        assert_eq!(graph.crossings(&graph.places()), 4);
        graph.reduce_crossings();
        assert_eq!(graph.crossings(&graph.places()), 0);
    }

    #[test]
    fn inversions_count_pairs() {
        assert_eq!(inversions(&[1, 3], &[0, 2, 3]), 3);
    }
}
