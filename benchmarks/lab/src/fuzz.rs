//! Bytes changed at random, thrown at a reader until the time is up: no panic, no endless work.
//!
//! This is no libFuzzer: it knows nothing of coverage, and reaches deep places only by keeping what a reader accepted and
//! changing that further. It needs nothing but the stable compiler. Huge allocations are found by running it with little address
//! space (`ulimit -v`): a reader that asks for more than there is aborts the program, and the input is in `last.bin`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// An input may take this long.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many accepted inputs are kept.
const KEPT: usize = 300;
/// The largest input.
const LARGEST: usize = 1 << 16;
/// Pieces that mean something to some reader.
const WORDS: &[&str] = &[
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "\"\"",
    "NaN",
    "NA",
    "inf",
    "-inf",
    "1e999",
    "-0",
    "1e-400",
    "\u{feff}",
    "0x",
    "[[",
    "]]",
    "{",
    "}",
    "[",
    "]",
    "=",
    ":",
    "->",
    "--",
    "<!--",
    "<![CDATA[",
    "&#0;",
    "&amp;",
    "&#x110000;",
    "digraph",
    "subgraph",
    "<node",
    "<edge",
    "</graph>",
    "null",
    "true",
    "-1",
    "18446744073709551616",
    "\\u0000",
    "\\ud800",
    "required",
    "tiers",
    "roots",
    "a",
    "X1",
    "\0",
    "PAR1",
    "ARROW1",
];

/// Options of a run, from the command line: `seconds=60 seed=1 only=NAME`.
pub struct Fuzz {
    seconds: f64,
    seed: u64,
    only: String,
    folder: PathBuf,
    findings: usize,
}

impl Fuzz {
    /// Reads `seconds=`, `seed=` and `only=` from the program's arguments.
    pub fn from_arguments() -> Result<Self, Box<dyn std::error::Error>> {
        let folder = std::env::temp_dir().join(format!("npvar-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut fuzz = Fuzz { seconds: 60.0, seed: 1, only: String::new(), folder, findings: 0 };
        for argument in std::env::args().skip(1) {
            match argument.split_once('=') {
                Some(("seconds", value)) => fuzz.seconds = value.parse()?,
                Some(("seed", value)) => fuzz.seed = value.parse()?,
                Some(("only", value)) => fuzz.only = value.to_owned(),
                _ => return Err(format!("unknown option `{argument}`").into()),
            }
        }
        // Panics are findings, not messages; a reader may also catch those of the crates it stands on.
        std::panic::set_hook(Box::new(|_| {}));
        Ok(fuzz)
    }

    /// The folder for inputs.
    pub fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    /// Tries one reader; `read` answers whether the input was accepted.
    pub fn target(&mut self, name: &str, seeds: Vec<Vec<u8>>, read: &dyn Fn(&[u8]) -> bool) {
        if !name.contains(&self.only) {
            return;
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let (mut corpus, first) = (seeds.clone(), seeds.len());
        let (mut tried, mut accepted) = (0_u64, 0_u64);
        let begun = Instant::now();
        while begun.elapsed().as_secs_f64() < self.seconds {
            let mut input = corpus[rng.random_range(0..corpus.len())].clone();
            for _ in 0..rng.random_range(1..=6) {
                change(&mut input, &corpus, &mut rng);
            }
            input.truncate(LARGEST);
            // There after an abort.
            let last = self.folder.join("last.bin");
            if let Err(error) = std::fs::write(&last, &input) {
                println!("{}: {error}", last.display());
                return;
            }
            let started = Instant::now();
            let outcome = catch_unwind(AssertUnwindSafe(|| read(&input)));
            tried += 1;
            match outcome {
                Ok(true) => {
                    accepted += 1;
                    if corpus.len() < first + KEPT {
                        corpus.push(input.clone());
                    } else {
                        let place = rng.random_range(first..corpus.len());
                        corpus[place] = input.clone();
                    }
                }
                Ok(false) => {}
                Err(_) => self.found(name, "panic", &input),
            }
            if started.elapsed() > PATIENCE {
                self.found(name, "slow", &input);
            }
        }
        println!("{name}: {tried} inputs in {:.0} s, {accepted} accepted", begun.elapsed().as_secs_f64());
    }

    fn found(&mut self, name: &str, what: &str, input: &[u8]) {
        self.findings += 1;
        let path = self.folder.join(format!("{name}-{what}-{}.bin", self.findings));
        let saved = std::fs::write(&path, input).is_ok();
        println!("FINDING {what} in {name}: {}{}", path.display(), if saved { "" } else { " (not saved)" });
    }

    /// Fails when something was found.
    pub fn finish(self) -> Result<(), Box<dyn std::error::Error>> {
        match self.findings {
            0 => {
                std::fs::remove_dir_all(&self.folder)?;
                println!("no finding");
                Ok(())
            }
            findings => Err(format!("{findings} findings in {}", self.folder.display()).into()),
        }
    }
}

fn change(input: &mut Vec<u8>, corpus: &[Vec<u8>], rng: &mut ChaCha8Rng) {
    let at = rng.random_range(0..=input.len());
    let end = (at + rng.random_range(0..=32)).min(input.len());
    match rng.random_range(0..9) {
        0 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
        1 if at < input.len() => input[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b',', b'-'][rng.random_range(0..9)],
        2 => drop(input.drain(at..end)),
        3 => {
            let piece = input[at..end].to_vec();
            let times = rng.random_range(1..20);
            (0..times).for_each(|_| drop(input.splice(at..at, piece.iter().copied())));
        }
        4 => {
            let word = WORDS[rng.random_range(0..WORDS.len())];
            drop(input.splice(at..at, word.bytes()));
        }
        5 => {
            let number =
                [0, 1, u64::from(u32::MAX), u64::MAX, i64::MAX as u64, 1 << 31, 1 << 40][rng.random_range(0..7)];
            let bytes = number.to_le_bytes();
            let width = [4, 8][rng.random_range(0..2)].min(input.len() - at);
            input[at..at + width].copy_from_slice(&bytes[..width]);
        }
        6 => {
            let other = &corpus[rng.random_range(0..corpus.len())];
            let from = rng.random_range(0..=other.len());
            let to = (from + rng.random_range(0..=64)).min(other.len());
            drop(input.splice(at..end, other[from..to].iter().copied()));
        }
        7 => input.truncate(at),
        _ => {
            let mut bytes = [0; 8];
            rng.fill_bytes(&mut bytes);
            let count = rng.random_range(1..=8);
            drop(input.splice(at..at, bytes[..count].iter().copied()));
        }
    }
}
