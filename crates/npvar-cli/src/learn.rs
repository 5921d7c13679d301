//! `npvar learn`: from a table to a graph.

use std::path::Path;

use anyhow::{Context, Result};
use npvar::data::{Table, Tabular};
use npvar::graph::{GraphFormat, NamedGraph};
use npvar::judge::{Answer, AskedEvidence, GraphDocument, Question, Stopwatch, answer};
use npvar::learner::Learned;
use npvar::{Run, Seed};
use npvar_draw::{Drawing, PictureFormat};
use npvar_web::{Report, ShownRows};

use crate::args::LearnArguments;
use crate::progress::{Show, Watch};
use crate::table::{open, readable};
use crate::text::{self, Align, row};
use crate::{config, interrupt, knowledge_file, order_file, output};

pub(crate) fn run(arguments: &LearnArguments) -> Result<()> {
    // Everything that can be wrong is found before the work begins.
    let config = config::resolve(arguments)?;
    config.build()?;
    let evidence = arguments.asked_evidence();
    evidence.check()?;
    if arguments.budget.is_some() && !config.can_stop_early() {
        let problem = format!("`{}` is no search that could stop earlier; `best-order` is", config.info().name);
        return Err(npvar::Error::Options { option: "`--budget`".to_owned(), problem }.into());
    }
    output::check_writable(&arguments.written(), &arguments.given()?)?;
    use_threads(arguments.threads)?;
    let seed = arguments.seed.map_or_else(Seed::random, Seed);

    let watch = Watch::new(if arguments.quiet { Show::Never } else { Show::IfTerminal });
    let clock = || watch.elapsed();
    let stopwatch = Stopwatch::start(&clock);
    let data = &arguments.read.data;
    let table = open(data, &arguments.read)?;
    let second = arguments.second_sample.as_ref().map(|path| open(std::slice::from_ref(path), &arguments.read));
    let second = second.transpose()?;
    let order = arguments.order.as_ref().map(|path| order_file::read(path, table.rows().names())).transpose()?;
    let knowledge =
        arguments.knowledge.as_ref().map(|path| knowledge_file::read(path, table.rows().names())).transpose()?;
    let question = Question {
        second_sample: second.as_ref().map(|table| table as &dyn Tabular),
        order,
        knowledge: knowledge.as_ref(),
        evidence,
        ..Question::new(&table)
    };
    // Of a search that is stopped, bootstrap samples would say nothing.
    let can_stop_early = config.can_stop_early() && !matches!(evidence, AskedEvidence::Bootstrap(_));
    let mut run = Run::new(seed).observed(&watch);
    if can_stop_early {
        run = run.until(interrupt::enough_flag());
    }
    let run = run.stopped_by(interrupt::stop_flag());
    arguments.budget.into_iter().for_each(interrupt::enough_after);
    let answered = answer(&config, &question, &stopwatch, &run).map_err(|error| readable(error, data))?;
    watch.finish();
    let Answer { learned, mut document, timing } = answered;
    if arguments.no_timing {
        document.timing = None;
    }
    if !arguments.quiet {
        output::tell_all(&document.diagnostics);
        if arguments.seed.is_none() && !arguments.json {
            output::tell(&format!("note: the seed was picked at random; --seed {} repeats this run", seed.0));
        }
    }
    let written = arguments.json || arguments.report.is_some() || arguments.outputs.iter().any(|path| is_json(path));
    if arguments.evidence && !written && !arguments.quiet {
        output::tell(
            "note: the curves and standard errors are in the JSON (--json, -o FILE.json) and in the report (--report)",
        );
    }
    let result = if arguments.json { output::json(&document)? } else { page(&learned, &document) };
    // Before the files: what a full disk refuses is not lost.
    let printed = output::print(&result);
    write_outputs(arguments, &table, &learned, &document)?;
    printed?;
    if let (Some(path), false) = (&arguments.report, arguments.quiet) {
        output::tell(&format!("wrote {}; open it in a browser", path.display()));
    }
    if !arguments.quiet && !arguments.json && !arguments.no_timing {
        output::tell(&format!(
            "took {} (reading {}, order {}, parents {}{})",
            text::seconds(timing.total_seconds),
            text::seconds(timing.read_seconds),
            text::seconds(timing.order_seconds),
            text::seconds(timing.selection_seconds),
            timing.evidence_seconds.map_or_else(String::new, |time| format!(", evidence {}", text::seconds(time)))
        ));
    }
    Ok(())
}

fn is_json(path: &Path) -> bool {
    matches!(GraphFormat::of_path(path), Ok(GraphFormat::Json))
}

