//! `learn` and `diagnose`.

use std::time::{Duration, Instant};

use npvar::graph::{Knowledge, Order, WrittenKnowledge};
use npvar::judge::{Bootstrap, Evidence, GraphDocument, Resampling, Timing, doubts};
use npvar::learner::{Input, LearnerConfig, learn_with};
use npvar::{Diagnostic, Error, Seed};
use pyo3::prelude::*;
use serde::Serialize;

use crate::errors::raised;
use crate::given::{Given, Opened};
use crate::learners::config;
use crate::own_estimator::OwnEstimator;
use crate::read_options::read_options;
use crate::running::{self, Raised};

/// Learns a graph; the answer is the text of an `npvar-graph/1` object.
#[pyfunction]
#[pyo3(signature = (
    data, learner, options, read, seed, threads, order, knowledge, second_sample, estimator, evidence, bootstrap, resampling,
    callback
))]
#[expect(clippy::too_many_arguments, reason = "the keywords of `npvar.learn`, which is where they have defaults")]
pub(crate) fn learn(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    learner: &str,
    options: &str,
    read: &str,
    #[pyo3(from_py_with = running::seed)] seed: Option<u64>,
    #[pyo3(from_py_with = running::threads)] threads: usize,
    order: Option<Vec<String>>,
    knowledge: Option<&str>,
    second_sample: Option<&Bound<'_, PyAny>>,
    estimator: Option<&Bound<'_, PyAny>>,
    evidence: bool,
    bootstrap: Option<i64>,
    resampling: Option<&str>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let in_python = |error: Error| raised(py, error);
    let config = config(learner, options).map_err(in_python)?;
    config.build().map_err(in_python)?; // what is wrong with the options is said before the data are looked at
    let written: Option<WrittenKnowledge> = knowledge.map(written_knowledge).transpose().map_err(in_python)?;
    let in_run = Raised::default();
    let estimator = estimator.map(|object| OwnEstimator::of(object, &in_run)).transpose()?;
    if estimator.is_some() && !matches!(config, LearnerConfig::Npvar(_)) {
        let problem = format!("the learner `{learner}` cannot use an estimator of one's own; `npvar` can");
        return Err(in_python(Error::Options { option: "`estimator`".to_owned(), problem }));
    }
    let evidence = AskedEvidence::new(evidence, bootstrap, resampling).map_err(in_python)?;
    if estimator.is_some() && evidence.is_some() {
        let option = if bootstrap.is_some() { "`bootstrap`" } else { "`evidence`" }.to_owned();
        let problem = "evidence is gathered with the estimators of this package, not with one's own".to_owned();
        return Err(in_python(Error::Options { option, problem }));
    }
    let read = read_options(read).map_err(in_python)?;
    let (mut own, mut others) = (read.clone(), read);
    let given = Given::of(data, &mut own)?;
    let second = second_sample.map(|data| Given::of(data, &mut others)).transpose()?;
    let (view, second) = (given.view(), second.as_ref().map(Given::view));
    let seed = seed.map_or_else(random_seed, Seed);
    let ((learned, evidence, later), mut timing) = running::run(py, seed, threads, callback, &in_run, move |run| {
        let table = Opened::new(view, &own, run)?;
        let second = second.map(|view| Opened::new(view, &others, run)).transpose()?;
        let names = table.rows().names();
        let order = order.map(|order| order_of(&order, names)).transpose()?;
        let knowledge = written.map(|written| Knowledge::new(names, &written)).transpose()?;
        let input = Input {
            rows: table.rows(),
            second_sample: second.as_ref().map(Opened::rows),
            order,
            knowledge: knowledge.as_ref(),
        };
        let mut learned = match (&estimator, &config) {
            (Some(own), LearnerConfig::Npvar(config)) => learn_with(own, &own.name, config, &input, run)?,
            _ => config.build()?.learn(&input, run)?,
        };
        let ended = Instant::now();
        let doubts = doubts(table.rows(), &learned, &run.unobserved())?;
        learned.diagnostics.extend(doubts);
        let began = Instant::now();
        let gather = |asked: AskedEvidence| Evidence::gather(&learned, &input, asked.bootstrap, run);
        let evidence = evidence.map(gather).transpose()?;
        let later = Later { all: ended.elapsed(), evidence: evidence.is_some().then(|| began.elapsed()) };
        let noticed = std::mem::replace(&mut learned.diagnostics, table.diagnostics());
        if let Some(second) = &second {
            learned.diagnostics.extend(second.diagnostics().into_iter().map(of_second_sample));
        }
        add_new(&mut learned.diagnostics, noticed);
        Ok((learned, evidence.unwrap_or_default(), later))
    })?;
    later.take_from(&mut timing);
    Ok(text(&learned.document(Some(timing)).with_evidence(&evidence)))
}

/// How long what follows the learning took.
struct Later {
    all: Duration,
    evidence: Option<Duration>,
}

