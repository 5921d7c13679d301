//! A graph as a static picture: no scripts, nothing to load, no names that could clash beside another picture on a page.

use std::fmt::Write;

use npvar::graph::{Dag, EdgeKind, Layers, NamedGraph, Node};

use crate::label::{LETTERS, LINE, Label};
use crate::layout::{Direction, Layout, Point, STUB, layers, layout};
use crate::svg::{INK, escaped, picture, text};
use crate::verdict::{Verdict, verdicts};

const MARGIN: f64 = 24.0;
const TITLE: f64 = 40.0;
const TITLE_LETTERS: f64 = 17.0;
const LEGEND: f64 = 40.0;
/// From one item of the legend to the next.
const LEGEND_ITEM: f64 = 180.0;
const SMALL_LETTERS: f64 = 13.0;
/// What frames around layers add, and the room for their names.
const FRAME: f64 = 8.0;
const FRAME_NAME: f64 = 24.0;
/// An arrowhead's length, its half width, and how deep it is notched.
const HEAD: (f64, f64, f64) = (9.0, 4.0, 2.0);
const _: () = assert!(HEAD.0 < STUB);
/// With more edges than this, each is drawn more thinly.
const DENSE: usize = 150;

/// What to draw of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// Stands above the graph.
    pub title: Option<String>,
    /// One for every node.
    pub names: Vec<String>,
    /// In the order in which they are drawn.
    pub edges: Vec<DrawnEdge>,
    /// Layers for the nodes to stand in, each in a frame. Without, a node stands as many layers from the first as the longest
    /// path to it has edges.
    pub layers: Option<Layers>,
    /// Which way the layers follow each other; without, the way that gives the handier shape.
    pub direction: Option<Direction>,
}

/// An edge of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawnEdge {
    /// The node it leaves.
    pub from: Node,
    /// The node it meets.
    pub to: Node,
    /// Its marks.
    pub kind: EdgeKind,
    /// How it stands to the truth; a legend counts the verdicts where there are any.
    pub verdict: Option<Verdict>,
}

impl Drawing {
    /// A graph as it is.
    pub fn of(graph: &NamedGraph) -> Drawing {
        let edge = |(from, to, kind)| DrawnEdge { from, to, kind, verdict: None };
        let edges = graph.graph().edges().into_iter().map(edge).collect();
        Drawing { title: None, names: graph.names().to_vec(), edges, layers: None, direction: None }
    }

    /// A learned graph, and what it missed.
    pub fn compared(names: &[String], learned: &Dag, truth: &Dag) -> Drawing {
        let edge = |(from, to, verdict)| DrawnEdge { from, to, kind: EdgeKind::Directed, verdict: Some(verdict) };
        let edges = verdicts(learned, truth).into_iter().map(edge).collect();
        Drawing { title: None, names: names.to_vec(), edges, layers: None, direction: None }
    }

    /// The names in their boxes.
    pub fn labels(&self) -> Vec<Label> {
        self.names.iter().map(|name| Label::new(name)).collect()
    }

    /// Where nodes and edges stand. A missed edge follows the learned ones' direction unless it contradicts them.
    pub fn layout(&self) -> Layout {
        let layer_of = match &self.layers {
            Some(layers) => {
                let mut layer_of = vec![0; self.names.len()];
                for (at, layer) in layers.layers().iter().enumerate() {
                    layer.iter().for_each(|&node| layer_of[node] = at);
                }
                layer_of
            }
            None => {
                let strict = |edge: &DrawnEdge| {
                    if edge.verdict == Some(Verdict::Missed) { EdgeKind::Undirected } else { edge.kind }
                };
                let all: Vec<_> = self.edges.iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
                let own: Vec<_> = self.edges.iter().map(|edge| (edge.from, edge.to, strict(edge))).collect();
                let all = layers(self.names.len(), &all);
                let forwards = |edge: &DrawnEdge| edge.kind != EdgeKind::Directed || all[edge.from] < all[edge.to];
                if self.edges.iter().all(forwards) { all } else { layers(self.names.len(), &own) }
            }
        };
        let sizes: Vec<_> = self.labels().iter().map(|label| label.size).collect();
        let pairs: Vec<_> = self.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        let laid = |direction| layout(&sizes, &layer_of, &pairs, direction);
        self.direction.map_or_else(|| handier(laid(Direction::Across), laid(Direction::Down)), laid)
    }
}

