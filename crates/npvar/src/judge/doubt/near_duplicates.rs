//! Columns that say almost the same: more alike than measurements of two things usually are, less than the copies that
//! [`crate::data::checks`] finds.

use super::examined::Examined;
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::Node;
use crate::judge::call::quoted;
use crate::run::{Diagnostic, Run};

/// A correlation from here on leaves one part in fifty of a column to itself.
const ALIKE: f64 = 0.99;
/// From here on it is a copy, reported as such.
const COPY: f64 = 1.0 - 1e-12;
/// How many pairs a message lists.
const LISTED: usize = 5;

pub(super) fn check(examined: &Examined<'_>, run: &Run<'_>) -> Result<Option<Diagnostic>> {
    let pairs = alike(&Covariance::of(examined.data, run)?);
    if pairs.is_empty() {
        return Ok(None);
    }
    let shown = |&(i, j, r): &(Node, Node, f64)| format!("{} and {} ({r:.4})", examined.name(i), examined.name(j));
    let mut listed: Vec<String> = pairs.iter().take(LISTED).map(shown).collect();
    if pairs.len() > LISTED {
        listed.push(format!("{} more pairs", pairs.len() - LISTED));
    }
    let mut again: Vec<String> = Vec::new();
    for &(_, second, _) in &pairs {
        let name = quoted(&examined.data.names()[second]);
        if !again.contains(&name) {
            again.push(name);
        }
    }
    Ok(Some(
        Diagnostic::warning(
            "near-duplicate-columns",
            format!(
                "some columns say almost the same, by their correlations: {}; which of the two an edge belongs to is decided by \
                 the little they differ in",
                listed.join(", ")
            ),
        )
        .advise(format!("keep one column of each pair (`--exclude {}`), unless they are two different things", again.join(","))),
    ))
}

/// Pairs with almost the same values, the most alike first.
fn alike(covariance: &Covariance) -> Vec<(Node, Node, f64)> {
    let matrix = covariance.matrix();
    let mut pairs = Vec::new();
    for i in 0..matrix.nrows() {
        for j in i + 1..matrix.nrows() {
            let scale = (matrix[(i, i)] * matrix[(j, j)]).sqrt();
            let r = matrix[(i, j)] / scale;
            if scale > 0.0 && r.abs() >= ALIKE && r.abs() < COPY {
                pairs.push((i, j, r));
            }
        }
    }
    pairs.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    pairs
}
