//! `learn` and `diagnose`.

use npvar::compare::{AUTO, answer_with_best, without_options};
use npvar::data::Tabular;
use npvar::graph::{Knowledge, Order, WrittenKnowledge};
use npvar::judge::{AskedEvidence, Bootstrap, Call, Caller, GraphDocument, Question, Resampling, answer};
use npvar::regress::ConditionalMean;
use npvar::{Error, Seed};
use pyo3::prelude::*;
use serde::Serialize;

use crate::compare::{seconds, within};
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
    held, callback
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
    held: Vec<String>,
    callback: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let in_python = |error: Error| raised(py, error);
    let best = learner == AUTO;
    let config = if best { without_options(options != "{}") } else { config(learner, options) };
    let config = config.map_err(in_python)?;
    config.build().map_err(in_python)?; // what is wrong with the options is said before the data are looked at
    let written: Option<WrittenKnowledge> = knowledge.map(written_knowledge).transpose().map_err(in_python)?;
    let in_run = Raised::default();
    let estimator = estimator.map(|object| OwnEstimator::of(object, &in_run)).transpose()?;
    let evidence = asked_evidence(evidence, bootstrap, resampling).map_err(in_python)?;
    let mut read = read_options(read).map_err(in_python)?;
    // Words of two samples could get different codes, and an estimator of one's own would take them for numbers.
    if !best && second_sample.is_none() && estimator.is_none() {
        read = config.reading(read);
    }
    let (mut own, mut others) = (read.clone(), read);
    let asked = own.clone(); // columns that Python holds are chosen before the others are looked at
    let given = Given::of(data, &mut own)?;
    let seed = seed.map_or_else(Seed::random, Seed);
    let bootstrap = match evidence {
        AskedEvidence::Bootstrap(bootstrap) => Some(bootstrap),
        AskedEvidence::None | AskedEvidence::Curves => None,
    };
    let caller = Caller::Python(held);
    let call = Call { read: asked, bootstrap, caller, ..Call::new(given.paths(), config.clone(), seed) };
    let second = second_sample.map(|data| Given::of(data, &mut others)).transpose()?;
    let (view, second) = (given.view(), second.as_ref().map(Given::view));
    let answer = running::run(py, seed, threads, callback, &in_run, move |stopwatch, run| {
        let table = Opened::new(view, &own, run)?;
        let second = second.map(|view| Opened::new(view, &others, run)).transpose()?;
        let names = table.rows().names();
        let order = order.map(|order| Order::of_names(&order, names)).transpose()?;
        let knowledge = written.map(|written| Knowledge::new(names, &written)).transpose()?;
        let question = Question {
            call: Some(call),
            second_sample: second.as_ref().map(|table| table as &dyn Tabular),
            order,
            knowledge: knowledge.as_ref(),
            estimator: estimator.as_ref().map(|own| (own as &dyn ConditionalMean, own.name.as_str())),
            evidence,
            ..Question::new(&table)
        };
        if best {
            let seconds = seconds(None)?;
            return within(seconds, run, |comparing| {
                answer_with_best(&question, Some(seconds), stopwatch, comparing, run)
            });
        }
        answer(&config, &question, stopwatch, run)
    })?;
    Ok(text(&answer.document))
}

/// What is asked for beyond the graph, as the keywords say it.
fn asked_evidence(evidence: bool, bootstrap: Option<i64>, resampling: Option<&str>) -> npvar::Result<AskedEvidence> {
    let wrong = |problem: &str| Error::Options { option: "`resampling`".to_owned(), problem: problem.to_owned() };
    let asked = match (bootstrap, resampling) {
        (None, Some(_)) => return Err(wrong("it says how bootstrap samples are drawn; ask for some with `bootstrap`")),
        (None, None) if evidence => AskedEvidence::Curves,
        (None, None) => AskedEvidence::None,
        (Some(replicates), resampling) => {
            let resampling = match resampling {
                None => Resampling::default(),
                Some(word) => {
                    serde_json::from_value(word.into()).map_err(|_| wrong("expected `with-replacement` or `half`"))?
                }
            };
            AskedEvidence::Bootstrap(Bootstrap { replicates: usize::try_from(replicates).unwrap_or(0), resampling })
        }
    };
    asked.check()?;
    Ok(asked)
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
    let diagnosis = running::run(py, Seed(0), threads, callback, &Raised::default(), move |_, run| {
        npvar::judge::diagnose(&Opened::new(view, &read, run)?, run)
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

/// One object, and a line end, as the command line prints it.
pub(crate) fn text(object: &impl Serialize) -> String {
    serde_json::to_string_pretty(object).expect("names, numbers and words serialise") + "\n"
}
