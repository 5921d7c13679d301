//! The verdict: one sentence on whether an answer can be believed, why, and what to do next. Made once, from what was noticed;
//! every shell shows it first.

use super::belief::{Belief, Verdict};
use super::call::Call;
use super::document::GraphDocument;
use super::evidence::CONSENSUS;
use crate::learner::Learned;
use crate::numerics::words::count;
use crate::run::{Diagnostic, Level};

/// Warnings that make an answer useless.
const FATAL: [&str; 1] = ["few-samples"];
/// Warnings about the directions that come before all others, the first first: units, then the noise, then the sample.
const FIRST: [&str; 8] = [
    "partly-standardised",
    "different-units",
    "standardised-data",
    "time-ordered-rows",
    "more-coefficients-than-samples",
    "small-sample",
    "unequal-residual-variances",
    "non-additive",
];
/// Warnings that leave the directions alone: about the reading, and about columns that take no part.
const HARMLESS: [&str; 7] = [
    "numeric-header",
    "rows-dropped",
    "constant-column",
    "bootstrap-copies",
    "bootstrap-failures",
    "knowledge-overrules-tests",
    "low-rank-hsic",
];
/// Bootstrap samples of the command that a believable answer is followed by.
const REPLICATES: &str = "--bootstrap 200";

/// The verdict on an answer with all its evidence; `call` asked for it, and without one there is no next.
pub(super) fn verdict(learned: &Learned, document: &GraphDocument, call: Option<&Call>) -> Verdict {
    let mut reasons: Vec<(usize, &Diagnostic)> = (document.diagnostics.iter())
        .filter(|found| found.level == Level::Warning)
        .filter_map(|found| Some((rank(&found.code)?, found)))
        .collect();
    reasons.sort_by_key(|(rank, _)| *rank);
    let Some((_, reason)) = reasons.first() else { return believable(learned, document, call) };
    let level = if FATAL.contains(&reason.code.as_str()) { Belief::NotUsable } else { Belief::DirectionsDoubtful };
    let further = match reasons.len() - 1 {
        0 => String::new(),
        more => format!("; and {}", count(more, "further warning")),
    };
    let sentence = format!("{}: {}{further}", level.words(), reason.message);
    let next = call.and_then(|call| options_in(reason).into_iter().find_map(|options| call.advised(options)));
    let next = next.map(|call| call.again());
    Verdict { level, sentence, next }
}

/// Warnings that only the whole answer gives.
pub(super) fn of_the_answer(learned: &Learned, document: &GraphDocument) -> Vec<Diagnostic> {
    unstable(document).into_iter().chain(few_samples(learned)).collect()
}

/// Where a warning stands among the reasons; nothing for one that leaves the directions alone. One that is not named here
/// comes last.
fn rank(code: &str) -> Option<usize> {
    if HARMLESS.contains(&code) {
        return None;
    }
    let known = FATAL.iter().chain(&FIRST).position(|known| *known == code);
    Some(known.unwrap_or(FATAL.len() + FIRST.len()))
}

fn believable(learned: &Learned, document: &GraphDocument, call: Option<&Call>) -> Verdict {
    let level = Belief::Believable;
    let title = learned.config.info().title;
    let found = match (&document.bootstrap, document.edges.len()) {
        (_, 0) => format!(", and no column was found to depend on another in {}", count(learned.n, "sample")),
        (None, _) => String::new(),
        (Some(bootstrap), edges) => format!(
            ", and {} of {} came back in at least half of {}",
            often(document),
            count(edges, "edge"),
            count(bootstrap.replicates, "bootstrap sample")
        ),
    };
    let sentence = format!(
        "{}: nothing in the data speaks against what {title} assumes{found}; {} would leave no trace",
        level.words(),
        learned.config.does_not_see()
    );
    Verdict { level, sentence, next: call.and_then(|call| call.advised(REPLICATES)).map(|call| call.again()) }
}

/// How many edges were found in at least half of the bootstrap samples.
fn often(document: &GraphDocument) -> usize {
    document.edges.iter().filter(|edge| edge.frequency.is_some_and(|frequency| frequency >= CONSENSUS)).count()
}

