//! The forms of the residual variance: against their definitions, against each other, and against the truth.

use npvar::data::{Dataset, random_folds, summarise};
use npvar::graph::Node;
use npvar::regress::{ConditionalMean, Gam, Linear, Smoother, Smoothing};
use npvar::residual_variance::{
    Additive, Conditioning, CrossFitted, Estimated, FoldForm, Folds, Form, HalfSplit, Halves, NearestNeighbour,
    NeighbourForm, Regressions, RowUse,
};
use npvar::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};
use npvar::{Run, Seed};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use crate::golden;

/// The same numbers by another way of computing, as a share of the response's variance.
const ALGEBRA: f64 = 1e-8;
const SPLINE: SmoothSpec = SmoothSpec::spline(10, FewValued::Saturated);
const FORMS: [Form; 3] = [Form::Difference, Form::Rss, Form::PlugIn];

fn run() -> Run<'static> {
    Run::new(Seed(11))
}

/// Residual variances of all other nodes given these, layer by layer.
fn given(conditioning: &mut dyn Conditioning, layers: &[&[Node]], d: usize) -> Vec<f64> {
    layers.iter().for_each(|layer| conditioning.extend(layer, &run()).unwrap());
    let others: Vec<Node> = (0..d).filter(|node| !layers.concat().contains(node)).collect();
    conditioning.variances(&others, &run()).unwrap()
}

fn assert_same(a: &[f64], b: &[f64], scale: f64, context: &str) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= ALGEBRA * scale, "{context}: {a} and {b}");
    }
}

/// Columns cut off at their fifth smallest and largest values, so that (almost surely) every half and every fold has the
/// whole's range and with it the same knots.
fn clipped(data: &Dataset) -> Dataset {
    let clip = |j: usize| {
        let mut sorted = data.column(j).to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[data.n() / 20], sorted[data.n() - 1 - data.n() / 20]);
        data.column(j).iter().map(|x| x.clamp(low, high)).collect()
    };
    Dataset::new(data.names().to_vec(), (0..data.d()).map(clip).collect()).unwrap()
}

fn bases() -> [(SmoothSpec, f64, Box<dyn ConditionalMean>); 2] {
    [(SPLINE, 0.6, Box::new(Gam::default())), (SmoothSpec::Line, 0.0, Box::new(Linear))]
}

#[test]
fn fitting_and_predicting_gives_what_the_gram_matrix_gives() {
    for name in ["ER-AGP-1_d5", "MC-GLM_d5", "SF-AGP-4_d5"] {
        let data = golden::dataset(name);
        let columns = summarise(&data, &run()).unwrap();
        for (spec, sp, estimator) in bases() {
            let gram = AdditiveGram::new(&RawGram::of(&data, spec, &columns, &run()).unwrap());
            for form in FORMS {
                let mut any = Regressions::new(&data, estimator.as_ref(), RowUse::SameRows(form));
                let mut additive = Additive::new(&gram, sp, form).conditioning();
                let layers: [&[Node]; 2] = [&[2], &[4, 0]];
                let (a, b) = (given(&mut any, &layers, 5), given(&mut additive, &layers, 5));
                assert_same(&a, &b, gram.square(1) / data.n() as f64, &format!("{name}, {spec:?}, {form:?}"));
            }
        }
    }
}

#[test]
fn halves_and_folds_give_what_their_gram_matrices_give() {
    let data = clipped(&golden::dataset("ER-AGP-4_d5"));
    let columns = summarise(&data, &run()).unwrap();
    let layers: [&[Node]; 2] = [&[3], &[1, 0]];
    for (spec, sp, estimator) in bases() {
        let smoother = Smoother { smoothing: Smoothing::Fixed, sp };
        let halves = Halves::split(&data, spec, &columns, run().seed.child("split", 0), &run()).unwrap();
        for form in FORMS {
            let mut any = Regressions::new(&data, estimator.as_ref(), RowUse::Half(form));
            let a = given(&mut any, &layers, 5);
            let b = given(&mut HalfSplit::new(&halves, smoother, form), &layers, 5);
            assert_same(&a, &b, 1.0, &format!("half, {spec:?}, {form:?}"));
        }
        let folds = Folds::split(&data, spec, &columns, 5, run().seed.child("folds", 0), &run()).unwrap();
        for form in [FoldForm::SquaredResidual, FoldForm::Product] {
            let mut any = Regressions::new(&data, estimator.as_ref(), RowUse::Folds(5, form));
            let a = given(&mut any, &layers, 5);
            let b = given(&mut CrossFitted::new(&folds, smoother, form), &layers, 5);
            assert_same(&a, &b, 1.0, &format!("folds, {spec:?}, {form:?}"));
        }
    }
}

