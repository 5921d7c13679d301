//! One answer: a graph is learned, reasons to doubt it and evidence for it are gathered, and all of it is written into one
//! document. Every shell asks here.

use super::call::Call;
use super::document::GraphDocument;
use super::doubt::{doubts, how_long};
use super::evidence::{Bootstrap, Evidence};
use super::stopwatch::{Stopwatch, Timing};
use super::verdict::{of_the_answer, verdict};
use crate::data::{Categories, RowBlocks, Tabular};
use crate::error::{Error, Result};
use crate::graph::{Knowledge, Order};
use crate::learner::{Input, Learned, LearnerConfig, NpvarConfig, learn_from_sums, learn_with};
use crate::regress::ConditionalMean;
use crate::run::{Diagnostic, Run};
use crate::smooth::Summed;

/// How much is asked beyond the graph and the reasons to doubt it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AskedEvidence {
    /// Nothing.
    #[default]
    None,
    /// The curve of every edge and the standard errors of the steps.
    Curves,
    /// These, and what bootstrap samples say.
    Bootstrap(Bootstrap),
}

impl AskedEvidence {
    /// Whether what is asked for is within its range.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when it is not.
    pub fn check(&self) -> Result<()> {
        match self {
            AskedEvidence::Bootstrap(bootstrap) => bootstrap.check(),
            AskedEvidence::None | AskedEvidence::Curves => Ok(()),
        }
    }
}

/// What is asked of a table.
#[derive(Clone)]
pub struct Question<'a> {
    /// The table.
    pub table: &'a dyn Tabular,
    /// A second sample of the same columns, for an adaptive `η`.
    pub second_sample: Option<&'a dyn Tabular>,
    /// An order to take as given.
    pub order: Option<Order>,
    /// What is known about the graph beforehand.
    pub knowledge: Option<&'a Knowledge>,
    /// An estimator of the caller's in place of the configured one, and what to call it.
    pub estimator: Option<(&'a dyn ConditionalMean, &'a str)>,
    /// What is asked beyond the graph.
    pub evidence: AskedEvidence,
    /// How the question was asked, for the verdict's next command; without it there is none.
    pub call: Option<Call>,
}

impl<'a> Question<'a> {
    /// The graph, and reasons to doubt it.
    pub fn new(table: &'a dyn Tabular) -> Self {
        let evidence = AskedEvidence::None;
        Question { table, second_sample: None, order: None, knowledge: None, estimator: None, evidence, call: None }
    }
}

/// An answer, and the document that hands it over.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What was learned, with all diagnostics but the bootstrap's.
    pub learned: Learned,
    /// The `npvar-graph/1` object.
    pub document: GraphDocument,
    /// How long it took; in the document too.
    pub timing: Timing,
}

