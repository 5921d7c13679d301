//! Cells that nobody observed.

/// What a learner reads in place of a missing cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GapUse {
    /// A value drawn by imputation, anew in every bootstrap sample.
    Imputed,
    /// Nothing: every test and every correlation uses the rows that are complete in its own columns. What else looks at
    /// rows (curves, doubts) sees imputed values.
    Skipped,
}

/// Which cells of a table were missing, and how they are used.
#[derive(Debug, Clone, PartialEq)]
pub struct Gaps {
    missing: Vec<Vec<bool>>,
    gap_use: GapUse,
}

impl Gaps {
    /// The cells that are NaN; nothing where none is.
    pub(super) fn of(columns: &[Vec<f64>], gap_use: GapUse) -> Option<Gaps> {
        let missing: Vec<Vec<bool>> =
            columns.iter().map(|column| column.iter().map(|value| value.is_nan()).collect()).collect();
        missing.iter().flatten().any(|&missing| missing).then_some(Gaps { missing, gap_use })
    }

    /// How the cells are used.
    pub fn gap_use(&self) -> GapUse {
        self.gap_use
    }

    /// Whether each cell of a column was missing.
    pub fn of_column(&self, node: usize) -> &[bool] {
        &self.missing[node]
    }

    /// How many cells were missing, and in how many columns.
    pub fn counts(&self) -> (usize, usize) {
        let counts = self.missing.iter().map(|column| column.iter().filter(|&&missing| missing).count());
        counts.fold((0, 0), |(cells, columns), count| (cells + count, columns + usize::from(count > 0)))
    }

    /// The rows that lack nothing in these columns.
    pub fn complete(&self, nodes: &[usize]) -> Vec<usize> {
        let rows = self.missing.first().map_or(0, Vec::len);
        (0..rows).filter(|&row| nodes.iter().all(|&node| !self.missing[node][row])).collect()
    }

    /// How many rows would say as much of the correlations as the cells that are there do, on average: the harmonic mean,
    /// over all pairs of columns, of the rows that have both, as the correlations' sampling variances have it.
    pub fn rows_of_pairs(&self) -> usize {
        let d = self.missing.len();
        let pairs = (0..d).flat_map(|i| (0..i).map(move |j| [j, i]));
        let (mut count, mut inverse) = (0.0, 0.0);
        for pair in pairs {
            (count, inverse) = (count + 1.0, inverse + 1.0 / self.complete(&pair).len().max(1) as f64);
        }
        (count / inverse).round().max(2.0) as usize
    }

    /// The same cells of some rows.
    pub(super) fn rows(&self, rows: &[usize]) -> Gaps {
        let taken = |column: &Vec<bool>| rows.iter().map(|&row| column[row]).collect();
        Gaps { missing: self.missing.iter().map(taken).collect(), gap_use: self.gap_use }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_complete_in_the_columns_asked_about() {
        let nan = f64::NAN;
        let gaps = Gaps::of(&[vec![1.0, nan, 3.0], vec![nan, 2.0, 3.0], vec![1.0; 3]], GapUse::Skipped).unwrap();
        assert_eq!(gaps.counts(), (2, 2));
        assert_eq!(
            (gaps.complete(&[0, 2]), gaps.complete(&[0, 1]), gaps.complete(&[2])),
            (vec![0, 2], vec![2], vec![0, 1, 2])
        );
        // The pairs have one, two and two rows.
        assert_eq!(gaps.rows_of_pairs(), 2);
        assert_eq!(gaps.rows(&[1, 1, 2]).of_column(0), [true, true, false]);
        assert_eq!(Gaps::of(&[vec![1.0], vec![2.0]], GapUse::Imputed), None);
    }
}
