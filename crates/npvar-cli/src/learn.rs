//! `npvar learn`: from a table to a graph.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use npvar::compare::{AUTO, answer_with_best, without_options};
use npvar::data::{Table, Tabular};
use npvar::graph::{GraphFormat, NamedGraph, Order};
use npvar::judge::{Answer, AskedEvidence, Call, Question, Stopwatch, answer, edge_list};
use npvar::{Run, Seed};
use npvar_draw::{Drawing, PictureFormat};
use npvar_web::{Report, ShownRows, Truth};

use crate::args::{LearnArguments, is_edge_list};
use crate::learned_text::{closing, noticed, page};
use crate::progress::{Show, Watch};
use crate::table::{open, readable, tell_intake, with_instead};
use crate::terminal::Stream;
use crate::{config, interrupt, knowledge_file, order_file, output};

pub(crate) fn run(arguments: &LearnArguments) -> Result<()> {
    let made = make(arguments)?;
    let Answer { learned, document, timing } = &made.answer;
    let result = if arguments.json { output::json(document)? } else { page(learned, document) };
    // Before the files: what a full disk refuses is not lost.
    let printed = output::print(&result);
    if !arguments.quiet {
        if !arguments.json && Stream::Err.width().is_some() {
            output::tell("");
        }
        output::tell_all(&noticed(document), arguments.explain);
        if arguments.seed.is_none() && !arguments.json {
            output::tell(&format!("note: the seed was picked at random; --seed {} repeats this run", learned.seed.0));
        }
    }
    let written = arguments.json || arguments.report.is_some() || arguments.outputs.iter().any(|path| is_json(path));
    if arguments.evidence && !written && !arguments.quiet {
        output::tell(
            "note: the curves and standard errors are in the JSON (--json, -o FILE.json) and in the report (--report)",
        );
    }
    made.write(arguments)?;
    printed?;
    if let (Some(path), false) = (&arguments.report, arguments.quiet) {
        output::tell(&format!("wrote {}; open it in a browser", path.display()));
    }
    if !arguments.quiet && !arguments.json {
        output::tell(&closing(document, (!arguments.no_timing).then_some(*timing), arguments.explain));
    }
    Ok(())
}

/// How long learners may take where they are compared and nothing is said.
pub(crate) const COMPARING: Duration = Duration::from_secs(60);

/// An answer, and what its files need beside it.
pub(crate) struct Made {
    pub(crate) answer: Answer,
    table: Table,
    truth: Option<NamedGraph>,
    call: Call,
}

/// Answers what the arguments ask; nothing is printed or written yet.
pub(crate) fn make(arguments: &LearnArguments) -> Result<Made> {
    // Everything that can be wrong is found before the work begins.
    let best = arguments.learner.as_deref() == Some(AUTO);
    let config = if best {
        without_options(arguments.config.is_some() || !arguments.assignments.is_empty())?
    } else {
        config::resolve(arguments)?
    };
    config.build()?;
    let evidence = arguments.asked_evidence();
    evidence.check()?;
    if arguments.budget.is_some() && !best && !config.can_stop_early() {
        let problem =
            format!("`{}` is no search that could stop earlier; `best-order` and `auto` are", config.info().name);
        return Err(npvar::Error::Options { option: "`--budget`".to_owned(), problem }.into());
    }
    // From here on files are made: a signal must not end the process in the middle of one.
    interrupt::stop_flag();
    output::check_writable(&arguments.written(), &arguments.given()?)?;
    use_threads(arguments.threads)?;
    let seed = arguments.seed.map_or_else(Seed::random, Seed);

    let show = if arguments.quiet { Show::Never } else { Show::IfTerminal };
    let watch = Watch::new(show).resampling(arguments.bootstrap);
    let clock = || watch.elapsed();
    let stopwatch = Stopwatch::start(&clock);
    let data = &arguments.read.data;
    // Words of two samples could get different codes.
    let learner = (!best && arguments.second_sample.is_none()).then_some(&config);
    let table = interrupt::computing(|| open(data, &arguments.read, learner));
    let table = table.map_err(|error| with_instead(error, data, Some(&config)))?;
    if !arguments.quiet {
        tell_intake(&table.intake());
    }
    let names = table.rows().names();
    let truth = arguments.truth.as_ref().map(|path| NamedGraph::read(path)?.arranged(names)).transpose()?;
    let second = arguments.second_sample.as_ref();
    let open_second = |path| open(std::slice::from_ref(path), &arguments.read, learner);
    let second = second.map(|path| interrupt::computing(|| open_second(path)));
    let second = second.transpose()?;
    let order = arguments.order.as_ref().map(|path| order_file::read(path, names)).transpose()?;
    let knowledge = arguments.knowledge.as_ref().map(|path| knowledge_file::read(path, names)).transpose()?;
    let call = arguments.call(&config, seed, order.as_ref().map(|order| named(order, names)));
    let question = Question {
        call: Some(call.clone()),
        second_sample: second.as_ref().map(|table| table as &dyn Tabular),
        order,
        knowledge: knowledge.as_ref(),
        evidence,
        ..Question::new(&table)
    };
    let mut run = Run::new(seed).observed(&watch).stopped_by(interrupt::stop_flag());
    // Of a search that is stopped, bootstrap samples would say nothing.
    if !best && config.can_stop_early() && !matches!(evidence, AskedEvidence::Bootstrap(_)) {
        run = run.until(interrupt::enough_flag()).hurried_by(interrupt::hurry_flag());
    }
    let outlook = if best { None } else { config.outlook(rows_of(&table), names.len()) };
    if let Some(words) = outlook.and_then(|outlook| outlook.warning())
        && !arguments.quiet
    {
        output::tell(&format!("note: {words}"));
    }
    let budget = if best { arguments.budget.or(Some(COMPARING)) } else { arguments.budget };
    budget.into_iter().for_each(interrupt::enough_after);
    let answered = if best {
        let comparing = run.until(interrupt::enough_flag()).hurried_by(interrupt::hurry_flag());
        let seconds = budget.map(|budget| budget.as_secs_f64());
        interrupt::computing(|| answer_with_best(&question, seconds, &stopwatch, &comparing, &run))
    } else {
        interrupt::computing(|| answer(&config, &question, &stopwatch, &run))
    };
    let mut answer = answered.map_err(|error| readable(error, data))?;
    let call = Call { config: answer.learned.config.clone(), ..call };
    watch.finish();
    if arguments.no_timing {
        answer.document.timing = None;
    }
    Ok(Made { answer, table, truth, call })
}

