//! How long work may take.

use std::time::Duration;

/// A number of seconds.
pub(super) fn budget(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(budget) if !budget.is_zero() => Ok(budget),
        _ => Err("expected a number of seconds larger than 0".to_owned()),
    }
}
