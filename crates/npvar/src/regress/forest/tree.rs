//! A regression tree (Breiman, Friedman, Olshen & Stone 1984): splits that lower the sum of squares most.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::regress::unit_scale::Rows;

#[derive(Debug, Clone, Copy)]
struct Fork {
    /// How many rows there are in it, and their mean response.
    size: usize,
    mean: f64,
    /// None in a leaf.
    split: Option<Split>,
}

/// Rows with the column at most the value go left (the next node), the others right.
#[derive(Debug, Clone, Copy)]
struct Split {
    column: usize,
    value: f64,
    right: usize,
}

/// A grown tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Fork>,
}

/// How a tree grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Growth {
    /// Columns drawn at every split.
    pub(super) candidates: usize,
    /// Nodes with at most this many rows are not split.
    pub(super) min_node: usize,
}

/// A sample with the ranks of its rows in every column, so that the trees of a forest sort whole numbers.
pub(super) struct Ranked<'r> {
    rows: &'r Rows,
    /// By column: the rows from the smallest value to the largest, equal ones as they come.
    sorted: Vec<Vec<usize>>,
    /// By column: the place of every row among those.
    rank: Vec<Vec<usize>>,
}

impl<'r> Ranked<'r> {
    pub(super) fn new(rows: &'r Rows) -> Self {
        let sorted = |j: usize| {
            let mut sorted: Vec<usize> = (0..rows.len()).collect();
            sorted.sort_by(|&a, &b| rows.column(j)[a].total_cmp(&rows.column(j)[b]));
            sorted
        };
        let sorted: Vec<Vec<usize>> = (0..rows.width()).map(sorted).collect();
        let rank = |sorted: &Vec<usize>| {
            let mut rank = vec![0; rows.len()];
            sorted.iter().enumerate().for_each(|(place, &row)| rank[row] = place);
            rank
        };
        Ranked { rows, rank: sorted.iter().map(rank).collect(), sorted }
    }

    fn sort(&self, sample: &mut [usize], column: usize) {
        sample.iter_mut().for_each(|row| *row = self.rank[column][*row]);
        sample.sort_unstable();
        sample.iter_mut().for_each(|place| *place = self.sorted[column][*place]);
    }
}

impl Tree {
    /// Grows a tree on a sample of rows, with repetitions.
    pub(super) fn grow(
        ranked: &Ranked<'_>,
        y: &[f64],
        mut sample: Vec<usize>,
        growth: Growth,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let mut tree = Tree { nodes: Vec::new() };
        let mut columns: Vec<usize> = (0..ranked.rows.width()).collect();
        tree.grow_node(ranked, y, &mut sample, growth, &mut columns, rng);
        tree
    }

    fn grow_node(
        &mut self,
        ranked: &Ranked<'_>,
        y: &[f64],
        sample: &mut [usize],
        growth: Growth,
        columns: &mut [usize],
        rng: &mut ChaCha8Rng,
    ) -> usize {
        let node = self.nodes.len();
        let mean = sample.iter().map(|&row| y[row]).sum::<f64>() / sample.len() as f64;
        self.nodes.push(Fork { size: sample.len(), mean, split: None });
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
            ranked.sort(sample, column);
            let Some((gain, value)) = best_split(ranked.rows.column(column), y, sample, mean) else { continue };
            tried += 1;
            if best.is_none_or(|best| gain > best.0) {
                best = Some((gain, column, value));
            }
        }
        let Some((_, column, value)) = best else { return node };
        ranked.sort(sample, column);
        let values = ranked.rows.column(column);
        let (left, right) = sample.split_at_mut(sample.partition_point(|&row| values[row] <= value));
        self.grow_node(ranked, y, left, growth, columns, rng);
        let right = self.grow_node(ranked, y, right, growth, columns, rng);
        self.nodes[node].split = Some(Split { column, value, right });
        node
    }

    /// The prediction of the tree without the splits of nodes with at most `min_node` rows.
    pub(super) fn at(&self, point: &[f64], min_node: usize) -> f64 {
        let mut at = 0;
        loop {
            let node = self.nodes[at];
            match node.split {
                Some(split) if node.size > min_node => at = split.side(at, point),
                _ => return node.mean,
            }
        }
    }

    /// Adds the predictions for several smallest sizes, in increasing order, to `sums`.
    pub(super) fn add_at_each(&self, point: &[f64], sizes: &[usize], sums: &mut [f64]) {
        let (mut at, mut left) = (0, sizes.len());
        while left > 0 {
            let node = self.nodes[at];
            match node.split {
                Some(split) if node.size > sizes[left - 1] => at = split.side(at, point),
                _ => {
                    left -= 1;
                    sums[left] += node.mean;
                }
            }
        }
    }
}

impl Split {
    /// The node that the point goes to from the one at `at`.
    fn side(&self, at: usize, point: &[f64]) -> usize {
        if point[self.column] <= self.value { at + 1 } else { self.right }
    }
}

/// By how much the best split of a sorted sample lowers the sum of squares, and where it is; none in a constant column.
fn best_split(column: &[f64], y: &[f64], sorted: &[usize], mean: f64) -> Option<(f64, f64)> {
    let n = sorted.len() as f64;
    let mut best: Option<(f64, f64)> = None;
    let mut left = 0.0;
    for (before, pair) in sorted.windows(2).enumerate() {
        left += y[pair[0]] - mean;
        let (low, high) = (column[pair[0]], column[pair[1]]);
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
    fn rows_are_sorted_by_value_then_place_repetitions_kept() {
        let z = faer::Mat::from_fn(6, 2, |i, j| [[3.0, 1.0, 2.0, 1.0, 3.0, 0.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]][j][i]);
        let rows = UnitScale::of(z.as_ref()).rows(z.as_ref());
        let mut sample = vec![4, 3, 0, 1, 3, 5];
        Ranked::new(&rows).sort(&mut sample, 0);
        assert_eq!(sample, [5, 1, 3, 3, 0, 4]);
    }

    #[test]
    fn a_step_is_found_at_its_place() {
        let z = faer::Mat::from_fn(20, 2, |i, j| if j == 0 { (i % 4) as f64 } else { i as f64 });
        let y: Vec<f64> = (0..20).map(|i| if i < 13 { 1.0 } else { 5.0 }).collect();
        let scale = UnitScale::of(z.as_ref());
        let growth = Growth { candidates: 2, min_node: 1 };
        let rows = scale.rows(z.as_ref());
        let mut rng = Seed(1).child("tree", 0).rng();
        let tree = Tree::grow(&Ranked::new(&rows), &y, (0..20).collect(), growth, &mut rng);
        assert_eq!(tree.nodes.len(), 3);
        let mut sums = [10.0, 0.0, 0.0];
        tree.add_at_each(&[0.0, scale.apply(1, 12.4)], &[1, 19, 20], &mut sums);
        assert_eq!(sums, [11.0, 1.0, (13.0 + 7.0 * 5.0) / 20.0]);
        assert_eq!(tree.at(&[0.0, scale.apply(1, 12.4)], 1), 1.0);
        assert_eq!(tree.at(&[0.0, scale.apply(1, 12.6)], 1), 5.0);
    }
}
