//! Watches a run: when its stages began, and a progress line when someone is looking and it takes a while.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use npvar::judge::Timing;
use npvar::{Event, Flow, Observer, Stage};

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
    stages: Mutex<Stages>,
    bar: Option<ProgressBar>,
}

#[derive(Default)]
struct Stages {
    order: Option<Instant>,
    selection: Option<Instant>,
    shown: bool,
}

impl Watch {
    /// Begins now.
    pub(crate) fn new(show: Show) -> Self {
        let visible = show == Show::IfTerminal && std::io::stderr().is_terminal();
        Watch { started: Instant::now(), stages: Mutex::default(), bar: visible.then(bar) }
    }

    /// Removes the progress line, and says how long the stages took.
    pub(crate) fn finish(&self) -> Timing {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let order = stages.order.unwrap_or(now);
        let selection = stages.selection.unwrap_or(now);
        let seconds = |from: Instant, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        Timing {
            read_seconds: seconds(self.started, order),
            order_seconds: seconds(order, selection),
            selection_seconds: seconds(selection, now),
            evidence_seconds: None,
            total_seconds: seconds(self.started, now),
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
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Stage(Stage::Order) => stages.order = Some(Instant::now()),
            Event::Stage(Stage::Selection) => stages.selection = Some(Instant::now()),
            _ => {}
        }
        if let Some(bar) = &self.bar {
            if !stages.shown && self.started.elapsed() > PATIENCE {
                bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(RATE));
                stages.shown = true;
            }
            self.draw(bar, event);
        }
        Flow::Continue
    }
}

impl Drop for Watch {
    /// An error must not leave half a line behind.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
