//! Which columns help to predict a column.

/// More columns than this are not regressed on.
const MOST: usize = 20;

/// The other columns by how much of the variance of `target` a cubic of each explains in the rows that have both, as far as
/// there is room; in the order of the table.
pub(super) fn predictors(columns: &[Vec<f64>], missing: &dyn Fn(usize) -> Vec<bool>, target: usize) -> Vec<usize> {
    let others = (0..columns.len()).filter(|&other| other != target);
    if columns.len() <= MOST + 1 {
        return others.collect();
    }
    let lacks = missing(target);
    let mut by_share: Vec<(f64, usize)> = others
        .map(|other| {
            let absent = missing(other);
            let both = (0..lacks.len()).filter(|&row| !lacks[row] && !absent[row]);
            let pairs: Vec<(f64, f64)> = both.map(|row| (columns[other][row], columns[target][row])).collect();
            (explained(&pairs), other)
        })
        .collect();
    by_share.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = by_share.into_iter().take(MOST).map(|(_, other)| other).collect();
    kept.sort_unstable();
    kept
}

/// The share of the variance of `y` that a polynomial of degree three in `x` explains, by Gram–Schmidt.
fn explained(pairs: &[(f64, f64)]) -> f64 {
    let n = pairs.len() as f64;
    if pairs.len() < 5 {
        return 0.0;
    }
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(value).sum::<f64>() / n;
    let (mean_x, mean_y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let deviation = mean(&|pair| (pair.0 - mean_x).powi(2)).sqrt();
    let total: f64 = pairs.iter().map(|pair| (pair.1 - mean_y).powi(2)).sum();
    if deviation == 0.0 || total == 0.0 {
        return 0.0;
    }
    let mut basis: Vec<Vec<f64>> = vec![vec![1.0; pairs.len()]];
    let mut share = 0.0;
    for power in 1..=3 {
        let mut next: Vec<f64> = pairs.iter().map(|pair| ((pair.0 - mean_x) / deviation).powi(power)).collect();
        let before: f64 = next.iter().map(|value| value * value).sum();
        for known in &basis {
            let length: f64 = known.iter().map(|value| value * value).sum();
            let along = known.iter().zip(&next).map(|(a, b)| a * b).sum::<f64>() / length;
            next.iter_mut().zip(known).for_each(|(value, known)| *value -= along * known);
        }
        let length: f64 = next.iter().map(|value| value * value).sum();
        if length <= 1e-9 * before {
            break;
        }
        share += next.iter().zip(pairs).map(|(value, pair)| value * (pair.1 - mean_y)).sum::<f64>().powi(2) / length;
        basis.push(next);
    }
    share / total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_counts_and_what_is_unrelated_does_not() {
        let x: Vec<f64> = (-20..=20).map(f64::from).collect();
        let pairs = |y: &dyn Fn(f64) -> f64| x.iter().map(|&x| (x, y(x))).collect::<Vec<_>>();
        assert!(explained(&pairs(&|x| x * x)) > 0.999);
        assert!(explained(&pairs(&|x| (x * 0.5).rem_euclid(1.0))) < 0.05);
        assert_eq!(explained(&pairs(&|_| 1.0)), 0.0);
    }

    #[test]
    fn of_many_columns_those_that_predict_are_kept() {
        let column = |j: usize| (0..60).map(|i| ((i * (j + 3) * 7919) % 101) as f64).collect::<Vec<f64>>();
        let mut columns: Vec<Vec<f64>> = (0..30).map(column).collect();
        columns[29] = columns[5].iter().map(|x| (x - 50.0).powi(2)).collect();
        let kept = predictors(&columns, &|_| vec![false; 60], 29);
        assert_eq!(kept.len(), MOST);
        assert!(kept.contains(&5));
    }
}
