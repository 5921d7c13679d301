//! What a bootstrap frequency is worth: of the edges found with some frequency, how many are true?
//!
//! ```text
//! cargo run --release -p npvar-lab --bin calibration -- docs/src/lab/calibration.svg docs/src/lab/calibration.csv
//! ```
//!
//! Options: `nodes` (10), `samples` (200,1000), `seeds` (20, from 1 on), `replicates` (200). For every setting and data
//! set NPVAR is run with bootstrap samples; directed edges (every ordered pair of nodes) are sorted into ten bins of
//! frequency, and a point is the share of true edges in a bin, with Wilson's 95 % interval. `ER-SIN-4, rescaled` has every
//! column divided by its standard deviation: the assumption of equal residual variances fails there.

use std::fmt::Write as _;

use npvar::data::Dataset;
use npvar::graph::EdgeKind;
use npvar::judge::{Bootstrap, bootstrap};
use npvar::learner::{Input, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

const SETTINGS: [&str; 6] = ["MC-SIN", "ER-SIN-1", "ER-SIN-4", "SF-AGP-4", "ER-NGP-4", RESCALED];
const RESCALED: &str = "ER-SIN-4, rescaled";
const BINS: usize = 10;
/// Fewer edges than this make no point.
const FEWEST: usize = 5;

type Failure = Box<dyn std::error::Error>;

/// Edges found with a frequency of some bin.
#[derive(Clone, Copy, Default)]
struct Bin {
    edges: usize,
    true_edges: usize,
    frequencies: f64,
}

struct Curve {
    setting: &'static str,
    samples: usize,
    /// Those never found come first.
    never: Bin,
    bins: [Bin; BINS],
}

fn main() -> Result<(), Failure> {
    let (mut nodes, mut samples, mut seeds, mut replicates) = (10, vec![200, 1000], 20, 200);
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("nodes", value)) => nodes = value.parse()?,
            Some(("samples", value)) => samples = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
            Some(("seeds", value)) => seeds = value.parse()?,
            Some(("replicates", value)) => replicates = value.parse()?,
            Some(_) => return Err(format!("unknown option `{argument}`").into()),
            None => files.push(argument),
        }
    }
    let [picture, table] = &files[..] else { return Err("expected two files: PICTURE.svg TABLE.csv".into()) };
    let mut curves = Vec::new();
    for setting in SETTINGS {
        for &samples in &samples {
            curves.push(curve(setting, nodes, samples, seeds, replicates)?);
            eprintln!("{setting}, n = {samples}");
        }
    }
    let caption = format!("NPVAR, d = {nodes}, {seeds} data sets each, {replicates} bootstrap samples");
    std::fs::write(picture, drawing(&curves, &samples, &caption))?;
    std::fs::write(table, csv(&curves))?;
    Ok(())
}

fn curve(setting: &'static str, nodes: usize, n: usize, seeds: u64, replicates: usize) -> Result<Curve, Failure> {
    let mut curve = Curve { setting, samples: n, never: Bin::default(), bins: [Bin::default(); BINS] };
    let config = LearnerConfig::resolve("npvar", &[])?;
    for seed in (1..=seeds).map(Seed) {
        let name = if setting == RESCALED { "ER-SIN-4" } else { setting };
        let options = SimulateOptions { nodes: Some(nodes), samples: n, ..Default::default() };
        let simulated = simulate(name.parse()?, &options, seed)?;
        let data = if setting == RESCALED { rescaled(&simulated.data)? } else { simulated.data };
        let asked = Bootstrap { replicates, ..Bootstrap::default() };
        let found = bootstrap(&config, &Input::new(&data), asked, &Run::new(seed))?;
        for (from, to) in (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to))) {
            if from == to {
                continue;
            }
            let frequency = found.frequency(from, to, EdgeKind::Directed);
            let bin = match frequency {
                0.0 => &mut curve.never,
                _ => &mut curve.bins[((frequency * BINS as f64) as usize).min(BINS - 1)],
            };
            bin.edges += 1;
            bin.true_edges += usize::from(simulated.truth.has_edge(from, to));
            bin.frequencies += frequency;
        }
    }
    Ok(curve)
}

/// Every column divided by its standard deviation.
fn rescaled(data: &Dataset) -> npvar::Result<Dataset> {
    let column = |j: usize| {
        let (values, n) = (data.column(j), data.n() as f64);
        let mean = values.iter().sum::<f64>() / n;
        let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
        values.iter().map(|x| x / deviation).collect()
    };
    Dataset::new(data.names().to_vec(), (0..data.d()).map(column).collect())
}

