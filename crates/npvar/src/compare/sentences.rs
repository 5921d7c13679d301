//! What to make of a learner, and of all of them, in words.

use super::choice::CLASS;
use super::document::{Assessment, AssumptionRow, HeldOut, LearnerRow, ResidualRow};
use super::model::{Law, Mean, Model};
use super::residual_tests::{Dependence, ResidualTests};
use crate::graph::EdgeKind;
use crate::judge::{Belief, Verdict};
use crate::numerics::words::{count, p_value, rounded};

/// A learner's graph beside the best one.
pub(super) fn of_learner(edges: usize, held_out: Option<&HeldOut>, chosen: bool, model: Model) -> String {
    let Some(HeldOut { behind, error, .. }) = held_out else {
        return format!("{}; no DAG agrees with all of them, so that rows cannot be explained", count(edges, "edge"));
    };
    let edges = count(edges, "edge");
    let nats = format!("{} \u{b1} {} nats", rounded(*behind, 2), rounded(*error, 2));
    match (chosen, behind) {
        (true, 0.0) => format!("{edges}; chosen: no other graph explains new rows better ({})", model.words()),
        (true, _) => {
            format!("{edges}; chosen: not clearly worse than the best ({nats} behind), and made for {}", model.words())
        }
        (false, 0.0) => format!("{edges}; explains new rows as well as any"),
        (false, behind) if *behind > 2.0 * error => format!("{edges}; explains new rows worse by {nats}"),
        _ => format!("{edges}; not clearly worse than the best ({nats} behind)"),
    }
}

/// The tests of a graph's residuals.
pub(super) fn of_residuals(tests: &ResidualTests, names: &[String]) -> ResidualRow {
    let clearest = tests.dependent.first().map(|&(what, p)| match what {
        Dependence::OnParents(node) => {
            format!("what is left of `{}` depends on its parents ({})", names[node], p_value(p))
        }
        Dependence::Between(a, b) => {
            format!("what is left of `{}` depends on what is left of `{}` ({})", names[a], names[b], p_value(p))
        }
    });
    ResidualRow { tests: tests.tests, dependent: tests.dependent.len(), smallest_p_value: tests.smallest, clearest }
}

/// Whether noise is independent, by the chosen graph's residuals.
pub(super) fn independent_noise(residuals: Option<&ResidualRow>) -> AssumptionRow {
    let (verdict, evidence) = match residuals {
        None => (Assessment::Undecided, "no graph was chosen whose residuals could be tested".to_owned()),
        Some(ResidualRow { clearest: Some(clearest), dependent, tests, .. }) => {
            let how_many = format!("{dependent} of {} of the chosen graph say so", count(*tests, "test"));
            (
                Assessment::Rejected,
                format!("{clearest}; {how_many}: a common cause may be hidden, or the model too simple"),
            )
        }
        Some(ResidualRow { tests, .. }) => (
            Assessment::Kept,
            format!("none of {} of the chosen graph's residuals speaks against it", count(*tests, "test")),
        ),
    };
    AssumptionRow { name: "independent-noise".to_owned(), verdict, nats: None, error: None, evidence }
}

/// Whether independences are those of a graph: by how well the graph of a learner from independences explains new rows under
/// linear effects and Gaussian noise, where its tests suit the data.
pub(super) fn faithful(independences: Option<(&str, Option<HeldOut>)>, mean: Mean) -> AssumptionRow {
    let (verdict, evidence) = match independences {
        Some((name, held_out)) if mean == Mean::Linear => match held_out {
            Some(HeldOut { behind, error, .. }) if behind > 2.0 * error && behind > 3.0 => (
                Assessment::Rejected,
                format!(
                    "the graph of the independences found ({name}) explains new rows worse than the best by {} \u{b1} {} nats",
                    rounded(behind, 2),
                    rounded(error, 2)
                ),
            ),
            Some(_) => (
                Assessment::Kept,
                format!("the graph of the independences found ({name}) explains new rows about as well as the best"),
            ),
            None => (Assessment::Undecided, format!("no DAG agrees with the independences found ({name})")),
        },
        Some(_) => (Assessment::Undecided, "the tests of independence here are for linear effects".to_owned()),
        None => (Assessment::Undecided, "no learner from independences came to an end".to_owned()),
    };
    AssumptionRow { name: "faithful".to_owned(), verdict, nats: None, error: None, evidence }
}

/// Which learner to believe, and how far.
pub(super) fn verdict(
    chosen: Option<&LearnerRow>,
    model: Model,
    by_variances: bool,
    assumptions: &[AssumptionRow],
    next: Option<String>,
) -> Verdict {
    let Some(chosen) = chosen else {
        let level = Belief::NotUsable;
        return Verdict { level, sentence: format!("{}: no learner found a graph", level.words()), next };
    };
    let rejected = |name: &str| assumptions.iter().any(|row| row.name == name && row.verdict == Assessment::Rejected);
    let open = (chosen.edges.iter().flatten()).any(|edge| edge.kind != EdgeKind::Directed);
    let doubt = if rejected("independent-noise") {
        Some("but what is left over is not independent: a cause may be missing or the model too simple")
    } else if model == CLASS && open {
        Some("which leaves directions open that other learners only guess")
    } else if by_variances {
        Some("which leaves directions open but for noise variances that are alike along this graph")
    } else if model.law == Law::Shared && rejected("common-units") {
        Some("but the columns' units say little about each other, on which equal variances rest")
    } else {
        None
    };
    let level = if doubt.is_some() { Belief::DirectionsDoubtful } else { Belief::Believable };
    let doubt = doubt.map_or_else(String::new, |doubt| format!(", {doubt}"));
    let sentence = format!(
        "{}: `{}` fits best: the data are compatible with {}{doubt}; hidden common causes and cycles may leave no trace",
        level.words(),
        chosen.name,
        model.words()
    );
    Verdict { level, sentence, next }
}
