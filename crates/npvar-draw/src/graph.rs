//! A graph as a picture.

use npvar::graph::{Dag, EdgeKind, Layers, Mark, NamedGraph, Node};

use crate::label::{LETTERS, LINE, Label};
use crate::layout::{Direction, Layout, Point, STUB, Size, layers, layout};
use crate::picture::{Anchor, Colour, Figure, Fill, Line, Path, Picture, Text};
use crate::svg::text_width;
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
/// A circle mark: its radius and the width of its line.
const CIRCLE: (f64, f64) = (3.4, 1.4);
const _: () = assert!(HEAD.0 < STUB && 2.0 * CIRCLE.0 + CIRCLE.1 < STUB);
/// Between nodes without edges.
const ISOLATED_GAP: f64 = 16.0;
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
        let laid = |direction| match self.layers {
            Some(_) => layout(&sizes, &layer_of, &pairs, direction),
            None => beside_isolated(&sizes, &layer_of, &pairs, direction),
        };
        self.direction.map_or_else(|| handier(laid(Direction::Across), laid(Direction::Down)), laid)
    }
}

/// Nodes without edges stand in rows below the others, where they are in nobody's way.
fn beside_isolated(sizes: &[Size], layer_of: &[usize], edges: &[(Node, Node)], direction: Direction) -> Layout {
    let mut joined = vec![false; sizes.len()];
    edges.iter().for_each(|&(from, to)| (joined[from], joined[to]) = (true, true));
    let (connected, isolated): (Vec<Node>, Vec<Node>) = (0..sizes.len()).partition(|&node| joined[node]);
    if connected.is_empty() || isolated.is_empty() {
        return layout(sizes, layer_of, edges, direction);
    }
    let mut place = vec![0; sizes.len()];
    connected.iter().enumerate().for_each(|(at, &node)| place[node] = at);
    let pick = |of: &dyn Fn(Node) -> usize| -> Vec<usize> { connected.iter().map(|&node| of(node)).collect() };
    let own_sizes: Vec<Size> = connected.iter().map(|&node| sizes[node]).collect();
    let own_edges: Vec<(Node, Node)> = edges.iter().map(|&(from, to)| (place[from], place[to])).collect();
    let mut placed = layout(&own_sizes, &pick(&|node| layer_of[node]), &own_edges, direction);
    let own = std::mem::take(&mut placed.nodes);
    placed.nodes = vec![[0.0; 2]; sizes.len()];
    connected.iter().zip(own).for_each(|(&node, at)| placed.nodes[node] = at);

    let widest = isolated.iter().map(|&node| sizes[node].width).fold(0.0, f64::max);
    let total: f64 = isolated.iter().map(|&node| sizes[node].width + ISOLATED_GAP).sum();
    // As wide as the graph, and no narrower than makes the rows about twice as wide as they are high together.
    let width = placed.width.max(widest).max((2.0 * total * 45.0).sqrt().min(total));
    placed.nodes.iter_mut().for_each(|at| at[0] += (width - placed.width) / 2.0);
    placed.routes.iter_mut().flatten().for_each(|at| at[0] += (width - placed.width) / 2.0);
    let (mut x, mut y, mut highest) = (0.0, placed.height + 2.0 * ISOLATED_GAP, 0.0_f64);
    for &node in &isolated {
        if x > 0.0 && x + sizes[node].width > width {
            (x, y, highest) = (0.0, y + highest + ISOLATED_GAP, 0.0);
        }
        placed.nodes[node] = [x + sizes[node].width / 2.0, y + sizes[node].height / 2.0];
        x += sizes[node].width + ISOLATED_GAP;
        highest = highest.max(sizes[node].height);
    }
    Layout { width, height: y + highest, ..placed }
}

/// The layout that must be shrunk less to fit a page of 4 by 3.
fn handier(across: Layout, down: Layout) -> Layout {
    let shrunk = |layout: &Layout| (layout.width / 4.0).max(layout.height / 3.0);
    if shrunk(&across) <= shrunk(&down) { across } else { down }
}

