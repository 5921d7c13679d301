//! What travels with every slow computation: the seed, an observer of progress, and the wish to stop.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How often whoever waits for work done aside looks at the stop flag.
const PATIENCE: Duration = Duration::from_millis(20);

/// A seed from which independent random streams are derived by meaning, not by call order.
///
/// ```
/// use npvar::Seed;
/// let seed = Seed(7);
/// assert_eq!(seed.child("split", 3), seed.child("split", 3));
/// assert_ne!(seed.child("split", 3), seed.child("split", 4));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seed(pub u64);

impl Seed {
    /// The seed of the `index`-th sub-task called `name`.
    pub fn child(self, name: &str, index: usize) -> Seed {
        // FNV-1a over the name, then two rounds of SplitMix64: cheap, portable, well mixed.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in name.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Seed(split_mix(split_mix(self.0 ^ hash).wrapping_add(index as u64)))
    }

    /// A seed from the operating system, for a run that was given none; short enough to be typed again.
    pub fn random() -> Seed {
        use std::hash::{BuildHasher, Hasher, RandomState};
        Seed(RandomState::new().build_hasher().finish() >> 32)
    }

    /// A portable generator (ChaCha8) that starts at this seed.
    pub fn rng(self) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.0)
    }
}

fn split_mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The stages of learning a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reading the data and finding the order.
    Order,
    /// Selecting parents along the order.
    Selection,
}

/// Progress, in the paper's words. Nodes are column positions, 0-based.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A stage of the computation begins.
    Stage(Stage),
    /// Rows have been read into the Gram matrix, out of `total` if that is known.
    Rows {
        /// Rows read so far.
        done: usize,
        /// Rows in all.
        total: Option<usize>,
    },
    /// A layer was found: its nodes, how many nodes are ordered by now, and out of how many.
    Layer {
        /// The layer's nodes.
        layer: &'a [usize],
        /// Nodes ordered so far, this layer included.
        ordered: usize,
        /// Nodes in all.
        nodes: usize,
    },
    /// A phase that only some learners have has come this far.
    Working {
        /// What is being done, as in "separating pairs".
        phase: &'a str,
        /// How much of it is done.
        done: usize,
        /// Out of how much, if that is known.
        total: Option<usize>,
    },
    /// The parents of `done` of `nodes` nodes have been selected.
    Selected {
        /// Nodes done so far.
        done: usize,
        /// Nodes in all.
        nodes: usize,
    },
}

/// An observer's answer to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Give up with [`Error::Cancelled`] at once.
    Stop,
}

/// Someone who watches a computation and may stop it.
pub trait Observer: Sync {
    /// Called for every event, from any thread.
    fn on(&self, event: &Event<'_>) -> Flow;
}

/// Seed, observer and the wishes to stop; the last argument of anything slow.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The seed every random choice of this computation derives from.
    pub seed: Seed,
    observer: Option<&'a dyn Observer>,
    stop: Option<&'a AtomicBool>,
    /// How often it may still be asked whether to go on.
    questions: Option<&'a AtomicUsize>,
    enough: Option<&'a AtomicBool>,
    hurry: Option<&'a AtomicBool>,
    /// It is given up soon after this becomes true, though the computation that it is a part of goes on.
    given_up: Option<&'a AtomicBool>,
}

impl<'a> Run<'a> {
    /// A computation nobody watches.
    pub fn new(seed: Seed) -> Self {
        Run { seed, observer: None, stop: None, questions: None, enough: None, hurry: None, given_up: None }
    }

    /// The same computation, watched by `observer`.
    pub fn observed(self, observer: &'a dyn Observer) -> Self {
        Run { observer: Some(observer), ..self }
    }

