//! Kernel regression against R's np: criterion, fitted values and residual variances.

use npvar::regress::{FittedKernel, FittedMean, Kernel};

use crate::golden;

/// At np's own bandwidths only rounding differs, and our ridge of 1e-8.
const SAME_BANDWIDTHS: f64 = 1e-6;
/// np stops at a relative change of 1.5e-8 in the criterion; an unbounded bandwidth is 1000 standard deviations here, which
/// is 1e-6 away.
const CRITERION: f64 = 1e-5;
/// The square root of the tolerance of the criterion, on responses of standard deviation about 1.
const FITTED: f64 = 1e-4;

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

#[test]
fn bandwidths_and_variances_agree_with_np() {
    let mut better = 0;
    for case in golden::listed("r/npvar/_np_kernel_cases.json") {
        let data = golden::dataset(case["dataset"].as_str().unwrap());
        let column = |number: f64| &data.column(number as usize - 1)[..150];
        let predictors = golden::numbers(&case["x"]);
        let z = faer::Mat::from_fn(150, predictors.len(), |i, j| column(predictors[j])[i]);
        let y = column(case["y"].as_f64().unwrap());
        let criterion = case["fval_cv_aic"].as_f64().unwrap();
        let expected = case["condvar"].as_f64().unwrap();
        let reference = golden::numbers(&case["fitted"]);
        let differences = |fit: &FittedKernel| {
            let fitted = fit.predict(z.as_ref());
            let worst = fitted.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            (worst, (variance(y) - variance(&fitted) - expected).abs())
        };

        let same = Kernel::default().with_bandwidths(z.as_ref(), y, &golden::numbers(&case["bandwidths"])).unwrap();
        let (fitted, residual_variance) = differences(&same);
        println!("same: {:e} {fitted:e} {residual_variance:e}", same.criterion() - criterion);
        assert!((same.criterion() - criterion).abs() < SAME_BANDWIDTHS, "{} {criterion}", same.criterion());
        assert!(fitted < SAME_BANDWIDTHS && residual_variance < SAME_BANDWIDTHS, "{fitted} {residual_variance}");

        let own = Kernel::default().fit_kernel(z.as_ref(), y).unwrap();
        let (fitted, residual_variance) = differences(&own);
        println!("own: {:e} {fitted:e} {residual_variance:e} {:?}", own.criterion() - criterion, own.bandwidths());
        assert!(own.criterion() < criterion + CRITERION, "{} {criterion}", own.criterion());
        if own.criterion() < criterion - CRITERION {
            better += 1;
            continue;
        }
        assert!(fitted < FITTED && residual_variance < FITTED, "{fitted} {residual_variance}");
    }
    // In one case np's search ends in a local minimum.
    assert_eq!(better, 1);
}
