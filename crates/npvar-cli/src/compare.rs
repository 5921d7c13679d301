//! `npvar compare`: which assumption fits?

use std::path::PathBuf;

use anyhow::Result;
use npvar::compare::{Assessment, Comparing, Comparison, LearnerRow, Status, compare};
use npvar::data::Loaded;
use npvar::judge::{Call, Stopwatch};
use npvar::learner::{LearnerConfig, NpvarConfig};
use npvar::{Run, Seed};
use npvar_web::comparison_html;

use crate::args::CompareArguments;
use crate::learn::COMPARING;
use crate::learned_text::verdict;
use crate::progress::{Show, Watch};
use crate::table::{load, readable, tell_intake};
use crate::terminal::{Stream, Tone};
use crate::text::{self, Align, row};
use crate::{interrupt, output};

pub(crate) fn run(arguments: &CompareArguments) -> Result<()> {
    interrupt::stop_flag();
    let given = arguments.read.data.iter().map(PathBuf::from).collect::<Vec<_>>();
    output::check_writable(&arguments.report.iter().cloned().collect::<Vec<_>>(), &given)?;
    if arguments.threads > 0 {
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads).build_global()?;
    }
    let watch = Watch::new(if arguments.quiet { Show::Never } else { Show::IfTerminal });
    let loaded = load(&arguments.read)?;
    if !arguments.quiet {
        tell_intake(&loaded.intake);
    }
    let seed = arguments.seed.map_or_else(Seed::random, Seed);
    let call = Call {
        read: arguments.read.options(None),
        ..Call::new(&arguments.read.data, LearnerConfig::Npvar(NpvarConfig::default()), seed)
    };
    let comparison = compared(arguments, &loaded, &call, &watch)?;
    watch.finish();
    let comparison = if arguments.no_timing { comparison.without_timing() } else { comparison };
    let result = if arguments.json { output::json(&comparison)? } else { page(&comparison) };
    let printed = output::print(&result);
    if !arguments.quiet {
        output::tell_all(&comparison.diagnostics, false);
        if arguments.seed.is_none() && !arguments.json {
            output::tell(&format!("note: the seed was picked at random; --seed {} repeats this run", seed.0));
        }
    }
    if let Some(path) = &arguments.report {
        let title = arguments.read.data.join(", ");
        let page = interrupt::computing(|| comparison_html(&title, &comparison, &call.comparing()))?;
        output::write_files([(path.as_path(), page)])?;
        if !arguments.quiet {
            output::tell(&format!("wrote {}; open it in a browser", path.display()));
        }
    }
    printed
}

fn compared(arguments: &CompareArguments, loaded: &Loaded, call: &Call, watch: &Watch) -> Result<Comparison> {
    let budget = arguments.budget.unwrap_or(COMPARING);
    let comparing = Comparing { table: loaded, budget: Some(budget.as_secs_f64()), call: Some(call.clone()) };
    let clock = || watch.elapsed();
    let enough = interrupt::enough_flag();
    interrupt::enough_after(budget);
    let run = Run::new(call.seed).observed(watch).stopped_by(interrupt::stop_flag());
    let run = run.until(enough).hurried_by(interrupt::hurry_flag());
    let compared = interrupt::computing(|| compare(&comparing, &Stopwatch::start(&clock), &run));
    compared.map_err(|error| readable(error, &arguments.read.data))
}

