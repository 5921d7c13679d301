//! Columns that say what another column says.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::data::{ColumnKind, Dataset};
use crate::run::Diagnostic;

/// How far from 1 a correlation may be by rounding alone.
const CORRELATION_SLACK: f64 = 1e-12;

/// Any two columns of two rows are affine functions of each other.
const FEWEST_ROWS: usize = 3;

/// A remark for every column that equals, or is an affine function of, an earlier one (the earliest is named).
/// Constant columns are left to their own check.
///
/// Cost: O(nd) and a comparison for each pair that a one-number sketch of the columns cannot tell apart.
pub(super) fn check(data: &Dataset) -> Vec<Diagnostic> {
    let nodes: Vec<usize> = (0..data.d()).filter(|&node| data.kind(node) != ColumnKind::Constant).collect();
    let sketches = nodes.into_par_iter().map(|node| Sketch { value: sketch(data.column(node)), node }).collect();
    let (distinct, equal) = split_duplicates(data, sketches);
    let name = |node: usize| &data.names()[node];
    let duplicates = equal.into_iter().map(|(first, second)| {
        let message = format!("columns `{}` and `{}` are equal", name(first), name(second));
        Diagnostic::warning("duplicate-columns", message)
    });
    let affine = affine_pairs(data, distinct).into_iter().map(|(first, second)| {
        let message = format!("column `{}` is an affine function of `{}`", name(second), name(first));
        Diagnostic::warning("affine-columns", message)
    });
    duplicates.chain(affine).collect()
}

/// A column in one number, the same for equal columns and nearly the same, up to sign, for affine ones.
#[derive(Clone, Copy)]
struct Sketch {
    value: f64,
    node: usize,
}

/// The first of each group of equal columns, and every other column paired with its first.
fn split_duplicates(data: &Dataset, sketches: Vec<Sketch>) -> (Vec<Sketch>, Vec<(usize, usize)>) {
    let (mut distinct, mut equal) = (Vec::new(), Vec::new());
    let mut by_value: HashMap<u64, Vec<usize>> = HashMap::new();
    for sketch in sketches {
        let alike = by_value.entry(sketch.value.to_bits()).or_default();
        match alike.iter().find(|&&first| data.column(first) == data.column(sketch.node)) {
            Some(&first) => equal.push((first, sketch.node)),
            None => {
                alike.push(sketch.node);
                distinct.push(sketch);
            }
        }
    }
    (distinct, equal)
}

/// Pairs (first, later) with |corr| = 1, each later column once, in the order of the later.
fn affine_pairs(data: &Dataset, mut sketches: Vec<Sketch>) -> Vec<(usize, usize)> {
    if data.n() < FEWEST_ROWS {
        return Vec::new();
    }
    // Two standardised columns with |corr| >= 1 − ε are at most sqrt(2ε) apart up to sign, and so are their products
    // with any vector no longer than one: only neighbours in that order can be a pair. Twice that leaves room for rounding.
    let slack = 2.0 * (2.0 * CORRELATION_SLACK).sqrt();
    sketches.sort_unstable_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
    let mut first_of: HashMap<usize, usize> = HashMap::new();
    for (i, one) in sketches.iter().enumerate() {
        let near = |other: &&Sketch| other.value.abs() - one.value.abs() <= slack;
        for other in sketches[i + 1..].iter().take_while(near) {
            let (first, later) = (one.node.min(other.node), one.node.max(other.node));
            let earlier = first_of.get(&later).is_none_or(|&known| first < known);
            if earlier && 1.0 - correlation(data.column(first), data.column(later)).abs() <= CORRELATION_SLACK {
                first_of.insert(later, first);
            }
        }
    }
    let mut pairs: Vec<(usize, usize)> = first_of.into_iter().map(|(later, first)| (first, later)).collect();
    pairs.sort_unstable_by_key(|&(_, later)| later);
    pairs
}

/// The product of the column, centred and scaled to length one, with a fixed vector of length one at most.
fn sketch(column: &[f64]) -> f64 {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let (mut product, mut squares) = (0.0, 0.0);
    for (i, value) in column.iter().enumerate() {
        // Multiples of the golden ratio modulo 1: spread evenly, and like no column anyone measures.
        let weight = (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
        product += weight * (value - mean);
        squares += (value - mean) * (value - mean);
    }
    product / (n * squares).sqrt()
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    xy / (xx.sqrt() * yy.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(columns: &[(&str, Vec<f64>)]) -> Vec<(String, String)> {
        let names = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let data = Dataset::new(names, columns.iter().map(|(_, column)| column.clone()).collect()).unwrap();
        check(&data).into_iter().map(|diagnostic| (diagnostic.code, diagnostic.message)).collect()
    }

    fn wave(frequency: f64) -> Vec<f64> {
        (0..1000).map(|i| (frequency * f64::from(i)).sin()).collect()
    }

    #[test]
    fn equal_and_affine_columns_are_named_with_their_first() {
        let a = wave(0.7);
        let celsius: Vec<f64> = a.iter().map(|v| 20.0 + 5.0 * v).collect();
        let fahrenheit: Vec<f64> = celsius.iter().map(|v| 1.8 * v + 32.0).collect();
        let negative: Vec<f64> = a.iter().map(|v| -1e-6 * v).collect();
        let found = messages(&[
            ("celsius", celsius),
            ("other", wave(0.3)),
            ("fahrenheit", fahrenheit),
            ("other again", wave(0.3)),
            ("negative", negative),
        ]);
        let pair = |code: &str, message: &str| (code.to_owned(), message.to_owned());
        assert_eq!(
            found,
            [
                pair("duplicate-columns", "columns `other` and `other again` are equal"),
                pair("affine-columns", "column `fahrenheit` is an affine function of `celsius`"),
                pair("affine-columns", "column `negative` is an affine function of `celsius`"),
            ]
        );
    }

    #[test]
    fn a_correlation_of_almost_one_is_no_affine_function() {
        let a = wave(0.7);
        let noise = wave(1.3);
        let almost: Vec<f64> = a.iter().zip(&noise).map(|(a, e)| a + 1e-4 * e).collect();
        assert_eq!(messages(&[("a", a), ("almost", almost), ("noise", noise)]), []);
    }

    #[test]
    fn a_binary_column_and_its_complement_are_affine() {
        let a = vec![0.0, 1.0, 1.0, 0.0, -0.0];
        let b = a.iter().map(|v| 1.0 - v).collect();
        assert_eq!(messages(&[("a", a), ("b", b)])[0].1, "column `b` is an affine function of `a`");
        assert_eq!(messages(&[("a", vec![1.0, 2.0]), ("b", vec![5.0, 3.0])]), []);
    }
}