#[test]
fn over_folds_every_form_is_its_definition() {
    let data = golden::dataset("MC-SIN_d5");
    let (n, folds) = (data.n(), random_folds(data.n(), 2, run().seed.child("folds", 0)));
    assert_eq!(folds.iter().filter(|&&fold| fold == 0).count(), n.div_ceil(2));
    let y = data.column(1);
    let centre = y.iter().sum::<f64>() / n as f64;
    let (mut plug_in, mut correction, mut product) = (0.0, 0.0, 0.0);
    for fold in 0..2 {
        let folds = &folds;
        let rows = |held_out: bool| (0..n).filter(move |&row| (folds[row] == fold) == held_out);
        let z = |rows: &[usize]| faer::Mat::from_fn(rows.len(), 1, |i, _| data.column(0)[rows[i]]);
        let (fitted, held): (Vec<usize>, Vec<usize>) = (rows(false).collect(), rows(true).collect());
        let seen: Vec<f64> = fitted.iter().map(|&row| y[row]).collect();
        let fit = Linear.fit(z(&fitted).as_ref(), &seen).unwrap().predict(z(&held).as_ref());
        for (&row, fit) in held.iter().zip(fit) {
            let (y, f) = (y[row] - centre, fit - centre);
            plug_in += (y * y - f * f) / n as f64;
            correction += 2.0 * f * (y - f) / n as f64;
            product += y * (y - f) / n as f64;
        }
    }
    for (form, expected) in [(FoldForm::SquaredResidual, plug_in - correction), (FoldForm::Product, product)] {
        let mut conditioning = Regressions::new(&data, &Linear, RowUse::Folds(2, form));
        assert_same(&given(&mut conditioning, &[&[0]], 2), &[expected], 1.0, &format!("{form:?}"));
    }
}

#[test]
fn folds_are_of_equal_size_and_cover_every_row() {
    for (n, folds) in [(10, 5), (11, 5), (3, 5), (1, 2)] {
        let fold_of = random_folds(n, folds, Seed(4));
        let sizes: Vec<usize> =
            (0..folds.min(n)).map(|fold| fold_of.iter().filter(|&&own| own == fold).count()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), n);
        assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1 && !sizes.contains(&0));
    }
}

#[test]
fn nearest_neighbours_by_hand() {
    // Neighbours on the line 0, 1, 3, 7: 1, 0, 1, 3 (rows 1, 0, 1, 2); second ones are rows 2, 2, 0, 1.
    let x = vec![0.0, 1.0, 3.0, 7.0];
    let y = vec![1.0, -1.0, 2.0, -2.0];
    let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y]).unwrap();
    for (form, expected) in [
        (NeighbourForm::Product, (1.0 * 2.0 + -1.0 * -2.0 + 2.0 * 3.0 + -2.0 * -4.0) / 4.0),
        (NeighbourForm::Difference, (4.0 + 4.0 + 9.0 + 16.0) / 8.0),
        (NeighbourForm::TwoNeighbours, (-2.0 + -2.0 * -3.0 + 3.0 * 1.0 + -4.0 * -1.0) / 4.0),
    ] {
        let mut neighbours = NearestNeighbour::new(&data, form).unwrap();
        assert_eq!(given(&mut neighbours, &[&[0]], 2), [expected], "{form:?}");
    }
}

/// `x` uniform on (−2, 2), `y = sin(2x) + ε` with `var(ε) = 1/4`.
fn sine(n: usize, seed: u64) -> Dataset {
    let mut rng = Seed(seed).rng();
    let x: Vec<f64> = (0..n).map(|_| rng.random_range(-2.0..2.0)).collect();
    let y = x.iter().map(|x| (2.0 * x).sin() + 0.5 * normal(&mut rng)).collect();
    Dataset::new(vec!["x".into(), "y".into()], vec![x, y]).unwrap()
}

