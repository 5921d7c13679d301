//! Kernel regression against R's np: criterion, fitted values and residual variances.
#![allow(clippy::unwrap_used)]

mod golden;

use npvar::regress::{FittedMean, Kernel};

/// np stops at a relative change of 1.5e-8 in the criterion, which pins log bandwidths to about 1e-4 and the criterion to
/// that; an unbounded bandwidth is 1000 standard deviations here, 1e-6 away.
const CRITERION: f64 = 1e-5;
/// The square root of the criterion's, on responses of standard deviation about 1.
const FITTED: f64 = 2e-3;

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

#[test]
fn bandwidths_and_variances_agree_with_np() {
    let cases = golden::json("npvar/_np_kernel_cases.json");
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let data = golden::dataset(case["dataset"].as_str().unwrap());
        let column = |number: f64| &data.column(number as usize - 1)[..150];
        let predictors = golden::numbers(&case["x"]);
        let z = faer::Mat::from_fn(150, predictors.len(), |i, j| column(predictors[j])[i]);
        let y = column(case["y"].as_f64().unwrap());
        let fit = Kernel::default().fit_kernel(z.as_ref(), y).unwrap();
        let criterion = case["fval_cv_aic"].as_f64().unwrap();
        let fitted = fit.predict(z.as_ref());
        let reference = golden::numbers(&case["fitted"]);
        let worst = fitted.iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let (residual_variance, expected) = (variance(y) - variance(&fitted), case["condvar"].as_f64().unwrap());
        println!("{:e} {:e} {:e}", fit.criterion() - criterion, worst, residual_variance - expected);
        assert!((fit.criterion() - criterion).abs() < CRITERION, "{} {criterion}", fit.criterion());
        assert!(worst < FITTED, "{worst}");
        assert!((residual_variance - expected).abs() < FITTED, "{residual_variance} {expected}");
    }
}
