//! Loops over long slices, with the widest vector instructions of the machine they run on.
//!
//! Sums run in eight interleaved lanes. Nothing is fused, unlike in [`super::exponential`]: results are the same to the bit on
//! every machine, and short slices are fast outside vector loops too. The exponential is `e^x = 2^k e^r` with `|r| ≤ ln 2 / 2`, the latter from its series to degree
//! 13: relative errors of about 2e-16, as the standard library's, at a fraction of the time.

use super::exponential::COEFFICIENTS;

/// Partial sums that do not wait for each other.
const LANES: usize = 8;

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// `ln 2` in two parts, so that `x − k ln 2` keeps its digits.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding and subtracting this rounds to the nearest whole number, which stands in the low bits in between.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Exponents are held within this: beyond, results would leave the range of numbers.
const LARGEST: f64 = 700.0;

/// Runs a loop compiled for the machine's vector instructions.
pub(crate) use super::exponential::vectorised as wide;

/// `x'y`, in eight interleaved sums.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    wide(
        #[inline(always)]
        || dot_here(x, y),
    )
}

/// [`dot`] inside a loop that is [`wide`] already.
#[inline(always)]
pub(crate) fn dot_here(x: &[f64], y: &[f64]) -> f64 {
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

/// `Σ x`, likewise.
pub(crate) fn sum(x: &[f64]) -> f64 {
    wide(
        #[inline(always)]
        || sum_here(x),
    )
}

/// [`sum`] inside a loop that is [`wide`] already.
#[inline(always)]
pub(crate) fn sum_here(x: &[f64]) -> f64 {
    let (lanes, rest) = x.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for x in lanes {
        for lane in 0..LANES {
            sums[lane] += x[lane];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// `y += a x`.
pub(crate) fn add_multiple(y: &mut [f64], a: f64, x: &[f64]) {
    wide(
        #[inline(always)]
        || y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x),
    );
}

/// `e^x`, for use inside [`wide`]; beyond ±700 as at ±700.
#[inline(always)]
pub(crate) fn exponential(x: f64) -> f64 {
    let x = x.clamp(-LARGEST, LARGEST);
    let shifted = x * LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut sum = 1.0 / 6_227_020_800.0;
    for coefficient in COEFFICIENTS {
        sum = sum * r + coefficient;
    }
    let power = shifted.to_bits().wrapping_add(1023) << 52;
    sum * f64::from_bits(power)
}

/// Replaces every `x` by `e^{rate·x}`.
pub(crate) fn exponentials(x: &mut [f64], rate: f64) {
    wide(
        #[inline(always)]
        || x.iter_mut().for_each(|x| *x = exponential(rate * *x)),
    );
}

/// Replaces every `x` by `tanh x`, to 4e-16 in absolute terms.
pub(crate) fn hyperbolic_tangents(x: &mut [f64]) {
    wide(
        #[inline(always)]
        || {
            x.iter_mut().for_each(|x| {
                let square = exponential(2.0 * *x);
                *x = (square - 1.0) / (square + 1.0);
            });
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_equals_the_standard_library() {
        let x: Vec<f64> = (-40_000..=40_000).map(|step| f64::from(step) * 0.0173).collect();
        let mut got = x.clone();
        exponentials(&mut got, -1.0);
        for (x, got) in x.iter().zip(got) {
            assert!((got / (-x).exp() - 1.0).abs() < 1e-15, "{x}");
        }
        let mut extremes = [f64::MAX, f64::MIN, 0.0];
        exponentials(&mut extremes, 1.0);
        assert!(extremes[0] > 1e300 && extremes[1] < 1e-300 && extremes[2] == 1.0);
    }

    #[test]
    fn the_hyperbolic_tangent_equals_the_standard_library() {
        let x: Vec<f64> = (-4000..=4000).map(|step| f64::from(step) * 0.0101).chain([1e-9, -1e4, f64::MAX]).collect();
        let mut got = x.clone();
        hyperbolic_tangents(&mut got);
        for (x, got) in x.iter().zip(got) {
            assert!((got - x.tanh()).abs() < 4e-16, "{x}");
        }
    }

    #[test]
    fn sums_are_those_of_the_definition_to_the_bit() {
        for n in [0, 1, 7, 8, 9, 100] {
            let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 1.7).sin()).collect();
            let mut lanes = [0.0; LANES];
            let whole = x.len() / LANES * LANES;
            x[..whole].iter().enumerate().for_each(|(i, x)| lanes[i % LANES] += x * x);
            let rest: f64 = x[whole..].iter().map(|x| x * x).sum();
            assert_eq!(dot(&x, &x), lanes.iter().sum::<f64>() + rest);
            assert!((sum(&x) - x.iter().sum::<f64>()).abs() < 1e-13);
            let mut y = x.clone();
            add_multiple(&mut y, 2.0, &x);
            assert!(y.iter().zip(&x).all(|(y, x)| (y - 3.0 * x).abs() < 1e-15));
        }
    }
}
