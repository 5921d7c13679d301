//! Distances between the rows of a table, and their median without sorting.

use rayon::prelude::*;

use super::Zeros;

/// The bits of a number that decide its bucket: exponent and four binary digits.
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

/// The two values in the middle of all entries, which are not negative (twice the same when their number is odd); `None`
/// when there is no entry. Counts entries by their leading bits and selects within one bucket.
pub fn middle(parts: &[&[f64]], zeros: Zeros) -> Option<(f64, f64)> {
    let counts_in = |value: f64| value > 0.0 || zeros == Zeros::Count;
    let counts = parts
        .par_iter()
        .fold(
            || vec![0_usize; BUCKETS],
            |mut counts, part| {
                part.iter().filter(|&&value| counts_in(value)).for_each(|value| counts[bucket(*value)] += 1);
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
            part.iter().copied().filter(|&value| counts_in(value) && (first..=last).contains(&bucket(value)))
        })
        .collect();
    let (_, &mut lower, above) = candidates.select_nth_unstable_by(low - skipped, f64::total_cmp);
    let upper = if high == low { lower } else { above.iter().copied().fold(f64::INFINITY, f64::min) };
    Some((lower, upper))
}

/// Numbers that are not negative compare as their bits do.
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
                assert_eq!(middle(&parts, Zeros::Leave), Some((sorted[(size - 1) / 2], sorted[size / 2])));
                let plain: Vec<&[f64]> = values.chunks(3).collect();
                assert_eq!(middle(&plain, Zeros::Count), middle(&parts, Zeros::Leave));
            }
        }
        assert_eq!(middle(&[&[0.0, 0.0]], Zeros::Leave), None);
        assert_eq!(middle(&[&[0.0, 0.0, 3.0]], Zeros::Count), Some((0.0, 0.0)));
        assert_eq!(middle(&[&[2.0, 1.0, 0.0, 1.0, 1.0]], Zeros::Leave), Some((1.0, 1.0)));
    }
}
