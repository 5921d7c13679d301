//! The table of `cargo xtask compare-peers`, as Markdown.

use std::fmt::Write;
use std::thread;

use anyhow::Result;

use super::cases::{Case, Clock, Promise};
use super::found::{Edges, Found};
use super::ours::LEAST_CPU_SECONDS;
use super::r_report::{decimals, processor, spread};
use crate::command::{command, output};

/// One learner, one peer, one file.
pub(crate) struct Cell {
    pub(crate) case: &'static Case,
    pub(crate) setting: &'static str,
    pub(crate) nodes: usize,
    pub(crate) samples: usize,
    pub(crate) peer: Vec<Found>,
    /// Why the peer has no figures.
    pub(crate) no_peer: Option<NoPeer>,
    pub(crate) ours: Vec<Found>,
    /// Why we have no figures.
    pub(crate) failure: Option<String>,
    pub(crate) agreement: Option<Agreement>,
}

pub(crate) enum NoPeer {
    TooLong,
    Absent(String),
}

/// How far two answers to one file agree.
#[derive(Debug, PartialEq)]
pub(crate) struct Agreement {
    same_order: Option<bool>,
    /// The distance between the graphs; nothing where only orders are learned.
    distance: Option<usize>,
    /// The peer's and our number of edges.
    edges: (usize, usize),
    /// The peer's and our distance to the true graph, for learners of a DAG.
    to_truth: Option<(usize, usize)>,
    /// The peer's and our score, higher being better.
    scores: Option<(f64, f64)>,
    /// The peer's and our objective, lower being better.
    objectives: Option<(f64, f64)>,
}

impl Cell {
    pub(crate) fn new(case: &'static Case, setting: &'static str, nodes: usize, samples: usize) -> Self {
        let (peer, ours) = (Vec::new(), Vec::new());
        Self { case, setting, nodes, samples, peer, no_peer: None, ours, failure: None, agreement: None }
    }

    /// Why there is nothing to compare, where there is nothing.
    pub(crate) fn why_not(&self) -> Option<String> {
        let no_peer = self.no_peer.as_ref().map(|why| match why {
            NoPeer::TooLong => "the peer ran longer than it may".to_string(),
            NoPeer::Absent(why) => why.clone(),
        });
        self.failure.clone().or(no_peer)
    }

    /// How the two answers differ beyond what is stated of them, where they do.
    pub(crate) fn broken_promise(&self) -> Option<String> {
        let agreement = self.agreement.as_ref()?;
        if agreement.keeps(self.case.promise) {
            return None;
        }
        let (learner, peer, setting, nodes) = (self.case.learner, self.case.peer, self.setting, self.nodes);
        Some(format!("{learner} against {peer}, {setting}, {nodes} nodes: {}", agreement.sentence()))
    }
}

impl Agreement {
    pub(crate) fn new(case: &Case, theirs: &Found, ours: &Found, truth: &Edges, scores: Option<(f64, f64)>) -> Self {
        let order_only = case.clock == Clock::Order;
        let class = matches!(case.learner, "pc" | "ges" | "gsges");
        let to_truth = (theirs.edges.distance(truth), ours.edges.distance(truth));
        Self {
            same_order: theirs.order.as_ref().zip(ours.order.as_ref()).map(|(theirs, ours)| theirs == ours),
            distance: (!order_only).then(|| ours.edges.distance(&theirs.edges)),
            edges: (theirs.edges.len(), ours.edges.len()),
            to_truth: (!order_only && !class).then_some(to_truth),
            scores,
            objectives: theirs.objective.zip(ours.objective),
        }
    }

    fn keeps(&self, promise: Promise) -> bool {
        let (graph, order) = (self.distance == Some(0), self.same_order == Some(true));
        match promise {
            Promise::Graph => graph,
            Promise::Order => order,
            Promise::OrderAndGraph => graph && order,
            // The same graph has the same score but for rounding.
            Promise::Score => graph || self.scores.is_some_and(|(theirs, ours)| ours >= theirs),
            Promise::Nothing => true,
        }
    }

    pub(crate) fn sentence(&self) -> String {
        let mut parts = Vec::new();
        match self.same_order {
            Some(true) => parts.push("same order".to_string()),
            Some(false) => parts.push("other order".to_string()),
            None => {}
        }
        match self.distance {
            Some(0) => parts.push("same graph".to_string()),
            Some(distance) => parts.push(format!("SHD {distance}, {} and {} edges", self.edges.0, self.edges.1)),
            None => {}
        }
        if let Some((theirs, ours)) = self.to_truth {
            parts.push(format!("SHD to the truth {theirs} and {ours}"));
        }
        if let Some((theirs, ours)) = self.scores {
            parts.push(format!("score {theirs:.3} and {ours:.3}"));
        }
        if let Some((theirs, ours)) = self.objectives {
            parts.push(format!("objective {theirs:.5} and {ours:.5}"));
        }
        parts.join("; ")
    }
}

