//! `npvar plan`: how many samples?

use std::path::PathBuf;

use anyhow::{Result, bail};
use npvar::data::{ColumnKind, ReadOptions, read};
use npvar::learner::{Input, LearnerConfig};
use npvar::plan::{FittedSem, Population, Problem, Recovery, Share, bounds, failure_bound, recovery};
use npvar::simulate::SimulateOptions;
use npvar::{Error, Run, Seed};
use npvar_draw::curve::{self, Curve, CurvePoint};

use crate::args::{PlanBoundsArguments, PlanCommand, PlanSimulateArguments};
use crate::progress::{Show, Watch};
use crate::table::readable;
use crate::text::{self, Align, row};
use crate::{interrupt, output};

pub(crate) fn run(command: &PlanCommand) -> Result<()> {
    match command {
        PlanCommand::Bounds(arguments) => output::print(&bounds_page(arguments)?),
        PlanCommand::Simulate(arguments) => by_simulation(arguments),
    }
}

fn bounds_page(arguments: &PlanBoundsArguments) -> Result<String> {
    let problem = Problem {
        nodes: arguments.nodes,
        layers: arguments.layers,
        eta: arguments.eta,
        epsilon: arguments.epsilon,
        relevant: arguments.relevant,
        layer_width_and_span: arguments.layer_width.zip(arguments.layer_span),
    };
    let mut rows = vec![row(["bound", "samples", "formula", "assumes besides"])];
    for bound in bounds(&problem)? {
        rows.push(row([bound.name, &power_of_ten(bound.log10_samples), bound.formula, &bound.assumes]));
    }
    let mut page = format!(
        "Samples after which the layers are right with probability {} or more\nd = {}, r = {}, eta = {}, epsilon = {}\n\n",
        1.0 - problem.epsilon,
        problem.nodes,
        problem.layers,
        problem.eta,
        problem.epsilon
    );
    page += &text::table(&[Align::Left, Align::Right, Align::Left, Align::Left], &rows);
    page += "\nThe constant is not stated in the paper and taken as 1: these numbers say how the need grows, not what it is.\n\n\
             Every bound assumes\n\
             \x20 Condition 1  columns and conditional means within [0, 1] (rescaled), bounded residual variances\n\
             \x20 Condition 2  one residual variance E var(X_j | pa(j)) for all nodes\n\
             \x20 Condition 3  an estimator whose squared error falls to zero\n\
             \x20 threshold    delta sqrt(d) < eta < Delta / 2, where Delta is the gap between sigma^2 and every other\n\
             \x20              node's residual variance at each step\n";
    if let Some(squared_error) = arguments.squared_error {
        page += &match failure_bound(&problem, squared_error)? {
            Some(bound) => format!(
                "\nTheorem 4.1 with delta^2 = {squared_error}: wrong layers with probability {} or less (constant 1)\n",
                text::number(bound)
            ),
            None => format!(
                "\nTheorem 4.1 says nothing with delta^2 = {squared_error}: eta must exceed delta sqrt(d) = {}\n",
                text::number((squared_error * problem.nodes as f64).sqrt())
            ),
        };
    }
    Ok(page)
}

/// A number given by its logarithm, which may be too large to write out.
fn power_of_ten(log10: f64) -> String {
    if log10 < 6.0 {
        // A whole number stays one, whatever the rounding of its logarithm.
        return format!("{:.0}", (10f64.powf(log10) * (1.0 - 1e-9)).ceil());
    }
    let exponent = log10.floor();
    format!("{:.1}e{exponent:.0}", 10f64.powf(log10 - exponent))
}

fn by_simulation(arguments: &PlanSimulateArguments) -> Result<()> {
    let target = arguments.target;
    if !(target > 0.0 && target < 1.0) {
        bail!(Error::Options { option: "target".to_owned(), problem: "must lie between 0 and 1".to_owned() });
    }
    let figure = arguments.figure.iter().map(|(path, _)| path);
    let outputs: Vec<PathBuf> = figure.chain(&arguments.table).cloned().collect();
    let given: Vec<PathBuf> = arguments.data.iter().map(PathBuf::from).collect();
    interrupt::stop_flag();
    output::check_writable(&outputs, &given)?;
    let mut samples = arguments.samples.clone();
    samples.sort_unstable();
    samples.dedup();
    let learner = LearnerConfig::resolve(&arguments.learner, &arguments.assignments)?;
    learner.build()?;
    let seed = arguments.seed.map_or_else(Seed::random, Seed);
    let watch = Watch::new(Show::IfTerminal);
    let run = Run::new(seed).observed(&watch).stopped_by(interrupt::stop_flag());
    let threads = rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build()?;
    let simulate = || -> Result<(String, Vec<Recovery>)> {
        let (title, model) = match (&arguments.data, arguments.setting) {
            (Some(path), _) => (
                format!("{}: recovery of the model fitted to {path}", arguments.learner),
                fitted(path, &learner, &run)?,
            ),
            (None, Some(setting)) => {
                let options = SimulateOptions {
                    nodes: arguments.nodes,
                    noise_variance: arguments.noise_variance,
                    ..SimulateOptions::default()
                };
                (format!("{}: recovery on {setting}", arguments.learner), Population::Named(setting, options))
            }
            (None, None) => bail!("a setting or --data is needed"),
        };
        Ok((title, recovery(&model, &learner, &samples, arguments.replicates, &run)?))
    };
    let (title, found) = interrupt::computing(|| threads.install(simulate))?;
    watch.finish();
    if arguments.seed.is_none() {
        output::tell(&format!("note: the seed was picked at random; --seed {} repeats this run", seed.0));
    }
    let figure = arguments
        .figure
        .iter()
        .map(|(path, format)| (path.as_path(), curve::picture(&title, &curves(&found), target).to_bytes(*format)));
    let table = arguments.table.iter().map(|path| (path.as_path(), csv(&found).into_bytes()));
    // Before the files: what a full disk refuses is not lost.
    output::print(&page(&title, &found, target))?;
    output::write_files(figure.chain(table))
}

