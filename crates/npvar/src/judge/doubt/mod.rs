//! Reasons not to believe a result: what a reader should know about the data and the graph before using it.
//!
//! Every node is regressed once more on the parents it was given, by the paper's additive model, and what the learner takes
//! for granted is tested on the residuals. A reason has a code, a sentence that names the columns, and advice. How often each
//! one speaks, where it should and where it should not, is measured in `docs/src/lab/diagnostics.md`.
//!
//! Cost: a second look at no more than the first [`BLOCK_ROWS`](crate::data::BLOCK_ROWS) rows and a small regression per node.
//! That is more than the milliseconds in which NPVAR learns, so learners leave it to whoever shows a result.

mod additivity;
mod equal_variances;
mod examined;
mod few_rows;
pub(super) mod how_long;
mod named_units;
mod near_duplicates;
mod residuals;
mod scale;
mod sortability;
mod tails;
mod time_order;

use std::ops::ControlFlow;

use crate::data::{Dataset, RowBlocks};
use crate::error::Result;
use crate::learner::{Learned, Nats, RestsOn};
use crate::run::{Diagnostic, Run};
use examined::Examined;
pub use scale::units;

/// What speaks against a graph that was learned from these rows.
///
/// | code | what was noticed |
/// |---|---|
/// | `standardised-data` | the columns' variances, or their ranges, agree as if someone had made them equal |
/// | `partly-standardised` | some columns' variances or ranges agree so, and others do not |
/// | `different-units` | variances, and what is left of them, are orders of magnitude apart, or names tell different units |
/// | `high-var-sortability`, `high-r2-sortability` | variances or R² grow along the learned paths |
/// | `unequal-residual-variances` | noise differs between the columns, for learners that take it to be equal |
/// | `non-additive` | parents act together, for learners that add their effects up |
/// | `few-samples-for-ancestors` | the longest regression of the selection used up the rows |
/// | `near-duplicate-columns` | two columns say almost the same |
/// | `heavy-tails` | a few rows make up a residual variance |
/// | `time-ordered-rows` | a row resembles the one before it |
///
/// ```
/// use npvar::judge::doubts;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let run = Run::new(Seed(1));
/// let simulated = simulate("ER-NGP-4".parse()?, &SimulateOptions::default(), Seed(1))?;
/// let learned = npvar::learn(&simulated.data, &run)?;
/// let doubts = doubts(&simulated.data, &learned, &run)?;
/// assert!(doubts.iter().any(|doubt| doubt.code == "non-additive"));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// What reading came upon, or that the run was cancelled.
pub fn doubts(rows: &dyn RowBlocks, learned: &Learned, run: &Run<'_>) -> Result<Vec<Diagnostic>> {
    let data = first_block(rows)?;
    let mut fits = match learned.graph.consistent_extension() {
        Some(dag) => residuals::of_every_node(&data, &dag, learned.tests.as_deref().unwrap_or_default(), run)?,
        None => Vec::new(),
    };
    // The codes of words have no variance to speak of.
    let categories = rows.categories();
    fits.retain(|fit| !categories.contains(&fit.node));
    let examined = Examined { learned, data: &data, fits, rests_on: rests_on(learned) };
    let mut found = Vec::new();
    found.extend(scale::check(&examined));
    found.extend(equal_variances::check(&examined));
    found.extend(additivity::check(&examined, run)?);
    found.extend(few_rows::check(&examined));
    found.extend(near_duplicates::check(&examined, run)?);
    found.extend(tails::check(&examined));
    found.extend(time_order::check(&examined));
    found.extend(sortability::check(&examined));
    if data.n() < learned.n {
        for doubt in &mut found {
            doubt.message = format!("in the first {} rows, {}", data.n(), doubt.message);
        }
    }
    found.retain(|doubt| learned.diagnostics.iter().all(|known| known.code != doubt.code));
    Ok(found)
}

/// What the answer rests on; where noise was weighed both ways, what was chosen decides.
fn rests_on(learned: &Learned) -> RestsOn {
    let mut rests_on = learned.config.rests_on();
    if learned.nats.as_ref().is_some_and(Nats::has_own_noise) {
        rests_on.units = false;
    }
    rests_on
}

fn first_block(rows: &dyn RowBlocks) -> Result<Dataset> {
    let mut data = None;
    rows.visit_blocks(&mut |block| {
        let columns = block.columns.iter().map(|column| column.to_vec()).collect();
        data = Some(Dataset::new(rows.names().to_vec(), columns)?);
        Ok(ControlFlow::Break(()))
    })?;
    data.ok_or_else(|| crate::error::Error::NoRows { source_name: "the table".to_owned() })
}
