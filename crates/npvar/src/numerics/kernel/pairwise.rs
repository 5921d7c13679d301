//! Distances between the rows of a table, and their median without sorting.

use rayon::prelude::*;

use super::Zeros;
use crate::numerics::linalg::wide::wide;

/// The bits of a number that decide its bucket: exponent and four binary digits.
const BUCKET_SHIFT: u32 = 48;
const BUCKETS: usize = 1 << (64 - BUCKET_SHIFT);
/// Entries of a sample, from how many it is worth taking one, and how many entries are looked at together.
const SAMPLE: usize = 8192;
const SAMPLE_FROM: usize = 4 * SAMPLE;
const SCANNED: usize = 8;
/// So few entries are selected from, not closed in any further.
const FEW: usize = 256;

/// Squared Euclidean distances between the rows of `columns`: entry `(i, j)`, `i > j`, stands at `j·n + i`. The diagonal
/// is zero; what stands above it stays.
pub(crate) fn squared_distances(columns: &[&[f64]], target: &mut [f64]) {
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
pub(crate) fn middle(parts: &[&[f64]], zeros: Zeros) -> Option<(f64, f64)> {
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
    select_middle(&mut candidates, total, skipped)
}

/// The same of one slice, zeros counted, on the calling thread: the entries between two order statistics of a sample, one on
/// either side of the middle, are few, and the middle is among them unless the sample was unlucky.
pub(crate) fn middle_here(values: &[f64]) -> Option<(f64, f64)> {
    if values.len() < SAMPLE_FROM {
        return select_middle(&mut values.to_vec(), values.len(), 0);
    }
    let stride = values.len() / SAMPLE;
    let mut sample: Vec<f64> = values.iter().copied().step_by(stride).collect();
    let (at, spread) = (sample.len() / 2, (4.0 * 0.5 * (sample.len() as f64).sqrt()) as usize);
    let lower = *sample.select_nth_unstable_by(at - spread, f64::total_cmp).1;
    let upper = *sample.select_nth_unstable_by(at + spread, f64::total_cmp).1;
    let mut inside = Vec::with_capacity(values.len() / 8);
    let below = wide(
        #[inline(always)]
        || {
            let mut below = [0_u64; SCANNED];
            let (chunks, rest) = values.as_chunks::<SCANNED>();
            for chunk in chunks {
                let mut some = false;
                for lane in 0..SCANNED {
                    below[lane] += u64::from(chunk[lane] < lower);
                    some |= (chunk[lane] >= lower) & (chunk[lane] <= upper);
                }
                if some {
                    inside.extend(chunk.iter().copied().filter(|value| (lower..=upper).contains(value)));
                }
            }
            inside.extend(rest.iter().copied().filter(|value| (lower..=upper).contains(value)));
            below.iter().sum::<u64>() as usize + rest.iter().filter(|&&value| value < lower).count()
        },
    );
    select_middle(&mut inside, values.len(), below).or_else(|| middle(&[values], Zeros::Count))
}

/// The middle of the squared differences of all pairs of entries, without forming them all: for sorted values the pairs within
/// a distance are counted in one pass, so the middle is closed in by halving.
pub(crate) fn middle_squared_difference(column: &[f64]) -> Option<(f64, f64)> {
    let mut sorted = column.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let total = sorted.len() * sorted.len().checked_sub(1)? / 2;
    let (low, high) = (total.checked_sub(1)? / 2, total / 2);
    // The middle lies in `lower < distance ≤ upper`.
    let (mut lower, mut upper) = (-1.0, sorted[sorted.len() - 1] - sorted[0]);
    let (mut below, mut up_to) = (0, total);
    let zeros = pairs_within(&sorted, 0.0);
    if zeros > high {
        return Some((0.0, 0.0));
    }
    if zeros <= low {
        (lower, below) = (0.0, zeros);
    }
    while up_to - below > FEW && upper - lower > f64::EPSILON * upper {
        let distance = 0.5 * (lower + upper);
        if distance <= lower || distance >= upper {
            break;
        }
        let count = pairs_within(&sorted, distance);
        if count <= low {
            (lower, below) = (distance, count);
        } else if count > high {
            (upper, up_to) = (distance, count);
        } else {
            // Between the two in the middle.
            break;
        }
    }
    let mut inside = Vec::with_capacity(up_to - below);
    let (mut first, mut end) = (0, 0);
    for (i, own) in sorted.iter().enumerate() {
        first = first.max(i + 1);
        while first < sorted.len() && sorted[first] - own <= lower {
            first += 1;
        }
        end = end.max(first);
        while end < sorted.len() && sorted[end] - own <= upper {
            end += 1;
        }
        inside.extend(sorted[first..end].iter().map(|other| (other - own) * (other - own)));
    }
    select_middle(&mut inside, total, below)
}

/// How many pairs of sorted values are at most this far apart.
fn pairs_within(sorted: &[f64], distance: f64) -> usize {
    let (mut count, mut end) = (0, 0);
    for (i, own) in sorted.iter().enumerate() {
        end = end.max(i + 1);
        while end < sorted.len() && sorted[end] - own <= distance {
            end += 1;
        }
        count += end - i - 1;
    }
    count
}

/// The middle of `total` entries, of which these stand together after `below` others; nothing where it is not among them.
fn select_middle(entries: &mut [f64], total: usize, below: usize) -> Option<(f64, f64)> {
    let (low, high) = ((total.checked_sub(1)? / 2).checked_sub(below)?, (total / 2).checked_sub(below)?);
    if high >= entries.len() {
        return None;
    }
    let (_, &mut lower, above) = entries.select_nth_unstable_by(low, f64::total_cmp);
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
    fn the_middle_of_differences_equals_that_of_all_pairs() {
        let mut rng = Seed(8).rng();
        for size in [2, 3, 4, 30, 201, 300] {
            for levels in [2.0, 7.0, 1e9] {
                let column: Vec<f64> =
                    (0..size).map(|_| (levels * rng.random_range(-1.0_f64..1.0)).round() / 3.0).collect();
                let pairs = (0..size).flat_map(|i| (0..i).map(move |j| (i, j)));
                let mut squares: Vec<f64> = pairs.map(|(i, j)| (column[i] - column[j]).powi(2)).collect();
                let total = squares.len();
                assert_eq!(
                    middle_squared_difference(&column),
                    select_middle(&mut squares, total, 0),
                    "{size} {levels}"
                );
            }
        }
        // Nothing to close in on, and a gap between the two in the middle.
        assert_eq!(middle_squared_difference(&[2.5; 100]), Some((0.0, 0.0)));
        let two: Vec<f64> = (0..100).map(|i| f64::from(u8::from(i < 50))).collect();
        assert_eq!(middle_squared_difference(&two), Some((1.0, 1.0)));
        assert_eq!(middle_squared_difference(&[1.0]), None);
        assert_eq!(middle_squared_difference(&[]), None);
    }

    #[test]
    fn the_middle_equals_that_of_the_sorted_values() {
        let mut rng = Seed(4).rng();
        for size in [1, 2, 3, 10, 501, 1000, 40_001, 40_002] {
            for spread in [0.01, 1.0, 40.0] {
                let values: Vec<f64> = (0..size).map(|_| f64::exp(spread * rng.random_range(-1.0..1.0))).collect();
                let mut sorted = values.clone();
                sorted.sort_by(f64::total_cmp);
                let with_zeros: Vec<f64> = values.iter().flat_map(|&value| [0.0, value]).collect();
                let parts: Vec<&[f64]> = with_zeros.chunks(7).collect();
                assert_eq!(middle(&parts, Zeros::Leave), Some((sorted[(size - 1) / 2], sorted[size / 2])));
                let plain: Vec<&[f64]> = values.chunks(3).collect();
                assert_eq!(middle(&plain, Zeros::Count), middle(&parts, Zeros::Leave));
                assert_eq!(middle_here(&values), middle(&plain, Zeros::Count));
            }
        }
        // A sample that takes every fourth entry sees only ones: the middle is not where it looks.
        let unlucky: Vec<f64> = (0..40_000).map(|i| f64::from(u8::from(i % 4 == 0))).collect();
        assert_eq!(middle_here(&unlucky), Some((0.0, 0.0)));
        assert_eq!(middle_here(&vec![2.5; 50_000]), Some((2.5, 2.5)));
        assert_eq!(middle_here(&[]), None);
        assert_eq!(middle(&[&[0.0, 0.0]], Zeros::Leave), None);
        assert_eq!(middle(&[&[0.0, 0.0, 3.0]], Zeros::Count), Some((0.0, 0.0)));
        assert_eq!(middle(&[&[2.0, 1.0, 0.0, 1.0, 1.0]], Zeros::Leave), Some((1.0, 1.0)));
    }
}
