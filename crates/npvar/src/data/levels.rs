//! The distinct values of a column, as long as there are few.

/// A column with at most this many distinct values is few-valued: as many levels as a P-spline of dimension 10 has
/// coefficients after its constraint, so the saturated basis is never the larger one.
pub const FEW_VALUES: usize = 9;

/// A column of words with at most this many, rare ones counted as one, is a category. Every word costs a coefficient, which
/// no penalty shrinks.
pub const MOST_LEVELS: usize = 30;

/// Collects distinct values until there are more than a few. Zero has no sign here.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    seen: Vec<f64>,
    few: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Levels::up_to(FEW_VALUES)
    }
}

impl Levels {
    /// So many values are few.
    pub(super) fn up_to(few: usize) -> Self {
        Levels { seen: Vec::new(), few }
    }

    /// Adds values; returns at once when there are many already.
    pub(super) fn add(&mut self, values: &[f64]) {
        for &value in values {
            if self.are_many() {
                return;
            }
            if !self.seen.contains(&value) {
                self.seen.push(value + 0.0); // -0.0 + 0.0 is 0.0
            }
        }
    }

    /// Whether there are more than a few.
    pub(super) fn are_many(&self) -> bool {
        self.seen.len() > self.few
    }

    /// The values in increasing order, unless they are many.
    pub(super) fn few(mut self) -> Option<Vec<f64>> {
        if self.are_many() {
            return None;
        }
        self.seen.sort_unstable_by(f64::total_cmp);
        Some(self.seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_zero_and_zero_are_one_level() {
        let mut levels = Levels::default();
        levels.add(&[-0.0, 1.0, 0.0, -1.0]);
        let few = levels.few().unwrap();
        assert_eq!(few, [-1.0, 0.0, 1.0]);
        assert!(few[1].is_sign_positive());
    }

    #[test]
    fn ten_values_are_many() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let mut levels = Levels::default();
        levels.add(&values[..FEW_VALUES]);
        assert!(!levels.are_many());
        levels.add(&values);
        assert!(levels.are_many());
        assert_eq!(levels.few(), None);
    }
}
