//! Scales: do the columns' units mean anything to each other? They do not where someone made the scales equal, of all columns or
//! of some, or where units differ: then what a learner reads off variances is the choice of units.

use super::examined::Examined;
use super::named_units;
use crate::data::{ColumnKind, Dataset};
use crate::learner::alternatives::{WITHOUT_UNITS, without_units};
use crate::learner::reports;
use crate::numerics::words::times;
use crate::run::Diagnostic;

/// Variances within this factor of each other were made equal, where there are edges: along an edge a variance grows, under
/// equal residual variances, by as much as the parent explains.
const ALIKE: f64 = 1.02;
/// Variances of some of the columns closer than this were made equal: among twenty columns of a thousand rows three come so
/// close by chance in one table of a thousand.
const PARTLY_ALIKE: f64 = 1e-4;
/// Fewer columns with one variance could be chance.
const FEWEST_ALIKE: usize = 3;
/// Ranges closer than this were made equal by someone.
const SAME_RANGE: f64 = 1e-9;
/// Variances that are this many times apart, given that residual variances are apart too, are in different units.
const VARY_APART: f64 = 1e3;
/// Residual variances in common units are about equal; this many times apart they are not, whatever the graph.
const RESIDUALS_APART: f64 = 100.0;
/// Before there is a graph: variances grow along a graph, but seldom as much as this.
const VARY_FAR_APART: f64 = 1e4;

/// The most particular thing that can be said about the scales, for learners to which they matter.
pub(super) fn check(examined: &Examined<'_>) -> Option<Diagnostic> {
    let rests_on = examined.rests_on;
    let data = examined.data;
    if rests_on.natural_scale
        && let Some(found) = standardised(examined)
    {
        return Some(found);
    }
    if !rests_on.units {
        return None;
    }
    partly_standardised(data).or_else(|| {
        let residuals = ratio(examined.fits.iter().map(|fit| fit.variance()));
        let (names, variances) = (data.names(), data.variances());
        let continuous = |node: usize| data.kind(node) == ColumnKind::Continuous;
        apart(names, &variances, continuous)
            .filter(|apart| apart.ratio >= VARY_APART && residuals.is_none_or(|ratio| ratio >= RESIDUALS_APART))
            .map(|apart| different_units(&apart.words()))
            .or_else(|| named_units::differing(names).map(|words| different_units(&words)))
    })
}

/// What the columns' names and variances alone say about their units, before anything is learned; the variance of a column that
/// is not continuous says nothing.
///
/// ```
/// let names = ["weight".to_owned(), "price".to_owned()];
/// let found = npvar::judge::units(&names, &[1.2, 5.1e6], |_| true).expect("they differ");
/// assert!(found.message.starts_with("columns are in different units: `price` varies "));
/// ```
pub fn units(names: &[String], variances: &[f64], continuous: impl Fn(usize) -> bool) -> Option<Diagnostic> {
    apart(names, variances, continuous)
        .filter(|apart| apart.ratio >= VARY_FAR_APART)
        .map(|apart| different_units(&apart.words()))
        .or_else(|| named_units::differing(names).map(|words| different_units(&words)))
}

fn different_units(words: &str) -> Diagnostic {
    let [first, second] = WITHOUT_UNITS;
    let message = format!(
        "columns are in different units: {words}; directions here follow the choice of units; `{first}` or `{second}` does not \
         depend on it"
    );
    Diagnostic::warning("different-units", message).advise(format!(
        "give all columns one unit where they have one in common, as money or lengths do; where they have not, use {}",
        without_units()
    ))
}

/// The column that varies most, and the one that varies least.
struct Apart<'n> {
    most: &'n str,
    least: &'n str,
    ratio: f64,
}

impl Apart<'_> {
    fn words(&self) -> String {
        format!("`{}` varies {} times more than `{}`", self.most, times(self.ratio), self.least)
    }
}

fn apart<'n>(names: &'n [String], variances: &[f64], continuous: impl Fn(usize) -> bool) -> Option<Apart<'n>> {
    let compared: Vec<(f64, usize)> = (variances.iter().copied().zip(0..))
        .filter(|&(variance, node)| variance > 0.0 && variance.is_finite() && continuous(node))
        .collect();
    let &(largest, most) = compared.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let &(smallest, least) = compared.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Apart { most: &names[most], least: &names[least], ratio: largest / smallest })
}

fn ratio(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (least, most) = extremes(values.filter(|&value| value > 0.0));
    (least <= most).then(|| most / least)
}

