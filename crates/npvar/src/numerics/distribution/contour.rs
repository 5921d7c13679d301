//! P( Σ_i w_i χ²_{n_i} > (q/k0) χ²_{k0} ) as a contour integral near the saddlepoint.
//!
//! With the cumulant generating function of the difference of the two sides,
//!
//! ```text
//! K(s) = −½ Σ_i n_i log(1 − 2 w_i s) − ½ k0 log(1 + 2 (q/k0) s)
//! p     =   1/(2πi) ∫ exp(K(s))/s ds      through c ∈ (0, 1/(2 w_max))
//! 1 − p = − 1/(2πi) ∫ exp(K(s))/s ds      through c ∈ (−k0/(2q), 0)
//! ```
//!
//! The first form is used when q is at least the mean Σ n_i w_i, the second below it, so that the path never has to pass
//! close to the pole at 0. `c` minimises `K(s) − log|s|`, where the integrand is largest, and its value there is factored
//! out: what remains is of size one, and no digit is lost however small p is. The path is the hyperbola
//!
//! ```text
//! s(u) = c + b (a (cosh u − 1) + i sinh u)
//! ```
//!
//! which follows the steepest descent near `c`. It opens (sign of `a`) towards the side with fewer degrees of freedom: to the
//! right when k0 is the larger, as it nearly always is; there `exp(K)` falls off like `exp(−qs)`. In `u` the integrand
//! is analytic in a strip and decays at least exponentially, so the trapezoid rule converges exponentially: halving the
//! step squares the error. Each value comes from two steps; if they differ by more than [`AGREEMENT`] the step is
//! halved again.

use std::f64::consts::PI;

/// `b` in units of the distance from `c` to the nearest singularity, and `a/(2b)`, the curvature of the path, in the inverse
/// of that unit (for a single branch point the path of steepest descent has curvature 1/3). With the steps below, near the
/// cheapest of a search over k = 1…9, ν = 0.001…0.999, k0 = 100…1e8, p = 0.9999…1e-250 for an error of 1e-13; the smallest k0
/// would prefer a narrower path, and pay with one more halving.
const WIDTH: f64 = 1.4;
const CURVATURE: f64 = 0.33;
/// The first step: at most this many standard deviations of the integrand's Gaussian core, and at most this long in `u`.
const STEP_PER_DEVIATION: f64 = 0.6;
const LONGEST_STEP: f64 = 0.4 / WIDTH;
/// Relative difference between two steps below which the finer one is accepted. Its error is about the square: at most 1.3e-12
/// in the 300 cases of the 60-digit reference, typically 4e-15. (With 1e-7 the worst is 2e-13, at up to twice the cost.)
const AGREEMENT: f64 = 1e-6;
/// Summation ends when two successive values are below this fraction of the sum.
const NEGLIGIBLE: f64 = 1e-14;
/// Below this the tail is one to rounding (for any degrees of freedom above 0.11) and the saddlepoint would overflow.
const SMALLEST_STATISTIC: f64 = 1e-300;
/// Bounds on work that no valid input reaches: nodes of the first step and number of halvings.
const MOST_NODES: usize = 2_000;
const MOST_HALVINGS: usize = 6;

/// A complex number, with the few operations the path needs.
#[derive(Clone, Copy)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    #[inline]
    pub(super) fn times(self, other: Complex) -> Complex {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    #[inline]
    pub(super) fn power(self, mut exponent: usize) -> Complex {
        let (mut base, mut result) = (self, Complex { re: 1.0, im: 0.0 });
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(base);
            }
            exponent >>= 1;
            if exponent > 0 {
                base = base.times(base);
            }
        }
        result
    }

    /// The square root in the lower half plane: continuous for arguments in (−2π, 0].
    #[inline]
    pub(super) fn lower_root(self) -> Complex {
        let modulus = (self.re * self.re + self.im * self.im).sqrt();
        let larger = (0.5 * (modulus + self.re.abs())).sqrt();
        let smaller = 0.5 * self.im.abs() / larger;
        if self.re >= 0.0 {
            // argument in (−π/2, 0], or beyond −3π/2 where the root lies left
            Complex { re: if self.im <= 0.0 { larger } else { -larger }, im: -smaller }
        } else {
            Complex { re: if self.im <= 0.0 { smaller } else { -smaller }, im: -larger }
        }
    }
}

/// The left-hand side Σ_i w_i χ²_{n_i}: distinct weights with their degrees of freedom, and its characteristic function.
pub(super) trait WeightedSum<const N: usize> {
    /// `(w_i, n_i)`, all weights positive.
    fn terms(&self) -> [(f64, f64); N];
    /// `Π_i (1 − g_i z)^{n_i/2}` for `z` in the upper half plane, continued from 1 at `z = 0`; `slopes` holds the `g_i > 0`.
    fn root_product(&self, slopes: &[f64; N], z: Complex) -> Complex;
}

