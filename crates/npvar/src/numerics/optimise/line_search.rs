//! A step along a line that satisfies the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6).
//!
//! Near a minimum a decrease drowns in the rounding of the values; there the slope decides (the approximate Wolfe conditions
//! of Hager & Zhang 2005).

use crate::error::Result;

/// Sufficient decrease: this share of what the slope promises.
const DECREASE: f64 = 1e-4;
/// The slope must shrink to this share.
const CURVATURE: f64 = 0.9;
/// Values closer than this share are equal but for rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Evaluations before giving up.
const MAX_EVALUATIONS: usize = 40;

/// Value and slope at a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trial {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// Searches steps in `0..=longest`, starting with `first`; `at` evaluates one and remembers what it found. None when no step
/// decreases the value.
///
/// # Errors
/// What evaluating came upon.
pub(super) fn search(
    start: Trial,
    first: f64,
    longest: f64,
    at: &mut dyn FnMut(f64) -> Result<Trial>,
) -> Result<Option<Trial>> {
    let decreases = |trial: &Trial| {
        trial.value <= start.value + DECREASE * trial.step * start.slope
            || (trial.value <= start.value + ROUNDING * start.value.abs()
                && trial.slope <= (2.0 * DECREASE - 1.0) * start.slope)
    };
    let flat = |trial: &Trial| trial.slope.abs() <= -CURVATURE * start.slope;
    // `low` decreases the value enough and is the best so far; the minimum lies between it and `high`.
    let (mut low, mut high, mut step) = (start, None::<Trial>, first.min(longest));
    for _ in 0..MAX_EVALUATIONS {
        let trial = at(step)?;
        let finite = trial.value.is_finite() && trial.slope.is_finite();
        if finite && decreases(&trial) && flat(&trial) {
            return Ok(Some(trial));
        }
        if !finite || !decreases(&trial) || (trial.value >= low.value && low.step > 0.0) {
            high = Some(trial);
        } else {
            let towards = high.map_or(1.0, |high| high.step - low.step);
            if trial.slope * towards >= 0.0 {
                high = Some(low);
            }
            low = trial;
            if low.step >= longest && low.slope < 0.0 {
                return Ok(Some(low));
            }
        }
        step = match &high {
            Some(high) => between(&low, high),
            None => (4.0 * step).min(longest),
        };
        if high.is_some_and(|high| (high.step - low.step).abs() <= 1e-14 * low.step.max(high.step)) {
            break;
        }
    }
    Ok((low.step > 0.0).then_some(low))
}

/// The minimum of the cubic through both ends, kept away from them.
fn between(low: &Trial, high: &Trial) -> f64 {
    let width = high.step - low.step;
    let inner = |share: f64| low.step + share.clamp(0.1, 0.9) * width;
    if !high.value.is_finite() || !high.slope.is_finite() {
        return inner(0.1);
    }
    let a = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
    let discriminant = a * a - low.slope * high.slope;
    if discriminant < 0.0 {
        return inner(0.5);
    }
    let root = discriminant.sqrt() * width.signum();
    let share = 1.0 - (high.slope + root - a) / (high.slope - low.slope + 2.0 * root);
    if share.is_finite() { inner(share) } else { inner(0.5) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: impl Fn(f64) -> (f64, f64), first: f64, longest: f64) -> Option<Trial> {
        let at = |step: f64| {
            let (value, slope) = f(step);
            Trial { step, value, slope }
        };
        search(at(0.0), first, longest, &mut |step| Ok(at(step))).expect("nothing fails")
    }

    #[test]
    fn too_long_and_too_short_first_steps_are_corrected() {
        let parabola = |x: f64| ((x - 1.0) * (x - 1.0), 2.0 * (x - 1.0));
        for first in [1e-6, 0.3, 1.0, 1.9, 50.0, 1e6] {
            let found = run(parabola, first, f64::INFINITY).expect("a step");
            assert!(found.value < 1.0 && found.slope.abs() <= 1.8, "from {first}: {found:?}");
        }
    }

    #[test]
    fn a_wall_of_infinities_is_avoided() {
        let walled = |x: f64| if x > 0.01 { (f64::INFINITY, f64::NAN) } else { (-x, -1.0) };
        let found = run(walled, 1.0, 1.0).expect("a step");
        assert!(found.step > 0.0 && found.step <= 0.01);
    }

    #[test]
    fn the_longest_step_is_taken_where_the_value_still_falls() {
        assert_eq!(run(|x| (-x, -1.0), 0.5, 3.0).expect("a step").step, 3.0);
    }

    #[test]
    fn no_step_is_found_where_the_value_only_rises() {
        assert!(run(|x| (x, if x == 0.0 { -1.0 } else { 1.0 }), 1.0, 1.0).is_none());
    }
}
