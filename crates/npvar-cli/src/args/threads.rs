//! How many threads a command may use.

/// Starting thousands takes longer than most runs, and no machine has so many cores.
const MOST_THREADS: usize = 512;

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        Ok(_) => Err(format!("{MOST_THREADS} threads are the most; 0 is one for every core")),
        Err(_) => Err("expected a whole number".to_owned()),
    }
}