impl Later {
    /// The watch counts to the end of the run, so that the last stage has it in its time.
    fn take_from(&self, timing: &mut Timing) {
        let all = self.all.as_secs_f64();
        let stages = [&mut timing.selection_seconds, &mut timing.order_seconds, &mut timing.read_seconds];
        // Stages that a learner does not have took no time.
        if let Some(last) = stages.into_iter().find(|seconds| **seconds >= all) {
            *last -= all;
        }
        timing.total_seconds -= all;
        if let Some(evidence) = self.evidence {
            timing.add_evidence(evidence.as_secs_f64());
        }
    }
}

/// What is asked for beyond the graph: curves and standard errors always, bootstrap samples where there are to be some.
struct AskedEvidence {
    bootstrap: Option<Bootstrap>,
}

impl AskedEvidence {
    /// A number of bootstrap samples and how rows are drawn; neither for curves and standard errors alone.
    fn new(evidence: bool, bootstrap: Option<i64>, resampling: Option<&str>) -> npvar::Result<Option<Self>> {
        let wrong =
            |option: &str, problem: &str| Error::Options { option: option.to_owned(), problem: problem.to_owned() };
        let Some(replicates) = bootstrap else {
            return match resampling {
                Some(_) => {
                    Err(wrong("`resampling`", "it says how bootstrap samples are drawn; ask for some with `bootstrap`"))
                }
                None => Ok(evidence.then_some(AskedEvidence { bootstrap: None })),
            };
        };
        let resampling = match resampling {
            None => Resampling::default(),
            Some(word) => serde_json::from_value(word.into())
                .map_err(|_| wrong("`resampling`", "expected `with-replacement` or `half`"))?,
        };
        let bootstrap = Bootstrap { replicates: usize::try_from(replicates).unwrap_or(0), resampling };
        bootstrap.check()?;
        Ok(Some(AskedEvidence { bootstrap: Some(bootstrap) }))
    }
}

/// Are the assumptions believable? The answer is the text of the object that `npvar diagnose --json` prints.
#[pyfunction]
pub(crate) fn diagnose(
    py: Python<'_>,
    data: &Bound<'_, PyAny>,
    read: &str,
    #[pyo3(from_py_with = running::threads)] threads: usize,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mut read = read_options(read).map_err(|error| raised(py, error))?;
    let given = Given::of(data, &mut read)?;
    let view = given.view();
    // NPVAR as the paper ran it makes no random choice.
    let (diagnosis, _) = running::run(py, Seed(0), threads, callback, &Raised::default(), move |run| {
        let table = Opened::new(view, &read, run)?;
        let data = npvar::data::Dataset::of(table.rows(), run)?;
        let mut diagnosis = npvar::judge::diagnose(&data, run)?;
        let verdicts = std::mem::replace(&mut diagnosis.diagnostics, table.diagnostics());
        add_new(&mut diagnosis.diagnostics, verdicts);
        Ok(diagnosis)
    })?;
    Ok(text(&diagnosis))
}

/// Reads an `npvar-graph/1` object and writes it again as the command line does, with or without its timing.
#[pyfunction]
pub(crate) fn document(py: Python<'_>, json: &str, timing: bool) -> PyResult<String> {
    let mut document: GraphDocument = serde_json::from_str(json).map_err(|error| {
        let problem = format!("expected an `npvar-graph/1` object: {error}");
        raised(py, Error::Format { path: "the JSON text".to_owned(), problem })
    })?;
    if !timing {
        document.timing = None;
    }
    Ok(text(&document))
}

fn written_knowledge(json: &str) -> npvar::Result<WrittenKnowledge> {
    serde_json::from_str(json).map_err(|error| Error::Knowledge { problem: error.to_string() })
}

pub(crate) fn order_of(order: &[String], names: &[String]) -> npvar::Result<Order> {
    let node = |name: &String| {
        names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| Error::InvalidGraph(format!("the order names `{name}`, which is not a column of the data")))
    };
    let nodes = order.iter().map(node).collect::<npvar::Result<Vec<_>>>()?;
    if let Some(missing) = (0..names.len()).find(|node| !nodes.contains(node)) {
        let problem = format!("an order names every column; not named: `{}`", names[missing]);
        return Err(Error::InvalidGraph(problem));
    }
    Order::new(nodes)
}

fn of_second_sample(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("in the second sample, {}", diagnostic.message), ..diagnostic }
}

/// Appends those that are not there yet.
fn add_new(diagnostics: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    for diagnostic in more {
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }
}

/// A seed from the operating system, short enough to be typed again.
pub(crate) fn random_seed() -> Seed {
    use std::hash::{BuildHasher, Hasher, RandomState};
    Seed(RandomState::new().build_hasher().finish() >> 32)
}

/// One object, and a line end, as the command line prints it.
pub(crate) fn text(object: &impl Serialize) -> String {
    serde_json::to_string_pretty(object).expect("names, numbers and words serialise") + "\n"
}