    /// Whoever watches.
    pub fn observer(&self) -> Option<&'a dyn Observer> {
        self.observer
    }

    /// The same computation, watched by nobody: part of another that reports for all its parts.
    pub fn unobserved(self) -> Self {
        Run { observer: None, ..self }
    }

    /// The same computation, given up soon after `stop` becomes true.
    pub fn stopped_by(self, stop: &'a AtomicBool) -> Self {
        Run { stop: Some(stop), ..self }
    }

    /// The same computation, given up when it has asked so many times whether to go on: a stop that depends on no clock. What is
    /// left is counted in `questions`.
    pub fn stopped_after(self, questions: &'a AtomicUsize) -> Self {
        Run { questions: Some(questions), ..self }
    }

    /// The same computation, which ends with the best it has soon after `enough` becomes true, where it is a search that can; others
    /// go on.
    pub fn until(self, enough: &'a AtomicBool) -> Self {
        Run { enough: Some(enough), ..self }
    }

    /// The same computation, which soon after `hurry` becomes true does no more than hand over what it has, or is given up
    /// where it has nothing yet. Where it is true, it is [enough](Run::until) too.
    pub fn hurried_by(self, hurry: &'a AtomicBool) -> Self {
        Run { hurry: Some(hurry), ..self }
    }

    /// The same computation, which is given up when it is enough: one of several, for which others stand.
    pub fn given_up_when_enough(self) -> Self {
        Run { given_up: self.enough, ..self }
    }

    /// The same computation as long as there is nothing to hand over: given up in a hurry, and not before.
    pub fn given_up_in_a_hurry(self) -> Self {
        Run { given_up: self.hurry, ..self }
    }

    /// Whether a search should end with the best it has. Beside a hurry the only thing but the input and the seed that an
    /// answer may depend on, and an answer that did says so.
    pub fn enough(&self) -> bool {
        is_set(self.enough)
    }

    /// Does what a search can do without; nothing where it became [enough](Run::enough) meanwhile.
    ///
    /// # Errors
    /// What the work came upon, or cancelling.
    pub fn unless_enough<T>(&self, work: impl FnOnce(&Run<'a>) -> Result<T>) -> Result<Option<T>> {
        self.unless(self.enough, work)
    }

    /// Does what an answer can do without; nothing where there came to be a [hurry](Run::hurried_by) meanwhile.
    ///
    /// # Errors
    /// What the work came upon, or cancelling.
    pub fn unless_hurried<T>(&self, work: impl FnOnce(&Run<'a>) -> Result<T>) -> Result<Option<T>> {
        self.unless(self.hurry, work)
    }

    fn unless<T>(&self, wish: Option<&'a AtomicBool>, work: impl FnOnce(&Run<'a>) -> Result<T>) -> Result<Option<T>> {
        match work(&Run { given_up: wish, ..*self }) {
            // A search within may have ended where it was then: that is no answer to the question asked.
            Ok(_) | Err(Error::Cancelled) if is_set(wish) => self.check().map(|()| None),
            done => done.map(Some),
        }
    }

    /// The same computation with the seed of a sub-task.
    pub fn child(self, name: &str, index: usize) -> Self {
        Run { seed: self.seed.child(name, index), ..self }
    }

    /// Reports an event.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the observer answers [`Flow::Stop`] or the stop flag is set.
    pub fn report(&self, event: &Event<'_>) -> Result<()> {
        if let Some(observer) = self.observer
            && observer.on(event) == Flow::Stop
        {
            return Err(Error::Cancelled);
        }
        self.check()
    }

    /// Does what cannot ask whether to go on (an eigenvalue problem of thousands of rows) on a thread of its own. When the stop flag is
    /// set meanwhile, nobody waits for it: the thread ends when the work does, and what it came to is dropped.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the stop flag is set.
    ///
    /// # Panics
    /// When the work does.
    pub(crate) fn aside<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        self.check()?;
        let (done, result) = sync_channel(1);
        // The receiver may have left.
        let worker = std::thread::Builder::new().name("npvar-aside".to_owned()).spawn(move || drop(done.send(work())));
        let worker = worker.expect("the system has room for another thread");
        loop {
            match result.recv_timeout(PATIENCE) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) if self.is_stopped() => return Err(Error::Cancelled),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let fault = worker.join().expect_err("it ended without a result");
                    std::panic::resume_unwind(fault);
                }
            }
        }
    }

    fn is_stopped(&self) -> bool {
        is_set(self.stop) || is_set(self.given_up)
    }

    /// Asks whether to go on; cheap enough for inner loops.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the stop flag is set.
    pub fn check(&self) -> Result<()> {
        let fewer = |left: usize| left.checked_sub(1);
        let used_up = |left: &AtomicUsize| left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_err();
        if self.is_stopped() || self.questions.is_some_and(used_up) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

fn is_set(wish: Option<&AtomicBool>) -> bool {
    wish.is_some_and(|wish| wish.load(Ordering::Relaxed))
}

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// The result may not mean what it seems to mean.
    Warning,
}