/// The learner's graph of a table, with additive functions.
fn fitted(path: &str, learner: &LearnerConfig, run: &Run<'_>) -> Result<Population> {
    let loaded = read(path, &ReadOptions::default()).map_err(|error| readable(error, &[path]))?;
    let learned = learner
        .build()?
        .learn(&Input::new(&loaded.data), &run.unobserved())
        .map_err(|error| readable(error, &[path]))?;
    let Some(dag) = learned.graph.to_dag() else {
        bail!(
            "{path}: the learner found a graph with undirected edges, from which no sample can be drawn; take another learner"
        );
    };
    let few: Vec<&str> = (0..loaded.data.d())
        .filter(|&node| loaded.data.kind(node) != ColumnKind::Continuous)
        .map(|node| loaded.data.names()[node].as_str())
        .collect();
    if !few.is_empty() {
        output::tell(&format!(
            "warning: {} hold few values; new samples of them are drawn as if they were continuous",
            few.join(", ")
        ));
    }
    Ok(Population::Fitted(FittedSem::fit(&loaded.data, &dag)?))
}

fn curves(found: &[Recovery]) -> Vec<Curve> {
    let curve = |label: &str, share: &dyn Fn(&Recovery) -> Option<Share>| {
        let point = |found: &Recovery| {
            share(found).map(|share| CurvePoint {
                samples: found.samples,
                share: share.value(),
                interval: share.interval(),
            })
        };
        Curve { label: label.to_owned(), points: found.iter().filter_map(point).collect() }
    };
    [curve("order", &|found| found.order), curve("graph", &|found| Some(found.graph))]
        .into_iter()
        .filter(|curve| !curve.points.is_empty())
        .collect()
}

fn page(title: &str, found: &[Recovery], target: f64) -> String {
    let cell = |share: Option<Share>| match share {
        Some(share) => {
            let (low, high) = share.interval();
            format!("{:.2}  [{low:.2}, {high:.2}]", share.value())
        }
        None => "none".to_owned(),
    };
    let mut rows = vec![row(["samples", "order right", "graph right"])];
    rows.extend(
        found.iter().map(|found| row([&found.samples.to_string(), &cell(found.order), &cell(Some(found.graph))])),
    );
    let replicates = found.first().map_or(0, |found| found.graph.of);
    let mut page =
        format!("{title}\n{}, 95 % intervals\n\n", text::count(replicates, "data set") + " for each number of samples");
    page += &text::table(&[Align::Right, Align::Left, Align::Left], &rows);
    page.push('\n');
    for (what, share) in [
        ("order", &(|found: &Recovery| found.order) as &dyn Fn(&Recovery) -> Option<Share>),
        ("graph", &|found: &Recovery| Some(found.graph)),
    ] {
        if found.iter().all(|found| share(found).is_none()) {
            continue;
        }
        let first = |good: &dyn Fn(Share) -> bool| {
            found.iter().find(|found| share(found).is_some_and(good)).map(|found| found.samples)
        };
        page += &match (first(&|share| share.interval().0 >= target), first(&|share| share.value() >= target)) {
            (Some(sure), _) => {
                format!("{what}: {target} or more with {sure} samples (the interval's lower end is above it)\n")
            }
            (None, Some(likely)) => {
                format!("{what}: {target} or more with {likely} samples, within the error of the simulation\n")
            }
            (None, None) => format!("{what}: {target} was not reached\n"),
        };
    }
    page
}

fn csv(found: &[Recovery]) -> String {
    let mut table = "samples,replicates,order,order_low,order_high,graph,graph_low,graph_high\n".to_owned();
    for found in found {
        let numbers = |share: Option<Share>| match share {
            Some(share) => format!("{},{},{}", share.value(), share.interval().0, share.interval().1),
            None => ",,".to_owned(),
        };
        table +=
            &format!("{},{},{},{}\n", found.samples, found.graph.of, numbers(found.order), numbers(Some(found.graph)));
    }
    table
}
