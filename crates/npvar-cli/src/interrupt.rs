//! Ctrl-C, and the signals by which a system ends a program: the first asks the computation to stop, the second ends the
//! process. A search that keeps the best it has found is asked to end with that before, by Ctrl-C alone, and soon after not
//! even to look at it any longer.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

use crate::output;

/// What a signal leaves behind.
struct Stop {
    asked: Arc<AtomicBool>,
    /// 128 and the signal's number.
    status: Arc<AtomicUsize>,
    /// By which Ctrl-C sets `asked`, where it is heeded.
    ctrl_c: Option<SigId>,
}

static STOP: OnceLock<Stop> = OnceLock::new();
static ENOUGH: AtomicBool = AtomicBool::new(false);
static HURRY: AtomicBool = AtomicBool::new(false);

/// Whether a computation goes on that has nothing to lose.
static COMPUTING: Mutex<bool> = Mutex::new(false);

/// How often the flag is looked at, and how long a computation may take to notice it before the process ends without it.
const LOOK: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_millis(600);

/// From now on Ctrl-C, SIGTERM and SIGHUP set the flag that is returned. Before this call they end the process at once,
/// which is right as long as it has made no file.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    &STOP.get_or_init(listen).asked
}

/// From now on the first Ctrl-C sets the flag that is returned, the next one that of [`stop_flag`]; other signals set that at
/// once.
pub(crate) fn enough_flag() -> &'static AtomicBool {
    static SOFTENED: Once = Once::new();
    let stop = STOP.get_or_init(listen);
    SOFTENED.call_once(|| {
        let Some(hard) = stop.ctrl_c else { return };
        let pressed = Arc::<AtomicBool>::default();
        let seen = Arc::clone(&pressed);
        let listener = std::thread::Builder::new().name("enough".to_owned());
        // Where either fails, Ctrl-C cancels as it does elsewhere.
        if listener.spawn(move || heed_presses(&seen)).is_ok() && flag::register(SIGINT, pressed).is_ok() {
            low_level::unregister(hard);
        }
    });
    &ENOUGH
}

/// Set when what Ctrl-C left to be done has taken long enough: it is shown as it is then.
pub(crate) fn hurry_flag() -> &'static AtomicBool {
    &HURRY
}

/// The flag of [`enough_flag`] is set after this long too.
pub(crate) fn enough_after(budget: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(budget);
        ENOUGH.store(true, Ordering::Relaxed);
    });
}

fn heed_presses(pressed: &AtomicBool) {
    let wait = || {
        while !pressed.swap(false, Ordering::Relaxed) {
            std::thread::sleep(LOOK);
        }
    };
    wait();
    ENOUGH.store(true, Ordering::Relaxed);
    output::tell("stopping: the best found so far is shown; Ctrl-C again gives it up");
    std::thread::spawn(|| {
        std::thread::sleep(PATIENCE);
        HURRY.store(true, Ordering::Relaxed);
    });
    wait();
    STOP.get_or_init(listen).asked.store(true, Ordering::Relaxed);
}

/// The exit status of a run that was stopped, as shells give it to a program that a signal ended: 130 after Ctrl-C, 143
/// after SIGTERM, 129 after SIGHUP.
pub(crate) fn status() -> u8 {
    let number = STOP.get().map_or(0, |stop| stop.status.load(Ordering::Relaxed));
    u8::try_from(number).ok().filter(|&status| status > 0).unwrap_or(128 + SIGINT as u8)
}

/// Does `work`, which heeds the flag and writes nothing. Where it is in the middle of something long when the flag is set
/// (the factor of a large matrix), the process ends without it, so that it stops within a second at any size.
pub(crate) fn computing<T>(work: impl FnOnce() -> T) -> T {
    static WATCHED: Once = Once::new();
    let set = |computing| *COMPUTING.lock().unwrap_or_else(PoisonError::into_inner) = computing;
    stop_flag();
    WATCHED.call_once(|| drop(std::thread::Builder::new().name("interrupt".to_owned()).spawn(watch)));
    set(true);
    let done = work();
    set(false);
    done
}

fn watch() {
    while !stop_flag().load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
    std::thread::sleep(PATIENCE);
    // Held to the end, so that nothing begins to be written meanwhile.
    let computing = COMPUTING.lock().unwrap_or_else(PoisonError::into_inner);
    if *computing {
        output::tell("error: cancelled");
        std::process::exit(i32::from(status()));
    }
}

fn listen() -> Stop {
    let mut stop = Stop { asked: Arc::default(), status: Arc::default(), ctrl_c: None };
    for signal in heeded() {
        // Where a handler cannot be set, the signal ends the process as it always does.
        let registered = stop.listen_to(signal, &|| ());
        if signal == SIGINT {
            stop.ctrl_c = registered.ok();
        }
    }
    stop
}

impl Stop {
    /// One after the other: the status, the end of the process by a second signal, the flag. A signal that comes when only
    /// some are set (`meanwhile`) no longer ends the process, and must not be lost: the status tells of it.
    fn listen_to(&self, signal: i32, meanwhile: &dyn Fn()) -> std::io::Result<SigId> {
        let status = 128 + signal;
        flag::register_usize(signal, Arc::clone(&self.status), status as usize)?;
        meanwhile();
        flag::register_conditional_shutdown(signal, status, Arc::clone(&self.asked))?;
        meanwhile();
        let registered = flag::register(signal, Arc::clone(&self.asked));
        if self.status.load(Ordering::Relaxed) > 0 {
            self.asked.store(true, Ordering::Relaxed);
        }
        registered
    }
}

/// The signals to listen to. One that is ignored from the start (`nohup`, a job in the background) stays ignored.
#[cfg(target_os = "linux")]
fn heeded() -> Vec<i32> {
    let state = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = state.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let all = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
    all.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}

/// The signals to listen to. SIGHUP, which `nohup` ignores, is left as it is where that cannot be asked.
#[cfg(not(target_os = "linux"))]
fn heeded() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

#[cfg(test)]
mod tests {
    use signal_hook::consts::SIGCONT;

    use super::*;

    /// A signal that does nothing where nobody listens.
    #[test]
    fn a_signal_that_comes_while_the_program_begins_to_listen_is_not_lost() {
        let stop = Stop { asked: Arc::default(), status: Arc::default(), ctrl_c: None };
        stop.listen_to(SIGCONT, &|| low_level::raise(SIGCONT).unwrap()).unwrap();
        assert!(stop.asked.load(Ordering::Relaxed));
    }
}
