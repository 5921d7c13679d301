//! Memory, as Linux counts it; on other systems nothing is known, and the column stays empty.
//!
//! A cell's figure is the largest resident memory of its process while it learned: the kernel's high-water mark (`VmHWM`), set
//! back before every cell. It contains the program itself (some 10 MiB) and what the allocator kept from cells before; a
//! worker that keeps much is replaced.

use std::fs;

const MIB: f64 = 1024.0 * 1024.0;

/// Sets this process's high-water mark back to what it holds now; whether that worked.
pub(crate) fn reset_peak() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// This process's high-water mark, in MiB.
pub(crate) fn peak_mib() -> Option<f64> {
    status_bytes("self", "VmHWM:").map(|bytes| (bytes as f64 / MIB * 10.0).round() / 10.0)
}

/// What a process holds now, in bytes.
pub(crate) fn resident(process: u32) -> Option<u64> {
    status_bytes(&process.to_string(), "VmRSS:")
}

/// What the machine can still give, in bytes.
pub(crate) fn available() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn status_bytes(process: &str, key: &str) -> Option<u64> {
    kilobytes(&fs::read_to_string(format!("/proc/{process}/status")).ok()?, key)
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_vector_shows_in_the_peak_and_a_reset_forgets_it() {
        assert!(reset_peak());
        let before = peak_mib().unwrap();
        let filled = vec![1_u8; 64 << 20];
        assert!(filled.iter().all(|&byte| byte == 1));
        assert!(peak_mib().unwrap() > before + 60.0);
        drop(filled);
        assert!(reset_peak());
        assert!(peak_mib().unwrap() < before + 30.0);
        assert!(resident(std::process::id()).unwrap() > 0 && available().unwrap() > 0);
    }
}
