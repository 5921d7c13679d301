//! The nearest rows of a sample: a k-d tree (Bentley 1975), built by medians, without randomness.

use std::collections::BinaryHeap;

use crate::regress::unit_scale::Rows;

/// Boxes of at most this many rows are not divided further.
const LEAF: usize = 16;

/// A row and its squared distance; ordered by distance, then by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Neighbour {
    pub(super) squared_distance: f64,
    pub(super) row: usize,
}

impl Eq for Neighbour {}

impl PartialOrd for Neighbour {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Neighbour {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.squared_distance.total_cmp(&other.squared_distance).then(self.row.cmp(&other.row))
    }
}

#[derive(Debug, Clone, Copy)]
enum Branch {
    /// Rows `first..last` of the order.
    Leaf { first: usize, last: usize },
    /// Rows with the column at most the value are below `left`, those with at least the value below `right`.
    Split { column: usize, value: f64, left: usize, right: usize },
}

/// A sample that can be asked for the rows nearest to a point.
#[derive(Debug, Clone)]
pub(super) struct Nearest {
    rows: Rows,
    order: Vec<usize>,
    nodes: Vec<Branch>,
}

impl Nearest {
    pub(super) fn new(rows: Rows) -> Self {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let mut nodes = Vec::new();
        divide(&rows, &mut order, 0, &mut nodes);
        Nearest { rows, order, nodes }
    }

    pub(super) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The `k` rows nearest to a point, nearest first, without the row `except`. Ties go to the earlier row.
    pub(super) fn to(&self, point: &[f64], k: usize, except: Option<usize>) -> Vec<Neighbour> {
        let mut found = BinaryHeap::with_capacity(k + 1);
        if k > 0 {
            self.search(0, point, k, except, &mut found);
        }
        found.into_sorted_vec()
    }

    fn search(&self, node: usize, point: &[f64], k: usize, except: Option<usize>, found: &mut BinaryHeap<Neighbour>) {
        match self.nodes[node] {
            Branch::Leaf { first, last } => {
                for &row in self.order[first..last].iter().filter(|&&row| Some(row) != except) {
                    let squared_distance =
                        self.rows.row(row).iter().zip(point).map(|(z, x)| (z - x) * (z - x)).sum::<f64>();
                    found.push(Neighbour { squared_distance, row });
                    if found.len() > k {
                        found.pop();
                    }
                }
            }
            Branch::Split { column, value, left, right } => {
                let beyond = point[column] - value;
                let (near, far) = if beyond <= 0.0 { (left, right) } else { (right, left) };
                self.search(near, point, k, except, found);
                // "At most": an equally distant earlier row may be on the other side.
                let reach = found.peek().map_or(f64::INFINITY, |farthest| farthest.squared_distance);
                if found.len() < k || beyond * beyond <= reach {
                    self.search(far, point, k, except, found);
                }
            }
        }
    }
}

/// Divides `order` (which begins at `first` of the whole) at the median of its widest column; returns the node.
fn divide(rows: &Rows, order: &mut [usize], first: usize, nodes: &mut Vec<Branch>) -> usize {
    let node = nodes.len();
    nodes.push(Branch::Leaf { first, last: first + order.len() });
    if order.len() <= LEAF {
        return node;
    }
    let width = |column: usize| {
        let values = order.iter().map(|&row| rows.row(row)[column]);
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        high - low
    };
    let (mut column, mut widest) = (0, 0.0);
    for candidate in 0..rows.width() {
        let width = width(candidate);
        if width > widest {
            (column, widest) = (candidate, width);
        }
    }
    if widest == 0.0 {
        return node;
    }
    let middle = order.len() / 2;
    order.select_nth_unstable_by(middle, |&a, &b| rows.row(a)[column].total_cmp(&rows.row(b)[column]).then(a.cmp(&b)));
    let value = rows.row(order[middle])[column];
    let (below, above) = order.split_at_mut(middle);
    let left = divide(rows, below, first, nodes);
    let right = divide(rows, above, first + middle, nodes);
    nodes[node] = Branch::Split { column, value, left, right };
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regress::unit_scale::UnitScale;

    #[test]
    fn the_tree_finds_what_looking_at_every_row_finds() {
        // the second column has ties and the third is constant
        let z = faer::Mat::from_fn(300, 3, |i, j| match j {
            0 => ((i * 7919) % 1000) as f64,
            1 => (i % 3) as f64,
            _ => 1.0,
        });
        let rows = UnitScale::of(z.as_ref()).rows(z.as_ref());
        let tree = Nearest::new(rows.clone());
        for i in (0..300).step_by(17) {
            let mut all: Vec<Neighbour> = (0..300)
                .filter(|&row| row != i)
                .map(|row| Neighbour {
                    squared_distance: rows.row(row).iter().zip(rows.row(i)).map(|(a, b)| (a - b) * (a - b)).sum(),
                    row,
                })
                .collect();
            all.sort();
            assert_eq!(tree.to(rows.row(i), 12, Some(i)), all[..12]);
        }
        assert!(tree.to(rows.row(0), 0, None).is_empty());
        assert_eq!(tree.to(rows.row(0), 1000, None).len(), 300);
    }
}
