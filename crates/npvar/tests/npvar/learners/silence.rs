//! For how long a run does not ask whether to go on, in CPU seconds of the one thread that it has. Linux.

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use npvar::data::Dataset;
use npvar::judge::{AskedEvidence, Question, Stopwatch, answer};
use npvar::learner::LearnerConfig;
use npvar::{Error, Run, Seed};

/// How a run that was stopped went.
pub(super) struct Silence {
    /// CPU seconds in all.
    pub(super) seconds: f64,
    pub(super) questions: usize,
    /// The longest time between two questions.
    pub(super) longest: f64,
    pub(super) end: End,
}

/// What came first.
pub(super) enum End {
    Done,
    Refused(Error),
    /// The wish to stop, and so many seconds later the end.
    Stopped(f64),
}

impl Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Done => write!(f, "done before"),
            End::Refused(error) => write!(f, "refused: {error}"),
            End::Stopped(seconds) => write!(f, "{seconds:.2}"),
        }
    }
}

/// Asks for a graph, doubts and curves, and stops the run after so many CPU seconds.
pub(super) fn silence(config: &LearnerConfig, data: &Dataset, seconds: f64) -> Silence {
    let (stop, left, over) = (AtomicBool::new(false), AtomicUsize::new(usize::MAX), AtomicBool::new(false));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    std::thread::scope(|scope| {
        let (stop, left, over, pool) = (&stop, &left, &over, &pool);
        let (tell, told) = sync_channel(1);
        let worker = scope.spawn(move || {
            pool.install(|| {
                let own = std::fs::read_link("/proc/thread-self").expect("this is Linux");
                tell.send(own).expect("it is waited for");
                let begun = Instant::now();
                let clock = || begun.elapsed();
                let run = Run::new(Seed(1)).stopped_by(stop).stopped_after(left);
                let question = Question { evidence: AskedEvidence::Curves, ..Question::new(data) };
                let answered = answer(config, &question, &Stopwatch::start(&clock), &run).map(drop);
                over.store(true, Ordering::Relaxed);
                answered
            })
        });
        let thread = std::path::Path::new("/proc").join(told.recv().expect("the thread has begun"));
        let mut now = cpu_seconds(&thread);
        let (begun, mut heard, mut asked, mut longest, mut stopped) = (now, now, usize::MAX, 0.0_f64, None);
        while !over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
            let questions = left.load(Ordering::Relaxed);
            now = cpu_seconds(&thread).max(now);
            longest = longest.max(now - heard);
            if questions != asked {
                (asked, heard) = (questions, now);
            }
            if now - begun > seconds && stopped.is_none() {
                stop.store(true, Ordering::Relaxed);
                stopped = Some(now);
            }
        }
        let now = cpu_seconds(&thread).max(now);
        let end = match (worker.join().expect("no learner panics"), stopped) {
            (Ok(()), _) => End::Done,
            (Err(Error::Cancelled), Some(stopped)) => End::Stopped(now - stopped),
            (Err(error), _) => End::Refused(error),
        };
        Silence { seconds: now - begun, questions: usize::MAX - left.load(Ordering::Relaxed), longest, end }
    })
}

/// The CPU time that a thread has had; none once it is over.
fn cpu_seconds(thread: &std::path::Path) -> f64 {
    const TICKS: f64 = 100.0;
    let state = std::fs::read_to_string(thread.join("stat")).unwrap_or_default();
    // After the name, which may hold anything, in parentheses: the times are fields 14 and 15.
    let fields: Vec<&str> = state[state.rfind(')').unwrap_or(0)..].split(' ').collect();
    fields.iter().skip(12).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS
}
