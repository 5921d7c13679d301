//! Categories in tables: taken as categories, left out, and taken for numbers.
//!
//! ```text
//! cargo run --release -p npvar-lab --bin mixed_tables -- 20
//! ```
//!
//! The argument is the number of seeds (20). Two categories of four words each and six columns of numbers; every column of
//! numbers is the sum of functions of up to two columns before it, of an effect for every word of up to one category, and of
//! noise with variance 0.5. The functions are sines, squares or lines. The words' effects are normal with variance 1.5, so
//! that their alphabetical order says nothing about them. Prints Markdown: wrong edges (missing, extra, turned) among all
//! columns, and among the columns of numbers only.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use npvar::data::{Categories, ColumnChoice, ReadOptions, read};
use npvar::judge::{Question, Stopwatch, answer};
use npvar::learner::{Assignment, LearnerConfig};
use npvar::{Run, Seed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

type Failure = Box<dyn std::error::Error>;
type Edges = BTreeSet<(String, String)>;

const ROWS: usize = 500;
const NUMBERS: usize = 6;
const CATEGORIES: usize = 2;
const WORDS: [&str; 4] = ["blue", "green", "red", "white"];

struct Sample {
    /// The table with words, and with their places in the alphabet.
    words: String,
    codes: String,
    truth: Edges,
}

fn main() -> Result<(), Failure> {
    let seeds: u64 = std::env::args().nth(1).map_or(Ok(20), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("npvar-mixed-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut out = std::io::stdout();
    writeln!(out, "| functions | columns | categories | left out | codes, each with its effect | codes as numbers |")?;
    writeln!(out, "|---|---|---:|---:|---:|---:|")?;
    for functions in ["sine", "square", "line"] {
        let mut wrong = [[0.0; 4]; 2];
        for seed in 1..=seeds {
            let sample = sample(functions, seed);
            let (words, codes) = (folder.join("words.csv"), folder.join("codes.csv"));
            std::fs::write(&words, &sample.words)?;
            std::fs::write(&codes, &sample.codes)?;
            let numbers = ReadOptions { categories: Categories::LeftOut, ..ReadOptions::default() };
            let all = ReadOptions { columns: ColumnChoice::All, ..ReadOptions::default() };
            let spline = ["estimator.few-valued=spline", "selection.few-valued=spline"];
            let found = [
                learned(&words.to_string_lossy(), &all, &[], seed)?,
                learned(&words.to_string_lossy(), &numbers, &[], seed)?,
                learned(&codes.to_string_lossy(), &all, &[], seed)?,
                learned(&codes.to_string_lossy(), &all, &spline, seed)?,
            ];
            for (way, found) in found.iter().enumerate() {
                let between = |edges: &Edges| -> Edges {
                    let is_number = |name: &String| name.starts_with('x');
                    edges.iter().filter(|(from, to)| is_number(from) && is_number(to)).cloned().collect()
                };
                wrong[0][way] += distance(found, &sample.truth) as f64 / seeds as f64;
                wrong[1][way] += distance(&between(found), &between(&sample.truth)) as f64 / seeds as f64;
            }
        }
        for (columns, wrong) in ["all", "numbers"].iter().zip(wrong) {
            let cells: Vec<String> = wrong.iter().map(|mean| format!("{mean:.2}")).collect();
            writeln!(out, "| {functions} | {columns} | {} |", cells.join(" | "))?;
        }
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn learned(path: &str, options: &ReadOptions, set: &[&str], seed: u64) -> Result<Edges, Failure> {
    let loaded = read(path, options)?;
    let assignments = set.iter().map(|text| Assignment::parse(text)).collect::<npvar::Result<Vec<_>>>()?;
    let config = LearnerConfig::resolve("npvar", &assignments)?;
    let clock = || Duration::ZERO;
    let answer = answer(&config, &Question::new(&loaded), &Stopwatch::start(&clock), &Run::new(Seed(seed)))?;
    Ok(answer.document.edges.into_iter().map(|edge| (edge.from, edge.to)).collect())
}

/// Pairs that are joined in one graph and not, or the other way, in the other.
fn distance(found: &Edges, truth: &Edges) -> usize {
    let turned = |(from, to): &(String, String)| (to.clone(), from.clone());
    let wrong = found.iter().filter(|edge| !truth.contains(edge)).count();
    wrong + truth.iter().filter(|edge| !found.contains(edge) && !found.contains(&turned(edge))).count()
}

fn sample(functions: &str, seed: u64) -> Sample {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = {
        let mut rng = ChaCha8Rng::seed_from_u64(seed + 1_000_000);
        move || -> f64 { StandardNormal.sample(&mut rng) }
    };
    let words: Vec<Vec<usize>> =
        (0..CATEGORIES).map(|_| (0..ROWS).map(|_| rng.random_range(0..WORDS.len())).collect()).collect();
    let (mut numbers, mut truth): (Vec<Vec<f64>>, Edges) = (Vec::new(), Edges::new());
    for j in 0..NUMBERS {
        let mut column: Vec<f64> = (0..ROWS).map(|_| 0.5_f64.sqrt() * normal()).collect();
        let parents: BTreeSet<usize> = (0..2_usize.min(j)).map(|_| rng.random_range(0..j)).collect();
        for parent in parents {
            truth.insert((format!("x{parent}"), format!("x{j}")));
            let effect = |x: f64| match functions {
                "sine" => 1.5 * x.sin(),
                "square" => 0.5 * (x * x - 1.0).clamp(-3.0, 3.0),
                _ => 0.8 * x,
            };
            column.iter_mut().zip(&numbers[parent]).for_each(|(y, &x)| *y += effect(x));
        }
        let category = rng.random_range(0..=CATEGORIES);
        if category < CATEGORIES {
            truth.insert((format!("k{category}"), format!("x{j}")));
            let effects: Vec<f64> = WORDS.iter().map(|_| 1.5_f64.sqrt() * normal()).collect();
            column.iter_mut().zip(&words[category]).for_each(|(y, &word)| *y += effects[word]);
        }
        numbers.push(column);
    }
    // Columns in an order that says nothing.
    let header = (0..NUMBERS).rev().map(|j| format!("x{j}")).chain((0..CATEGORIES).map(|k| format!("k{k}")));
    let header = header.collect::<Vec<_>>().join(",") + "\n";
    let table = |word: &dyn Fn(usize) -> String| {
        let row = |i: usize| {
            let cells = (0..NUMBERS).rev().map(|j| numbers[j][i].to_string());
            cells.chain(words.iter().map(|column| word(column[i]))).collect::<Vec<_>>().join(",") + "\n"
        };
        header.clone() + &(0..ROWS).map(row).collect::<String>()
    };
    Sample { words: table(&|word| WORDS[word].to_owned()), codes: table(&|word| word.to_string()), truth }
}
