//! The rounds: one column after the other is predicted from the others, and its missing cells are drawn.

use faer::Mat;
use rand::{Rng, RngExt};

use super::pieces::Pieces;
use super::similar::predictors;
use crate::data::gaps::Gaps;
use crate::numerics::linalg::{Cholesky, Into, multiply_here};
use crate::run::Seed;

/// Rounds over all columns.
const ROUNDS: usize = 5;
/// Rows among whose values a missing cell's is drawn.
const DONORS: usize = 5;
/// Regressions are fitted to this many rows at most, evenly spread over those that have the column; they are the donors too.
const FITTED: usize = 5000;
/// The ridge, as a share of the mean diagonal of the functions' cross products.
const RIDGE: f64 = 0.01;

/// Fills the missing cells of `columns`, every one of which has an observed value; what they held before does not matter.
pub(in crate::data) fn impute(columns: &mut [Vec<f64>], gaps: &Gaps, categories: &[usize], seed: Seed) {
    let mut rng = seed.rng();
    let lacking = |column: usize| (0..gaps.of_column(column).len()).filter(move |&row| gaps.of_column(column)[row]);
    let mut order: Vec<(usize, usize)> =
        (0..columns.len()).map(|column| (lacking(column).count(), column)).filter(|&(count, _)| count > 0).collect();
    order.sort_unstable();
    let mut pieces = Vec::with_capacity(columns.len());
    for (node, column) in columns.iter_mut().enumerate() {
        let mut observed: Vec<f64> = column
            .iter()
            .zip(gaps.of_column(node))
            .filter(|(_, missing)| !**missing)
            .map(|(&value, _)| value)
            .collect();
        // Each begins with a value drawn from its column.
        lacking(node).for_each(|row| column[row] = observed[rng.random_range(0..observed.len())]);
        observed.sort_unstable_by(f64::total_cmp);
        pieces.push(Pieces::of(&observed, categories.contains(&node)));
    }
    let missing = |column: usize| gaps.of_column(column).to_vec();
    let regressions: Vec<(usize, Vec<usize>)> =
        order.into_iter().map(|(_, node)| (node, predictors(columns, &missing, node))).collect();
    for _ in 0..ROUNDS {
        for (node, from) in &regressions {
            let rows = Rows::of(gaps.of_column(*node));
            let design = Design { columns, pieces: &pieces, from };
            let drawn = if categories.contains(node) {
                design.words(&columns[*node], &rows, &mut rng)
            } else {
                design.matched(&columns[*node], &rows, &mut rng)
            };
            rows.missing.iter().zip(drawn).for_each(|(&row, value)| columns[*node][row] = value);
        }
    }
}

/// The rows that lack a column, and those that have it and serve its regression.
struct Rows {
    missing: Vec<usize>,
    donors: Vec<usize>,
}

impl Rows {
    fn of(lacks: &[bool]) -> Rows {
        let (missing, observed): (Vec<usize>, Vec<usize>) = (0..lacks.len()).partition(|&row| lacks[row]);
        let donors = match observed.len() {
            n if n <= FITTED => observed,
            n => (0..FITTED).map(|k| observed[k * n / FITTED]).collect(),
        };
        Rows { missing, donors }
    }
}

/// The functions of the columns that a column is regressed on.
struct Design<'a> {
    columns: &'a [Vec<f64>],
    pieces: &'a [Pieces],
    from: &'a [usize],
}

