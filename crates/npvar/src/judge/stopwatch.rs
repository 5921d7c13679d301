//! How long the stages of an answer took. The library reads no clock: the caller's is asked.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::{Event, Flow, Observer, Stage};

/// How long things took; outside every promise of identical bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Opening and reading the data into memory, where they are.
    pub read_seconds: f64,
    /// The order search, with the pass over the data.
    pub order_seconds: f64,
    /// The parent selection.
    pub selection_seconds: f64,
    /// Bootstrap samples, curves and standard errors, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_seconds: Option<f64>,
    /// All of it.
    pub total_seconds: f64,
}

/// The time since some fixed moment.
pub type Clock<'c> = dyn Fn() -> Duration + Sync + 'c;

/// Notes when the stages of learning begin.
///
/// ```
/// use npvar::judge::Stopwatch;
/// use std::time::{Duration, Instant};
/// let begun = Instant::now();
/// let clock = || begun.elapsed();
/// let stopwatch = Stopwatch::start(&clock);
/// assert!(stopwatch.timing().total_seconds >= 0.0);
/// ```
pub struct Stopwatch<'c> {
    clock: &'c Clock<'c>,
    started: Duration,
    stages: Mutex<Stages>,
}

#[derive(Default, Clone, Copy)]
struct Stages {
    order: Option<Duration>,
    selection: Option<Duration>,
}

impl<'c> Stopwatch<'c> {
    /// Begins now.
    pub fn start(clock: &'c Clock<'c>) -> Self {
        Stopwatch { clock, started: clock(), stages: Mutex::default() }
    }

    /// How long the stages took until now, the last of them still going on.
    pub fn timing(&self) -> Timing {
        let now = (self.clock)();
        let stages = *self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let (order, selection) = (stages.order.unwrap_or(now), stages.selection.unwrap_or(now));
        let seconds = |from: Duration, to: Duration| to.saturating_sub(from).as_secs_f64();
        Timing {
            read_seconds: seconds(self.started, order),
            order_seconds: seconds(order, selection),
            selection_seconds: seconds(selection, now),
            evidence_seconds: None,
            total_seconds: seconds(self.started, now),
        }
    }

    /// Seconds that `work` takes, and what comes of it.
    pub(crate) fn timed<T>(&self, work: impl FnOnce() -> T) -> (T, f64) {
        let begun = (self.clock)();
        let done = work();
        (done, (self.clock)().saturating_sub(begun).as_secs_f64())
    }

    /// An observer that notes the stages and hands every event on.
    pub(super) fn watching<'a>(&'a self, observer: Option<&'a dyn Observer>) -> Watching<'a> {
        Watching { stopwatch: self, observer }
    }
}

/// Notes the stages, and hands every event on.
pub(super) struct Watching<'a> {
    stopwatch: &'a Stopwatch<'a>,
    observer: Option<&'a dyn Observer>,
}

impl Observer for Watching<'_> {
    fn on(&self, event: &Event<'_>) -> Flow {
        if let Event::Stage(stage) = event {
            let now = (self.stopwatch.clock)();
            let mut stages = self.stopwatch.stages.lock().unwrap_or_else(PoisonError::into_inner);
            match stage {
                Stage::Order => stages.order = Some(now),
                Stage::Selection => stages.selection = Some(now),
            }
        }
        self.observer.map_or(Flow::Continue, |observer| observer.on(event))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn stages_end_where_the_next_begins_and_a_stage_that_never_begins_takes_no_time() {
        let seconds = AtomicU64::new(10);
        let clock = || Duration::from_secs(seconds.load(Ordering::Relaxed));
        let stopwatch = Stopwatch::start(&clock);
        let watching = stopwatch.watching(None);
        seconds.store(12, Ordering::Relaxed);
        watching.on(&Event::Stage(Stage::Order));
        seconds.store(15, Ordering::Relaxed);
        let timing = stopwatch.timing();
        assert_eq!((timing.read_seconds, timing.order_seconds, timing.selection_seconds), (2.0, 3.0, 0.0));
        watching.on(&Event::Stage(Stage::Selection));
        seconds.store(16, Ordering::Relaxed);
        let timing = stopwatch.timing();
        assert_eq!((timing.order_seconds, timing.selection_seconds, timing.total_seconds), (3.0, 1.0, 6.0));
    }
}
