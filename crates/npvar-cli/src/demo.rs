//! `npvar demo`: the main job on data with a known graph, by the commands that it prints.

use std::fmt::Write as _;

use anyhow::{Context, Result};
use clap::Parser;
use npvar::graph::{Dag, NamedGraph, Node};
use npvar::judge::{Answer, Timing, quoted};
use npvar::learner::Learned;
use npvar::metrics::{Evaluation, order_recovery};
use npvar_draw::{Verdict, verdicts};

use crate::args::{Arguments, Command, DemoArguments};
use crate::text::{self, Align, row};
use crate::{learn, output, simulate};

/// Two edges per node, each a smooth random function: a straight line sees little of it, so that the order which a linear
/// method reads off what lines leave over is wrong. (Over the seeds 1 to 6 the wrong edges of NPVAR are 0 0 0 2 0 0, of EqVar
/// 6 6 0 3 6 1, of NOTEARS 17 13 17 17 11 13, of 20.)
const SETTING: &str = "ER-AGP-2";
const NODES: usize = 10;
const SAMPLES: usize = 1000;
const NOISE_VARIANCE: f64 = 0.2;
/// Bootstrap samples behind the report.
const REPLICATES: usize = 100;

pub(crate) fn run(arguments: &DemoArguments) -> Result<()> {
    let commands = Commands::of(arguments);
    std::fs::create_dir_all(&arguments.out).map_err(|error| anyhow::anyhow!("{}: {error}", arguments.out.display()))?;
    match parsed(&commands.simulate)? {
        Command::Simulate(asked) => simulate::write_asked(&asked).map(drop)?,
        _ => unreachable!("it is `simulate`"),
    }
    let npvar = learned(&commands.npvar)?;
    let linear = commands.linear.iter().map(|command| learned(command)).collect::<Result<Vec<_>>>()?;
    let truth = NamedGraph::read(arguments.out.join("truth.csv"))?.arranged(&npvar.learned.names)?;
    let truth = truth.graph().to_dag().context("the true graph is a DAG")?;

    let edges = text::count(truth.edge_count(), "edge");
    let mut page = format!(
        "{SAMPLES} samples of {NODES} nodes whose graph is known: {edges}, every node a sum of smooth random functions of\n\
         its parents plus noise ({SETTING}, seed {}).\n\n",
        arguments.seed
    );
    let align = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left, Align::Right];
    let mut rows = vec![row(["learner", "found", "missed", "wrong", "SHD", "order recovered", "time"])];
    for answer in std::iter::once(&npvar).chain(&linear) {
        rows.push(score(&answer.learned, &truth, answer.timing)?);
    }
    page += &text::table(&align, &rows);
    page +=
        "\nEqVar and NOTEARS assume linear relations; NPVAR does not. The graph NPVAR learned, along its order:\n\n";
    page += &parents(&npvar.learned, &dag(&npvar.learned)?, &truth);
    let _ = writeln!(page, "\nThe same files, by the commands that made them:\n");
    for command in [&commands.simulate, &commands.npvar].into_iter().chain(&commands.linear) {
        let _ = writeln!(page, "  {}", shown(command));
    }
    let folder = arguments.out.display().to_string();
    let _ = writeln!(page, "  npvar evaluate {0}/graph.json --truth {0}/truth.csv", quoted(&folder));
    output::print(&page)?;
    output::tell(&format!(
        "\nwrote data.csv, truth.csv, graph.json, graph.dot, graph.svg, eqvar.json and notears.json to {folder}"
    ));
    output::tell(&format!("the report is in {folder}/report.html; open it in a browser"));
    Ok(())
}

/// The commands of the demo, word by word: what is run is what is printed.
struct Commands {
    simulate: Vec<String>,
    npvar: Vec<String>,
    linear: [Vec<String>; 2],
}

impl Commands {
    fn of(DemoArguments { seed, out }: &DemoArguments) -> Self {
        let file = |name: &str| out.join(name).display().to_string();
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let [nodes, samples, replicates] = [NODES, SAMPLES, REPLICATES].map(|number| number.to_string());
        let (seed, folder) = (seed.to_string(), out.display().to_string());
        let noise = NOISE_VARIANCE.to_string();
        let sized = ["--nodes", &nodes, "--samples", &samples, "--noise-variance", &noise, "--seed", &seed];
        let [data, truth, report] = ["data.csv", "truth.csv", "report.html"].map(file);
        let [json, dot, svg] = ["graph.json", "graph.dot", "graph.svg"].map(file);
        let compared = ["--truth", &truth, "--bootstrap", &replicates, "--seed", &seed, "--report", &report];
        Commands {
            simulate: words(&[&["npvar", "simulate", SETTING][..], &sized, &["--out", &folder, "--force"]].concat()),
            npvar: words(&[&["npvar", "learn", &data][..], &compared, &["-o", &json, "-o", &dot, "-o", &svg]].concat()),
            linear: ["eqvar", "notears"].map(|name| {
                words(&[
                    "npvar",
                    "learn",
                    &data,
                    "--learner",
                    name,
                    "--seed",
                    &seed,
                    "-o",
                    &file(&format!("{name}.json")),
                ])
            }),
        }
    }
}

fn parsed(words: &[String]) -> Result<Command> {
    Ok(Arguments::try_parse_from(words)?.command)
}

/// What a `learn` command comes to; its files are written.
fn learned(words: &[String]) -> Result<Answer> {
    let Command::Learn(asked) = parsed(words)? else { unreachable!("it is `learn`") };
    let made = learn::make(&asked)?;
    made.write(&asked)?;
    Ok(made.answer)
}

/// A command as it is typed.
fn shown(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Order-based learners give DAGs.
fn dag(learned: &Learned) -> Result<Dag> {
    learned.graph.to_dag().context("parents selected along an order form a DAG")
}

fn score(learned: &Learned, truth: &Dag, timing: Timing) -> Result<Vec<String>> {
    let named = NamedGraph::new(learned.names.clone(), learned.graph.clone())?;
    let evaluation = Evaluation::new(&named, None, &NamedGraph::from_dag(learned.names.clone(), truth)?)?;
    let verdicts = verdicts(&dag(learned)?, truth);
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
