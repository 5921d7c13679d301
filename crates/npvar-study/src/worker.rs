//! The worker process: reads tasks, one JSON object a line, and answers each with a row.
//!
//! One cell at a time on one thread, so that seconds and memory belong to it. When its input ends the process ends at once, in
//! the middle of a cell if need be: a study that was killed leaves no workers behind.

use std::io::{BufRead, Write};
use std::sync::mpsc;

use crate::cell::Task;
use crate::measure::Measurer;

/// Works until standard input ends; never returns before.
///
/// # Errors
/// When an answer cannot be written or the thread pool cannot be built.
pub fn work() -> std::io::Result<()> {
    // A panic is an answer (status `crash`), not a text on the terminal.
    std::panic::set_hook(Box::new(|_| {}));
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().map_err(std::io::Error::other)?;
    let (send, tasks) = mpsc::channel::<Task>();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Some(task) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else { break };
            if send.send(task).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    let mut measurer = Measurer::default();
    let mut stdout = std::io::stdout();
    for task in tasks {
        let row = serde_json::to_string(&measurer.measure(&task))?;
        writeln!(stdout, "{row}")?;
        stdout.flush()?;
    }
    Ok(())
}