impl Drawing {
    /// The graph, drawn.
    ///
    /// ```
    /// use npvar::graph::Dag;
    /// use npvar_draw::Drawing;
    /// let names = ["a".to_owned(), "b".to_owned()];
    /// let (learned, truth) = (Dag::from_edges(2, [])?, Dag::from_edges(2, [(0, 1)])?);
    /// assert!(Drawing::compared(&names, &learned, &truth).picture().svg().contains("1 edge missed"));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn picture(&self) -> Picture {
        let layout = self.layout();
        let has_legend = self.edges.iter().any(|edge| edge.verdict.is_some());
        let frame = if self.layers.is_some() { FRAME + FRAME_NAME } else { 0.0 };
        let title = if self.title.is_some() { TITLE } else { 0.0 };
        let words = self.title.as_deref().unwrap_or("");
        let title_width = text_width(words, 1.06 * TITLE_LETTERS);
        let legend_width = if has_legend { LEGEND_ITEM * Verdict::ALL.len() as f64 } else { 0.0 };
        let width = (layout.width + 2.0 * frame).max(title_width).max(legend_width) + 2.0 * MARGIN;
        let height = title + 2.0 * MARGIN + layout.height + 2.0 * frame + if has_legend { LEGEND } else { 0.0 };
        let origin = [(width - layout.width) / 2.0, title + MARGIN + frame];
        let moved = |[x, y]: Point| [x + origin[0], y + origin[1]];

        let mut picture = Picture::new(self.title.as_deref().unwrap_or("graph"), width, height);
        picture.text(Text {
            at: [width / 2.0, MARGIN + TITLE_LETTERS * 0.6],
            size: TITLE_LETTERS,
            anchor: Anchor::Middle,
            colour: Colour(0x1b_2733),
            bold: true,
            upwards: false,
            words: words.to_owned(),
        });
        if self.layers.is_some() {
            frames(&mut picture, &layout, &moved);
        }
        for (edge, route) in self.edges.iter().zip(&layout.routes) {
            draw_edge(&mut picture, self, *edge, route.iter().copied().map(moved).collect());
        }
        for ((name, label), at) in self.names.iter().zip(self.labels()).zip(&layout.nodes) {
            draw_node(&mut picture, name, &label, moved(*at));
        }
        if has_legend {
            legend(&mut picture, self, [width / 2.0, height - LEGEND / 2.0]);
        }
        picture
    }
}

/// A frame around every layer, with its name: `L_1` holds the first.
fn frames(picture: &mut Picture, layout: &Layout, moved: &impl Fn(Point) -> Point) {
    for (at, &[begin, end]) in layout.layers.iter().enumerate() {
        let (begin, end) = (begin - FRAME, end + FRAME);
        let (corner, size, name) = match layout.direction {
            Direction::Across => {
                ([begin, -FRAME], [end - begin, layout.height + 2.0 * FRAME], [(begin + end) / 2.0, -FRAME - 8.0])
            }
            Direction::Down => {
                ([-FRAME, begin], [layout.width + 2.0 * FRAME, end - begin], [-FRAME - 14.0, (begin + end) / 2.0 + 4.0])
            }
        };
        let line = Line { colour: Colour(0x00_72b2), width: 0.8, dash: &[4.0, 3.0] };
        let figure = Figure::Box { corner: moved(corner), size, radius: 8.0 };
        picture.draw(figure, Some(line), Some(Fill::solid(Colour(0xf1_f6fa))));
        let name_words = format!("L{}", subscript(at + 1));
        picture.write(moved(name), SMALL_LETTERS, Anchor::Middle, Colour::INK, &name_words);
    }
}

fn subscript(number: usize) -> String {
    number.to_string().chars().map(|digit| char::from_u32(0x2050 + digit as u32).unwrap_or(digit)).collect()
}

fn look(verdict: Option<Verdict>, dense: bool) -> Line {
    let (colour, width, dash): (_, _, &[f64]) = match verdict {
        None | Some(Verdict::Found) => (0x2b_3a48, 1.8, &[]),
        Some(Verdict::Missed) => (0x87_94a1, 1.8, &[6.0, 5.0]),
        Some(Verdict::Wrong) => (0xe0_7b00, 2.4, &[]),
    };
    Line { colour: Colour(colour), width: if dense { 0.6 * width } else { width }, dash }
}