impl Bin {
    /// The share of true edges and Wilson's interval.
    fn share(&self) -> (f64, f64, f64) {
        let (n, z) = (self.edges as f64, 1.96);
        let p = self.true_edges as f64 / n;
        let scale = 1.0 + z * z / n;
        let (middle, half) = (p + z * z / (2.0 * n), z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt());
        (p, ((middle - half) / scale).max(0.0), (middle + half) / scale)
    }
}

fn csv(curves: &[Curve]) -> String {
    let mut text =
        "setting,samples,from_frequency,to_frequency,edges,true_edges,mean_frequency,share,low,high\n".to_owned();
    for curve in curves {
        let never = std::iter::once((0.0, 0.0, &curve.never));
        let width = 1.0 / BINS as f64;
        let bins = curve.bins.iter().enumerate().map(|(i, bin)| (i as f64 * width, (i + 1) as f64 * width, bin));
        for (from, to, bin) in never.chain(bins).filter(|(.., bin)| bin.edges > 0) {
            let (share, low, high) = bin.share();
            let mean = bin.frequencies / bin.edges as f64;
            let _ = writeln!(
                text,
                "\"{}\",{},{from:.1},{to:.1},{},{},{mean:.3},{share:.3},{low:.3},{high:.3}",
                curve.setting, curve.samples, bin.edges, bin.true_edges
            );
        }
    }
    text
}

/// A panel per setting, a line per number of samples.
fn drawing(curves: &[Curve], samples: &[usize], caption: &str) -> String {
    const COLOURS: [&str; 4] = ["#d95f02", "#1b6ca8", "#1b9e77", "#7570b3"];
    const SIDE: f64 = 200.0;
    let (columns, rows) = (3, SETTINGS.len().div_ceil(3));
    let (width, height) = (60.0 + columns as f64 * (SIDE + 40.0), 70.0 + rows as f64 * (SIDE + 60.0) + 20.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\" fill=\"#222\" role=\"img\" aria-label=\"Share of true edges against bootstrap frequency\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"60\" y=\"22\" font-size=\"14\" font-weight=\"bold\">Of the edges found with some frequency, how many are true?</text>\n"
    );
    let mut x = 60.0;
    for (samples, colour) in samples.iter().zip(COLOURS) {
        let _ = writeln!(
            svg,
            "<circle cx=\"{}\" cy=\"38\" r=\"4\" fill=\"{colour}\"/><text x=\"{}\" y=\"42\">n = {samples}</text>",
            x + 4.0,
            x + 14.0
        );
        x += 90.0;
    }
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"42\" fill=\"#555\">{caption}</text>");
    for (panel, setting) in SETTINGS.iter().enumerate() {
        let (left, top) =
            (60.0 + (panel % columns) as f64 * (SIDE + 40.0), 76.0 + (panel / columns) as f64 * (SIDE + 60.0));
        let _ = writeln!(svg, "<g transform=\"translate({left} {top})\">");
        let _ = writeln!(svg, "<text x=\"0\" y=\"-8\" font-weight=\"bold\">{setting}</text>");
        for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let at = SIDE * tick;
            let _ = writeln!(svg, "<path d=\"M{at} 0V{SIDE}M0 {0}H{SIDE}\" stroke=\"#ddd\"/>", SIDE - at);
            let _ = writeln!(
                svg,
                "<text x=\"{at}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555\">{tick}</text>",
                SIDE + 16.0
            );
            if panel % columns == 0 {
                let _ = writeln!(
                    svg,
                    "<text x=\"-8\" y=\"{}\" text-anchor=\"end\" fill=\"#555\">{tick}</text>",
                    SIDE - at + 4.0
                );
            }
        }
        let _ = writeln!(svg, "<path d=\"M0 {SIDE}L{SIDE} 0\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>");
        if panel / columns + 1 == rows {
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">bootstrap frequency</text>",
                SIDE / 2.0,
                SIDE + 34.0
            );
        }
        if panel % columns == 0 {
            let middle = SIDE / 2.0;
            let _ = writeln!(
                svg,
                "<text transform=\"translate(-40 {middle}) rotate(-90)\" text-anchor=\"middle\">share of true edges</text>"
            );
        }
        for (curve, colour) in curves.iter().filter(|curve| curve.setting == *setting).zip(COLOURS) {
            svg += &line(curve, colour, SIDE);
        }
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

fn line(curve: &Curve, colour: &str, side: f64) -> String {
    let (mut marks, mut path) = (String::new(), String::new());
    for bin in curve.bins.iter().filter(|bin| bin.edges >= FEWEST) {
        let (share, low, high) = bin.share();
        let x = side * bin.frequencies / bin.edges as f64;
        let [y, low, high] = [share, low, high].map(|share| side * (1.0 - share));
        let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { "M" } else { "L" });
        let _ = writeln!(marks, "<path d=\"M{x:.1} {low:.1}V{high:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.5\"/>");
        let _ = writeln!(marks, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
    }
    format!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\n{marks}")
}
