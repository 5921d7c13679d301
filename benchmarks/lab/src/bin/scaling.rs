//! Time of NPVAR (order + selection, reading excluded) against the number of nodes and samples, with fitted exponents.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin scaling -- 20,1000 40,1000 80,1000 160,1000
//! ```
//!
//! Each argument is `nodes,samples[,repetitions]`. Prints a Markdown table: best, median and worst of the repetitions, the
//! peak memory of the process so far, and the exponents of the least-squares fit `log time = a + b log d + c log n`.

use std::time::Instant;

use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut points = Vec::new();
    println!("| d | n | repetitions | best (ms) | median (ms) | worst (ms) | peak memory (MiB) |");
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    for argument in std::env::args().skip(1) {
        let numbers: Vec<usize> = argument.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let [d, n, rest @ ..] = &numbers[..] else { return Err("expected nodes,samples[,repetitions]".into()) };
        let repetitions = rest.first().copied().unwrap_or(1);
        let options = SimulateOptions { nodes: Some(*d), samples: *n, ..SimulateOptions::default() };
        let data = simulate("ER-SIN-4".parse()?, &options, Seed(1))?.data;
        let mut times = Vec::new();
        for _ in 0..repetitions {
            let start = Instant::now();
            npvar::learn(&data, &Run::new(Seed(1)))?;
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let (best, median, worst) = (times[0], times[repetitions / 2], times[repetitions - 1]);
        println!("| {d} | {n} | {repetitions} | {best:.2} | {median:.2} | {worst:.2} | {:.0} |", peak_mebibytes());
        points.push(([1.0, (*d as f64).ln(), (*n as f64).ln()], median.ln()));
    }
    if let Some([_, d, n]) = fit(&points) {
        println!("\ntime ~ d^{d:.2} n^{n:.2}");
    }
    Ok(())
}

/// The process's largest resident set, from the kernel's own account; 0 where there is none.
fn peak_mebibytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Least squares by the normal equations; none when `d` or `n` does not vary.
fn fit(points: &[([f64; 3], f64)]) -> Option<[f64; 3]> {
    let mut system = [[0.0; 4]; 3];
    for (x, y) in points {
        for i in 0..3 {
            for j in 0..3 {
                system[i][j] += x[i] * x[j];
            }
            system[i][3] += x[i] * y;
        }
    }
    for i in 0..3 {
        if system[i][i].abs() < 1e-9 {
            return None;
        }
        for j in (0..3).filter(|&j| j != i) {
            let factor = system[j][i] / system[i][i];
            for k in 0..4 {
                system[j][k] -= factor * system[i][k];
            }
        }
    }
    Some(std::array::from_fn(|i| system[i][3] / system[i][i]))
}
