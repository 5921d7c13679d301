//! The table of `cargo xtask compare-peers --seeds N`: one learner and one peer over many data sets, as Markdown.

use std::fmt::Write;

use anyhow::Result;

use super::cases::Case;
use super::found::{Edges, Found};

/// One learner and one peer on the data sets of one setting.
pub(crate) struct Series {
    pub(crate) case: &'static Case,
    pub(crate) setting: &'static str,
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    pub(crate) pairs: Vec<Pair>,
    /// Seeds without an answer of the peer, and why.
    pub(crate) absent: Vec<(u64, String)>,
}

/// Two answers to one data set: the peer's, then ours.
pub(crate) struct Pair {
    distances: [usize; 2],
    edges: [usize; 2],
    objectives: Option<[f64; 2]>,
    seconds: [f64; 2],
}

impl Pair {
    pub(crate) fn new(theirs: &Found, ours: &Found, truth: &Edges) -> Self {
        let both = [theirs, ours];
        Self {
            distances: both.map(|found| found.edges.distance(truth)),
            edges: both.map(|found| found.edges.len()),
            objectives: theirs.objective.zip(ours.objective).map(|(theirs, ours)| [theirs, ours]),
            seconds: both.map(Found::least_seconds),
        }
    }
}

/// Means with their standard errors, differences pair by pair.
pub(crate) fn markdown(series: &[Series], npvar: &str) -> Result<String> {
    let mut text = String::new();
    writeln!(
        text,
        "- {npvar}; means ± standard errors over data sets, the peer's and ours; differences are ours less theirs,"
    )?;
    writeln!(text, "  pair by pair; seconds are means of CPU or elapsed time, whichever is smaller\n")?;
    let header = "| learner | data | d | n | data sets | peer | edges | SHD to the truth | difference | objective | difference | \
                  ours lower or equal | seconds |";
    writeln!(text, "{header}\n|{}", "---|".repeat(header.matches('|').count() - 1))?;
    for series in series {
        writeln!(text, "{}", row(series))?;
    }
    for series in series {
        for (seed, why) in &series.absent {
            writeln!(text, "\n{}, {}, seed {seed}: {why}", series.case.peer, series.setting)?;
        }
    }
    Ok(text)
}

fn row(series: &Series) -> String {
    let pairs = &series.pairs;
    let two = |of: &dyn Fn(&Pair) -> [f64; 2], digits: usize| {
        let side = |side: usize| with_error(&pairs.iter().map(|pair| of(pair)[side]).collect::<Vec<_>>(), digits);
        let difference: Vec<f64> = pairs.iter().map(|pair| of(pair)[1] - of(pair)[0]).collect();
        (format!("{} and {}", side(0), side(1)), with_error(&difference, digits))
    };
    let (edges, _) = two(&|pair| pair.edges.map(|count| count as f64), 1);
    let (distances, distance_difference) = two(&|pair| pair.distances.map(|distance| distance as f64), 2);
    let (seconds, _) = two(&|pair| pair.seconds, 2);
    let objectives: Vec<[f64; 2]> = pairs.iter().filter_map(|pair| pair.objectives).collect();
    let (objective, objective_difference) = if objectives.len() == pairs.len() {
        two(&|pair| pair.objectives.unwrap_or_default(), 4)
    } else {
        ("–".to_string(), "–".to_string())
    };
    // To seven digits: an optimiser's last ones mean nothing.
    let lower = objectives.iter().filter(|[theirs, ours]| *ours <= theirs * (1.0 + 1e-7)).count();
    format!(
        "| {} | {} | {} | {} | {} | {} | {edges} | {distances} | {distance_difference} | {objective} | {objective_difference} \
         | {lower} of {} | {seconds} |",
        series.case.learner,
        series.setting,
        series.nodes,
        series.samples,
        pairs.len(),
        series.case.peer,
        objectives.len()
    )
}

/// A mean and its standard error.
fn with_error(values: &[f64], digits: usize) -> String {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    format!("{mean:.digits$} ± {:.digits$}", (variance / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::cases::CASES;

    #[test]
    fn differences_are_taken_pair_by_pair() {
        let found = |directed: &[(usize, usize)], objective: f64| Found {
            edges: Edges { directed: directed.to_vec(), ..Edges::default() },
            objective: Some(objective),
            seconds: 1.0,
            ..Found::default()
        };
        let truth = Edges { directed: vec![(0, 1)], ..Edges::default() };
        let pairs = vec![
            Pair::new(&found(&[(0, 1)], 2.0), &found(&[(0, 1)], 1.0), &truth),
            Pair::new(&found(&[], 5.0), &found(&[(1, 0), (1, 2)], 6.0), &truth),
        ];
        let case = CASES.iter().find(|case| case.learner == "notears-mlp").expect("it has a case");
        let series = Series { case, setting: "ER-SIN-1", nodes: 3, samples: 9, pairs, absent: Vec::new() };
        let row = row(&series);
        assert!(row.contains("| 0.50 ± 0.50 and 1.00 ± 1.00 | 0.50 ± 0.50 |"), "{row}");
        assert!(row.contains("| 3.5000 ± 1.5000 and 3.5000 ± 2.5000 | 0.0000 ± 1.0000 | 1 of 2 |"), "{row}");
    }
}
