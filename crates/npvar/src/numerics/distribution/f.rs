//! Upper tail of the F distribution with real degrees of freedom.

use super::contour::{self, Complex, WeightedSum};

/// P(F > f) for F with `r` and `rdf` degrees of freedom (positive, not necessarily whole), accurate far into the tail.
///
/// The F test of a smooth term whose rank is whole: `f = d/r`.
pub(crate) fn f_upper_tail(f: f64, r: f64, rdf: f64) -> f64 {
    debug_assert!(r > 0.0 && rdf > 0.0, "degrees of freedom must be positive, got {r} and {rdf}");
    let statistic = f * r;
    if f.is_nan() || statistic <= 0.0 {
        return if f.is_nan() { f64::NAN } else { 1.0 };
    }
    if statistic == f64::INFINITY {
        return 0.0;
    }
    contour::upper_tail(&ChiSquare { r }, statistic, rdf)
}

struct ChiSquare {
    r: f64,
}

impl WeightedSum<1> for ChiSquare {
    fn terms(&self) -> [(f64, f64); 1] {
        [(1.0, self.r)]
    }

    fn root_product(&self, slopes: &[f64; 1], z: Complex) -> Complex {
        let (re, im) = (1.0 - slopes[0] * z.re, -slopes[0] * z.im);
        let modulus = (re * re + im * im).powf(0.25 * self.r);
        let (sin, cos) = (0.5 * self.r * im.atan2(re)).sin_cos();
        Complex { re: modulus * cos, im: modulus * sin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As for the weighted sums: the step of the contour is accepted at 1e-6, so the error is about 1e-12.
    const EXACT: f64 = 3e-12;

    /// With 2, 4 and 6 numerator degrees of freedom the tail is a polynomial times a power: x^a Σ_{j<r/2} (a)_j (1−x)^j/j!.
    #[test]
    fn even_degrees_of_freedom_have_a_closed_form() {
        for r in [2.0_f64, 4.0, 6.0] {
            for rdf in [0.7_f64, 3.0, 88.2, 950.4, 1e5, 1e9] {
                for f in [1e-3, 0.3, 1.0, 2.5, 20.0, 90.0, 200.0] {
                    let (a, ratio) = (0.5 * rdf, r * f / rdf);
                    let (mut term, mut sum, mut j) = (1.0, 1.0, 0.0);
                    while j + 1.0 < 0.5 * r {
                        term *= (a + j) * (ratio / (1.0 + ratio)) / (j + 1.0);
                        sum += term;
                        j += 1.0;
                    }
                    let truth = sum * (-a * ratio.ln_1p()).exp();
                    let p = f_upper_tail(f, r, rdf);
                    assert!((p / truth - 1.0).abs() <= EXACT, "F({r}, {rdf}) > {f}: {p:e} {truth:e}");
                }
            }
        }
    }

    #[test]
    fn swapping_the_degrees_of_freedom_gives_the_complement() {
        for (f, r, rdf) in [(0.8, 3.4, 17.9), (2.0, 0.6, 5.5), (0.1, 9.0, 900.3)] {
            let sum = f_upper_tail(f, r, rdf) + f_upper_tail(1.0 / f, rdf, r);
            assert!((sum - 1.0).abs() <= EXACT, "{sum}");
        }
    }

    #[test]
    fn agrees_with_the_incomplete_beta_function() {
        for r in [0.5, 1.0, 2.7, 7.3, 9.0] {
            for rdf in [1.0, 12.5, 481.3] {
                for f in [0.05, 0.9, 3.0, 12.0] {
                    let truth = statrs::function::beta::beta_reg(0.5 * rdf, 0.5 * r, rdf / (rdf + r * f));
                    let p = f_upper_tail(f, r, rdf);
                    assert!((p / truth - 1.0).abs() <= 1e-10, "F({r}, {rdf}) > {f}: {p:e} {truth:e}");
                }
            }
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(f_upper_tail(0.0, 4.0, 9.0), 1.0);
        assert_eq!(f_upper_tail(f64::INFINITY, 4.0, 9.0), 0.0);
        assert_eq!(f_upper_tail(1e6, 9.0, 1e9), 0.0);
    }
}
