//! `npvar demo`: the main job on data with a known graph.

use std::fmt::Write as _;

use anyhow::Result;
use npvar::data::Dataset;
use npvar::graph::{Dag, GraphFormat, NamedGraph, Node};
use npvar::judge::{Answer, AskedEvidence, Bootstrap, Call, Question, Stopwatch, Timing, answer};
use npvar::learner::{Learned, LearnerConfig};
use npvar::metrics::{Evaluation, order_recovery};
use npvar::simulate::{Setting, SimulateOptions, simulate};
use npvar::{Run, Seed};
use npvar_draw::{Drawing, Verdict, verdicts};
use npvar_web::{Report, ShownRows, Truth};

use crate::args::DemoArguments;
use crate::progress::{Show, Watch};
use crate::text::{self, Align, row};
use crate::{interrupt, output, simulate as simulated_files};

/// Two edges per node, each a smooth random function: nonlinear, so that a linear method is misled, and hard enough that
/// no method is always right.
const SETTING: &str = "ER-AGP-2";
const NODES: usize = 10;
const SAMPLES: usize = 1000;
/// Bootstrap samples behind the report.
const REPLICATES: usize = 100;

pub(crate) fn run(arguments: &DemoArguments) -> Result<()> {
    let DemoArguments { seed, out } = arguments;
    let setting: Setting = SETTING.parse()?;
    let options = SimulateOptions { nodes: Some(NODES), samples: SAMPLES, ..SimulateOptions::default() };
    let simulated = simulate(setting, &options, Seed(*seed))?;
    let (data, truth) = (&simulated.data, &simulated.truth);
    std::fs::create_dir_all(out).map_err(|error| anyhow::anyhow!("{}: {error}", out.display()))?;

    let bootstrap = Bootstrap { replicates: REPLICATES, ..Bootstrap::default() };
    let asked = AskedEvidence::Bootstrap(bootstrap);
    let Answer { learned: npvar, document, timing: npvar_timing } = answered("npvar", data, asked, *seed)?;
    let Answer { learned: eqvar, timing: eqvar_timing, .. } = answered("eqvar", data, AskedEvidence::None, *seed)?;
    let graph = dag(&npvar);

    simulated_files::write(&simulated, &out.join("data.csv"), &out.join("truth.csv"))?;
    let named = NamedGraph::new(npvar.names.clone(), npvar.graph.clone())?;
    let drawing = Drawing {
        title: Some(format!("Learned by NPVAR from {SAMPLES} samples ({SETTING})")),
        ..Drawing::compared(&npvar.names, &graph, truth)
    };
    let report = Report {
        title: format!("npvar demo: {SETTING}"),
        samples: Some(SAMPLES),
        document: &document,
        sample: Some(ShownRows::of(data, SAMPLES)?),
        truth: Some(Truth { name: "the truth".to_owned(), graph: NamedGraph::from_dag(npvar.names.clone(), truth)? }),
        note: Some(format!(
            "Simulated data whose graph is known: every node is a sum of smooth random functions of its parents plus noise \
             ({SETTING}, seed {seed}). Choose \u{201c}the truth\u{201d} under Compare with."
        )),
        call: Call {
            bootstrap: Some(bootstrap),
            ..Call::new([out.join("data.csv").display().to_string()], npvar.config.clone(), Seed(*seed))
        },
    };
    output::write_files([
        (out.join("report.html").as_path(), report.to_html()?),
        (out.join("graph.json").as_path(), output::json(&document)?),
        (out.join("graph.dot").as_path(), named.to_text(GraphFormat::Dot)),
        (out.join("graph.svg").as_path(), drawing.picture().svg()),
    ])?;

    let edges = text::count(truth.edge_count(), "edge");
    let mut page = format!(
        "{SAMPLES} samples of {NODES} nodes whose graph is known: {edges}, every node a sum of smooth random functions of\n\
         its parents plus noise ({SETTING}, seed {seed}).\n\n"
    );
    let align = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left, Align::Right];
    let rows = [
        row(["learner", "found", "missed", "wrong", "SHD", "order recovered", "time"]),
        score(&npvar, truth, npvar_timing)?,
        score(&eqvar, truth, eqvar_timing)?,
    ];
    page += &text::table(&align, &rows);
    page += "\nEqVar assumes linear relations; NPVAR does not. The graph NPVAR learned, along its order:\n\n";
    page += &parents(&npvar, &graph, truth);
    let _ = writeln!(page, "\nThe same from the files, one by one:\n");
    let folder = out.display();
    let _ = writeln!(page, "  npvar learn {folder}/data.csv -o {folder}/graph.json --report {folder}/report.html");
    let _ = writeln!(page, "  npvar evaluate {folder}/graph.json --truth {folder}/truth.csv");
    output::print(&page)?;
    output::tell(&format!("\nwrote data.csv, truth.csv, graph.json, graph.dot and graph.svg to {folder}"));
    output::tell(&format!("the report is in {folder}/report.html; open it in a browser"));
    Ok(())
}