impl Design<'_> {
    /// The functions at some rows, less `means`.
    fn at(&self, rows: &[usize], means: &[f64]) -> Mat<f64> {
        let width = self.from.iter().map(|&node| self.pieces[node].count()).sum();
        let mut matrix = Mat::zeros(rows.len(), width);
        let mut first = 0;
        for &node in self.from {
            for (i, &row) in rows.iter().enumerate() {
                self.pieces[node].values(self.columns[node][row], |k, value| {
                    matrix[(i, first + k)] = value - means.get(first + k).copied().unwrap_or(0.0);
                });
            }
            first += self.pieces[node].count();
        }
        matrix
    }

    /// Predictions of each response at the donors and at the rows that lack the column.
    fn predicted(&self, responses: &[Vec<f64>], rows: &Rows) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut fitted = self.at(&rows.donors, &[]);
        let (n, width) = (fitted.nrows(), fitted.ncols());
        let means: Vec<f64> = (0..width).map(|k| fitted.col_as_slice(k).iter().sum::<f64>() / n as f64).collect();
        (0..width).for_each(|k| fitted.col_as_slice_mut(k).iter_mut().for_each(|value| *value -= means[k]));
        let other = self.at(&rows.missing, &means);
        let mut gram = Mat::<f64>::zeros(width, width);
        multiply_here(gram.as_mut(), Into::Replace, fitted.transpose(), fitted.as_ref(), 1.0);
        let size = (0..width).map(|k| gram[(k, k)]).sum::<f64>() / width.max(1) as f64;
        let ridge = if size > 0.0 { RIDGE * size } else { 1.0 };
        (0..width).for_each(|k| gram[(k, k)] += ridge);
        let factor = Cholesky::new(gram);
        let predict = |response: &Vec<f64>| {
            let mean = response.iter().sum::<f64>() / n as f64;
            let products: Vec<f64> = (0..width)
                .map(|k| fitted.col_as_slice(k).iter().zip(response).map(|(b, y)| b * (y - mean)).sum())
                .collect();
            // Without a factor (functions too large to square) every row is as near as any other.
            let weights = factor.as_ref().map_or_else(|| vec![0.0; width], |factor| factor.solve(&products));
            let of = |design: &Mat<f64>| -> Vec<f64> {
                let mut all = vec![mean; design.nrows()];
                for (k, weight) in weights.iter().enumerate() {
                    all.iter_mut().zip(design.col_as_slice(k)).for_each(|(value, b)| *value += weight * b);
                }
                all
            };
            (of(&fitted), of(&other))
        };
        responses.iter().map(predict).collect()
    }

    /// Predictive mean matching.
    fn matched(&self, column: &[f64], rows: &Rows, rng: &mut impl Rng) -> Vec<f64> {
        let response: Vec<f64> = rows.donors.iter().map(|&row| column[row]).collect();
        let predicted = self.predicted(std::slice::from_ref(&response), rows);
        let (donors, wanted) = &predicted[0];
        let mut by_prediction: Vec<usize> = (0..donors.len()).collect();
        by_prediction.sort_by(|&a, &b| donors[a].total_cmp(&donors[b]).then(a.cmp(&b)));
        let near = |value: f64| {
            // The nearest ones lie side by side: grown from the place of the value to whichever side is nearer.
            let place = by_prediction.partition_point(|&donor| donors[donor] < value);
            let (mut low, mut high) = (place, place);
            while high - low < DONORS.min(donors.len()) {
                let below = low.checked_sub(1).map(|place| value - donors[by_prediction[place]]);
                let over = by_prediction.get(high).map(|&donor| donors[donor] - value);
                match (below, over) {
                    (Some(below), Some(over)) if below <= over => low -= 1,
                    (Some(_), None) => low -= 1,
                    _ => high += 1,
                }
            }
            low..high
        };
        wanted.iter().map(|&value| response[by_prediction[rng.random_range(near(value))]]).collect()
    }

    /// Codes of words: one regression for each, whose predictions are the odds of the draw.
    fn words(&self, column: &[f64], rows: &Rows, rng: &mut impl Rng) -> Vec<f64> {
        let mut words: Vec<f64> = rows.donors.iter().map(|&row| column[row]).collect();
        words.sort_unstable_by(f64::total_cmp);
        words.dedup();
        let is = |word: f64| rows.donors.iter().map(|&row| f64::from(u8::from(column[row] == word))).collect();
        let responses: Vec<Vec<f64>> = words.iter().map(|&word| is(word)).collect();
        let predicted = self.predicted(&responses, rows);
        let draw = |i: usize| {
            let odds: Vec<f64> = predicted.iter().map(|(_, wanted)| wanted[i].clamp(0.001, 1.0)).collect();
            let mut left = rng.random_range(0.0..odds.iter().sum::<f64>());
            let place = odds.iter().position(|&odd| {
                left -= odd;
                left < 0.0
            });
            words[place.unwrap_or(words.len() - 1)]
        };
        (0..rows.missing.len()).map(draw).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::gaps::GapUse;

    /// `y = |x|` and a word that says whether `x` is positive, with gaps in both.
    fn table(n: usize) -> (Vec<Vec<f64>>, Gaps, Vec<Vec<f64>>) {
        let x: Vec<f64> = (0..n).map(|i| ((i * 7919) % n) as f64 / n as f64 * 4.0 - 2.0).collect();
        let whole = vec![
            x.clone(),
            x.iter().map(|x| x.abs()).collect(),
            x.iter().map(|x| if *x > 0.0 { 2.0 } else { 0.0 }).collect(),
        ];
        let mut columns = whole.clone();
        (0..n).filter(|i| i % 5 == 1).for_each(|i| columns[1][i] = f64::NAN);
        (0..n).filter(|i| i % 7 == 2).for_each(|i| columns[2][i] = f64::NAN);
        let gaps = Gaps::of(&columns, GapUse::Imputed).unwrap();
        (columns, gaps, whole)
    }

    #[test]
    fn a_bent_line_is_filled_along_its_bend_and_words_by_their_odds() {
        let (mut columns, gaps, whole) = table(400);
        impute(&mut columns, &gaps, &[2], Seed(1));
        for (row, &missing) in gaps.of_column(1).iter().enumerate() {
            // Five donors within 1/80 of the range of x on either side of the bend; a straight line would be off by up to 2.
            let off = (columns[1][row] - whole[1][row]).abs();
            assert!(off < if missing { 0.35 } else { 1e-300 }, "row {row}: {off}");
        }
        let wrong = (0..400).filter(|&row| columns[2][row] != whole[2][row]).count();
        // 57 words are missing; with one in two at random 28 would be wrong.
        assert!(wrong < 14, "{wrong}");
        assert!(columns[2].iter().all(|word| [0.0, 2.0].contains(word)));
    }

    #[test]
    fn the_same_seed_draws_the_same_and_another_does_not() {
        let filled = |seed| {
            let (mut columns, gaps, _) = table(200);
            impute(&mut columns, &gaps, &[2], Seed(seed));
            columns
        };
        assert_eq!(filled(3), filled(3));
        assert_ne!(filled(3), filled(4));
    }

    #[test]
    fn one_observed_value_and_constant_columns_are_no_trouble() {
        let mut columns = vec![vec![1.0, 1.0, 1.0], vec![f64::NAN, 5.0, f64::NAN], vec![0.0, 2.0, 1e200]];
        let gaps = Gaps::of(&columns, GapUse::Imputed).unwrap();
        impute(&mut columns, &gaps, &[], Seed(1));
        assert_eq!(columns[1], [5.0; 3]);
    }
}
