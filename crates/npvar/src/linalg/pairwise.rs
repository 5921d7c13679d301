//! Distances between the rows of a table, and their median without sorting.

use rayon::prelude::*;

/// The bits of a positive number that decide its bucket: exponent and four binary digits.
const BUCKET_SHIFT: u32 = 48;
const BUCKETS: usize = 1 << (64 - BUCKET_SHIFT);

/// Squared Euclidean distances between the rows of `columns`: entry `(i, j)`, `i > j`, stands at `j·n + i`. The diagonal
/// is zero; what stands above it stays.
pub fn squared_distances(columns: &[&[f64]], target: &mut [f64]) {
    let Some(n) = columns.first().map(|column| column.len()).filter(|&n| n > 0) else {
        return;
    };
    target.par_chunks_mut(n).enumerate().for_each(|(j, target)| {
        target[j..].fill(0.0);
        for column in columns {
            let own = column[j];
            for (sum, other) in target[j..].iter_mut().zip(&column[j..]) {
                *sum += (other - own) * (other - own);
            }
        }
    });
}

/// The median of the positive entries of all parts, as the two values in the middle (twice the same when their number is
/// odd); `None` when no entry is positive. Counts entries by their leading bits and selects within one bucket.
pub fn middle_of_positive(parts: &[&[f64]]) -> Option<(f64, f64)> {
    let counts = parts
        .par_iter()
        .fold(
            || vec![0_usize; BUCKETS],
            |mut counts, part| {
                part.iter().filter(|&&value| value > 0.0).for_each(|value| counts[bucket(*value)] += 1);
                counts
            },
        )
        .reduce(|| vec![0; BUCKETS], |a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
    let total: usize = counts.iter().sum();
    if total == 0 {
        return None;
    }
    let (low, high) = ((total - 1) / 2, total / 2);
    let mut before = 0;
    let (mut first, mut last, mut skipped) = (0, 0, 0);
    for (bucket, &count) in counts.iter().enumerate() {
        if before <= low && low < before + count {
            (first, skipped) = (bucket, before);
        }
        if before <= high && high < before + count {
            last = bucket;
        }
        before += count;
    }
    let mut candidates: Vec<f64> = parts
        .par_iter()
        .flat_map_iter(|part| {
            part.iter().copied().filter(|&value| value > 0.0 && (first..=last).contains(&bucket(value)))
        })
        .collect();
    let (_, &mut lower, above) = candidates.select_nth_unstable_by(low - skipped, f64::total_cmp);
    let upper = if high == low { lower } else { above.iter().copied().fold(f64::INFINITY, f64::min) };
    Some((lower, upper))
}

/// Positive numbers compare as their bits do.
fn bucket(value: f64) -> usize {
    (value.to_bits() >> BUCKET_SHIFT) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use rand::RngExt;

    #[test]
    fn distances_are_those_of_the_definition() {
        let (a, b) = ([1.0, 4.0, -2.0], [0.0, 4.0, 0.5]);
        let mut target = vec![f64::NAN; 9];
        squared_distances(&[&a, &b], &mut target);
        assert_eq!(target[1..3], [25.0, 9.25]);
        assert_eq!((target[5], target[8]), (48.25, 0.0));
        assert!(target[3].is_nan());
    }

    #[test]
    fn the_middle_equals_that_of_the_sorted_values() {
        let mut rng = Seed(4).rng();
        for size in [1, 2, 3, 10, 501, 1000] {
            for spread in [0.01, 1.0, 40.0] {
                let values: Vec<f64> = (0..size).map(|_| f64::exp(spread * rng.random_range(-1.0..1.0))).collect();
                let mut sorted = values.clone();
                sorted.sort_by(f64::total_cmp);
                let with_zeros: Vec<f64> = values.iter().flat_map(|&value| [0.0, value]).collect();
                let parts: Vec<&[f64]> = with_zeros.chunks(7).collect();
                assert_eq!(middle_of_positive(&parts), Some((sorted[(size - 1) / 2], sorted[size / 2])));
            }
        }
        assert_eq!(middle_of_positive(&[&[0.0, 0.0]]), None);
        assert_eq!(middle_of_positive(&[&[2.0, 1.0, 0.0, 1.0, 1.0]]), Some((1.0, 1.0)));
    }
}
