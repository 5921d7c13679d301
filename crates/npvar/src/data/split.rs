//! Rows dealt out at random.

use fixedbitset::FixedBitSet;
use rand::seq::SliceRandom;

use crate::run::Seed;

/// A random half of `n` rows.
pub fn random_half(n: usize, seed: Seed) -> FixedBitSet {
    let mut rows: Vec<usize> = (0..n).collect();
    rows.shuffle(&mut seed.rng());
    let mut half = FixedBitSet::with_capacity(n);
    rows[..n.div_ceil(2)].iter().for_each(|&row| half.insert(row));
    half
}

/// Deals `n` rows out at random: the fold of every row. Folds differ in size by one at most, and none is empty.
pub fn random_folds(n: usize, folds: usize, seed: Seed) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..n).collect();
    rows.shuffle(&mut seed.rng());
    let mut fold_of = vec![0; n];
    rows.iter().enumerate().for_each(|(place, &row)| fold_of[row] = place % folds.clamp(1, n.max(1)));
    fold_of
}
