//! Which cells are missing together, and which rows or columns are best left out for it.

use std::collections::HashMap;

/// Different patterns that are remembered; rows with others do not take part in the choice of columns.
const REMEMBERED: usize = 1 << 14;
/// Columns that the choice tries to leave out, those with the most missing cells first.
const TRIED: usize = 256;

/// For every row, which of its cells are missing and which are there but no numbers; equal rows are counted.
#[derive(Debug, Clone)]
pub(crate) struct Patterns {
    words: usize,
    counts: HashMap<Box<[u64]>, usize>,
    /// The pattern that is being counted.
    current: Box<[u64]>,
    count: usize,
    next: Vec<u64>,
    pub(super) forgotten: usize,
}

const MISSING: u64 = 1;
const NO_NUMBER: u64 = 2;

impl Patterns {
    pub(super) fn new(columns: usize) -> Self {
        let words = columns.div_ceil(32);
        let none = vec![0; words];
        Patterns { words, counts: HashMap::new(), current: none.clone().into(), count: 0, next: none, forgotten: 0 }
    }

    /// Marks a cell of the row to come.
    pub(super) fn mark(&mut self, column: usize, is_missing: bool) {
        let mark = if is_missing { MISSING } else { NO_NUMBER };
        self.next[column / 32] |= mark << (2 * (column % 32));
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self) {
        if *self.current == *self.next {
            self.count += 1;
        } else {
            self.settle();
            self.current.copy_from_slice(&self.next);
            self.count = 1;
        }
        self.next.fill(0);
    }

    fn settle(&mut self) {
        if self.count == 0 {
            return;
        }
        if let Some(count) = self.counts.get_mut(&self.current) {
            *count += self.count;
        } else if self.counts.len() < REMEMBERED {
            self.counts.insert(self.current.clone(), self.count);
        } else {
            self.forgotten += self.count;
        }
        self.count = 0;
    }

    /// The rows that lack something, once all rows have been seen: which of `columns` (with whether a cell that is no number
    /// counts as missing) each pattern lacks, and how many rows have it. In an order that does not depend on chance.
    pub(super) fn lacking(&mut self, columns: &[(usize, bool)]) -> Vec<(Vec<bool>, usize)> {
        self.settle();
        let lacks = |pattern: &[u64], &(column, numbers): &(usize, bool)| {
            let mark = pattern[column / 32] >> (2 * (column % 32));
            mark & MISSING != 0 || numbers && mark & NO_NUMBER != 0
        };
        let mut all: HashMap<Vec<bool>, usize> = HashMap::new();
        for (pattern, count) in &self.counts {
            debug_assert_eq!(pattern.len(), self.words);
            *all.entry(columns.iter().map(|column| lacks(pattern, column)).collect()).or_default() += count;
        }
        let mut all: Vec<_> = all.into_iter().filter(|(lacking, _)| lacking.contains(&true)).collect();
        all.sort_unstable();
        all
    }
}

/// Which columns of a table too large to be filled to leave out so that the rows that are then complete hold the most cells; among equals, the fewest columns.
///
/// `complete` rows lack nothing, the others lack what `lacking` says. The columns are tried in the order of what they lack:
/// the first, the first two, and so on; then each of the rest alone, as long as that gains. At least two columns stay.
pub(super) fn left_out(columns: usize, complete: usize, lacking: &[(Vec<bool>, usize)]) -> Vec<usize> {
    let missing =
        |column: usize| lacking.iter().filter(|(lacks, _)| lacks[column]).map(|(_, count)| count).sum::<usize>();
    let mut by_missing: Vec<(usize, usize)> =
        (0..columns).map(|column| (missing(column), column)).filter(|&(missing, _)| missing > 0).collect();
    by_missing.sort_by_key(|&(missing, column)| (std::cmp::Reverse(missing), column));
    by_missing.truncate(TRIED);
    let cells = |out: &[bool]| {
        let kept = out.iter().filter(|out| !**out).count();
        let lacks = |lacks: &[bool]| lacks.iter().zip(out).any(|(lacks, out)| *lacks && !out);
        let rows: usize = lacking.iter().filter(|(row, _)| !lacks(row)).map(|(_, count)| count).sum();
        if kept < 2 { 0 } else { kept * (complete + rows) }
    };
    let mut out = vec![false; columns];
    let mut best = (cells(&out), out.clone());
    for &(_, column) in &by_missing {
        out[column] = true;
        let kept = cells(&out);
        if kept > best.0 {
            best = (kept, out.clone());
        }
    }
    // What was left out on the way to the best may not have been needed for it, and one more may gain.
    loop {
        let before = best.0;
        for &(_, column) in by_missing.iter().rev() {
            let mut other = best.1.clone();
            other[column] = !other[column];
            let kept = cells(&other);
            if kept > best.0 {
                best = (kept, other);
            }
        }
        if best.0 == before {
            break;
        }
    }
    (0..columns).filter(|&column| best.1[column]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_goes_when_the_rows_it_costs_hold_more() {
        // 10 columns, 100 rows: one column lacks 60 cells, another 5.
        let lacks = |column: usize| (0..10).map(|j| j == column).collect::<Vec<bool>>();
        let rows = [(lacks(3), 60), (lacks(7), 5)];
        // All columns: 35 × 10 cells; without the fourth: 95 × 9; without both: 100 × 8.
        assert_eq!(left_out(10, 35, &rows), [3]);
        // Three columns, one lacks a third of the cells: 200 cells with it, 200 without: it stays.
        assert_eq!(left_out(3, 66, &[(vec![true, false, false], 33)]), Vec::<usize>::new());
        assert_eq!(left_out(3, 65, &[(vec![true, false, false], 34)]), [0]);
    }

    #[test]
    fn columns_that_lack_the_same_rows_go_together() {
        // Leaving out one of the two gains nothing, both do: 20 × 6 = 120 cells against 100 × 4.
        let both = [true, true, false, false, false, false].to_vec();
        assert_eq!(left_out(6, 20, &[(both, 80)]), [0, 1]);
    }

    #[test]
    fn two_columns_stay_whatever_they_lack() {
        assert_eq!(left_out(2, 1, &[(vec![true, false], 99)]), Vec::<usize>::new());
    }

    #[test]
    fn rows_of_one_pattern_are_counted_together() {
        let mut patterns = Patterns::new(40);
        for row in 0..10 {
            if row % 2 == 0 {
                patterns.mark(35, true);
            }
            if row == 3 {
                patterns.mark(1, false);
            }
            patterns.end_row();
        }
        assert_eq!(patterns.lacking(&[(1, true), (35, false)]), [(vec![false, true], 5), (vec![true, false], 1)]);
        assert_eq!(patterns.lacking(&[(1, false)]), []);
    }
}
