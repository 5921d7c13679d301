//! Long work on behalf of R, on a thread of its own that never touches R.
//!
//! R starts it and asks every moment whether it is done; between two questions R looks for an interrupt itself, and then
//! gives up the handle, which tells the work to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use npvar::judge::Stopwatch;
use npvar::{Error, Run};
use rayon::ThreadPoolBuilder;

use crate::columns::Given;
use crate::outcome::outcome;
use crate::question::Asked;

/// Work that has been started.
pub(crate) struct Running {
    outcome: Receiver<String>,
    stop: Arc<AtomicBool>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed); // at the next occasion
    }
}

impl Running {
    /// Starts on a question about a table.
    pub(crate) fn start(given: Given, question: String) -> Running {
        let stop = Arc::new(AtomicBool::new(false));
        let (send, received) = channel();
        let told = stop.clone();
        thread::spawn(move || {
            let found = outcome(|| {
                let asked = Asked::parse(&question)?;
                let seed = asked.seed()?;
                let pool = ThreadPoolBuilder::new().num_threads(asked.threads).build().map_err(|error| {
                    let problem = format!("threads cannot be started: {error}");
                    Error::Options { option: "`threads`".to_owned(), problem }
                })?;
                let begun = Instant::now();
                let clock = || begun.elapsed();
                let run = Run::new(seed).stopped_by(&told);
                pool.install(|| asked.answer(&given, &Stopwatch::start(&clock), &run))
            });
            drop(send.send(found)); // nobody listens once R has given up the handle
        });
        Running { outcome: received, stop }
    }

    /// Waits a moment: nothing while the work goes on, then its outcome, once.
    pub(crate) fn wait(&self, patience: Duration) -> Option<String> {
        match self.outcome.recv_timeout(patience) {
            Ok(outcome) => Some(outcome),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(outcome(|| Err(Error::Cancelled))),
        }
    }
}
