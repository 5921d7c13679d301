//! Watches a run: a progress line when someone is looking and it takes a while.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use npvar::{Event, Flow, Observer};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// Redraws per second.
const RATE: u8 = 10;

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
}

impl Watch {
    /// Begins now.
    pub(crate) fn new(show: Show) -> Self {
        let visible = show == Show::IfTerminal && std::io::stderr().is_terminal();
        Watch { started: Instant::now(), shown: AtomicBool::new(false), bar: visible.then(bar) }
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
        let (done, total, words) = match *event {
            Event::Rows { done, total: Some(total) } => (done, total, format!("read {done} of {total} rows")),
            Event::Rows { done, total: None } => (0, 1, format!("read {done} rows")),
            Event::Layer { ordered, nodes, .. } => (ordered, nodes, format!("ordered {ordered} of {nodes}")),
            Event::Selected { done, nodes } => (done, nodes, format!("parents of {done} of {nodes}")),
            Event::Working { phase, done, total: Some(total) } => (done, total, format!("{phase}: {done} of {total}")),
            Event::Working { phase, done, total: None } => (0, 1, format!("{phase}: {done}")),
            _ => return,
        };
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(words);
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{bar:30} {msg} {elapsed}").expect("the template is fixed");
    bar.with_style(style)
}

impl Observer for Watch {
    fn on(&self, event: &Event<'_>) -> Flow {
        if let Some(bar) = &self.bar {
            if self.elapsed() > PATIENCE && !self.shown.swap(true, Ordering::Relaxed) {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(RATE));
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