fn draw_edge(picture: &mut Picture, drawing: &Drawing, edge: DrawnEdge, mut route: Vec<Point>) {
    let (at_from, at_to) = edge.kind.marks();
    let mut ends = Ends::default();
    ends.add(at_to, &mut route);
    route.reverse();
    ends.add(at_from, &mut route);
    route.reverse();
    let verdict = edge.verdict.map_or_else(String::new, |verdict| format!(": {}", verdict.word()));
    let relation = match edge.kind {
        EdgeKind::Directed => "to",
        EdgeKind::Undirected => "and",
        EdgeKind::Bidirected => "to and from",
        circled => circled.sign(),
    };
    let name = format!("{} {relation} {}{verdict}", drawing.names[edge.from], drawing.names[edge.to]);
    let line = look(edge.verdict, drawing.edges.len() > DENSE);
    picture.named(name, |picture| draw_arrow(picture, &route, ends, line));
}

/// What stands at the ends of an edge.
#[derive(Default)]
struct Ends {
    heads: Path,
    /// The middles of circles.
    circles: Vec<Point>,
}

impl Ends {
    /// The mark at the end of a curve, which is shortened to leave room for it.
    fn add(&mut self, mark: Mark, route: &mut [Point]) {
        match mark {
            Mark::Tail => {}
            Mark::Arrow => self.heads = std::mem::take(&mut self.heads).and(head(route)),
            Mark::Circle => self.circles.push(circle(route)),
        }
    }
}

fn draw_arrow(picture: &mut Picture, route: &[Point], ends: Ends, line: Line) {
    picture.line(Path::bezier(route), line);
    if ends.heads != Path::default() {
        picture.draw(Figure::Path(ends.heads), None, Some(Fill::solid(line.colour)));
    }
    for middle in ends.circles {
        let outline = Line::solid(line.colour, CIRCLE.1);
        picture.draw(Figure::Circle { middle, radius: CIRCLE.0 }, Some(outline), Some(Fill::solid(Colour::WHITE)));
    }
}

/// The middle of a circle at the end of a curve, which is shortened to begin at its rim.
fn circle(route: &mut [Point]) -> Point {
    let radius = CIRCLE.0 + CIRCLE.1 / 2.0;
    let (way, tip) = shortened(route, 2.0 * radius);
    [tip[0] - radius * way[0], tip[1] - radius * way[1]]
}

/// An arrowhead at the end of a curve, which is shortened to begin in its notch.
fn head(route: &mut [Point]) -> Path {
    let (way, tip) = shortened(route, HEAD.0 - HEAD.2);
    let at = |back: f64, aside: f64| [tip[0] - back * way[0] - aside * way[1], tip[1] - back * way[1] + aside * way[0]];
    let [left, notch, right] = [at(HEAD.0, -HEAD.1), at(HEAD.0 - HEAD.2, 0.0), at(HEAD.0, HEAD.1)];
    Path::through([left, tip, right, notch]).close()
}

/// Takes so much off the end of a curve; the direction in which it ran, and where it ended.
fn shortened(route: &mut [Point], by: f64) -> (Point, Point) {
    let last = route.len() - 1;
    let (tip, before) = (route[last], route[last - 3]);
    let length = (tip[0] - before[0]).hypot(tip[1] - before[1]);
    let way = [(tip[0] - before[0]) / length, (tip[1] - before[1]) / length];
    let end = [tip[0] - by * way[0], tip[1] - by * way[1]];
    for (step, point) in route[last - 2..].iter_mut().enumerate() {
        let share = (step + 1) as f64 / 3.0;
        *point = [before[0] + share * (end[0] - before[0]), before[1] + share * (end[1] - before[1])];
    }
    (way, tip)
}

fn draw_node(picture: &mut Picture, name: &str, label: &Label, [x, y]: Point) {
    let (width, height) = (label.size.width, label.size.height);
    picture.named(name.to_owned(), |picture| {
        let corner = [x - width / 2.0, y - height / 2.0];
        let figure = Figure::Box { corner, size: [width, height], radius: (height / 2.0).min(12.0) };
        let line = Line::solid(Colour(0x3b_76ab), 1.5);
        picture.draw(figure, Some(line), Some(Fill::solid(Colour(0xe4_eff9))));
        let first = y - LINE * (label.lines.len() - 1) as f64 / 2.0 + 0.35 * LETTERS;
        for (down, line) in label.lines.iter().enumerate() {
            picture.write([x, first + LINE * down as f64], LETTERS, Anchor::Middle, Colour(0x12_324f), line);
        }
    });
}

