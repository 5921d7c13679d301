//! A learned graph beside the true one, as a static picture: layers from left to right, no scripts.

use std::fmt::Write as _;

use npvar::graph::{Dag, Node};

use crate::layout::{self, Layout};
use crate::text;

const LAYER_WIDTH: f64 = 132.0;
const SLOT_HEIGHT: f64 = 62.0;
const NODE_HEIGHT: f64 = 34.0;
const MARGIN: f64 = 36.0;
const TITLE_HEIGHT: f64 = 46.0;
const LEGEND_HEIGHT: f64 = 54.0;
/// Room for the title and the legend.
const LEAST_WIDTH: f64 = 600.0;
/// How far apart edges meet a node.
const PORT: f64 = 7.0;
/// What an arrowhead adds to its line.
const ARROW: f64 = 7.0;

/// How an edge stands to the truth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Found,
    Missed,
    Wrong,
}

impl Verdict {
    const ALL: [Verdict; 3] = [Verdict::Found, Verdict::Missed, Verdict::Wrong];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Found => "found",
            Verdict::Missed => "missed",
            Verdict::Wrong => "wrong",
        }
    }
}

/// Every edge of either graph.
pub(crate) fn verdicts(learned: &Dag, truth: &Dag) -> Vec<(Node, Node, Verdict)> {
    let estimated = learned
        .edges()
        .into_iter()
        .map(|(from, to)| (from, to, if truth.has_edge(from, to) { Verdict::Found } else { Verdict::Wrong }));
    let missed = truth.edges().into_iter().filter(|&(from, to)| !learned.has_edge(from, to));
    estimated.chain(missed.map(|(from, to)| (from, to, Verdict::Missed))).collect()
}

/// Draws the learned graph with what it missed.
pub(crate) fn drawing(title: &str, names: &[String], learned: &Dag, truth: &Dag) -> String {
    let edges = verdicts(learned, truth);
    let pairs: Vec<(Node, Node)> = edges.iter().map(|&(from, to, _)| (from, to)).collect();
    // Missed edges go from left to right too, unless they contradict the learned ones.
    let both = Dag::from_edges(names.len(), pairs.iter().copied());
    let layers = both.as_ref().unwrap_or(learned).layers();
    let mut layer_of = vec![0; names.len()];
    for (layer, nodes) in layers.layers().iter().enumerate() {
        nodes.iter().for_each(|&node| layer_of[node] = layer);
    }
    let layout = layout::place(&layer_of, &pairs);
    let picture = Picture::new(names, &layout, &pairs);
    picture.svg(title, &edges)
}

struct Picture<'a> {
    names: &'a [String],
    layout: &'a Layout,
    pairs: &'a [(Node, Node)],
    left: f64,
    width: f64,
    height: f64,
}

impl<'a> Picture<'a> {
    fn new(names: &'a [String], layout: &'a Layout, pairs: &'a [(Node, Node)]) -> Self {
        let points = || layout.nodes.iter().chain(layout.routes.iter().flatten());
        let across = points().map(|point| point.0).fold(0.0, f64::max) * LAYER_WIDTH;
        let down = points().map(|point| point.1).fold(0.0, f64::max) * SLOT_HEIGHT;
        let widest = names.iter().map(|name| node_width(name)).fold(0.0, f64::max);
        let width = (across + widest + 2.0 * MARGIN).max(LEAST_WIDTH);
        let height = TITLE_HEIGHT + MARGIN + down + MARGIN + LEGEND_HEIGHT;
        Picture { names, layout, pairs, left: (width - across) / 2.0, width, height }
    }

    fn at(&self, point: (f64, f64)) -> (f64, f64) {
        (self.left + LAYER_WIDTH * point.0, TITLE_HEIGHT + MARGIN + SLOT_HEIGHT * point.1)
    }