fn standardised(examined: &Examined<'_>) -> Option<Diagnostic> {
    let data = examined.data;
    let varying: Vec<&[f64]> =
        (0..data.d()).map(|j| data.column(j)).filter(|column| column.iter().any(|value| *value != column[0])).collect();
    if varying.len() < 2 {
        return None;
    }
    let variances: Vec<f64> = data.variances().into_iter().filter(|&variance| variance > 0.0).collect();
    let (least, most) = extremes(variances.iter().copied());
    let edges = examined.learned.graph.edge_count() > 0;
    if edges && most <= ALIKE * least {
        return Some(reports::standardised(varying.len(), "almost the same variance"));
    }
    let ranges: Vec<(f64, f64)> = varying.iter().map(|column| extremes(column.iter().copied())).collect();
    let few = (0..data.d()).all(|j| data.kind(j) != ColumnKind::Continuous);
    let (low, high) = ranges[0];
    let rescaled = !few && ranges.iter().all(|&range| same_range(range, (low, high)));
    rescaled.then(|| reports::standardised(varying.len(), &format!("the same range, {low} to {high}")))
}

/// Some continuous columns, at least half of them, have one variance or one range, and others have not.
fn partly_standardised(data: &Dataset) -> Option<Diagnostic> {
    let variances = data.variances();
    let continuous: Vec<usize> = (0..data.d()).filter(|&node| data.kind(node) == ColumnKind::Continuous).collect();
    // Counted among continuous columns; others that are like them belong to the group too.
    let largest_group = |alike: &dyn Fn(usize, usize) -> bool| {
        let group = |&first: &usize| continuous.iter().copied().filter(|&node| alike(first, node)).collect::<Vec<_>>();
        let largest = continuous.iter().map(group).max_by_key(Vec::len).unwrap_or_default();
        let counted = largest.len() >= FEWEST_ALIKE && 2 * largest.len() >= continuous.len();
        let all = (0..data.d()).filter(|&node| counted && alike(largest[0], node));
        all.collect::<Vec<usize>>()
    };
    let one_variance =
        largest_group(&|a, b| (variances[a] - variances[b]).abs() <= PARTLY_ALIKE * variances[a].min(variances[b]));
    let ranges: Vec<(f64, f64)> = (0..data.d()).map(|node| extremes(data.column(node).iter().copied())).collect();
    let one_range = largest_group(&|a, b| same_range(ranges[a], ranges[b]));
    let (group, what) =
        if one_range.len() > one_variance.len() { (one_range, "one range") } else { (one_variance, "one variance") };
    let other =
        (0..data.d()).find(|node| variances[*node] > 0.0 && !group.contains(node)).filter(|_| !group.is_empty())?;
    let [first, second] = WITHOUT_UNITS;
    let message = format!(
        "part of the columns were standardised: {} of {} have {what}, `{}` has not; directions here follow that choice of scale; \
         `{first}` or `{second}` does not depend on it",
        group.len(),
        data.d(),
        data.names()[other]
    );
    let advice =
        format!("learn from all columns on the scale they were measured on; where it is lost, use {}", without_units());
    Some(Diagnostic::warning("partly-standardised", message).advise(advice))
}

fn same_range(a: (f64, f64), b: (f64, f64)) -> bool {
    let width = (a.1 - a.0).max(b.1 - b.0);
    width > 0.0 && (a.0 - b.0).abs() <= SAME_RANGE * width && (a.1 - b.1).abs() <= SAME_RANGE * width
}

fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use crate::simulate::Noise;

    fn draw(column: usize) -> Vec<f64> {
        Noise::Gaussian.draw(200, 1.0, Seed(1).child("column", column))
    }

    fn standardised(values: &[f64]) -> Vec<f64> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let scale = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        values.iter().map(|x| (x - mean) / scale).collect()
    }

    fn table(columns: Vec<Vec<f64>>) -> Dataset {
        Dataset::new((0..columns.len()).map(|j| format!("x{j}")).collect(), columns).unwrap()
    }

    #[test]
    fn columns_with_one_variance_beside_another_are_noticed() {
        let mut columns: Vec<Vec<f64>> = (0..4).map(|j| standardised(&draw(j))).collect();
        columns.push(draw(4).into_iter().map(|x| 30.0 * x).collect());
        let found = partly_standardised(&table(columns)).unwrap();
        assert!(found.message.contains("4 of 5 have one variance, `x4` has not"), "{found:?}");
    }

    #[test]
    fn columns_as_they_were_drawn_are_not_taken_for_standardised() {
        assert_eq!(partly_standardised(&table((0..20).map(draw).collect())), None);
        // A fair coin's variance is what it is.
        let coin = |j: usize| (0..200).map(|i| f64::from((i + j).is_multiple_of(2))).collect();
        let columns = (0..4).map(coin).chain((0..3).map(draw)).collect();
        assert_eq!(partly_standardised(&table(columns)), None);
    }
}
