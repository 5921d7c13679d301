//! Ctrl-C: the first asks the computation to stop, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C sets the flag that is returned. Before this call it ends the process at once, which is right while
/// nothing but reading goes on.
pub(crate) fn stop_flag() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // A signal that is ignored from the start (`nohup`, a job in the background) stays ignored; without a handler Ctrl-C
    // ends the process as it always does.
    let _ = ctrlc::try_set_handler(handler);
    &STOP
}
