//! The best-supported learner's answer (`--learner auto`).

use super::comparison::{Comparing, compare};
use crate::error::{Error, Result};
use crate::judge::{Answer, Call, Question, Stopwatch, answer};
use crate::learner::LearnerConfig;
use crate::run::{Diagnostic, Run};

/// The word that asks for it in place of a learner's name.
pub const AUTO: &str = "auto";

/// Compares, and answers with the learner that the data support best; a diagnostic says which and why. `comparing` is the run of
/// the comparison, which may end when it is [enough](Run::until).
///
/// # Errors
/// [`Error::Options`] for a question that a comparison has no use for (an order, knowledge, a second sample, an estimator); as
/// [`compare`] and [`answer`].
pub fn answer_with_best(
    question: &Question<'_>,
    budget: Option<f64>,
    stopwatch: &Stopwatch<'_>,
    comparing: &Run<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let useless = [
        ("order", question.order.is_some()),
        ("knowledge", question.knowledge.is_some()),
        ("second-sample", question.second_sample.is_some()),
        ("estimator", question.estimator.is_some()),
    ];
    if let Some((option, _)) = useless.into_iter().find(|(_, given)| *given) {
        let problem = "a comparison of learners has no use for it; name the learner it is for".to_owned();
        return Err(Error::Options { option: format!("`{option}`"), problem });
    }
    let asked = Comparing { table: question.table, budget, call: question.call.clone() };
    let comparison = compare(&asked, stopwatch, comparing)?;
    let Some(config) = comparison.chosen_learner().cloned() else { return Err(Error::Cancelled) };
    let call = question.call.clone().map(|call| Call { config: config.clone(), ..call });
    let mut answer = answer(&config, &Question { call, ..question.clone() }, stopwatch, run)?;
    let chosen = comparison.chosen.as_deref().unwrap_or_default();
    let reasons: Vec<String> = (comparison.assumptions.iter())
        .filter(|row| row.nats.is_some())
        .map(|row| format!("{} is {}", row.name, row.verdict.words()))
        .collect();
    let message = format!(
        "of {} learners that were compared, `{chosen}` fits best: {} ({})",
        comparison.learners.len(),
        comparison.model.words(),
        reasons.join(", ")
    );
    let diagnostic = Diagnostic::info("chosen-learner", message).advise("`npvar compare` shows the comparison");
    answer.learned.diagnostics.insert(0, diagnostic.clone());
    answer.document.diagnostics.insert(0, diagnostic);
    Ok(answer)
}

/// Refuses options beside [`AUTO`], which has none.
///
/// # Errors
/// [`Error::Options`] when there are some.
pub fn without_options(options: bool) -> Result<LearnerConfig> {
    if options {
        let problem = format!("`{AUTO}` chooses the learner with its options; name a learner to set its own");
        return Err(Error::Options { option: "`set`".to_owned(), problem });
    }
    LearnerConfig::resolve("npvar", &[])
}