/// The whole pool; the answer does not depend on its size.
fn use_threads(threads: usize) -> Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().context("the threads cannot be started")
}

fn write_outputs(arguments: &LearnArguments, table: &Table, learned: &Learned, document: &GraphDocument) -> Result<()> {
    let graph = NamedGraph::new(learned.names.clone(), learned.graph.clone())?;
    let mut files = Vec::new();
    for path in &arguments.outputs {
        let content = match PictureFormat::of_path(path) {
            Some(format) => Drawing::of(&graph).picture().to_bytes(format),
            None => match GraphFormat::of_path(path)? {
                GraphFormat::Json => output::json(document)?.into_bytes(),
                format => graph.to_text(format).into_bytes(),
            },
        };
        files.push((path.as_path(), content));
    }
    if let Some(path) = &arguments.report {
        files.push((path.as_path(), report(arguments, table, learned, document)?.into_bytes()));
    }
    output::write_files(files)
}

fn report(arguments: &LearnArguments, table: &Table, learned: &Learned, document: &GraphDocument) -> Result<String> {
    let data = &arguments.read.data;
    let name = |path: &String| match Path::new(path).file_name() {
        Some(name) if path != "-" => name.to_string_lossy().into_owned(),
        Some(_) => "standard input".to_owned(),
        None => path.clone(),
    };
    let order = document.order.as_deref().unwrap_or_default();
    let report = Report {
        title: data.iter().map(name).collect::<Vec<_>>().join(", "),
        samples: Some(learned.n),
        document,
        sample: Some(ShownRows::of(table.rows(), learned.n)?),
        truth: None,
        note: None,
        call: arguments.call(&learned.config, learned.seed, order),
    };
    Ok(report.to_html()?)
}

/// The answer for a person.
fn page(learned: &Learned, document: &GraphDocument) -> String {
    let edges = text::count(document.edges.len(), "edge");
    let mut page = format!("{edges} between {} nodes, from {} samples\n", document.nodes.len(), learned.n);
    page += &edge_table(document);
    if let Some(order) = &document.order {
        page += &format!("\norder: {}\n", order.join(", "));
    }
    if let Some(layers) = document.layers.as_ref().filter(|layers| layers.iter().any(|layer| layer.len() > 1)) {
        let layers: Vec<String> = layers.iter().map(|layer| layer.join(", ")).collect();
        page += &format!("layers: {}\n", layers.join(" | "));
    }
    if let Some(bootstrap) = &document.bootstrap {
        page += &format!(
            "frequency: the share of {} in which this edge was found (how stable it is, not how likely)\n",
            text::count(bootstrap.replicates, "bootstrap sample")
        );
    }
    page
}

/// Edges along the order, parents first.
fn edge_table(document: &GraphDocument) -> String {
    if document.edges.is_empty() {
        return String::new();
    }
    let names = document.order.as_ref().unwrap_or(&document.nodes);
    let place: std::collections::HashMap<&String, usize> =
        names.iter().enumerate().map(|(place, name)| (name, place)).collect();
    let mut edges: Vec<_> = document.edges.iter().collect();
    edges.sort_by_key(|edge| (place.get(&edge.from), place.get(&edge.to)));
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1}"));
    // What a learner does not say of its edges has no column.
    let columns: [(&str, Vec<String>); 6] = [
        ("p-value", edges.iter().map(|edge| edge.p_value.map_or_else(String::new, text::p_value)).collect()),
        ("strength", edges.iter().map(|edge| edge.strength.map_or_else(String::new, |s| format!("{s:.3}"))).collect()),
        ("weight", edges.iter().map(|edge| edge.weight.map_or_else(String::new, text::number)).collect()),
        ("nats without", edges.iter().map(|edge| number(edge.without_nats)).collect()),
        ("nats turned", edges.iter().map(|edge| number(edge.turned_nats)).collect()),
        (
            "frequency",
            edges.iter().map(|edge| edge.frequency.map_or_else(String::new, |f| format!("{f:.2}"))).collect(),
        ),
    ];
    let columns: Vec<_> = columns.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect();
    let mut rows = vec![row(["from", "", "to"])];
    rows.extend(edges.iter().map(|edge| {
        let arrow = match edge.kind {
            npvar::graph::EdgeKind::Directed => "->",
            npvar::graph::EdgeKind::Undirected => "--",
            npvar::graph::EdgeKind::Bidirected => "<->",
        };
        row([&edge.from, arrow, &edge.to])
    }));
    let mut align = vec![Align::Left; 3];
    for (name, cells) in columns {
        align.push(Align::Right);
        rows[0].push(name.to_owned());
        rows[1..].iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
    }
    format!("\n{}", text::table(&align, &rows))
}
