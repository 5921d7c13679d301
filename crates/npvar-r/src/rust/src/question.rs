//! What R asks of a table, as it arrives.

use npvar::data::{ColumnChoice, Missing, ReadOptions, Strictness, Tabular};
use npvar::graph::{Knowledge, Order, WrittenKnowledge};
use npvar::judge::{AskedEvidence, Bootstrap, Call, Question, Resampling, Stopwatch, answer, diagnose};
use npvar::learner::{Assignment, LearnerConfig};
use npvar::{Error, Run, Seed};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::calls::seed_of;
use crate::columns::Given;
use crate::outcome::text;

/// The question; its fields are the arguments of R's functions, which is where they have defaults.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    /// Without one the table is diagnosed.
    learner: Option<String>,
    options: Map<String, Value>,
    /// R has no whole numbers beyond 2^53, so seeds are written out.
    seed: String,
    pub(crate) threads: usize,
    columns: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    missing: String,
    strict: bool,
    order: Option<Vec<String>>,
    knowledge: Option<WrittenKnowledge>,
    evidence: bool,
    bootstrap: Option<usize>,
    resampling: Option<Resampling>,
}

impl Asked {
    pub(crate) fn parse(json: &str) -> npvar::Result<Asked> {
        serde_json::from_str(json)
            .map_err(|error| Error::Options { option: "the question".to_owned(), problem: error.to_string() })
    }

    pub(crate) fn seed(&self) -> npvar::Result<Seed> {
        seed_of(&self.seed)
    }

    /// The text of an `npvar-graph/1` object, or of the object that `npvar diagnose --json` prints.
    ///
    /// # Errors
    /// What the library came upon.
    pub(crate) fn answer(&self, given: &Given, stopwatch: &Stopwatch<'_>, run: &Run<'_>) -> npvar::Result<Value> {
        let Some(learner) = &self.learner else {
            return Ok(text(&diagnose(&given.open(&self.read()?)?, run)?));
        };
        let assignments = self.options.iter().map(|(key, value)| Assignment::new(key, value.clone()));
        let config = LearnerConfig::resolve(learner, &Assignment::in_any_order(assignments))?;
        config.build()?; // what is wrong with the options is said before the data are looked at
        let evidence = self.evidence()?;
        let read = ReadOptions { categories: config.categories(), ..self.read()? };
        let table = given.open(&read)?;
        let names = table.rows().names();
        let order = self.order.as_deref().map(|order| Order::of_names(order, names)).transpose()?;
        let knowledge = self.knowledge.as_ref().map(|written| Knowledge::new(names, written)).transpose()?;
        // What a command cannot say in a line is not followed by one.
        let sayable = !given.files.is_empty() && order.is_none() && knowledge.is_none();
        let call = sayable.then(|| {
            let bootstrap = match evidence {
                AskedEvidence::Bootstrap(bootstrap) => Some(bootstrap),
                AskedEvidence::None | AskedEvidence::Curves => None,
            };
            Call { read, bootstrap, ..Call::new(&given.files, config.clone(), run.seed) }
        });
        let question = Question { call, order, knowledge: knowledge.as_ref(), evidence, ..Question::new(&table) };
        Ok(text(&answer(&config, &question, stopwatch, run)?.document))
    }

    fn read(&self) -> npvar::Result<ReadOptions> {
        let wrong = |option: &str, problem: String| Error::Options { option: format!("`{option}`"), problem };
        let columns = match (&self.columns, &self.exclude) {
            (Some(_), Some(_)) => return Err(wrong("exclude", "cannot be given together with `columns`".to_owned())),
            (Some(only), None) => ColumnChoice::Only(only.clone()),
            (None, Some(except)) => ColumnChoice::Except(except.clone()),
            (None, None) => ColumnChoice::All,
        };
        let missing = Missing::named(&self.missing)
            .map_err(|expected| wrong("missing", format!("{expected}, got `{}`", self.missing)))?;
        let strictness = if self.strict { Strictness::Strict } else { Strictness::Forgiving };
        Ok(ReadOptions { columns, missing, strictness, ..ReadOptions::default() })
    }

    fn evidence(&self) -> npvar::Result<AskedEvidence> {
        let asked = match (self.bootstrap, self.resampling) {
            (Some(replicates), resampling) => {
                AskedEvidence::Bootstrap(Bootstrap { replicates, resampling: resampling.unwrap_or_default() })
            }
            (None, Some(_)) => {
                let problem = "it says how bootstrap samples are drawn; ask for some with `bootstrap`".to_owned();
                return Err(Error::Options { option: "`resampling`".to_owned(), problem });
            }
            (None, None) if self.evidence => AskedEvidence::Curves,
            (None, None) => AskedEvidence::None,
        };
        asked.check()?;
        Ok(asked)
    }
}
