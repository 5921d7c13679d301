//! Ruben's (1962) series for the weighted χ² tail: slow for small ν and far tails, but every term is positive and it shares
//! nothing with the contour integral. Only the tests use it.
//!
//! With β the smallest weight, Σ w_i χ²_1 is a mixture of β χ²_{k+1+2m} with probabilities c_m whose generating function is
//! `Π_i sqrt(β/w_i) (1 − (1 − β/w_i) z)^{−1/2}`, so that
//!
//! ```text
//! p = Σ_m c_m I_x(a, (k+1)/2 + m),   a = k0/2,   x = β/(β + q/k0)
//! ```

use std::f64::consts::{FRAC_PI_2, LN_10, PI};

/// p and the number of terms, or `None` when `most_terms` do not reach 1e-16 relative.
pub(super) fn upper_tail(k: usize, nu: f64, statistic: f64, k0: f64, most_terms: usize) -> Option<(f64, usize)> {
    let w = 0.5 * ((nu + 1.0) + ((nu + 1.0) * (1.0 - nu)).sqrt());
    let beta = 0.5 * nu * (nu + 1.0) / w;
    let (a, rate) = (0.5 * k0, statistic / k0);
    let (x, y) = (beta / (beta + rate), rate / (beta + rate));
    let (g1, g2) = (1.0 - beta, 1.0 - beta / w);

    // everything below is divided by x^a 1e200^rescaled; the count is kept, since adding logarithms each time would lose digits
    let mut rescaled = 0.0;
    let log_scale = -a * (rate / beta).ln_1p();
    // tail = I_x(a, b); step = x^a y^b/(b B(a, b)) = I_x(a, b + 1) − I_x(a, b)
    let (mut b, mut tail, mut step) = if k % 2 == 1 {
        (1.0, 1.0, a * y)
    } else {
        let ratio = gamma_ratio(a) / PI.sqrt(); // 1/B(a, 1/2)
        (0.5, ratio * half_integral(a, x, y), 2.0 * y.sqrt() * ratio)
    };
    let next_step = |step: f64, b: f64| step * y * (a + b) / (b + 1.0);
    while b < 0.5 * (k + 1) as f64 {
        tail += step;
        step = next_step(step, b);
        b += 1.0;
    }

    let ones = (k - 1) as f64;
    let mut c = (0.5 * ((ones + 1.0) * beta.ln() - w.ln())).exp();
    // power sums Σ_j g^{m−j} c_j, from the logarithmic derivative of the generating function
    let (mut s1, mut s2, mut total) = (0.0, 0.0, 0.0);
    for terms in 1..=most_terms {
        total += c * tail;
        (s1, s2) = (g1 * (s1 + c), g2 * (s2 + c));
        let m = (terms - 1) as f64;
        c = (ones * s1 + s2) / (2.0 * (m + 1.0));
        tail += step;
        step = next_step(step, b);
        b += 1.0;
        // c_{m+1}/c_m ≤ g2 (m + k/2)/(m + 1) and I_x is log-concave in b: the rest is below a geometric series
        let ratio = g2 * ((m + 1.0 + 0.5 * k as f64) / (m + 2.0)).max(1.0) * (1.0 + step / tail);
        if ratio < 1.0 && c * tail <= 1e-16 * (1.0 - ratio) * total {
            return Some(((total.ln() + (log_scale + rescaled * (200.0 * LN_10))).exp(), terms));
        }
        if tail > 1e200 {
            tail *= 1e-200;
            step *= 1e-200;
            total *= 1e-200;
            rescaled += 1.0;
        }
    }
    None
}

/// Γ(a + ½)/Γ(a): asymptotic series after shifting `a` beyond 30.
fn gamma_ratio(a: f64) -> f64 {
    if a < 30.0 {
        return a / (a + 0.5) * gamma_ratio(a + 1.0);
    }
    let r = 1.0 / a;
    a.sqrt()
        * (1.0
            + r * (-1.0 / 8.0
                + r * (1.0 / 128.0 + r * (5.0 / 1024.0 + r * (-21.0 / 32768.0 + r * (-399.0 / 262144.0))))))
}

/// I_x(a, ½) B(a, ½)/x^a = 2 ∫_0^∞ e^{−2av} / sqrt(1 − x e^{−2v}) dv, by the double exponential rule.
fn half_integral(a: f64, x: f64, y: f64) -> f64 {
    let step = 1.0 / 128.0;
    let node = |i: i32| {
        let t = step * f64::from(i);
        let v = (FRAC_PI_2 * t.sinh()).exp() / (2.0 * a);
        let slope = v * FRAC_PI_2 * t.cosh();
        slope * (-2.0 * a * v).exp() / (y - x * (-2.0 * v).exp_m1()).sqrt()
    };
    2.0 * step * (-700..=350).map(node).sum::<f64>()
}
