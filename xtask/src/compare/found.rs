//! What a program found in one file, ours or a peer's, and how far two such answers agree.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Edges between column positions from 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edges {
    pub(crate) directed: Vec<(usize, usize)>,
    pub(crate) undirected: Vec<(usize, usize)>,
    #[serde(default)]
    pub(crate) bidirected: Vec<(usize, usize)>,
    #[serde(default)]
    pub(crate) partially_directed: Vec<(usize, usize)>,
    #[serde(default)]
    pub(crate) undetermined: Vec<(usize, usize)>,
    #[serde(default)]
    pub(crate) partially_undirected: Vec<(usize, usize)>,
}

/// One answer. A peer's is the line that `benchmarks/peers.py` and `peers.R` print.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Found {
    /// The program and its version.
    pub(crate) version: String,
    /// The learning call, by the clock.
    pub(crate) seconds: f64,
    /// Its user and system time; ours is that of the whole process.
    pub(crate) cpu_seconds: Option<f64>,
    /// From starting the process to its end; only ours is measured.
    pub(crate) process_seconds: Option<f64>,
    #[serde(flatten)]
    pub(crate) edges: Edges,
    /// Sources first.
    pub(crate) order: Option<Vec<usize>>,
    /// What the learner minimises.
    pub(crate) objective: Option<f64>,
}

impl Found {
    /// CPU or elapsed time, whichever is smaller: on a busy machine the clock alone would flatter us.
    pub(crate) fn least_seconds(&self) -> f64 {
        self.cpu_seconds.map_or(self.seconds, |cpu| cpu.min(self.seconds))
    }
}

/// What two nodes have between them, seen from the smaller one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Out,
    In,
    Undirected,
    Bidirected,
    CircleOut,
    CircleIn,
    Undetermined,
    HalfOut,
    HalfIn,
}

impl Edges {
    pub(crate) fn len(&self) -> usize {
        self.marks().len()
    }

    fn marks(&self) -> BTreeMap<(usize, usize), Mark> {
        let pair = |(a, b): (usize, usize)| (a.min(b), a.max(b));
        let directed = self.directed.iter().map(|&(a, b)| (pair((a, b)), if a < b { Mark::Out } else { Mark::In }));
        let undirected = self.undirected.iter().map(|&edge| (pair(edge), Mark::Undirected));
        let bidirected = self.bidirected.iter().map(|&edge| (pair(edge), Mark::Bidirected));
        let turned = |edges: &[(usize, usize)], out: Mark, into: Mark| -> Vec<_> {
            edges.iter().map(|&(a, b)| (pair((a, b)), if a < b { out } else { into })).collect()
        };
        let circled = turned(&self.partially_directed, Mark::CircleOut, Mark::CircleIn)
            .into_iter()
            .chain(turned(&self.undetermined, Mark::Undetermined, Mark::Undetermined))
            .chain(turned(&self.partially_undirected, Mark::HalfOut, Mark::HalfIn));
        directed.chain(undirected).chain(bidirected).chain(circled).collect()
    }

    /// Structural Hamming distance: the pairs of nodes that do not have the same between them.
    pub(crate) fn distance(&self, other: &Edges) -> usize {
        let (ours, theirs) = (self.marks(), other.marks());
        let differ = ours.iter().filter(|(pair, mark)| theirs.get(pair) != Some(mark)).count();
        differ + theirs.keys().filter(|pair| !ours.contains_key(pair)).count()
    }
}

/// The graph of an adjacency table with a header, as `npvar simulate` writes it: row is parent, column is child.
pub(crate) fn read_truth(file: &Path) -> Result<Edges> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut edges = Edges::default();
    for (from, row) in text.lines().skip(1).enumerate() {
        let children = row.split(',').enumerate().filter(|(_, cell)| cell.trim() == "1");
        edges.directed.extend(children.map(|(to, _)| (from, to)));
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_missing_extra_and_turned_edges_once() {
        let one = Edges { directed: vec![(0, 1), (2, 1)], undirected: vec![(3, 4)], ..Edges::default() };
        let other = Edges { directed: vec![(1, 0), (5, 1)], undirected: vec![(4, 3)], ..Edges::default() };
        assert_eq!(one.distance(&one), 0);
        assert_eq!((one.distance(&other), other.distance(&one)), (3, 3));
    }

    #[test]
    fn a_peers_line_is_read() {
        let line = r#"{"peer": "x", "version": "x 1", "seconds": 2.0, "cpu_seconds": 1.5, "directed": [[0, 1]],
                       "undirected": [], "bidirected": [], "order": [0, 1]}"#;
        let found: Found = serde_json::from_str(line).unwrap();
        assert_eq!(found.edges.directed, [(0, 1)]);
        assert_eq!((found.least_seconds(), found.order), (1.5, Some(vec![0, 1])));
    }
}