fn legend(picture: &mut Picture, drawing: &Drawing, [middle, y]: Point) {
    let left = middle - LEGEND_ITEM * Verdict::ALL.len() as f64 / 2.0 + 10.0;
    for (at, verdict) in Verdict::ALL.into_iter().enumerate() {
        let x = left + LEGEND_ITEM * at as f64;
        let count = drawing.edges.iter().filter(|edge| edge.verdict == Some(verdict)).count();
        let mut sample = [[x, y], [x + 16.0, y], [x + 32.0, y], [x + 48.0, y]];
        let ends = Ends { heads: head(&mut sample), circles: Vec::new() };
        draw_arrow(picture, &sample, ends, look(Some(verdict), false));
        let words = format!("{count} edge{} {}", if count == 1 { "" } else { "s" }, verdict.word());
        picture.write([x + 58.0, y + 4.6], SMALL_LETTERS, Anchor::Start, Colour(0x44_525f), &words);
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
        let svg = drawing.picture().svg();
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
            let svg = drawing(vec![edge(0, 1, kind)]).picture().svg();
            assert_eq!(svg.matches('Z').count(), heads, "{kind:?}\n{svg}");
        }
        for (kind, heads, circles) in
            [(EdgeKind::PartiallyDirected, 1, 1), (EdgeKind::Undetermined, 0, 2), (EdgeKind::PartiallyUndirected, 0, 1)]
        {
            let svg = drawing(vec![edge(0, 1, kind)]).picture().svg();
            assert_eq!((svg.matches('Z').count(), svg.matches("<circle").count()), (heads, circles), "{kind:?}\n{svg}");
        }
    }

    #[test]
    fn layers_that_are_given_have_frames() {
        let dag = Dag::from_edges(6, [(0, 2), (1, 2), (2, 3), (2, 4), (0, 4), (4, 5)]).unwrap();
        let names = (1..=6).map(|node| format!("X{node}")).collect();
        let graph = NamedGraph::from_dag(names, &dag).unwrap();
        let svg = Drawing { layers: Some(dag.layers()), ..Drawing::of(&graph) }.picture().svg();
        assert_eq!(svg.matches("stroke-dasharray=\"4 3\"").count(), dag.layers().depth());
        assert!(svg.contains(">L₄</text>") && !svg.contains("NaN"));
    }

    #[test]
    fn nodes_without_edges_stand_below_all_others_and_apart() {
        let dag = Dag::from_edges(30, [(3, 7), (7, 9), (3, 9)]).unwrap();
        let names = (1..=30).map(|node| format!("X{node}")).collect();
        for direction in [Direction::Across, Direction::Down] {
            let graph = NamedGraph::from_dag(Vec::clone(&names), &dag).unwrap();
            let drawing = Drawing { direction: Some(direction), ..Drawing::of(&graph) };
            let (layout, labels) = (drawing.layout(), drawing.labels());
            let lowest = [3, 7, 9].map(|node| layout.nodes[node][1] + labels[node].size.height / 2.0);
            let lowest = lowest.into_iter().fold(0.0, f64::max);
            for node in (0..30).filter(|node| ![3, 7, 9].contains(node)) {
                let ([x, y], size) = (layout.nodes[node], labels[node].size);
                assert!(y - size.height / 2.0 > lowest);
                assert!(x - size.width / 2.0 >= 0.0 && x + size.width / 2.0 <= layout.width);
                assert!(y + size.height / 2.0 <= layout.height);
                let apart = |other: &usize| {
                    let ([u, v], beside) = (layout.nodes[*other], labels[*other].size);
                    (x - u).abs() >= (size.width + beside.width) / 2.0
                        || (y - v).abs() >= (size.height + beside.height) / 2.0
                };
                assert!((0..node).filter(|other| *other != node).all(|other| apart(&other)), "{node}");
            }
        }
    }

    #[test]
    fn an_empty_graph_can_be_drawn() {
        let drawing = Drawing { title: None, names: Vec::new(), edges: Vec::new(), layers: None, direction: None };
        assert!(drawing.picture().svg().ends_with("</svg>\n"));
    }
}