/// The layout that must be shrunk less to fit a page of 4 by 3.
fn handier(across: Layout, down: Layout) -> Layout {
    let shrunk = |layout: &Layout| (layout.width / 4.0).max(layout.height / 3.0);
    if shrunk(&across) <= shrunk(&down) { across } else { down }
}

/// Draws a graph.
///
/// ```
/// use npvar::graph::Dag;
/// use npvar_draw::{Drawing, graph_svg};
/// let names = ["a".to_owned(), "b".to_owned()];
/// let (learned, truth) = (Dag::from_edges(2, [])?, Dag::from_edges(2, [(0, 1)])?);
/// assert!(graph_svg(&Drawing::compared(&names, &learned, &truth)).contains("1 edge missed"));
/// # Ok::<(), npvar::Error>(())
/// ```
pub fn graph_svg(drawing: &Drawing) -> String {
    let layout = drawing.layout();
    let has_legend = drawing.edges.iter().any(|edge| edge.verdict.is_some());
    let frame = if drawing.layers.is_some() { FRAME + FRAME_NAME } else { 0.0 };
    let title = if drawing.title.is_some() { TITLE } else { 0.0 };
    let title_width = crate::svg::text_width(drawing.title.as_deref().unwrap_or(""), 1.06 * TITLE_LETTERS);
    let legend_width = if has_legend { LEGEND_ITEM * Verdict::ALL.len() as f64 } else { 0.0 };
    let width = (layout.width + 2.0 * frame).max(title_width).max(legend_width) + 2.0 * MARGIN;
    let height = title + 2.0 * MARGIN + layout.height + 2.0 * frame + if has_legend { LEGEND } else { 0.0 };
    let (left, top) = ((width - layout.width) / 2.0, title + MARGIN + frame);

    let mut svg = String::new();
    if let Some(title) = &drawing.title {
        let at = (width / 2.0, MARGIN + TITLE_LETTERS * 0.6);
        text(&mut svg, at, TITLE_LETTERS, "middle", "#1b2733", " font-weight=\"bold\"", title);
    }
    let _ = writeln!(svg, "<g transform=\"translate({left:.1} {top:.1})\">");
    if drawing.layers.is_some() {
        frames(&mut svg, &layout);
    }
    for (edge, route) in drawing.edges.iter().zip(&layout.routes) {
        draw_edge(&mut svg, drawing, *edge, route);
    }
    for ((name, label), at) in drawing.names.iter().zip(drawing.labels()).zip(&layout.nodes) {
        draw_node(&mut svg, name, &label, *at);
    }
    svg += "</g>\n";
    if has_legend {
        legend(&mut svg, drawing, (width / 2.0, height - LEGEND / 2.0));
    }
    picture(drawing.title.as_deref().unwrap_or("graph"), (width, height), &svg)
}

/// A frame around every layer, with its name: `L_1` holds the first.
fn frames(svg: &mut String, layout: &Layout) {
    for (at, &[begin, end]) in layout.layers.iter().enumerate() {
        let (begin, end) = (begin - FRAME, end + FRAME);
        let (x, y, width, height, name) = match layout.direction {
            Direction::Across => {
                (begin, -FRAME, end - begin, layout.height + 2.0 * FRAME, ((begin + end) / 2.0, -FRAME - 8.0))
            }
            Direction::Down => {
                (-FRAME, begin, layout.width + 2.0 * FRAME, end - begin, (-FRAME - 14.0, (begin + end) / 2.0 + 4.0))
            }
        };
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" fill=\"#f1f6fa\" \
             stroke=\"#0072B2\" stroke-width=\"0.8\" stroke-dasharray=\"4 3\"/>"
        );
        text(svg, name, SMALL_LETTERS, "middle", INK, "", &format!("L{}", subscript(at + 1)));
    }
}

