//! How far a study is: a line that is redrawn on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use npvar_study::row::{Row, Status};
use npvar_study::run::Watcher;

use crate::output;

/// How often a line is written where nothing can be redrawn.
const PAUSE: Duration = Duration::from_secs(30);

pub(crate) struct StudyProgress {
    bar: Option<ProgressBar>,
    quiet: bool,
    state: Mutex<State>,
}

struct State {
    total: usize,
    before: usize,
    done: usize,
    limits: usize,
    failures: usize,
    started: Instant,
    told: Instant,
}

impl StudyProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let now = Instant::now();
        let state = Mutex::new(State { total: 0, before: 0, done: 0, limits: 0, failures: 0, started: now, told: now });
        StudyProgress { bar: visible.then(bar), quiet, state }
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{bar:30} {msg}").expect("the template is fixed");
    bar.with_style(style)
}

impl State {
    fn words(&self) -> String {
        let mut words = format!("{} of {} cells", self.done, self.total);
        if self.limits > 0 {
            words += &format!(", {} over a limit", self.limits);
        }
        words += &format!(", {} failed", self.failures);
        let (ran, left) = (self.done - self.before, self.total - self.done);
        if ran > 0 && left > 0 {
            let each = self.started.elapsed().as_secs_f64() / ran as f64;
            words += &format!(", about {} left", HumanDuration(Duration::from_secs_f64(each * left as f64)));
        }
        words
    }
}

impl Watcher for StudyProgress {
    fn begins(&self, total: usize, done: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.total, state.before, state.done) = (total, done, done);
        state.started = Instant::now();
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
            bar.set_message(state.words());
        }
    }

    fn finished(&self, row: &Row) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.done += 1;
        match row.status {
            Status::Ok => {}
            Status::TimeLimit | Status::MemoryLimit => state.limits += 1,
            _ => state.failures += 1,
        }
        if let Some(bar) = &self.bar {
            bar.set_position(state.done as u64);
            bar.set_message(state.words());
        } else if !self.quiet && state.told.elapsed() > PAUSE {
            state.told = Instant::now();
            output::tell(&state.words());
        }
    }
}