    fn svg(&self, title: &str, edges: &[(Node, Node, Verdict)]) -> String {
        let Picture { width, height, .. } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\" font-family=\"system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\">\n\
             <title>{}</title>\n{STYLE}",
            escaped(title)
        );
        for verdict in Verdict::ALL {
            let word = verdict.word();
            let _ = writeln!(
                svg,
                "<marker id=\"{word}-head\" viewBox=\"0 0 10 10\" refX=\"2\" refY=\"5\" markerWidth=\"9\" \
                 markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{word}-head\" \
                 d=\"M0 0.8 L10 5 L0 9.2 L2 5 z\"/></marker>"
            );
        }
        let _ = writeln!(
            svg,
            "<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"10\"/>\n<text class=\"title\" x=\"{:.1}\" \
             y=\"34\" text-anchor=\"middle\">{}</text>",
            width / 2.0,
            escaped(title)
        );
        for (edge, &(from, to, verdict)) in edges.iter().enumerate() {
            let _ = writeln!(
                svg,
                "<path class=\"edge {0}\" marker-end=\"url(#{0}-head)\" d=\"{1}\"><title>{2} to {3}: {0}</title></path>",
                verdict.word(),
                self.path(edge),
                escaped(&self.names[from]),
                escaped(&self.names[to]),
            );
        }
        for (node, name) in self.names.iter().enumerate() {
            let (x, y) = self.at(self.layout.nodes[node]);
            let width = node_width(name);
            let _ = writeln!(
                svg,
                "<rect class=\"node\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{NODE_HEIGHT}\" \
                 rx=\"{:.1}\"/><text class=\"name\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x - width / 2.0,
                y - NODE_HEIGHT / 2.0,
                NODE_HEIGHT / 2.0,
                y + 5.0,
                escaped(name)
            );
        }
        self.legend(&mut svg, edges);
        svg + "</svg>\n"
    }

    /// A smooth line through the edge's points that leaves and meets nodes horizontally.
    fn path(&self, edge: usize) -> String {
        let (from, to) = self.pairs[edge];
        let route = &self.layout.routes[edge];
        let mut points: Vec<(f64, f64)> = route.iter().map(|&point| self.at(point)).collect();
        let last = points.len() - 1;
        let direction = match points[last].0 - points[0].0 {
            across if across > 0.0 => 1.0,
            across if across < 0.0 => -1.0,
            _ => 0.0,
        };
        points[0].1 += self.port(from, edge);
        points[last].1 += self.port(to, edge);
        if direction == 0.0 {
            // Within a layer: out to the right and back.
            let (x, width) = (points[0].0, node_width(&self.names[from]) / 2.0);
            let (start, end) = (points[0].1, points[last].1);
            let out = x + width + 44.0;
            let back = x + node_width(&self.names[to]) / 2.0 + ARROW;
            return format!("M{:.1} {start:.1} C{out:.1} {start:.1} {out:.1} {end:.1} {back:.1} {end:.1}", x + width);
        }
        points[0].0 += direction * node_width(&self.names[from]) / 2.0;
        points[last].0 -= direction * (node_width(&self.names[to]) / 2.0 + ARROW);
        let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
        for at in 0..last {
            let ((x0, y0), (x1, y1)) = (points[at], points[at + 1]);
            let reach = (x1 - x0) / if last == 1 { 2.0 } else { 2.6 };
            let (leave, meet) = (y0 + reach * slope(&points, at), y1 - reach * slope(&points, at + 1));
            let _ = write!(path, " C{:.1} {leave:.1} {:.1} {meet:.1} {x1:.1} {y1:.1}", x0 + reach, x1 - reach);
        }
        path
    }

    /// How far above or below a node's middle this edge meets it: edges on one side are spread by where they come from.
    fn port(&self, node: Node, edge: usize) -> f64 {
        let side = |edge: usize| {
            let (from, to) = self.pairs[edge];
            let route = &self.layout.routes[edge];
            let (next, here) = if from == node {
                (route[1], route[0])
            } else if to == node {
                (route[route.len() - 2], route[route.len() - 1])
            } else {
                return None;
            };
            Some((next.0 >= here.0, next.1))
        };
        let Some((right, height)) = side(edge) else { return 0.0 };
        let heights = (0..self.pairs.len()).filter_map(|other| {
            let (other_right, other_height) = side(other)?;
            (other_right == right).then_some((other_height, other))
        });
        let heights: Vec<(f64, usize)> = heights.collect();
        let above = heights.iter().filter(|&&(h, other)| (h, other) < (height, edge)).count();
        let spread = PORT.min((NODE_HEIGHT - 12.0) / heights.len() as f64);
        (above as f64 - (heights.len() - 1) as f64 / 2.0) * spread
    }

    fn legend(&self, svg: &mut String, edges: &[(Node, Node, Verdict)]) {
        const ITEM: f64 = 180.0;
        let y = self.height - LEGEND_HEIGHT / 2.0;
        let left = (self.width - ITEM * Verdict::ALL.len() as f64) / 2.0 + 10.0;
        for (i, verdict) in Verdict::ALL.into_iter().enumerate() {
            let x = left + ITEM * i as f64;
            let count = edges.iter().filter(|&&(_, _, other)| other == verdict).count();
            let _ = writeln!(
                svg,
                "<path class=\"edge {0}\" marker-end=\"url(#{0}-head)\" d=\"M{x:.1} {y:.1} h40\"/><text class=\"key\" \
                 x=\"{1:.1}\" y=\"{2:.1}\">{3} {0}</text>",
                verdict.word(),
                x + 58.0,
                y + 5.0,
                text::count(count, "edge")
            );
        }
    }
}

