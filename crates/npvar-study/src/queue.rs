//! Which cell comes next: a worker stays with its data set, so that data are drawn once.

use std::collections::{BTreeMap, VecDeque};

use crate::cell::Cell;

/// The cells that are still to be done.
pub(crate) struct Queue {
    /// Data sets nobody has begun.
    fresh: VecDeque<(usize, VecDeque<Cell>)>,
    /// Data sets that some worker has begun.
    begun: BTreeMap<usize, VecDeque<Cell>>,
}

impl Queue {
    pub(crate) fn new(cells: impl IntoIterator<Item = Cell>) -> Queue {
        let mut fresh: VecDeque<(usize, VecDeque<Cell>)> = VecDeque::new();
        for cell in cells {
            match fresh.back_mut() {
                Some((sample, cells)) if *sample == cell.sample => cells.push_back(cell),
                _ => fresh.push_back((cell.sample, VecDeque::from([cell]))),
            }
        }
        Queue { fresh, begun: BTreeMap::new() }
    }

    /// The next cell: of the worker's last data set, else of a new one, else of one that another worker is at.
    pub(crate) fn next(&mut self, last: Option<usize>) -> Option<Cell> {
        let sample = last.filter(|last| self.begun.contains_key(last)).or_else(|| self.begin()).or_else(|| {
            let (&sample, _) = self.begun.first_key_value()?;
            Some(sample)
        })?;
        let cells = self.begun.get_mut(&sample)?;
        let cell = cells.pop_front();
        if cells.is_empty() {
            self.begun.remove(&sample);
        }
        cell
    }

    fn begin(&mut self) -> Option<usize> {
        let (sample, cells) = self.fresh.pop_front()?;
        self.begun.insert(sample, cells);
        Some(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_data_sets_only_at_the_end() {
        let cells = (0..3).flat_map(|sample| (0..2).map(move |learner| Cell { sample, learner }));
        let mut queue = Queue::new(cells);
        let mut next = |last| queue.next(last).map(|cell| (cell.sample, cell.learner));
        assert_eq!(next(None), Some((0, 0)));
        assert_eq!(next(None), Some((1, 0)));
        assert_eq!(next(Some(0)), Some((0, 1)));
        assert_eq!(next(Some(0)), Some((2, 0)));
        assert_eq!(next(Some(2)), Some((2, 1)));
        assert_eq!(next(Some(2)), Some((1, 1)));
        assert_eq!(next(Some(1)), None);
    }
}
