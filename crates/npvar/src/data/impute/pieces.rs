//! A column as functions of which additive regressions are made.

/// Where the slope may change: these shares of the values lie below.
const KNOTS: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];

/// The functions of one column: how it is spread over columns of a regression.
#[derive(Debug, Clone)]
pub(super) enum Pieces {
    /// An indicator for every value but the first.
    Levels(Vec<f64>),
    /// A line, and one more from each of these points on.
    Lines { knots: Vec<f64>, scale: f64 },
}

impl Pieces {
    /// Of a column by its observed values, which are sorted; codes of words have no slopes.
    pub(super) fn of(sorted: &[f64], is_category: bool) -> Pieces {
        if is_category {
            let mut levels = sorted.to_vec();
            levels.dedup();
            levels.remove(0);
            return Pieces::Levels(levels);
        }
        let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
        let mut knots: Vec<f64> =
            KNOTS.iter().map(|share| sorted[((sorted.len() - 1) as f64 * share).round() as usize]).collect();
        knots.dedup();
        knots.retain(|&knot| knot > first && knot < last);
        Pieces::Lines { knots, scale: if last > first { last - first } else { 1.0 } }
    }

    /// How many functions there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Pieces::Levels(levels) => levels.len(),
            Pieces::Lines { knots, .. } => 1 + knots.len(),
        }
    }

    /// Their values at `x`, one after the other.
    pub(super) fn values(&self, x: f64, mut put: impl FnMut(usize, f64)) {
        match self {
            Pieces::Levels(levels) => {
                levels.iter().enumerate().for_each(|(k, &level)| put(k, f64::from(u8::from(x == level))));
            }
            Pieces::Lines { knots, scale } => {
                put(0, x / scale);
                knots.iter().enumerate().for_each(|(k, knot)| put(k + 1, (x - knot).max(0.0) / scale));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pieces: &Pieces, x: f64) -> Vec<f64> {
        let mut values = vec![0.0; pieces.count()];
        pieces.values(x, |k, value| values[k] = value);
        values
    }

    #[test]
    fn a_line_bends_at_every_knot_and_words_have_indicators() {
        let sorted: Vec<f64> = (0..=10).map(f64::from).collect();
        let lines = Pieces::of(&sorted, false);
        assert_eq!(at(&lines, 4.0), [0.4, 0.3, 0.1, 0.0, 0.0, 0.0]);
        assert_eq!(at(&Pieces::of(&[0.0, 0.0, 1.0, 2.0], true), 2.0), [0.0, 1.0]);
        assert_eq!(Pieces::of(&[3.0, 3.0], false).count(), 1);
        assert_eq!(Pieces::of(&[3.0, 3.0], true).count(), 0);
    }
}