fn page(comparison: &Comparison) -> String {
    let d = comparison.nodes.len();
    let mut page = verdict(&comparison.verdict);
    page += &format!("{} samples of {}\n\nLearners\n\n", comparison.n, text::count(d, "column"));
    page += &learners(comparison);
    page += &format!(
        "\nbehind: nats by which the graph explains rows it has not seen worse than the best graph, and their standard\n\
         error ({}); dependent: tests in which what is left over depends\non parents or on what is left of another column.\n\n",
        comparison.model.words()
    );
    for learner in &comparison.learners {
        page += &bullet(&format!("{}: {}", Stream::Out.paint(Tone::Strong, &learner.name), learner.sentence));
    }
    page += "\nAssumptions\n\n";
    for assumption in &comparison.assumptions {
        let tone = match assumption.verdict {
            Assessment::Kept => Tone::Good,
            Assessment::Rejected => Tone::Bad,
            Assessment::Undecided => Tone::Quiet,
        };
        let word = Stream::Out.paint(tone, assumption.verdict.words());
        page += &bullet(&format!("{}: {word}; {}", assumption.name, assumption.evidence));
    }
    page += "\nEdges by votes\n\n";
    page += &votes(comparison);
    page += &format!("\nConsensus of {}\n\n", comparison.voices.join(", "));
    page += &consensus(comparison);
    page
}

fn bullet(text: &str) -> String {
    format!("  {}\n", Stream::Out.wrapped(text, 4))
}

fn learners(comparison: &Comparison) -> String {
    let mut rows = vec![row(["learner", "", "seconds", "edges", "behind", "", "dependent", "assumes"])];
    rows.extend(comparison.learners.iter().map(|learner| {
        let chosen = comparison.chosen.as_ref() == Some(&learner.name);
        let state = match learner.status {
            Status::Learned if chosen => "chosen",
            Status::Learned => "",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
            Status::Stopped => "stopped",
        };
        let seconds = learner.seconds.map_or_else(String::new, |seconds| format!("{seconds:.2}"));
        let edges = learner.edges.as_ref().map_or_else(String::new, |edges| edges.len().to_string());
        let held_out = learner.held_out.as_ref();
        let behind = held_out.map_or_else(String::new, |held_out| format!("{:.1}", held_out.behind));
        let error = held_out.map_or_else(String::new, |held_out| format!("\u{b1} {:.1}", held_out.error));
        let dependent = (learner.residuals.as_ref())
            .map_or_else(String::new, |tests| format!("{} of {}", tests.dependent, tests.tests));
        row([&learner.name, state, &seconds, &edges, &behind, &error, &dependent, &learner.assumes])
    }));
    let right = Align::Right;
    text::table(&[Align::Left, Align::Left, right, right, right, right, right, Align::Left], &rows)
}

fn votes(comparison: &Comparison) -> String {
    let learned: Vec<&LearnerRow> =
        comparison.learners.iter().filter(|learner| learner.status == Status::Learned).collect();
    let mut edges: Vec<(usize, Vec<String>)> = (comparison.edges.iter())
        .map(|edge| {
            let with = |word: &str| edge.votes.values().filter(|vote| *vote == word).count();
            let (forward, backward) = (with("forward"), with("backward"));
            let open = with("undirected") + with("bidirected");
            let cells = [forward, backward, open, with("absent")].map(|votes| votes.to_string());
            let [forward_cell, backward_cell, open_cell, absent] = &cells;
            let cells = row([&edge.from, "->", &edge.to, forward_cell, backward_cell, open_cell, absent]);
            (forward + backward + open, cells)
        })
        .collect();
    edges.sort_by_key(|(joined, _)| std::cmp::Reverse(*joined));
    let mut rows = vec![row(["from", "", "to", "so", "reversed", "either", "absent"])];
    rows.extend(edges.into_iter().map(|(_, cells)| cells));
    let mut align = [Align::Right; 7];
    align[..3].fill(Align::Left);
    format!("{}  by {}\n", text::table(&align, &rows), text::count(learned.len(), "learner"))
}

fn consensus(comparison: &Comparison) -> String {
    if comparison.consensus.is_empty() {
        return "  no edges\n".to_owned();
    }
    let mut rows = vec![row(["from", "", "to", "support"])];
    rows.extend(comparison.consensus.iter().map(|edge| {
        let support = edge.support.map_or_else(String::new, |support| format!("{support:.2}"));
        row([&edge.from, edge.kind.sign(), &edge.to, &support])
    }));
    text::table(&[Align::Left, Align::Left, Align::Left, Align::Right], &rows)
}