/// Something that did not stop the computation but that a reader of the result should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// A stable kebab-case name, for programs.
    pub code: String,
    /// A sentence, for people; names the columns concerned. What was noticed stands before the first semicolon, or colon
    /// where there is none; what follows from it stands after.
    pub message: String,
    /// What to do about it, where there is something to do. Options of `npvar learn` stand between backquotes and can be added to
    /// the command as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Diagnostic {
    /// Appends those that are not there yet.
    pub fn add_new(diagnostics: &mut Vec<Diagnostic>, more: impl IntoIterator<Item = Diagnostic>) {
        for diagnostic in more {
            if !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
    }

    /// What was noticed, without what follows from it.
    ///
    /// ```
    /// let found = npvar::Diagnostic::warning("few", "32 samples are few (see `a: b`): the order may be chance");
    /// assert_eq!(found.headline(), "32 samples are few (see `a: b`)");
    /// ```
    pub fn headline(&self) -> &str {
        let (mut quoted, mut depth, mut colon) = (false, 0_usize, None);
        for (at, letter) in self.message.char_indices() {
            match letter {
                '`' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth = depth.saturating_sub(1),
                ';' if !quoted && depth == 0 => return &self.message[..at],
                ':' if !quoted && depth == 0 && self.message[at + 1..].starts_with(' ') => colon = colon.or(Some(at)),
                _ => {}
            }
        }
        &self.message[..colon.unwrap_or(self.message.len())]
    }

    /// A warning.
    pub fn warning(code: &str, message: impl Into<String>) -> Self {
        Diagnostic { level: Level::Warning, code: code.to_owned(), message: message.into(), advice: None }
    }

    /// A remark.
    pub fn info(code: &str, message: impl Into<String>) -> Self {
        Diagnostic { level: Level::Info, code: code.to_owned(), message: message.into(), advice: None }
    }

    /// The same with advice.
    pub fn advise(self, advice: impl Into<String>) -> Self {
        Diagnostic { advice: Some(advice.into()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_stop_flag_cancels() {
        let stop = AtomicBool::new(false);
        let run = Run::new(Seed(1)).stopped_by(&stop);
        assert!(run.check().is_ok());
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(run.check(), Err(Error::Cancelled)));
    }

    #[test]
    fn work_aside_is_waited_for_until_the_flag_is_set() {
        let stop = AtomicBool::new(false);
        let run = Run::new(Seed(1)).stopped_by(&stop);
        assert_eq!(run.aside(|| 7).unwrap(), 7);
        // Ends only when the sender goes, which is after the run has been left.
        let (hold, held) = sync_channel::<()>(0);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| run.aside(move || held.recv().is_ok()));
            stop.store(true, Ordering::Relaxed);
            assert!(matches!(waiting.join().unwrap(), Err(Error::Cancelled)));
        });
        drop(hold);
        let fault = std::panic::catch_unwind(|| Run::new(Seed(1)).aside(|| assert_eq!(1, 2)));
        assert!(fault.is_err());
    }

    #[test]
    fn one_of_several_is_given_up_when_it_is_enough() {
        let enough = AtomicBool::new(true);
        let run = Run::new(Seed(1)).until(&enough);
        assert!(run.check().is_ok());
        assert!(matches!(run.given_up_when_enough().check(), Err(Error::Cancelled)));
    }

    #[test]
    fn what_can_be_left_undone_is_where_it_is_enough_or_there_is_a_hurry() {
        let [stop, enough, hurry] = [(); 3].map(|()| AtomicBool::new(false));
        let run = Run::new(Seed(1)).stopped_by(&stop).until(&enough).hurried_by(&hurry);
        let search = || run.unless_enough(|run| run.check().map(|()| 7));
        let look = || run.unless_hurried(|run| run.check().map(|()| 7));
        assert_eq!((search().unwrap(), look().unwrap()), (Some(7), Some(7)));
        enough.store(true, Ordering::Relaxed);
        assert_eq!((search().unwrap(), look().unwrap()), (None, Some(7)));
        assert!(run.given_up_in_a_hurry().check().is_ok());
        hurry.store(true, Ordering::Relaxed);
        assert_eq!((search().unwrap(), look().unwrap()), (None, None));
        assert!(run.check().is_ok() && matches!(run.given_up_in_a_hurry().check(), Err(Error::Cancelled)));
        // Other errors stay errors, and a stop is one.
        let broken = || run.unless_enough(|_| Err::<(), _>(Error::TooFewSamples { what: "it", needed: 2, n: 1 }));
        assert!(matches!(broken(), Err(Error::TooFewSamples { .. })));
        stop.store(true, Ordering::Relaxed);
        assert!(matches!((search(), look()), (Err(Error::Cancelled), Err(Error::Cancelled))));
    }

    #[test]
    fn an_observer_may_stop_the_run() {
        struct Impatient;
        impl Observer for Impatient {
            fn on(&self, _: &Event<'_>) -> Flow {
                Flow::Stop
            }
        }
        let run = Run::new(Seed(1)).observed(&Impatient);
        assert!(matches!(run.report(&Event::Selected { done: 1, nodes: 2 }), Err(Error::Cancelled)));
    }
}