/// Answers a question. The time until now since the stopwatch was started counts as reading; reasons to doubt the answer are
/// looked for on nobody's time.
///
/// ```
/// use npvar::judge::{AskedEvidence, Bootstrap, Question, Stopwatch, answer};
/// use npvar::learner::LearnerConfig;
/// use npvar::simulate::{SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { nodes: Some(4), samples: 300, ..Default::default() };
/// let data = simulate("MC-SIN".parse()?, &options, Seed(1))?.data;
/// let bootstrap = Bootstrap { replicates: 20, ..Bootstrap::default() };
/// let question = Question { evidence: AskedEvidence::Bootstrap(bootstrap), ..Question::new(&data) };
/// let clock = || std::time::Duration::ZERO;
/// let config = LearnerConfig::resolve("npvar", &[])?;
/// let answer = answer(&config, &question, &Stopwatch::start(&clock), &Run::new(Seed(1)))?;
/// assert!(answer.document.edges.iter().all(|edge| edge.frequency.is_some()));
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// When the question cannot be answered with these options, the table cannot be used or read, or the run is cancelled.
pub fn answer(
    config: &LearnerConfig,
    question: &Question<'_>,
    stopwatch: &Stopwatch<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let rows = question.table.rows();
    let with_categories = knowledge_of_categories(config, rows, question.knowledge)?;
    let input = Input {
        rows,
        second_sample: question.second_sample.map(Tabular::rows),
        order: question.order.clone(),
        knowledge: with_categories.as_ref().or(question.knowledge),
    };
    let watching = stopwatch.watching(run.observer());
    let run = run.observed(&watching);
    let mut learned = match question.estimator {
        None => config.build()?.learn(&input, &run)?,
        Some((estimator, name)) => learn_with(estimator, name, own_options(config, question)?, &input, &run)?,
    };
    let mut timing = stopwatch.timing();
    let doubted = run.unless_hurried(|run| doubts(input.rows, &learned, &run.unobserved()))?;
    learned.diagnostics.extend(doubted.unwrap_or_else(|| vec![not_doubted()]));
    let mut noticed = question.table.diagnostics();
    noticed.extend(question.second_sample.iter().flat_map(|table| table.diagnostics()).map(of_second_sample));
    Diagnostic::add_new(&mut noticed, std::mem::take(&mut learned.diagnostics));
    how_long::tell(&mut noticed, learned.n, learned.names.len());
    learned.diagnostics = noticed;
    let asked = match question.evidence {
        AskedEvidence::None => None,
        AskedEvidence::Curves => Some(None),
        AskedEvidence::Bootstrap(asked) => Some(Some(asked)),
    };
    let evidence = match asked {
        None => Evidence::default(),
        Some(bootstrap) => {
            let gather = |run: &Run<'_>| Evidence::gather(&learned, &input, bootstrap, run);
            let (evidence, seconds) = stopwatch.timed(|| run.unless_hurried(gather));
            timing.evidence_seconds = Some(seconds);
            timing.total_seconds += seconds;
            evidence?.unwrap_or_default()
        }
    };
    let mut document = learned.document(Some(timing)).with_evidence(&evidence);
    document.intake = question.table.intake();
    document.diagnostics.extend(of_the_answer(&learned, &document));
    document.verdict = Some(verdict(&learned, &document, question.call.as_ref()));
    Ok(Answer { learned, document, timing })
}

fn not_doubted() -> Diagnostic {
    Diagnostic::warning("not-doubted", "the run was stopped before anybody looked for what speaks against this graph")
}

/// NPVAR's answer from sums over the rows. There are no rows left to doubt it by.
///
/// # Errors
/// As [`learn_from_sums`].
pub fn answer_from_sums(
    sums: &Summed,
    config: &NpvarConfig,
    order: Option<Order>,
    stopwatch: &Stopwatch<'_>,
    run: &Run<'_>,
) -> Result<Answer> {
    let watching = stopwatch.watching(run.observer());
    let learned = learn_from_sums(sums, config, order, &run.observed(&watching))?;
    let timing = stopwatch.timing();
    let mut document = learned.document(Some(timing));
    document.diagnostics.extend(of_the_answer(&learned, &document));
    document.verdict = Some(verdict(&learned, &document, None));
    Ok(Answer { learned, document, timing })
}

/// What is known, and that columns of words have no causes, where the learner takes them as causes only.
fn knowledge_of_categories(
    config: &LearnerConfig,
    rows: &dyn RowBlocks,
    known: Option<&Knowledge>,
) -> Result<Option<Knowledge>> {
    let categories = rows.categories();
    if categories.is_empty() || config.categories() != Categories::AsCauses {
        return Ok(None);
    }
    let nothing = Knowledge::none(rows.names().len());
    known.unwrap_or(&nothing).with_roots(rows.names(), categories).map(Some)
}

/// NPVAR's options, for an estimator of the caller's.
fn own_options<'c>(config: &'c LearnerConfig, question: &Question<'_>) -> Result<&'c NpvarConfig> {
    let refused = |option: &str, problem: String| Err(Error::Options { option: format!("`{option}`"), problem });
    let gathered = "evidence is gathered with the estimators of this package, not with one's own".to_owned();
    match (config, question.evidence) {
        (LearnerConfig::Npvar(config), AskedEvidence::None) => Ok(config),
        (LearnerConfig::Npvar(_), AskedEvidence::Curves) => refused("evidence", gathered),
        (LearnerConfig::Npvar(_), AskedEvidence::Bootstrap(_)) => refused("bootstrap", gathered),
        (other, _) => {
            let name = other.info().name;
            refused("estimator", format!("the learner `{name}` cannot use an estimator of one's own; `npvar` can"))
        }
    }
}

fn of_second_sample(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("in the second sample, {}", diagnostic.message), ..diagnostic }
}