/// Where, with what, and the table.
pub(crate) fn markdown(cells: &[Cell], npvar: &str, repeats: usize, threads: usize, limit: u64) -> Result<String> {
    let rustc = output(command("rustc").arg("--version"))?;
    let cores = thread::available_parallelism().map_or("an unknown number of".to_string(), |cores| cores.to_string());
    let mut text = String::new();
    writeln!(text, "- Machine: {}, {cores} cores; {npvar}, {}", processor(), rustc.trim())?;
    writeln!(
        text,
        "- Runs: {repeats} of each program on each file, taking turns, {threads} thread(s); median (smallest–largest)"
    )?;
    writeln!(
        text,
        "- Seconds: the learning call, without starting the program and reading the file; \"process\" has both"
    )?;
    writeln!(
        text,
        "- Both: CPU or elapsed time, whichever is smaller, so that other work on the machine does not count; the peer's after a \
         call to warm up, ours without one. Our CPU time is that of the whole process, taken from {LEAST_CPU_SECONDS} s on"
    )?;
    writeln!(text, "- Ratio: the smallest of the peer's to the smallest of ours")?;
    writeln!(text, "- Pairs of figures under agreement are the peer's and ours\n")?;
    let header = "| learner | options | data | d | n | peer | peer (s) | npvar (s) | process (s) | ratio | agreement |";
    writeln!(text, "{header}\n|{}", "---|".repeat(header.matches('|').count() - 1))?;
    for cell in cells {
        writeln!(text, "{}", row(cell, limit))?;
    }
    Ok(text)
}

fn row(cell: &Cell, limit: u64) -> String {
    let case = cell.case;
    let peer_name = match cell.peer.first() {
        Some(run) => format!("{} ({})", case.peer, run.version),
        None => case.peer.to_string(),
    };
    let peer = match &cell.no_peer {
        Some(NoPeer::TooLong) => format!("> {limit}"),
        Some(NoPeer::Absent(_)) => "–".to_string(),
        None => spread(cell.peer.iter().map(Found::least_seconds), decimals),
    };
    let least = |runs: &[Found]| runs.iter().map(Found::least_seconds).reduce(f64::min);
    let ratio = match (&cell.no_peer, least(&cell.peer), least(&cell.ours)) {
        (Some(NoPeer::TooLong), _, Some(ours)) => format!("> {:.0}", limit as f64 / ours),
        (None, Some(peer), Some(ours)) => decimals(peer / ours),
        _ => "–".to_string(),
    };
    let agreement = match (&cell.failure, &cell.no_peer, &cell.agreement) {
        (Some(failure), ..) => format!("**npvar failed**: {}", failure.replace(['\n', '|'], " ")),
        (None, Some(NoPeer::Absent(why)), _) => format!("skipped: {}", why.replace(['\n', '|'], " ")),
        (None, _, Some(agreement)) => agreement.sentence(),
        (None, _, None) => "–".to_string(),
    };
    let ours = spread(cell.ours.iter().map(Found::least_seconds), decimals);
    let process = spread(cell.ours.iter().filter_map(|run| run.process_seconds), decimals);
    let options = case.settings.join(" ");
    let clock = if case.clock == Clock::Order { ", order alone" } else { "" };
    format!(
        "| {}{clock} | {options} | {} | {} | {} | {peer_name} | {peer} | {ours} | {process} | {ratio} | {agreement} |",
        case.learner, cell.setting, cell.nodes, cell.samples
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::cases::CASES;

    fn found(seconds: f64, directed: &[(usize, usize)]) -> Found {
        let edges = Edges { directed: directed.to_vec(), ..Edges::default() };
        Found { version: "x 1".to_string(), seconds, edges, order: Some(vec![0, 1]), ..Found::default() }
    }

    fn cell(learner: &str) -> Cell {
        let case = CASES.iter().find(|case| case.learner == learner).expect("the learner has a case");
        Cell::new(case, case.data[0], 2, case.samples)
    }

    #[test]
    fn a_dag_is_also_held_to_the_truth() {
        let mut cell = cell("cam");
        cell.peer = vec![found(3.0, &[(0, 1)]), found(2.0, &[(0, 1)])];
        cell.ours = vec![found(0.5, &[(1, 0)])];
        let truth = Edges { directed: vec![(1, 0)], ..Edges::default() };
        cell.agreement = Some(Agreement::new(cell.case, &cell.peer[0], &cell.ours[0], &truth, None));
        let row = row(&cell, 600);
        assert!(row.contains("| 2.50 (2.00–3.00) | 0.500 |"), "{row}");
        assert!(row.ends_with("| 4.00 | same order; SHD 1, 1 and 1 edges; SHD to the truth 1 and 0 |"), "{row}");
    }

    #[test]
    fn another_answer_than_stated_is_named() {
        let mut cell = cell("pc");
        cell.peer = vec![found(3.0, &[(0, 1)])];
        cell.ours = vec![found(0.5, &[(1, 0)])];
        assert_eq!(cell.broken_promise(), None, "nothing was compared");
        let agreement =
            |cell: &Cell, scores| Agreement::new(cell.case, &cell.peer[0], &cell.ours[0], &Edges::default(), scores);
        cell.agreement = Some(agreement(&cell, None));
        assert!(cell.broken_promise().unwrap().contains("SHD 1"), "the graphs differ");
        let scored = |ours| agreement(&cell, Some((-10.0, ours)));
        assert!(scored(-9.0).keeps(Promise::Score) && !scored(-11.0).keeps(Promise::Score));
        assert!(scored(-11.0).keeps(Promise::Order) && !scored(-9.0).keeps(Promise::OrderAndGraph));
        cell.ours = cell.peer.clone();
        cell.agreement = Some(agreement(&cell, None));
        assert_eq!(cell.broken_promise(), None);
    }

    #[test]
    fn a_peer_that_is_absent_or_too_slow_says_so() {
        let mut cell = cell("pc");
        cell.ours = vec![found(0.5, &[])];
        cell.no_peer = Some(NoPeer::TooLong);
        assert!(row(&cell, 600).contains("| > 600 | 0.500 |  | > 1200 |"), "{}", row(&cell, 600));
        cell.no_peer = Some(NoPeer::Absent("no R".to_string()));
        assert!(row(&cell, 600).ends_with("| – | skipped: no R |"));
    }
}