fn subscript(number: usize) -> String {
    number.to_string().chars().map(|digit| char::from_u32(0x2050 + digit as u32).unwrap_or(digit)).collect()
}

/// Colour, width and dash of a line.
fn look(verdict: Option<Verdict>, dense: bool) -> (&'static str, f64, &'static str) {
    let (colour, width, dash) = match verdict {
        None | Some(Verdict::Found) => ("#2b3a48", 1.8, "none"),
        Some(Verdict::Missed) => ("#8794a1", 1.8, "6 5"),
        Some(Verdict::Wrong) => ("#e07b00", 2.4, "none"),
    };
    (colour, if dense { 0.6 * width } else { width }, dash)
}

fn draw_edge(svg: &mut String, drawing: &Drawing, edge: DrawnEdge, route: &[Point]) {
    let mut route = route.to_vec();
    let mut heads = String::new();
    if edge.kind != EdgeKind::Undirected {
        heads += &head(&mut route);
    }
    if edge.kind == EdgeKind::Bidirected {
        route.reverse();
        heads += &head(&mut route);
        route.reverse();
    }
    let verdict = edge.verdict.map_or_else(String::new, |verdict| format!(": {}", verdict.word()));
    let relation = match edge.kind {
        EdgeKind::Directed => "to",
        EdgeKind::Undirected => "and",
        EdgeKind::Bidirected => "to and from",
    };
    let (from, to) = (escaped(&drawing.names[edge.from]), escaped(&drawing.names[edge.to]));
    let _ = writeln!(svg, "<g><title>{from} {relation} {to}{verdict}</title>");
    line(svg, &bezier(&route), &heads, edge.verdict, drawing.edges.len() > DENSE);
    *svg += "</g>\n";
}

fn line(svg: &mut String, path: &str, heads: &str, verdict: Option<Verdict>, dense: bool) {
    let (colour, width, dash) = look(verdict, dense);
    let _ = write!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width:.2}\" stroke-dasharray=\"{dash}\"/>"
    );
    if !heads.is_empty() {
        let _ = write!(svg, "<path d=\"{heads}\" fill=\"{colour}\"/>");
    }
}

fn bezier(route: &[Point]) -> String {
    let mut path = format!("M{:.1} {:.1}", route[0][0], route[0][1]);
    for piece in route[1..].chunks(3) {
        path += "C";
        path += &piece.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join(" ");
    }
    path
}

/// An arrowhead at the end of a curve, which is shortened to begin in its notch.
fn head(route: &mut [Point]) -> String {
    let last = route.len() - 1;
    let (tip, before) = (route[last], route[last - 3]);
    let length = (tip[0] - before[0]).hypot(tip[1] - before[1]);
    let way = [(tip[0] - before[0]) / length, (tip[1] - before[1]) / length];
    let at = |back: f64, aside: f64| [tip[0] - back * way[0] - aside * way[1], tip[1] - back * way[1] + aside * way[0]];
    let [left, notch, right] = [at(HEAD.0, -HEAD.1), at(HEAD.0 - HEAD.2, 0.0), at(HEAD.0, HEAD.1)];
    for (step, point) in route[last - 2..].iter_mut().enumerate() {
        let share = (step + 1) as f64 / 3.0;
        *point = [before[0] + share * (notch[0] - before[0]), before[1] + share * (notch[1] - before[1])];
    }
    let [left, notch, right, tip] = [left, notch, right, tip].map(|[x, y]| format!("{x:.1} {y:.1}"));
    format!("M{left}L{tip}L{right}L{notch}Z")
}

