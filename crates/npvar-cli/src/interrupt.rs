//! Ctrl-C: the first asks the computation to stop, the second ends the process. A search that keeps the best it has found is asked
//! to end with that before.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::output;

static STOP: AtomicBool = AtomicBool::new(false);
static ENOUGH: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that is returned. Before this call it ends the process at once, which is right while
/// nothing but reading goes on.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    on_ctrl_c(stop);
    &STOP
}

/// From now on the first Ctrl-C sets the flag that is returned, the next one that of [`stop_flag`].
pub(crate) fn enough_flag() -> &'static AtomicBool {
    on_ctrl_c(|| match ENOUGH.swap(true, Ordering::Relaxed) {
        true => stop(),
        false => output::tell("stopping: the best found so far is looked at and shown; Ctrl-C again gives it up"),
    });
    &ENOUGH
}

/// The flag of [`enough_flag`] is set after this long too.
pub(crate) fn enough_after(budget: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(budget);
        ENOUGH.store(true, Ordering::Relaxed);
    });
}

fn stop() {
    if STOP.swap(true, Ordering::Relaxed) {
        std::process::exit(130);
    }
}

fn on_ctrl_c(handler: impl FnMut() + Send + 'static) {
    // A signal that is ignored from the start (`nohup`, a job in the background) stays ignored; without a handler Ctrl-C
    // ends the process as it always does. The first handler stays.
    let _ = ctrlc::try_set_handler(handler);
}