const STYLE: &str = "<style>
.paper { fill: #ffffff }
.title { font-size: 17px; font-weight: 600; fill: #1b2733 }
.name { font-size: 15px; fill: #12324f }
.key { font-size: 14px; fill: #44525f }
.node { fill: #e4eff9; stroke: #3b76ab; stroke-width: 1.5 }
.edge { fill: none; stroke-width: 1.8 }
.found { stroke: #2b3a48 } .found-head { fill: #2b3a48 }
.missed { stroke: #8794a1; stroke-dasharray: 6 5 } .missed-head { fill: #8794a1 }
.wrong { stroke: #e07b00; stroke-width: 2.4 } .wrong-head { fill: #e07b00 }
</style>
";

/// The slope of an edge at one of its points: flat at its ends and where it turns, so that it never swings past a bend.
fn slope(points: &[(f64, f64)], at: usize) -> f64 {
    let Some([before, here, after]) = at.checked_sub(1).and_then(|first| points.get(first..first + 3)) else {
        return 0.0;
    };
    let (falling, next) = ((here.1 - before.1) / (here.0 - before.0), (after.1 - here.1) / (after.0 - here.0));
    if falling * next <= 0.0 { 0.0 } else { 2.0 * falling * next / (falling + next) }
}

/// Wide enough for the name.
fn node_width(name: &str) -> f64 {
    (9.5 * name.chars().count() as f64 + 26.0).max(48.0)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_of_either_graph_is_drawn_once() {
        let names = ["a", "b<", "c"].map(str::to_owned);
        let learned = Dag::from_edges(3, [(0, 1), (2, 1)]).unwrap();
        let truth = Dag::from_edges(3, [(0, 1), (1, 2), (0, 2)]).unwrap();
        let svg = drawing("A & B", &names, &learned, &truth);
        for (part, count) in [
            (": found</title>", 1),
            (": wrong</title>", 1),
            (": missed</title>", 2),
            ("b&lt;", 4),
            ("A &amp; B", 2),
            ("class=\"node\"", 3),
        ] {
            assert_eq!(svg.matches(part).count(), count, "{part}\n{svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("<script"));
    }
}
