//! How long slow advice takes, roughly: measured on two cores with 200 and 500 samples of 5 and 10 columns, and carried over by
//! how the cost grows. It is there to tell seconds from hours, no more.

use crate::learner::alternatives::{WITHOUT_UNITS, without_units};
use crate::run::Diagnostic;

/// What is not worth a word where it is one way of several.
const QUICK: &str = "a few seconds";
/// With more samples kernels rest on some of the rows, and the cost grows with their number alone.
const WHOLE: f64 = 2000.0;

/// About how long learning with these options takes for `n` samples of `d` columns, in words.
pub(super) fn estimate(options: &str, n: usize, d: usize) -> String {
    let (n, d) = (n as f64, d as f64);
    let whole = n.min(WHOLE);
    let beyond = n / whole;
    let seconds = match options {
        options if options.contains("score=gaussian-process") => 2.5e-7 * whole.powi(2) * d.powi(2),
        options if options.contains("best-order") => 1e-8 * n * d.powi(2) + 5e-5 * d.powi(3),
        // Its matrices hold all rows, however many.
        options if options.contains("test=kci") => 1.5e-9 * n.powi(3) * d.powi(2),
        options if options.contains("gsges") => 2e-8 * n.powi(2) * d.powi(2),
        _ => 1e-10 * whole.powi(3) * beyond * d,
    };
    words(seconds)
}

/// Tells in all advice to learn [`without_units`] how long the first of its ways takes, where it is slow and not told yet.
pub(in crate::judge) fn tell(diagnostics: &mut [Diagnostic], n: usize, d: usize) {
    let takes = estimate(WITHOUT_UNITS[0], n, d);
    let advice = diagnostics.iter_mut().filter_map(|diagnostic| diagnostic.advice.as_mut());
    for advice in advice.filter(|advice| advice.contains(&without_units()) && !advice.contains(" takes ")) {
        if takes != QUICK {
            advice.push_str(&format!(" (the first takes {takes})"));
        }
    }
}

fn words(seconds: f64) -> String {
    match seconds {
        s if s < 5.0 => QUICK.to_owned(),
        s if s < 60.0 => format!("about {:.0} s", 10.0 * (s / 10.0).ceil()),
        s if s < 3600.0 => format!("about {:.0} min", (s / 60.0).ceil()),
        s if s < 86_400.0 => format!("about {:.0} h", (s / 3600.0).ceil()),
        _ => "days".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_advice_tells_its_time() {
        let advised = |n, d| {
            let mut found = [Diagnostic::warning("different-units", "x").advise(format!("use {}", without_units()))];
            tell(&mut found, n, d);
            tell(&mut found, n, d);
            found[0].advice.clone().unwrap()
        };
        assert!(advised(1000, 100).ends_with(" (the first takes about 60 s)"), "{}", advised(1000, 100));
        assert!(!advised(200, 10).contains(" takes "));
    }

    #[test]
    fn estimates_tell_seconds_from_hours() {
        assert_eq!(estimate("--learner best-order --set score=gaussian-process", 200, 5), "a few seconds");
        assert_eq!(estimate("--learner best-order --set score=gaussian-process", 1000, 20), "about 2 min");
        assert_eq!(estimate("--learner best-order --set noise=own", 1000, 20), "a few seconds");
        assert_eq!(estimate("--learner best-order --set noise=own", 1000, 100), "about 60 s");
        assert_eq!(estimate("--set test=kci", 500, 10), "about 20 s");
        assert_eq!(estimate("--set test=kci", 5000, 10), "about 6 h");
        assert_eq!(estimate("--learner score --set units=standardised", 1000, 20), "a few seconds");
    }
}
