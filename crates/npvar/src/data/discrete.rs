//! Columns whose values are counted, not measured.

use std::collections::HashMap;

use super::{Dataset, FEW_VALUES};
use crate::error::{Error, Result};

/// A column with more distinct values than this is not discrete.
const MOST_VALUES: usize = 64;
/// Nor is one, beyond [`FEW_VALUES`], with fewer rows per value than this.
const ROWS_PER_VALUE: usize = 5;
/// Combinations of values are numbered through a table up to this size (or the number of rows), and through a map beyond.
const DIRECT: usize = 1 << 14;

/// A table of discrete columns: which of its values, in increasing order, a column has in every row.
#[derive(Debug, Clone)]
pub struct Discrete {
    levels: Vec<usize>,
    codes: Vec<Vec<u32>>,
}

impl Discrete {
    /// The columns of `data`, for a `method` that counts values.
    ///
    /// # Errors
    /// [`Error::NotDiscrete`] when a column has more than 64 distinct values, or more than [`FEW_VALUES`] with fewer than
    /// five rows for each.
    pub fn of(data: &Dataset, method: &'static str) -> Result<Self> {
        let (mut codes, mut levels) = (Vec::new(), Vec::new());
        for node in 0..data.d() {
            // Adding zero makes −0 and 0 one value.
            let mut values: Vec<f64> = data.column(node).iter().map(|value| value + 0.0).collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            let count = values.len();
            if count > MOST_VALUES || count > FEW_VALUES && count * ROWS_PER_VALUE > data.n() {
                let column = data.names()[node].clone();
                return Err(Error::NotDiscrete { column, values: count, n: data.n(), method });
            }
            let code = |value: &f64| values.partition_point(|level| *level < *value) as u32;
            codes.push(data.column(node).iter().map(code).collect());
            levels.push(count);
        }
        Ok(Discrete { levels, codes })
    }

    /// `d`, the number of columns.
    pub fn d(&self) -> usize {
        self.levels.len()
    }

    /// The number of distinct values of a column.
    pub fn levels(&self, node: usize) -> usize {
        self.levels[node]
    }

    /// Which of its values the column has in every row.
    pub fn codes(&self, node: usize) -> &[u32] {
        &self.codes[node]
    }

    /// The combination of values of `nodes` in every row, numbered by first appearance, and how many there are: those
    /// that no row shows cost neither time nor memory.
    pub fn combinations(&self, nodes: &[usize]) -> (Vec<u32>, usize) {
        let rows = self.codes.first().map_or(0, Vec::len);
        let (mut combination, mut seen) = (vec![0_u32; rows], 1);
        for &node in nodes {
            let levels = self.levels[node];
            let direct = seen * levels <= DIRECT.max(rows);
            let mut table = vec![u32::MAX; if direct { seen * levels } else { 0 }];
            let mut map: HashMap<usize, u32> = HashMap::new();
            let mut next = 0;
            for (number, &code) in combination.iter_mut().zip(&self.codes[node]) {
                let key = *number as usize * levels + code as usize;
                let known = if direct { &mut table[key] } else { map.entry(key).or_insert(u32::MAX) };
                if *known == u32::MAX {
                    *known = next;
                    next += 1;
                }
                *number = *known;
            }
            seen = next as usize;
        }
        (combination, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("c{j}")).collect(), columns).unwrap()
    }

    #[test]
    fn values_are_numbered_in_increasing_order() {
        let discrete = Discrete::of(&data(vec![vec![2.5, -1.0, 2.5], vec![0.0, -0.0, 4.0]]), "a test").unwrap();
        assert_eq!((discrete.levels(0), discrete.codes(0)), (2, &[1, 0, 1][..]));
        assert_eq!((discrete.levels(1), discrete.codes(1)), (2, &[0, 0, 1][..]));
    }

    #[test]
    fn columns_that_are_not_discrete_are_named() {
        let continuous: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.37).collect();
        let binary: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let error = Discrete::of(&data(vec![binary, continuous]), "chi-square").unwrap_err().to_string();
        assert!(error.contains("column `c1` has 100 distinct values in 100 rows: `chi-square` is for"), "{error}");
    }

    #[test]
    fn rows_share_a_combination_when_they_agree_on_the_whole_set() {
        let column = |k: usize| (0..600).map(|i| ((i * (2 * k + 3) + i / (k + 2)) % 40) as f64).collect::<Vec<f64>>();
        let discrete = Discrete::of(&data((0..5).map(column).collect()), "a test").unwrap();
        for nodes in [&[1, 2][..], &[0, 1, 2, 3, 4]] {
            assert!(nodes.len() == 2 || 600 * 40 > DIRECT, "the map must be used");
            let (combination, seen) = discrete.combinations(nodes);
            for i in 0..600 {
                for j in 0..i {
                    let agree = nodes.iter().all(|&node| discrete.codes(node)[i] == discrete.codes(node)[j]);
                    assert_eq!(agree, combination[i] == combination[j]);
                }
            }
            assert_eq!(combination.iter().max().map(|&most| most as usize + 1), Some(seen));
        }
        assert_eq!(discrete.combinations(&[]).1, 1);
    }
}