/// How many rows there are, as far as that is known before they are read.
fn rows_of(table: &Table) -> usize {
    /// Bytes of a number written as text, with what separates it from the next.
    const WRITTEN: u64 = 10;
    let rows = table.rows();
    let bytes = if let Table::Stream(source, _) = table { source.text_bytes() } else { 0 };
    let guessed = || bytes / (WRITTEN * rows.names().len().max(1) as u64);
    rows.row_count().unwrap_or_else(|| usize::try_from(guessed()).unwrap_or(usize::MAX))
}

fn is_json(path: &Path) -> bool {
    matches!(GraphFormat::of_path(path), Ok(GraphFormat::Json))
}

fn named(order: &Order, names: &[String]) -> Vec<String> {
    order.nodes().iter().map(|&node| names[node].clone()).collect()
}

/// The whole pool; the answer does not depend on its size.
fn use_threads(threads: usize) -> Result<()> {
    // A program that learns twice has its pool already.
    if threads == 0 {
        return Ok(());
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("the threads cannot be started")
}

impl Made {
    /// Writes every file that was asked for, or none.
    pub(crate) fn write(&self, arguments: &LearnArguments) -> Result<()> {
        // A picture of a thousand edges takes seconds.
        output::write_files(interrupt::computing(|| self.files(arguments))?)
    }

    fn files<'a>(&self, arguments: &'a LearnArguments) -> Result<Vec<(&'a Path, Vec<u8>)>> {
        let Answer { learned, document, .. } = &self.answer;
        let graph = NamedGraph::new(learned.names.clone(), learned.graph.clone())?;
        let mut files = Vec::new();
        for path in &arguments.outputs {
            let content = match PictureFormat::of_path(path) {
                Some(format) => self.drawing(&graph).picture().to_bytes(format),
                None if is_edge_list(path) => edge_list(&document.edges).into_bytes(),
                None => match GraphFormat::of_path(path)? {
                    GraphFormat::Json => output::json(document)?.into_bytes(),
                    format => graph.to_text(format).into_bytes(),
                },
            };
            files.push((path.as_path(), content));
        }
        if let Some(path) = &arguments.report {
            files.push((path.as_path(), self.report(arguments)?.into_bytes()));
        }
        Ok(files)
    }

    /// The graph, beside the truth where both are known to be DAGs.
    fn drawing(&self, graph: &NamedGraph) -> Drawing {
        let dags = self.truth.as_ref().and_then(|truth| Some((graph.graph().to_dag()?, truth.graph().to_dag()?)));
        match dags {
            Some((learned, truth)) => Drawing::compared(graph.names(), &learned, &truth),
            None => Drawing::of(graph),
        }
    }

    fn report(&self, arguments: &LearnArguments) -> Result<String> {
        let Answer { learned, document, .. } = &self.answer;
        let name = |path: &String| match Path::new(path).file_name() {
            Some(name) if path != "-" => name.to_string_lossy().into_owned(),
            Some(_) => "standard input".to_owned(),
            None => path.clone(),
        };
        let known = "The true graph is known: choose \u{201c}the truth\u{201d} under Compare with.";
        let report = Report {
            title: arguments.read.data.iter().map(name).collect::<Vec<_>>().join(", "),
            samples: Some(learned.n),
            document,
            sample: Some(ShownRows::of(self.table.rows(), learned.n)?),
            truth: self.truth.clone().map(|graph| Truth { name: "the truth".to_owned(), graph }),
            note: self.truth.is_some().then(|| known.to_owned()),
            call: self.call.clone(),
        };
        Ok(report.to_html()?)
    }
}
