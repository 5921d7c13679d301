//! Watches a run: a progress line when someone is looking and it takes a while, with how long it has taken and how long it may
//! take yet. The bar runs over all phases: learning is one part, a bootstrap as many more as it has samples.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use npvar::{Event, Flow, Observer};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Redraws per second.
const RATE: u8 = 10;
/// How often the clock moves when nothing else does.
const TICK: Duration = Duration::from_millis(250);
/// The bar's steps.
const STEPS: u64 = 1000;
/// No estimate before this share is done.
const FIRST_ESTIMATE: f32 = 0.03;
/// The phase in which the library reports a bootstrap's samples.
const RESAMPLING: &str = "bootstrap";

/// Whether progress may be shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    IfTerminal,
    Never,
}

pub(crate) struct Watch {
    started: Instant,
    shown: AtomicBool,
    bar: Option<ProgressBar>,
    share: Mutex<Share>,
}

impl Watch {
    /// Begins now.
    pub(crate) fn new(show: Show) -> Self {
        let visible = show == Show::IfTerminal && std::io::stderr().is_terminal();
        let share = Mutex::new(Share { parts: 1.0, done: 0.0 });
        Watch { started: Instant::now(), shown: AtomicBool::new(false), bar: visible.then(bar), share }
    }

    /// The same for a run that a bootstrap follows.
    pub(crate) fn resampling(mut self, replicates: Option<usize>) -> Self {
        // Many tables at once use the cores better than one.
        let cores = rayon::current_num_threads().max(1) as f64;
        let parts = 1.0 + replicates.unwrap_or(0) as f64 / cores;
        self.share = Mutex::new(Share { parts, done: 0.0 });
        self
    }

    /// The time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Removes the progress line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn draw(&self, bar: &ProgressBar, event: &Event<'_>) {
        let words = match *event {
            Event::Rows { done, total: Some(total) } => format!("read {done} of {total} rows"),
            Event::Rows { done, total: None } => format!("read {done} rows"),
            Event::Layer { ordered, nodes, .. } => format!("ordered {ordered} of {nodes}"),
            Event::Selected { done, nodes } => format!("parents of {done} of {nodes}"),
            Event::Working { phase, done, total: Some(total) } => format!("{phase}: {done} of {total}"),
            Event::Working { phase, done, total: None } => format!("{phase}: {done}"),
            _ => return,
        };
        if let Ok(mut share) = self.share.lock() {
            bar.set_position((share.after(event) * STEPS as f64) as u64);
        }
        bar.set_message(words);
    }
}

/// How much of a run is done.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Learning once is one part; resampling is the others.
    parts: f64,
    done: f64,
}

impl Share {
    /// The share of the whole that is done after an event; it never goes back.
    fn after(&mut self, event: &Event<'_>) -> f64 {
        let of = |done: usize, total: usize| done as f64 / total.max(1) as f64;
        let parts = match *event {
            Event::Rows { done, total: Some(total) } => 0.1 * of(done, total),
            Event::Layer { ordered, nodes, .. } => 0.1 + 0.5 * of(ordered, nodes),
            Event::Selected { done, nodes } => 0.6 + 0.4 * of(done, nodes),
            Event::Working { phase, done, total: Some(total) } if phase.starts_with(RESAMPLING) => {
                1.0 + (self.parts - 1.0) * of(done, total)
            }
            Event::Working { done, total: Some(total), .. } => 0.9 * of(done, total),
            _ => 0.0,
        };
        self.done = self.done.max(parts / self.parts).min(1.0);
        self.done
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{bar:30} {msg} {elapsed}{left}").expect("the template is fixed");
    let left = |state: &ProgressState, writer: &mut dyn std::fmt::Write| {
        let (done, elapsed) = (state.fraction(), state.elapsed().as_secs_f32());
        if (FIRST_ESTIMATE..1.0).contains(&done) {
            let _ = write!(writer, ", about {} left", roughly(elapsed * (1.0 - done) / done));
        }
    };
    bar.with_style(style.with_key("left", left))
}

/// Seconds, no finer than an estimate is.
fn roughly(seconds: f32) -> String {
    match seconds {
        s if s < 10.0 => format!("{} s", s.ceil()),
        s if s < 90.0 => format!("{} s", 10.0 * (s / 10.0).ceil()),
        s if s < 5400.0 => format!("{} min", (s / 60.0).ceil()),
        s => format!("{} h", (s / 3600.0).ceil()),
    }
}

impl Observer for Watch {
    fn on(&self, event: &Event<'_>) -> Flow {
        if let Some(bar) = &self.bar {
            if self.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(RATE));
                bar.enable_steady_tick(TICK);
            }
            self.draw(bar, event);
        }
        Flow::Continue
    }
}

impl Drop for Watch {
    /// An error must not leave half a line behind.
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_runs_over_all_phases_and_never_goes_back() {
        let mut share = Share { parts: 5.0, done: 0.0 };
        let events = [
            Event::Rows { done: 10, total: Some(10) },
            Event::Layer { layer: &[0], ordered: 5, nodes: 10 },
            Event::Layer { layer: &[0], ordered: 10, nodes: 10 },
            Event::Selected { done: 10, nodes: 10 },
            Event::Working { phase: "bootstrap", done: 10, total: Some(20) },
            Event::Rows { done: 1, total: Some(10) },
            Event::Working { phase: "bootstrap", done: 20, total: Some(20) },
        ];
        let shares: Vec<f64> = events.iter().map(|event| (100.0 * share.after(event)).round()).collect();
        assert_eq!(shares, [2.0, 7.0, 12.0, 20.0, 60.0, 60.0, 100.0]);
    }

    #[test]
    fn an_estimate_is_no_finer_than_it_can_be() {
        assert_eq!([0.2, 42.0, 200.0, 9000.0].map(roughly), ["1 s", "50 s", "4 min", "3 h"]);
    }
}