fn normal(rng: &mut impl rand::Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// The mean over `samples` samples of `n` rows.
fn mean_variance(samples: u64, n: usize, estimate: &dyn Fn(&Dataset) -> f64) -> f64 {
    (0..samples).map(|seed| estimate(&sine(n, seed))).sum::<f64>() / samples as f64
}

#[test]
fn every_form_comes_to_the_noise_variance() {
    // Squared normal noise of variance 1/4 has variance 2/16. The mean over 20 samples of n rows has a standard error of
    // sqrt(1/8 / 20n); what is formed from y itself (plug-in, product) has at most that of y (y − f), var ≤ 1/4 · 3/4 + 1/8.
    // Five standard errors are exceeded with probability 6e-7. The regression's own error adds at most about
    // 10 coefficients · σ²/n.
    for n in [200, 800] {
        let gam = Gam::default();
        let reml = |data: &Dataset| {
            let gram =
                AdditiveGram::new(&RawGram::of(data, SPLINE, &summarise(data, &run()).unwrap(), &run()).unwrap());
            given(&mut Estimated::own(&gram), &[&[0]], 2)[0]
        };
        let by = |evaluation: RowUse| {
            let gam = &gam;
            move |data: &Dataset| given(&mut Regressions::new(data, gam, evaluation), &[&[0]], 2)[0]
        };
        let rows = 20.0 * n as f64;
        let (narrow, wide) = (5.0 * (0.125 / rows).sqrt(), 5.0 * (0.3125 / rows).sqrt());
        let own_error = 10.0 * 0.25 / n as f64;
        for (name, estimate, bound) in [
            ("rss", &by(RowUse::SameRows(Form::Rss)) as &dyn Fn(&Dataset) -> f64, narrow),
            ("own", &reml, narrow),
            ("cross-fitted", &by(RowUse::Folds(5, FoldForm::SquaredResidual)), narrow + own_error),
            ("one-step", &by(RowUse::Folds(2, FoldForm::SquaredResidual)), narrow + 2.0 * own_error),
            ("product", &by(RowUse::Folds(5, FoldForm::Product)), wide),
            ("plug-in", &by(RowUse::Half(Form::PlugIn)), 2.0_f64.sqrt() * wide + 2.0 * own_error),
        ] {
            let found = mean_variance(20, n, estimate);
            // The spline's bias is below 0.002 at 10 functions over a period and a bit.
            assert!((found - 0.25).abs() < bound + 0.002, "{name} at {n}: {found}, bound {bound}");
        }
    }
}

#[test]
fn nearest_neighbours_come_to_the_noise_variance() {
    // A row is the neighbour of two others at most on a line, so a term shares rows with four others and the variance of
    // the mean of T is at most 5 var(T) / 20n. For the product var(T) ≤ E y²(ε − ε')² = 1/2 · 1/2 + 4/16; for the others
    // at most 15/16 (four times E of two normal squares). Five standard errors; the neighbours' distance adds below 0.002.
    for n in [200, 800] {
        for (form, variance) in
            [(NeighbourForm::Product, 0.5), (NeighbourForm::Difference, 0.9375), (NeighbourForm::TwoNeighbours, 0.9375)]
        {
            let estimate = |data: &Dataset| given(&mut NearestNeighbour::new(data, form).unwrap(), &[&[0]], 2)[0];
            let found = mean_variance(20, n, &estimate);
            let bound = 5.0 * (5.0 * variance / (20.0 * n as f64)).sqrt() + 0.002;
            assert!((found - 0.25).abs() < bound, "{form:?} at {n}: {found}, bound {bound}");
        }
    }
}

#[test]
fn ties_between_neighbours_serve_all_rows_alike() {
    // A binary cause: the residual variance is the variance within the groups, and no row may dominate it.
    let mut rng = Seed(5).rng();
    let x: Vec<f64> = (0..2000).map(|i| f64::from(i % 2)).collect();
    let y = x.iter().map(|x| 3.0 * x + 0.5 * normal(&mut rng)).collect();
    let data = Dataset::new(vec!["x".into(), "y".into()], vec![x, y]).unwrap();
    let found = given(&mut NearestNeighbour::new(&data, NeighbourForm::Difference).unwrap(), &[&[0]], 2)[0];
    // Each row is one other's neighbour: var = (1/4) var((ε − ε')²) with neighbours in a ring, below 3 · 0.125 / 2000.
    assert!((found - 0.25).abs() < 5.0 * (0.375_f64 / 2000.0).sqrt(), "{found}");
}

#[test]
fn given_nothing_or_a_constant_every_form_is_the_variance() {
    let base = golden::dataset("MC-SIN_d5");
    let columns = vec![vec![1.0; base.n()], base.column(0).to_vec()];
    let data = Dataset::new(vec!["c".into(), "x".into()], columns).unwrap();
    let expected = golden::gram(&base).square(0) / (base.n() as f64 - 1.0);
    let evaluations = [
        RowUse::SameRows(Form::Rss),
        RowUse::Half(Form::PlugIn),
        RowUse::Fresh(Form::Rss),
        RowUse::Folds(5, FoldForm::Product),
    ];
    for evaluation in evaluations {
        for layers in [&[][..], &[&[0][..]][..]] {
            let mut conditioning = Regressions::new(&data, &Linear, evaluation);
            layers.iter().for_each(|layer| conditioning.extend(layer, &run()).unwrap());
            assert_same(&conditioning.variances(&[1], &run()).unwrap(), &[expected], expected, "regressions");
        }
    }
    let mut neighbours = NearestNeighbour::new(&data, NeighbourForm::Product).unwrap();
    assert_same(&given(&mut neighbours, &[&[0]], 2), &[expected], expected, "neighbours");
}