fn draw_node(svg: &mut String, name: &str, label: &Label, [x, y]: Point) {
    let (width, height) = (label.size.width, label.size.height);
    let _ = writeln!(
        svg,
        "<g><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{:.1}\" \
         fill=\"#e4eff9\" stroke=\"#3b76ab\" stroke-width=\"1.5\"/>",
        escaped(name),
        x - width / 2.0,
        y - height / 2.0,
        (height / 2.0).min(12.0),
    );
    let first = y - LINE * (label.lines.len() - 1) as f64 / 2.0 + 0.35 * LETTERS;
    for (down, line) in label.lines.iter().enumerate() {
        text(svg, (x, first + LINE * down as f64), LETTERS, "middle", "#12324f", "", line);
    }
    *svg += "</g>\n";
}

fn legend(svg: &mut String, drawing: &Drawing, (middle, y): (f64, f64)) {
    let left = middle - LEGEND_ITEM * Verdict::ALL.len() as f64 / 2.0 + 10.0;
    for (at, verdict) in Verdict::ALL.into_iter().enumerate() {
        let x = left + LEGEND_ITEM * at as f64;
        let count = drawing.edges.iter().filter(|edge| edge.verdict == Some(verdict)).count();
        let mut sample = [[x, y], [x + 16.0, y], [x + 32.0, y], [x + 48.0, y]];
        let heads = head(&mut sample);
        line(svg, &bezier(&sample), &heads, Some(verdict), false);
        let words = format!("{count} edge{} {}", if count == 1 { "" } else { "s" }, verdict.word());
        text(svg, (x + 58.0, y + 4.6), SMALL_LETTERS, "start", "#44525f", "", &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edge_of_either_graph_is_drawn_once() {
        let names = ["a", "b<", "c"].map(str::to_owned);
        let learned = Dag::from_edges(3, [(0, 1), (2, 1)]).unwrap();
        let truth = Dag::from_edges(3, [(0, 1), (1, 2), (0, 2)]).unwrap();
        let drawing = Drawing { title: Some("A & B".to_owned()), ..Drawing::compared(&names, &learned, &truth) };
        let svg = graph_svg(&drawing);
        for (part, count) in [
            (": found</title>", 1),
            (": wrong</title>", 1),
            (": missed</title>", 2),
            ("b&lt;", 5),
            ("A &amp; B", 2),
            ("fill=\"#e4eff9\"", 3),
            ("2 edges missed", 1),
        ] {
            assert_eq!(svg.matches(part).count(), count, "{part}\n{svg}");
        }
        assert!(!svg.contains("NaN") && !svg.contains("<script") && !svg.contains("id="));
    }

    #[test]
    fn marks_tell_the_kinds_of_edges_apart() {
        let edge = |from, to, kind| DrawnEdge { from, to, kind, verdict: None };
        let drawing = |edges| Drawing {
            title: None,
            names: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
            edges,
            layers: None,
            direction: Some(Direction::Across),
        };
        for (kind, heads) in [(EdgeKind::Directed, 1), (EdgeKind::Undirected, 0), (EdgeKind::Bidirected, 2)] {
            let svg = graph_svg(&drawing(vec![edge(0, 1, kind)]));
            assert_eq!(svg.matches('Z').count(), heads, "{kind:?}\n{svg}");
        }
    }

    #[test]
    fn layers_that_are_given_have_frames() {
        let dag = Dag::from_edges(6, [(0, 2), (1, 2), (2, 3), (2, 4), (0, 4), (4, 5)]).unwrap();
        let names = (1..=6).map(|node| format!("X{node}")).collect();
        let graph = NamedGraph::from_dag(names, &dag).unwrap();
        let svg = graph_svg(&Drawing { layers: Some(dag.layers()), ..Drawing::of(&graph) });
        assert_eq!(svg.matches("stroke-dasharray=\"4 3\"").count(), dag.layers().depth());
        assert!(svg.contains(">L₄</text>") && !svg.contains("NaN"));
    }

    #[test]
    fn an_empty_graph_can_be_drawn() {
        let drawing = Drawing { title: None, names: Vec::new(), edges: Vec::new(), layers: None, direction: None };
        assert!(graph_svg(&drawing).ends_with("</svg>\n"));
    }
}
