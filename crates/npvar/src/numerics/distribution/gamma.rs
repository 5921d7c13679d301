//! Upper tails of the gamma, χ² and normal distributions, accurate in relative terms far out.
//!
//! The regularised incomplete gamma function `Q(a, x)`: the power series of `1 − Q` below the mean, Legendre's continued
//! fraction above it (Abramowitz & Stegun 6.5.29 and 6.5.31). The factor in front is formed as
//! `√(a/2π) exp(−a φ(x/a) − δ(a))`, `φ(u) = u − 1 − log u`, with `δ` the error of Stirling's formula (Loader 2000), so that
//! large shapes lose no digits.

// Not statrs: its erfc is off by 1e-10 around 0.7.
use libm::{erfc, lgamma as ln_gamma};

/// Terms below this share of the sum no longer matter.
const NEGLIGIBLE: f64 = 1e-17;
/// More than enough: both expansions need about `√shape` terms.
const MOST_TERMS: usize = 1_000_000;
/// From here on three terms of Stirling's series are exact to the last digit.
const STIRLING_FROM: f64 = 200.0;

/// P(G > x) for a gamma variable with this shape and scale 1.
pub(crate) fn gamma_upper_tail(x: f64, shape: f64) -> f64 {
    debug_assert!(shape > 0.0, "the shape must be positive, got {shape}");
    if x.is_nan() || shape.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 1.0;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    let front = front(x, shape);
    let tail =
        if x < shape + 1.0 { 1.0 - front / shape * series(x, shape) } else { front * continued_fraction(x, shape) };
    tail.clamp(0.0, 1.0)
}

/// P(χ² > x) with `df` degrees of freedom.
pub(crate) fn chi_square_upper_tail(x: f64, df: f64) -> f64 {
    gamma_upper_tail(0.5 * x, 0.5 * df)
}

/// P(|Z| > z) for a standard normal `Z` and `z ≥ 0`.
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    erfc(z * std::f64::consts::FRAC_1_SQRT_2)
}

/// `x^a e^(−x) / Γ(a)`.
fn front(x: f64, a: f64) -> f64 {
    if a < 1.0 {
        return (a * x.ln() - x - ln_gamma(a)).exp();
    }
    let excess = (x - a) / a;
    let phi = excess - excess.ln_1p();
    (a / std::f64::consts::TAU).sqrt() * (-a * phi - stirling_error(a)).exp()
}

/// `log Γ(a) − ((a − ½) log a − a + ½ log 2π)`.
fn stirling_error(a: f64) -> f64 {
    if a >= STIRLING_FROM {
        let square = a * a;
        return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / a;
    }
    ln_gamma(a) - ((a - 0.5) * a.ln() - a + 0.5 * std::f64::consts::TAU.ln())
}

/// `Σ xⁿ / ((a+1)…(a+n))`.
fn series(x: f64, a: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..MOST_TERMS {
        term *= x / (a + k as f64);
        sum += term;
        if term < NEGLIGIBLE * sum {
            break;
        }
    }
    sum
}

/// Legendre's continued fraction by Lentz's method: `1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− …)))`.
fn continued_fraction(x: f64, a: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let mut d = 1.0 / b;
    let (mut c, mut value) = (f64::MAX, d);
    for k in 1..MOST_TERMS {
        let k = k as f64;
        let numerator = -k * (k - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        let factor = c * d;
        value *= factor;
        if (factor - 1.0).abs() < 2.0 * f64::EPSILON {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Roundings of the factor in front: its exponent is at most 745 in size.
    const EXACT: f64 = 2e-12;

    #[test]
    fn whole_shapes_are_poisson_sums() {
        for shape in [1_u32, 2, 5, 40, 150] {
            for x in [0.01_f64, 0.8, 3.0, 39.0, 41.0, 160.0, 400.0, 700.0] {
                // Σ_{k<a} e^(−x) x^k / k!, in logarithms around the largest term.
                let terms: Vec<f64> =
                    (0..shape).map(|k| f64::from(k) * x.ln() - x - ln_gamma(f64::from(k) + 1.0)).collect();
                let largest = terms.iter().copied().fold(f64::MIN, f64::max);
                let truth = largest.exp() * terms.iter().map(|term| (term - largest).exp()).sum::<f64>();
                let p = gamma_upper_tail(x, f64::from(shape));
                assert!((p / truth - 1.0).abs() < EXACT, "Q({shape}, {x}) = {p:e}, not {truth:e}");
            }
        }
    }

    #[test]
    fn one_degree_of_freedom_is_a_squared_normal() {
        for z in [0.001, 0.3, 1.0, 2.0, 8.0, 20.0, 37.0] {
            let (p, truth) = (chi_square_upper_tail(z * z, 1.0), normal_two_sided(z));
            assert!((p / truth - 1.0).abs() < EXACT, "{z}: {p:e} {truth:e}");
        }
    }

    /// From the C library (Python's `math.erfc`); the rounding of `z√2` costs up to 1e-12 here.
    #[test]
    fn normal_tails_have_all_digits() {
        for (z, truth) in ERFC {
            let p = normal_two_sided(z * std::f64::consts::SQRT_2);
            assert!((p / truth - 1.0).abs() < EXACT, "{z}: {p:e} {truth:e}");
        }
    }
    const ERFC: [(f64, f64); 6] = [
        (0.1, 0.8875370839817152),
        (0.7, 0.32219880616258156),
        (1.5, 0.033894853524689274),
        (4.0, 1.541725790028002e-08),
        (12.0, 1.3562611692059042e-64),
        (26.0, 5.663192408856143e-296),
    ];

    #[test]
    fn large_shapes_keep_their_digits() {
        // Q(a, a) = ½ − 1/(3√(2πa)) + O(a^(−3/2)).
        for shape in [1e4_f64, 1e6, 1e8] {
            let truth = 0.5 - 1.0 / (3.0 * (std::f64::consts::TAU * shape).sqrt());
            assert!((gamma_upper_tail(shape, shape) - truth).abs() < 0.1 * shape.powf(-1.5) + 1e-9, "{shape}");
        }
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(gamma_upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(gamma_upper_tail(-1.0, 3.0), 1.0);
        assert_eq!(gamma_upper_tail(5e3, 3.0), 0.0);
        assert_eq!(normal_two_sided(0.0), 1.0);
    }
}