fn answered(learner: &str, data: &Dataset, evidence: AskedEvidence, seed: u64) -> Result<Answer> {
    let watch = Watch::new(Show::IfTerminal);
    let clock = || watch.elapsed();
    let run = Run::new(Seed(seed)).observed(&watch).stopped_by(interrupt::stop_flag());
    let question = Question { evidence, ..Question::new(data) };
    let config = LearnerConfig::resolve(learner, &[])?;
    Ok(interrupt::computing(|| answer(&config, &question, &Stopwatch::start(&clock), &run))?)
}

/// Order-based learners give DAGs.
fn dag(learned: &Learned) -> Dag {
    learned.graph.to_dag().expect("parents selected along an order form a DAG")
}

fn score(learned: &Learned, truth: &Dag, timing: Timing) -> Result<Vec<String>> {
    let named = NamedGraph::new(learned.names.clone(), learned.graph.clone())?;
    let evaluation = Evaluation::new(&named, None, &NamedGraph::from_dag(learned.names.clone(), truth)?)?;
    let verdicts = verdicts(&dag(learned), truth);
    let count = |verdict| verdicts.iter().filter(|&&(_, _, other)| other == verdict).count().to_string();
    let order = learned.order.as_ref().map(|order| order_recovery(order, truth));
    let order = order.map_or_else(String::new, |order| match order.violated_edges {
        0 => "yes".to_owned(),
        violated => format!("no ({} against it)", text::count(violated, "edge")),
    });
    let learning = timing.total_seconds - timing.evidence_seconds.unwrap_or(0.0);
    Ok(row([
        learned.config.info().title,
        &count(Verdict::Found),
        &count(Verdict::Missed),
        &count(Verdict::Wrong),
        &evaluation.shd.to_string(),
        &order,
        &text::seconds(learning),
    ]))
}

/// Every node with its parents, and what was missed or is wrong.
fn parents(learned: &Learned, graph: &Dag, truth: &Dag) -> String {
    let verdicts = verdicts(graph, truth);
    let of = |node: Node, verdict: Verdict| {
        let edges = verdicts.iter().filter(|&&(_, to, other)| to == node && other == verdict);
        edges.map(|&(from, ..)| learned.names[from].clone()).collect::<Vec<_>>().join(", ")
    };
    let nodes = learned.order.as_ref().unwrap_or(graph.order()).nodes();
    let rows: Vec<Vec<String>> = nodes
        .iter()
        .map(|&node| {
            let [found, missed, wrong] = [Verdict::Found, Verdict::Missed, Verdict::Wrong].map(|v| of(node, v));
            let mut parents: Vec<String> = Vec::new();
            parents.extend((!found.is_empty()).then_some(found));
            parents.extend((!wrong.is_empty()).then(|| format!("{wrong} (wrong)")));
            parents.extend((!missed.is_empty()).then(|| format!("{missed} (missed)")));
            let arrow = if parents.is_empty() { "" } else { "<-" };
            row([&learned.names[node], arrow, &parents.join(", ")])
        })
        .collect();
    text::table(&[Align::Left; 3], &rows)
}
