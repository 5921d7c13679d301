//! A regression tree (Breiman, Friedman, Olshen & Stone 1984): splits that lower the sum of squares most.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::unit_scale::Rows;

#[derive(Debug, Clone, Copy)]
enum Node {
    /// A mean response.
    Leaf(f64),
    /// Rows with the column at most the value go left (the next node), the others right.
    Split { column: usize, value: f64, right: usize },
}

/// A grown tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// How a tree grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// Columns drawn at every split.
    pub(super) candidates: usize,
    /// Nodes with at most this many rows are not split.
    pub(super) min_node: usize,
}

impl Tree {
    /// Grows a tree on a sample of rows, with repetitions.
    pub(super) fn grow(rows: &Rows, y: &[f64], mut sample: Vec<usize>, growth: Growth, rng: &mut ChaCha8Rng) -> Self {
        let mut tree = Tree { nodes: Vec::new() };
        let mut columns: Vec<usize> = (0..rows.width()).collect();
        tree.grow_node(rows, y, &mut sample, growth, &mut columns, rng);
        tree
    }

    fn grow_node(
        &mut self,
        rows: &Rows,
        y: &[f64],
        sample: &mut [usize],
        growth: Growth,
        columns: &mut [usize],
        rng: &mut ChaCha8Rng,
    ) -> usize {
        let node = self.nodes.len();
        let mean = sample.iter().map(|&row| y[row]).sum::<f64>() / sample.len() as f64;
        self.nodes.push(Node::Leaf(mean));
        if sample.len() <= growth.min_node || sample.iter().all(|&row| y[row] == y[sample[0]]) {
            return node;
        }
        let mut best: Option<(f64, usize, f64)> = None;
        let mut tried = 0;
        // Draws without replacement until enough columns that vary here have been tried.
        for position in 0..columns.len() {
            if tried == growth.candidates {
                break;
            }
            let drawn = rng.random_range(position..columns.len());
            columns.swap(position, drawn);
            let column = columns[position];
            sample.sort_unstable_by(|&a, &b| rows.row(a)[column].total_cmp(&rows.row(b)[column]).then(a.cmp(&b)));
            let Some((gain, value)) = best_split(rows, y, sample, column, mean) else { continue };
            tried += 1;
            if best.is_none_or(|best| gain > best.0) {
                best = Some((gain, column, value));
            }
        }
        let Some((_, column, value)) = best else { return node };
        sample.sort_unstable_by(|&a, &b| rows.row(a)[column].total_cmp(&rows.row(b)[column]).then(a.cmp(&b)));
        let (left, right) = sample.split_at_mut(sample.partition_point(|&row| rows.row(row)[column] <= value));
        self.grow_node(rows, y, left, growth, columns, rng);
        let right = self.grow_node(rows, y, right, growth, columns, rng);
        self.nodes[node] = Node::Split { column, value, right };
        node
    }

    pub(super) fn at(&self, point: &[f64]) -> f64 {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf(mean) => return mean,
                Node::Split { column, value, right } => node = if point[column] <= value { node + 1 } else { right },
            }
        }
    }
}

/// By how much the best split of a sorted sample lowers the sum of squares, and where it is; none in a constant column.
fn best_split(rows: &Rows, y: &[f64], sorted: &[usize], column: usize, mean: f64) -> Option<(f64, f64)> {
    let n = sorted.len() as f64;
    let mut best: Option<(f64, f64)> = None;
    let mut left = 0.0;
    for (before, pair) in sorted.windows(2).enumerate() {
        left += y[pair[0]] - mean;
        let (low, high) = (rows.row(pair[0])[column], rows.row(pair[1])[column]);
        if low == high {
            continue;
        }
        // Deviations sum to zero, so the right sum is minus the left one.
        let count = (before + 1) as f64;
        let gain = left * left * (1.0 / count + 1.0 / (n - count));
        if best.is_none_or(|best| gain > best.0) {
            let middle = low + 0.5 * (high - low);
            best = Some((gain, if middle < high { middle } else { low }));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;
    use crate::run::Seed;

    #[test]
    fn a_step_is_found_at_its_place() {
        let z = faer::Mat::from_fn(20, 2, |i, j| if j == 0 { (i % 4) as f64 } else { i as f64 });
        let y: Vec<f64> = (0..20).map(|i| if i < 13 { 1.0 } else { 5.0 }).collect();
        let scale = UnitScale::of(z.as_ref());
        let growth = Growth { candidates: 2, min_node: 1 };
        let tree =
            Tree::grow(&scale.rows(z.as_ref()), &y, (0..20).collect(), growth, &mut Seed(1).child("tree", 0).rng());
        assert_eq!(tree.nodes.len(), 3);
        assert_eq!(tree.at(&[0.0, scale.apply(1, 12.4)]), 1.0);
        assert_eq!(tree.at(&[0.0, scale.apply(1, 12.6)]), 5.0);
    }
}