/// P(sum > (statistic/k0) χ²_{k0}) for a finite statistic > 0 and a finite k0 > 0.
pub(super) fn upper_tail<const N: usize>(sum: &impl WeightedSum<N>, statistic: f64, k0: f64) -> f64 {
    if statistic < SMALLEST_STATISTIC {
        return 1.0;
    }
    let terms = sum.terms();
    let mean: f64 = terms.iter().map(|(w, n)| w * n).sum();
    let largest = terms.iter().fold(0.0_f64, |m, &(w, n)| if n > 0.0 { m.max(w) } else { m });
    // the two branch points
    let left = -0.5 * k0 / statistic;
    let right = 0.5 / largest;
    let above = statistic >= mean;
    let (low, high) = if above { (0.0, right) } else { (left, 0.0) };

    // the minimum c of the convex K(s) − log|s|, roughly: exact if all weights were equal, then Newton steps
    let mut c = equal_weights_saddlepoint(largest, mean, statistic, k0, above);
    let mut second;
    let mut steps = 0;
    loop {
        let g0 = 1.0 / (c - left);
        let mut first = -1.0 / c - 0.5 * k0 * g0;
        second = 1.0 / (c * c) + 0.5 * k0 * g0 * g0;
        for (w, n) in terms {
            let g = 2.0 * w / (1.0 - 2.0 * w * c);
            first += 0.5 * n * g;
            second += 0.5 * n * g * g;
        }
        // within a tenth of the standard deviation 1/sqrt(second) is near enough
        if first * first <= 0.01 * second || steps == 30 {
            break;
        }
        let next = c - first / second;
        c = if next <= low {
            low + 0.1 * (c - low)
        } else if next >= high {
            high - 0.1 * (high - c)
        } else {
            next
        };
        steps += 1;
    }

    let nearest = if above { c.min(right - c) } else { (-c).min(c - left) };
    let b = WIDTH * nearest;
    let numerator_df: f64 = terms.iter().map(|(_, n)| n).sum();
    let a = (2.0 * WIDTH * CURVATURE).copysign(k0 - numerator_df);
    let slopes = terms.map(|(w, _)| b * 2.0 * w / (1.0 - 2.0 * w * c));
    let (denominator_slope, pole_slope) = (b / (c - left), b / c);

    // Im( f(s) s'(u) )/(b f(c)) at u = log(growth), f(s) = exp(K(s))/s
    let value = |growth: f64| {
        let (cosh, sinh) = (0.5 * (growth + 1.0 / growth), 0.5 * (growth - 1.0 / growth));
        let z = Complex { re: a * (cosh - 1.0), im: sinh };
        let (x, y) = (denominator_slope * z.re, denominator_slope * z.im);
        let modulus = (-0.25 * k0 * (x * (2.0 + x) + y * y).ln_1p()).exp();
        // on a path that opens to the right 1 + x is positive, and the plain arctangent is faster
        let angle = if a > 0.0 { (y / (1.0 + x)).atan() } else { y.atan2(1.0 + x) };
        let (sin, cos) = (-0.5 * k0 * angle).sin_cos();
        let above = Complex { re: modulus * cos, im: modulus * sin }.times(Complex { re: a * sinh, im: cosh });
        let pole = Complex { re: 1.0 + pole_slope * z.re, im: pole_slope * z.im };
        let below = sum.root_product(&slopes, z).times(pole);
        (above.im * below.re - above.re * below.im) / (below.re * below.re + below.im * below.im)
    };

    let mut step = (STEP_PER_DEVIATION / (b * second.sqrt())).min(LONGEST_STEP);
    let (growth_per_step, mut growth) = (step.exp(), 1.0);
    let (mut total, mut previous, mut nodes) = (0.5, 1.0_f64, 0);
    while nodes < MOST_NODES {
        growth *= growth_per_step;
        let term = value(growth);
        total += term;
        nodes += 1;
        if term.abs() + previous.abs() <= NEGLIGIBLE * total {
            break;
        }
        previous = term;
    }
    let mut integral = step * total;
    for _ in 0..MOST_HALVINGS {
        let (growth_per_step, mut growth) = (step.exp(), (0.5 * step).exp());
        let mut between = 0.0;
        for _ in 0..nodes {
            between += value(growth);
            growth *= growth_per_step;
        }
        let finer = 0.5 * (integral + step * between);
        let change = (finer - integral).abs();
        integral = finer;
        step *= 0.5;
        nodes *= 2;
        if change <= AGREEMENT * finer {
            break;
        }
    }

    let mut log_peak = -0.5 * k0 * (-c / left).ln_1p();
    for (w, n) in terms {
        log_peak -= 0.5 * n * (-2.0 * w * c).ln_1p();
    }
    let tail = log_peak.exp() * integral * (pole_slope.abs() / PI);
    debug_assert!(!tail.is_nan(), "statistic {statistic}, k0 {k0}");
    if above { tail.min(1.0) } else { (1.0 - tail).max(0.0) }
}

/// The minimum of `K(s) − log|s|` on the wanted side of 0 if the sum were `w χ²` with the given mean: a root of
/// `A s² + B s − C`, inside the interval between 0 and the branch point.
fn equal_weights_saddlepoint(w: f64, mean: f64, statistic: f64, k0: f64, above: bool) -> f64 {
    // divided by this, no coefficient overflows
    let scale = statistic.max(1.0);
    let (q, c) = (statistic / scale, 1.0 / scale);
    let a = 2.0 * w * q * (1.0 + (mean / w + 2.0) / k0);
    let b = (mean + 2.0 * w) / scale - q - 2.0 * (q / k0);
    let root = b.hypot(2.0 * (a * c).sqrt());
    match (above, b <= 0.0) {
        (true, true) => (root - b) / (2.0 * a),
        (true, false) => 2.0 * c / (root + b),
        (false, true) => -2.0 * c / (root - b),
        (false, false) => -(root + b) / (2.0 * a),
    }
}
