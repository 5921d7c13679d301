//! How far every run is: what one stream tells all that watch.
//!
//! One stream for all runs, because a browser opens six connections to a server and no more.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::progress::Progress;

/// Ended runs whose end is still told, for those who looked away for a moment.
const ENDED: usize = 64;

pub(super) struct Board {
    runs: Mutex<VecDeque<(String, Progress)>>,
    changed: watch::Sender<()>,
}

impl Default for Board {
    fn default() -> Self {
        Board { runs: Mutex::default(), changed: watch::Sender::new(()) }
    }
}

impl Board {
    fn runs(&self) -> MutexGuard<'_, VecDeque<(String, Progress)>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a run, from now on.
    pub(super) fn set(&self, id: &str, progress: Progress) {
        let mut runs = self.runs();
        match runs.iter_mut().find(|(known, _)| known == id) {
            Some((_, known)) => *known = progress,
            None => runs.push_back((id.to_owned(), progress)),
        }
        let ended = runs.iter().filter(|(_, progress)| progress.status.is_over()).count();
        if ended > ENDED
            && let Some(oldest) = runs.iter().position(|(_, progress)| progress.status.is_over())
        {
            runs.remove(oldest);
        }
        drop(runs);
        self.changed.send_replace(());
    }

    pub(super) fn get(&self, id: &str) -> Option<Progress> {
        self.runs().iter().find(|(known, _)| known == id).map(|(_, progress)| progress.clone())
    }

    /// Every run that goes on and the last that ended, by name.
    pub(super) fn shown(&self) -> Value {
        self.runs().iter().map(|(id, progress)| (id.clone(), json!(progress))).collect::<Map<_, _>>().into()
    }

    /// Is told of every change.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::super::progress::Status;
    use super::*;

    #[test]
    fn the_runs_that_go_on_are_all_there_and_of_the_ended_the_last() {
        let board = Board::default();
        board.set("going", Progress::new(Status::Running, "reading"));
        for i in 0..1000 {
            board.set(&format!("run {i}"), Progress::new(Status::Queued, ""));
            board.set(&format!("run {i}"), Progress::new(Status::Done, ""));
        }
        let shown = board.shown();
        assert_eq!(shown.as_object().unwrap().len(), ENDED + 1);
        assert_eq!((&shown["going"]["status"], &shown["run 999"]["status"]), (&json!("running"), &json!("done")));
        assert!(board.get("run 3").is_none());
    }
}
