//! Held-out residual variances from two Gram matrices, against predictions on the held-out rows themselves.

use faer::Mat;
use npvar::data::{Block, ColumnSummary, Dataset, RowBlocks, random_half, summarise};
use npvar::regress::{FittedMean, Gam, Smoother, Smoothing};
use npvar::residual_variance::{Conditioning, Form, HalfSplit, Halves};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};
use npvar::{Run, Seed};

const SPEC: SmoothSpec = SmoothSpec::spline(10, FewValued::Saturated);

/// The same rows, with the column's extreme values in the fitted half, so that its own range gives the same knots.
fn table() -> Dataset {
    let options = SimulateOptions { nodes: Some(4), samples: 401, ..SimulateOptions::default() };
    let data = simulate("ER-AGP-1".parse().unwrap(), &options, Seed(2)).unwrap().data;
    let half = random_half(401, Seed(7));
    let columns = (0..4)
        .map(|j| {
            let fitted = half.ones().map(|row| data.column(j)[row]);
            let (low, high) = fitted.fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(x), b.max(x)));
            data.column(j).iter().map(|x| x.clamp(low, high)).collect()
        })
        .collect();
    Dataset::new(data.names().to_vec(), columns).unwrap()
}

#[test]
fn every_form_equals_its_definition_on_the_held_out_rows() {
    let (data, run, seed) = (table(), Run::new(Seed(1)), Seed(7));
    let columns: Vec<ColumnSummary> = summarise(&data, &run).unwrap();
    let halves = Halves::split(&data, SPEC, &columns, seed, &run).unwrap();
    let half = random_half(data.n(), seed);
    let (fitted, held): (Vec<usize>, Vec<usize>) = (0..data.n()).partition(|&row| half.contains(row));
    let (given, target) = ([2, 0], 3);
    let z = |rows: &[usize]| Mat::from_fn(rows.len(), 2, |i, j| data.column(given[j])[rows[i]]);
    let y = |rows: &[usize]| -> Vec<f64> { rows.iter().map(|&row| data.column(target)[row]).collect() };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    for smoothing in [Smoothing::Fixed, Smoothing::Reml] {
        let gam = Gam { sp: 0.6, smoothing, spec: SPEC }.fit_gam(z(&fitted).as_ref(), &y(&fitted)).unwrap();
        let (fit, y) = (gam.predict(z(&held).as_ref()), y(&held));
        let n = y.len() as f64;
        let square = |values: &[f64], centre: f64| values.iter().map(|x| (x - centre).powi(2)).sum::<f64>();
        let whole_mean = mean(data.column(target));
        for (form, expected) in [
            (Form::Difference, (square(&y, mean(&y)) - square(&fit, mean(&fit))) / (n - 1.0)),
            (Form::Rss, y.iter().zip(&fit).map(|(y, fit)| (y - fit).powi(2)).sum::<f64>() / n),
            (Form::PlugIn, (square(&y, whole_mean) - square(&fit, whole_mean)) / n),
        ] {
            let mut split = HalfSplit::new(&halves, Smoother { smoothing, sp: 0.6 }, form);
            split.extend(&given, &run).unwrap();
            let got = split.variances(&[target], &run).unwrap()[0];
            // Estimated parameters come out of two optimisations of the same score.
            let tolerance = if smoothing == Smoothing::Fixed { 1e-10 } else { 1e-7 };
            assert!((got - expected).abs() < tolerance, "{form:?}, {smoothing:?}: {got} instead of {expected}");
        }
    }
}

#[test]
fn gram_matrices_of_parts_merge_to_that_of_the_whole() {
    let (data, run) = (table(), Run::new(Seed(1)));
    let columns = summarise(&data, &run).unwrap();
    let whole = RawGram::of(&data, SPEC, &columns, &run).unwrap();
    let block = Block { first_row: 0, columns: (0..4).map(|j| data.column(j)).collect() };
    let part = |rows: std::ops::Range<usize>| {
        let mut part = RawGram::for_columns(SPEC, &columns);
        part.add_rows(&block, &rows.collect::<Vec<_>>(), &run).unwrap();
        part
    };
    let mut merged = part(0..150);
    merged.merge(&part(150..401)).unwrap();
    assert_eq!(merged.n(), RowBlocks::row_count(&data).unwrap());
    let (merged, whole) = (AdditiveGram::new(&merged), AdditiveGram::new(&whole));
    for i in 0..4 {
        assert!((merged.square(i) - whole.square(i)).abs() < 1e-9);
        for (a, b) in merged.diagonal_block(i).iter().zip(whole.diagonal_block(i)) {
            assert!((a - b).abs() < 1e-10);
        }
        for j in 0..4 {
            assert!(merged.cross(i, j).iter().zip(whole.cross(i, j)).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
    let other = RawGram::for_columns(SmoothSpec::Line, &columns);
    assert!(RawGram::for_columns(SPEC, &columns).merge(&other).is_err());
}
