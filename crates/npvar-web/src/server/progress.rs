//! How far a run has come, in words and numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use npvar::{Event, Flow, Observer};
use serde::Serialize;

use super::board::Board;

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Status {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl Status {
    pub(super) fn is_over(self) -> bool {
        matches!(self, Status::Done | Status::Failed | Status::Cancelled)
    }
}

/// What watchers of a run are told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Progress {
    pub(super) status: Status,
    /// What is being done, or why it failed.
    pub(super) words: String,
    pub(super) done: usize,
    pub(super) total: Option<usize>,
}

impl Progress {
    pub(super) fn new(status: Status, words: impl Into<String>) -> Self {
        Progress { status, words: words.into(), done: 0, total: None }
    }
}

/// Hands a learner's events on to whoever watches, and stops it when asked to.
pub(super) struct Watcher<'a> {
    board: &'a Board,
    id: &'a str,
    stop: &'a AtomicBool,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(board: &'a Board, id: &'a str, stop: &'a AtomicBool) -> Self {
        Watcher { board, id, stop }
    }

    fn flow(&self) -> Flow {
        if self.stop.load(Ordering::Relaxed) { Flow::Stop } else { Flow::Continue }
    }
}

impl Observer for Watcher<'_> {
    fn on(&self, event: &Event<'_>) -> Flow {
        let (words, done, total) = match *event {
            Event::Rows { done, total } => ("reading rows".to_owned(), done, total),
            Event::Layer { ordered, nodes, .. } => ("ordering nodes".to_owned(), ordered, Some(nodes)),
            Event::Selected { done, nodes } => ("selecting parents".to_owned(), done, Some(nodes)),
            Event::Working { phase, done, total } => (phase.to_owned(), done, total),
            _ => return self.flow(),
        };
        // The board keeps the last state only, so events as fast as they come pile up nowhere.
        self.board.set(self.id, Progress { status: Status::Running, words, done, total });
        self.flow()
    }
}
