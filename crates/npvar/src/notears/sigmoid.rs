//! The logistic function of many numbers.

use crate::numerics::linalg::wide::{exponential, wide};

/// Replaces every `z` by `1/(1 + e^{−z})`.
pub(super) fn sigmoid(z: &mut [f64]) {
    wide(
        #[inline(always)]
        || z.iter_mut().for_each(|z| *z = 1.0 / (1.0 + exponential(-*z))),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_equals_its_definition() {
        for step in -40_000..=40_000 {
            let x = f64::from(step) * 0.017_3;
            let mut z = [x];
            sigmoid(&mut z);
            assert!((z[0] - 1.0 / (1.0 + (-x).exp())).abs() < 4e-16, "{x}");
        }
    }

    #[test]
    fn extremes_are_zero_and_one() {
        let mut z = [f64::MAX, f64::MIN, 0.0];
        sigmoid(&mut z);
        assert_eq!(z[0], 1.0);
        assert!(z[1] >= 0.0 && z[1] < 1e-300);
        assert_eq!(z[2], 0.5);
    }
}
