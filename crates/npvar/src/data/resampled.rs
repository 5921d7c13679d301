//! A table whose rows count more than once or not at all: what a bootstrap sample is.

use std::ops::ControlFlow;

use rand::RngExt;
use rand::seq::index;

use super::{BLOCK_ROWS, Block, Dataset, RowBlocks, VisitCounted};
use crate::error::{Error, Result};
use crate::run::Seed;

/// Rows of a table, each as often as it was drawn, in the table's order.
///
/// Readers of [`RowBlocks::for_each_block`] see a row that was drawn twice two times; readers that only form sums see it
/// once with its count ([`RowBlocks::for_each_counted_block`]). Nothing but the drawn rows' numbers is stored.
///
/// ```
/// use npvar::data::{Dataset, Resampled, RowBlocks};
/// let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![1.0, 2.0, 3.0], vec![0.5, 0.25, 0.125]])?;
/// let sample = Resampled::new(&data, &[2, 0, 1])?;
/// assert_eq!(Dataset::of(&sample, &npvar::Run::new(npvar::Seed(1)))?.column(0), [1.0, 1.0, 3.0]);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Resampled<'a> {
    table: &'a Dataset,
    /// The rows that were drawn at all, increasing, and how often each was.
    distinct: Vec<usize>,
    counts: Vec<u32>,
    n: usize,
}

impl<'a> Resampled<'a> {
    /// Row `i` of the table, `counts[i]` times; rows beyond the counts are left out.
    ///
    /// # Errors
    /// [`Error::NoRows`] when no row counts.
    pub fn new(table: &'a Dataset, counts: &[u32]) -> Result<Self> {
        let drawn = || counts.iter().copied().enumerate().take(table.n()).filter(|&(_, count)| count > 0);
        let n = drawn().map(|(_, count)| count as usize).sum();
        if n == 0 {
            return Err(Error::NoRows { source_name: "the resampled table".to_owned() });
        }
        let (distinct, counts) = drawn().unzip();
        Ok(Resampled { table, distinct, counts, n })
    }

    /// As many rows as the table has, drawn with replacement (Efron 1979).
    ///
    /// # Errors
    /// None for a table, which has rows.
    pub fn with_replacement(table: &'a Dataset, seed: Seed) -> Result<Self> {
        let (mut rng, mut counts) = (seed.rng(), vec![0; table.n()]);
        for _ in 0..table.n() {
            counts[rng.random_range(0..table.n())] += 1;
        }
        Resampled::new(table, &counts)
    }

    /// Half of the rows, rounded up, drawn without replacement.
    ///
    /// # Errors
    /// None for a table, which has rows.
    pub fn half(table: &'a Dataset, seed: Seed) -> Result<Self> {
        let mut counts = vec![0; table.n()];
        index::sample(&mut seed.rng(), table.n(), table.n().div_ceil(2)).iter().for_each(|row| counts[row] = 1);
        Resampled::new(table, &counts)
    }

    /// Every drawn row's number in the table, as often as it was drawn.
    pub fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        let repeated = |(&row, &count)| std::iter::repeat_n(row, count as usize);
        self.distinct.iter().zip(&self.counts).flat_map(repeated)
    }

    fn gathered(&self, rows: &[usize]) -> Vec<Vec<f64>> {
        let column = |j| rows.iter().map(|&row| self.table.column(j)[row]).collect();
        (0..self.table.d()).map(column).collect()
    }
}

impl RowBlocks for Resampled<'_> {
    fn names(&self) -> &[String] {
        self.table.names()
    }

    fn row_count(&self) -> Option<usize> {
        Some(self.n)
    }

    fn categories(&self) -> Vec<usize> {
        self.table.categories()
    }

    fn visit_blocks(&self, visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>) -> Result<()> {
        let mut rows = self.rows();
        for first_row in (0..self.n).step_by(BLOCK_ROWS) {
            let block: Vec<usize> = rows.by_ref().take(BLOCK_ROWS).collect();
            let columns = self.gathered(&block);
            if visit(&Block { first_row, columns: columns.iter().map(Vec::as_slice).collect() })?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn for_each_counted_block(&self, visit: &mut VisitCounted<'_>) -> Result<()> {
        let blocks = self.distinct.chunks(BLOCK_ROWS).zip(self.counts.chunks(BLOCK_ROWS));
        blocks.enumerate().try_for_each(|(at, (rows, counts))| {
            let columns = self.gathered(rows);
            let columns = columns.iter().map(Vec::as_slice).collect();
            visit(&Block { first_row: at * BLOCK_ROWS, columns }, Some(counts))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Covariance;
    use crate::data::summarise;
    use crate::run::Run;
    use crate::simulate::{SimulateOptions, simulate};
    use crate::smooth::{FewValued, RawGram, SmoothSpec};

    /// Sums in another order, and roots of counts that are squared again.
    const ROUNDING: f64 = 1e-12;

    fn table(n: usize) -> Dataset {
        let options = SimulateOptions { nodes: Some(4), samples: n, ..Default::default() };
        simulate("MC-SIN".parse().unwrap(), &options, Seed(3)).unwrap().data
    }

    #[test]
    fn a_bootstrap_sample_has_n_rows_and_a_half_has_half_of_them_once() {
        let data = table(101);
        let sample = Resampled::with_replacement(&data, Seed(1)).unwrap();
        assert_eq!((sample.rows().count(), sample.row_count()), (101, Some(101)));
        // 63 % are expected; 101 rows all drawn once, or fewer than 40 of them, would be a broken generator.
        assert!((40..90).contains(&sample.distinct.len()), "{}", sample.distinct.len());
        let half = Resampled::half(&data, Seed(1)).unwrap();
        assert_eq!((half.n, half.counts.iter().max()), (51, Some(&1)));
    }

    #[test]
    fn counted_rows_give_the_sums_of_the_repeated_ones() {
        // More rows than a block holds, so that blocks of counted and of repeated rows begin at different ones.
        let data = table(BLOCK_ROWS + 3000);
        let run = Run::new(Seed(1));
        let sample = Resampled::with_replacement(&data, Seed(2)).unwrap();
        let repeated = data.rows(&sample.rows().collect::<Vec<_>>()).unwrap();
        let columns = summarise(&sample, &run).unwrap();
        assert_eq!(columns, summarise(&repeated, &run).unwrap());
        let spec = SmoothSpec::spline(10, FewValued::Saturated);
        let [one, other] = [&sample as &dyn RowBlocks, &repeated]
            .map(|rows| (RawGram::of(rows, spec, &columns, &run).unwrap(), Covariance::of(rows, &run).unwrap()));
        assert_eq!(one.0.n(), other.0.n());
        let near = |a: f64, b: f64, scale: f64| assert!((a - b).abs() <= ROUNDING * scale, "{a} instead of {b}");
        for i in 0..4 {
            near(one.0.mean(i), other.0.mean(i), 1.0);
            near(one.0.centred_square(i), other.0.centred_square(i), other.0.centred_square(i));
            for j in 0..4 {
                near(one.1.matrix()[(i, j)], other.1.matrix()[(i, j)], 10.0);
                for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
                    near(one.0.entry(i, j)(a, b), other.0.entry(i, j)(a, b), data.n() as f64);
                }
            }
        }
    }
}