/// No more samples than columns, where the learner has not said so itself.
fn few_samples(learned: &Learned) -> Option<Diagnostic> {
    let (n, d) = (learned.n, learned.names.len());
    let said = learned.diagnostics.iter().any(|found| FATAL.contains(&found.code.as_str()));
    (n <= d && !said).then(|| {
        let message =
            format!("{n} samples are too few for {d} columns: a regression on all other columns fits perfectly");
        Diagnostic::warning(FATAL[0], message)
    })
}

/// Most edges do not come back: a reason that only the evidence gives.
fn unstable(document: &GraphDocument) -> Option<Diagnostic> {
    let bootstrap = document.bootstrap.as_ref()?;
    let (often, edges) = (often(document), document.edges.len());
    (2 * often < edges).then(|| {
        let message = format!(
            "only {often} of {} came back in at least half of {}: another sample would have given another graph",
            count(edges, "edge"),
            count(bootstrap.replicates, "bootstrap sample")
        );
        let advice =
            "take the edges that came back for what the data show, the others for guesses; collect more samples";
        Diagnostic::warning("unstable", message).advise(advice)
    })
}

/// The options of `npvar learn` that a diagnostic names, its advice's first.
pub(super) fn options_in(diagnostic: &Diagnostic) -> Vec<&str> {
    let texts = diagnostic.advice.iter().chain(std::iter::once(&diagnostic.message));
    texts.flat_map(|text| text.split('`').skip(1).step_by(2)).filter(|span| span.starts_with("--")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{AskedEvidence, Bootstrap, Question, Stopwatch, answer};
    use crate::learner::LearnerConfig;
    use crate::run::{Run, Seed};
    use crate::simulate::{SimulateOptions, simulate};

    fn document() -> (Learned, GraphDocument, Call) {
        let options = SimulateOptions { nodes: Some(4), samples: 400, ..Default::default() };
        let data = simulate("MC-SIN".parse().unwrap(), &options, Seed(1)).unwrap().data;
        let bootstrap = Bootstrap { replicates: 10, ..Bootstrap::default() };
        let question = Question { evidence: AskedEvidence::Bootstrap(bootstrap), ..Question::new(&data) };
        let config = LearnerConfig::resolve("npvar", &[]).unwrap();
        let clock = || std::time::Duration::ZERO;
        let answer = answer(&config, &question, &Stopwatch::start(&clock), &Run::new(Seed(1))).unwrap();
        (answer.learned, answer.document, Call::new(["t.csv"], config, Seed(1)))
    }

    #[test]
    fn units_come_before_everything_but_too_few_samples() {
        let (learned, mut document, call) = document();
        assert_eq!(verdict(&learned, &document, Some(&call)).level, Belief::Believable);
        let warn = |code: &str| Diagnostic::warning(code, format!("the {code} message"));
        document.diagnostics = vec![warn("heavy-tails"), warn("unequal-residual-variances"), warn("different-units")];
        let doubtful = verdict(&learned, &document, Some(&call));
        assert_eq!(doubtful.level, Belief::DirectionsDoubtful);
        assert_eq!(doubtful.sentence, "Directions doubtful: the different-units message; and 2 further warnings");
        document.diagnostics.push(warn("few-samples"));
        assert_eq!(verdict(&learned, &document, Some(&call)).level, Belief::NotUsable);
        document.diagnostics = HARMLESS.map(warn).to_vec();
        assert_eq!(verdict(&learned, &document, Some(&call)).level, Belief::Believable);
    }

    #[test]
    fn edges_that_do_not_come_back_are_a_reason() {
        let (learned, mut document, call) = document();
        assert!(of_the_answer(&learned, &document).is_empty());
        document.edges.iter_mut().for_each(|edge| edge.frequency = Some(0.1));
        document.diagnostics.extend(of_the_answer(&learned, &document));
        let found = verdict(&learned, &document, Some(&call));
        assert!(found.sentence.starts_with("Directions doubtful: only 0 of 3 edges came back"), "{found:?}");
    }

    #[test]
    fn the_next_command_is_what_the_first_advice_says() {
        let (learned, mut document, call) = document();
        let advice = "compare with `cam`, or add `--learner pc --set test=kci`";
        document.diagnostics = vec![Diagnostic::warning("heavy-tails", "x").advise(advice)];
        let found = verdict(&learned, &document, Some(&call));
        assert_eq!(found.next.as_deref(), Some("npvar learn t.csv --learner pc --set test=kci --seed 1"));
    }
}
