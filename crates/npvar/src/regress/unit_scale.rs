//! Columns at mean 0 and standard deviation 1, so that distances and penalties do not depend on units.

use faer::MatRef;

/// Spreads below this share of the largest value are rounding: the column is constant.
const CONSTANT: f64 = 1e-13;

/// The change of units that gives every column of a sample mean 0 and standard deviation 1. A constant column becomes 0.
#[derive(Debug, Clone)]
pub(super) struct UnitScale {
    centre: Vec<f64>,
    spread: Vec<f64>,
}

/// Points, one after the other, and the same numbers column by column.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    values: Vec<f64>,
    by_column: Vec<f64>,
    width: usize,
    len: usize,
}

impl UnitScale {
    pub(super) fn of(z: MatRef<'_, f64>) -> Self {
        let (centre, spread) = (0..z.ncols()).map(|j| moments((0..z.nrows()).map(|i| z[(i, j)]), z.nrows())).unzip();
        UnitScale { centre, spread }
    }

    pub(super) fn of_values(y: &[f64]) -> Self {
        let (centre, spread) = moments(y.iter().copied(), y.len());
        UnitScale { centre: vec![centre], spread: vec![spread] }
    }

    /// A column's standard deviation; 0 where it is constant.
    pub(super) fn spread(&self, column: usize) -> f64 {
        self.spread[column]
    }

    pub(super) fn is_constant(&self, column: usize) -> bool {
        self.spread[column] == 0.0
    }

    /// The columns that are not constant.
    pub(super) fn varying(&self) -> Vec<usize> {
        (0..self.spread.len()).filter(|&j| !self.is_constant(j)).collect()
    }

    pub(super) fn apply(&self, column: usize, value: f64) -> f64 {
        if self.is_constant(column) { 0.0 } else { (value - self.centre[column]) / self.spread[column] }
    }

    pub(super) fn back(&self, column: usize, value: f64) -> f64 {
        self.centre[column] + self.spread[column] * value
    }

    pub(super) fn columns(&self, z: MatRef<'_, f64>) -> Vec<Vec<f64>> {
        let column = |j: usize| (0..z.nrows()).map(|i| self.apply(j, z[(i, j)])).collect();
        (0..z.ncols()).map(column).collect()
    }

    pub(super) fn rows(&self, z: MatRef<'_, f64>) -> Rows {
        let (len, width) = (z.nrows(), z.ncols());
        let mut values = Vec::with_capacity(len * width);
        for i in 0..len {
            values.extend((0..width).map(|j| self.apply(j, z[(i, j)])));
        }
        Rows::new(values, width, len)
    }
}

impl Rows {
    fn new(values: Vec<f64>, width: usize, len: usize) -> Self {
        let by_column = (0..width).flat_map(|j| (0..len).map(move |i| (i, j))).map(|(i, j)| values[i * width + j]);
        Rows { by_column: by_column.collect(), values, width, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }

    pub(super) fn column(&self, j: usize) -> &[f64] {
        &self.by_column[j * self.len..(j + 1) * self.len]
    }

    /// Only these columns.
    pub(super) fn columns(&self, columns: &[usize]) -> Rows {
        let values = (0..self.len).flat_map(|i| columns.iter().map(move |&j| self.row(i)[j])).collect();
        Rows::new(values, columns.len(), self.len)
    }
}

/// Mean and standard deviation (denominator `n`).
fn moments(values: impl Iterator<Item = f64> + Clone, n: usize) -> (f64, f64) {
    let mean = values.clone().sum::<f64>() / n.max(1) as f64;
    let largest = values.clone().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let spread = (values.map(|value| (value - mean).powi(2)).sum::<f64>() / n.max(1) as f64).sqrt();
    (mean, if spread > CONSTANT * largest { spread } else { 0.0 })
}

/// `count` of `n` rows, evenly spread; all of them where there are not more.
pub(super) fn evenly_spread(n: usize, count: usize) -> Vec<usize> {
    let count = count.min(n);
    (0..count).map(|i| (2 * i + 1) * n / (2 * count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_column_becomes_zero_and_comes_back() {
        let z = faer::Mat::from_fn(4, 2, |i, j| if j == 0 { 0.1 } else { i as f64 });
        let scale = UnitScale::of(z.as_ref());
        assert_eq!(scale.varying(), [1]);
        assert_eq!(scale.rows(z.as_ref()).row(3)[0], 0.0);
        assert_eq!(scale.back(0, 5.0), 0.1);
    }

    #[test]
    fn rows_are_evenly_spread() {
        assert_eq!(evenly_spread(10, 5), [1, 3, 5, 7, 9]);
        assert_eq!(evenly_spread(3, 7), [0, 1, 2]);
    }
}
