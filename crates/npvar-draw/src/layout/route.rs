//! How edges run. Every layer is a slab that holds its nodes' boxes; between two slabs is a channel without any.
//!
//! Within a slab an edge runs level: at its bend, which keeps its distance from the boxes, or out of its own node. Within a
//! channel it bends freely. So no edge meets a box that is not one of its ends. Where an edge would stay clear of all boxes
//! without stopping at a bend, it does not stop.

use npvar::graph::Node;

use super::place::EDGE_GAP;
use super::vertices::Vertices;
use super::{Point, STUB};

/// The least and the greatest width of a channel, and how much of its steepest edge's rise it grows by.
const CHANNEL: (f64, f64) = (26.0, 220.0);
const CHANNEL_GROWTH: f64 = 0.16;
/// The greatest distance between the ends of two edges at a node.
const PORT: f64 = 9.0;
/// What of a box's side stays without edges, at either end.
const CORNER: f64 = 7.0;
/// How far an edge within a layer swings out, at most.
const SWING: f64 = 20.0;
/// With more nodes and bends than this, edges pass each other freely.
const CROWDED: usize = 5000;
/// The most layers that an edge passes in one bend.
const FURTHEST: usize = 24;
/// What an edge that does not stop at a bend keeps from a box, and from the bend of another edge.
const CLEAR: [f64; 2] = [0.7 * EDGE_GAP, 5.0];

/// Points are `[along, across]` the layers.
pub(super) struct Routed {
    pub(super) nodes: Vec<Point>,
    pub(super) routes: Vec<Vec<Point>>,
    pub(super) extent: [f64; 2],
    pub(super) layers: Vec<[f64; 2]>,
}

pub(super) fn route(graph: &Vertices, heights: &[f64], boxes: &[[f64; 2]], edges: &[(Node, Node)]) -> Routed {
    let slabs = slabs(graph, heights, boxes);
    let middle = |vertex: usize| slabs[graph.layer_of[vertex]].middle();
    let router = Router { graph, heights, boxes, slabs: &slabs, places: graph.places(), beside: beside(graph) };
    let ports = router.ports(edges);
    let mut routes: Vec<Vec<Point>> = ports.iter().enumerate().map(|(edge, &ends)| router.curve(edge, ends)).collect();
    let mut nodes: Vec<Point> = (0..graph.nodes).map(|node| [middle(node), heights[node]]).collect();

    // The page begins at the origin and holds everything.
    let mut low = [0.0, f64::INFINITY];
    let mut high = [slabs.last().map_or(0.0, |slab| slab.end - STUB), f64::NEG_INFINITY];
    let corners = nodes
        .iter()
        .zip(boxes)
        .flat_map(|(at, size)| [-0.5, 0.5].map(|side| [at[0] + side * size[0], at[1] + side * size[1]]));
    for point in corners.chain(routes.iter().flatten().copied()) {
        for side in 0..2 {
            low[side] = point[side].min(low[side]);
            high[side] = point[side].max(high[side]);
        }
    }
    let moved = |point: &mut Point| *point = [point[0] - low[0], point[1] - low[1]];
    nodes.iter_mut().for_each(moved);
    routes.iter_mut().flatten().for_each(moved);
    let layers = slabs.iter().map(|slab| [slab.begin - low[0] + STUB, slab.end - low[0] - STUB]).collect();
    let extent = [0, 1].map(|side| (high[side] - low[side]).max(0.0));
    Routed { nodes, routes, extent, layers }
}

/// Where a layer's boxes lie, and what is straight beside them.
struct Slab {
    begin: f64,
    end: f64,
}

impl Slab {
    fn middle(&self) -> f64 {
        (self.begin + self.end) / 2.0
    }
}

fn slabs(graph: &Vertices, heights: &[f64], boxes: &[[f64; 2]]) -> Vec<Slab> {
    let mut slabs: Vec<Slab> = Vec::new();
    for (at, layer) in graph.layers.iter().enumerate() {
        let thickest = layer.iter().filter_map(|&vertex| boxes.get(vertex)).map(|size| size[0]).fold(0.0, f64::max);
        let begin = match slabs.last() {
            None => -STUB,
            Some(before) => {
                let rises = graph.layers[at - 1].iter().flat_map(|&a| graph.after[a].iter().map(move |&b| (a, b)));
                let steepest = rises.map(|(a, b)| (heights[a] - heights[b]).abs()).fold(0.0, f64::max);
                before.end + (CHANNEL.0 + CHANNEL_GROWTH * steepest).min(CHANNEL.1)
            }
        };
        slabs.push(Slab { begin, end: begin + thickest + 2.0 * STUB });
    }
    slabs
}

struct Router<'a> {
    graph: &'a Vertices,
    heights: &'a [f64],
    boxes: &'a [[f64; 2]],
    slabs: &'a [Slab],
    places: Vec<usize>,
    /// What every vertex's edge must pass between.
    beside: Vec<[Option<usize>; 2]>,
}

impl Router<'_> {
    /// Where every edge meets its two nodes: edges on one side are spread by where they lead.
    fn ports(&self, edges: &[(Node, Node)]) -> Vec<[Point; 2]> {
        let places = &self.places;
        // By node and side: (order on that side, edge, end).
        let mut sides = vec![[Vec::new(), Vec::new()]; self.graph.nodes];
        for (edge, (chain, &(from, to))) in self.graph.chains.iter().zip(edges).enumerate() {
            for (end, here, next, there) in [(0, from, chain[1], to), (1, to, chain[chain.len() - 2], from)] {
                let (layer, next_layer) = (self.graph.layer_of[here], self.graph.layer_of[next]);
                // An edge within a layer leaves on the side that comes after, outside all others.
                let order = match (next_layer == layer, places[there] < places[here]) {
                    (false, _) => (1, places[next] as isize),
                    (true, true) => (0, -(places[there] as isize)),
                    (true, false) => (2, -(places[there] as isize)),
                };
                sides[here][usize::from(next_layer >= layer)].push((order, edge, end));
            }
        }
        let mut ports = vec![[[0.0; 2]; 2]; edges.len()];
        for (node, both) in sides.iter_mut().enumerate() {
            let [along, across] = self.boxes[node];
            for (after, side) in both.iter_mut().enumerate() {
                side.sort_unstable();
                let gaps = side.len().saturating_sub(1) as f64;
                let spread = PORT.min((across - 2.0 * CORNER).max(0.0) / gaps.max(1.0));
                let way = if after == 1 { 0.5 } else { -0.5 };
                for (at, &(_, edge, end)) in side.iter().enumerate() {
                    ports[edge][end] = [
                        self.slabs[self.graph.layer_of[node]].middle() + way * along,
                        self.heights[node] + (at as f64 - gaps / 2.0) * spread,
                    ];
                }
            }
        }
        ports
    }

    fn curve(&self, edge: usize, [start, end]: [Point; 2]) -> Vec<Point> {
        let chain = &self.graph.chains[edge];
        let layer = |vertex: usize| self.graph.layer_of[vertex];
        let (first, last) = (chain[0], chain[chain.len() - 1]);
        if layer(first) == layer(last) {
            return self.swing(layer(first), start, end);
        }
        if layer(first) > layer(last) {
            let mut curve = self.forwards(&chain.iter().rev().copied().collect::<Vec<_>>(), end, start);
            curve.reverse();
            return curve;
        }
        self.forwards(chain, start, end)
    }

    /// Out into the channel after the layer, and back.
    fn swing(&self, layer: usize, start: Point, end: Point) -> Vec<Point> {
        let border = self.slabs[layer].end;
        let out = border + SWING.min(12.0 + 0.3 * (end[1] - start[1]).abs()) / 0.75;
        let mut curve = vec![start];
        line_to(&mut curve, [border, start[1]]);
        curve.extend([[out, start[1]], [out, end[1]], [border, end[1]]]);
        line_to(&mut curve, end);
        curve
    }

    fn forwards(&self, chain: &[usize], start: Point, end: Point) -> Vec<Point> {
        // The slabs that the edge passes level, with its height there: at first all, then only those it needs.
        let heights = |at: usize| match at {
            0 => start[1],
            at if at + 1 == chain.len() => end[1],
            at => self.heights[chain[at]],
        };
        let slab = |at: usize| &self.slabs[self.graph.layer_of[chain[at]]];
        let last = chain.len() - 1;
        let mut curve = vec![start];
        let mut at = 0;
        while at < last {
            line_to(&mut curve, [slab(at).end, heights(at)]);
            let from = [slab(at).end, heights(at)];
            let mut next = at + 1;
            while next < last && next < at + FURTHEST {
                let further = [slab(next + 1).begin, heights(next + 1)];
                if !chain[at + 1..=next].iter().all(|&bend| self.is_clear(bend, from, further)) {
                    break;
                }
                next += 1;
            }
            let to = [slab(next).begin, heights(next)];
            bend_to(&mut curve, to);
            at = next;
        }
        line_to(&mut curve, end);
        simplified(&curve)
    }

    /// Whether the way from one point to another passes a layer between the neighbours of the edge's bend there, so that it
    /// crosses no box and no other edge that it would not cross anyway.
    fn is_clear(&self, bend: usize, from: Point, to: Point) -> bool {
        let layer = self.graph.layer_of[bend];
        let [a, b] = [self.slabs[layer].begin, self.slabs[layer].end].map(|along| height_at(from, to, along));
        let room = |neighbour: usize| self.boxes.get(neighbour).map_or(CLEAR[1], |size| size[1] / 2.0 + CLEAR[0]);
        let [above, below] = self.beside[bend];
        above.is_none_or(|above| self.heights[above] + room(above) <= a.min(b))
            && below.is_none_or(|below| self.heights[below] - room(below) >= a.max(b))
    }
}

/// The neighbours of every vertex in its layer; in a crowded graph, where edges would stop everywhere, the nearest nodes.
fn beside(graph: &Vertices) -> Vec<[Option<usize>; 2]> {
    let counts = |vertex: usize| graph.layer_of.len() <= CROWDED || !graph.is_bend(vertex);
    let mut beside = vec![[None; 2]; graph.layer_of.len()];
    for layer in &graph.layers {
        let (mut above, mut below) = (None, None);
        for (&down, &up) in layer.iter().zip(layer.iter().rev()) {
            beside[down][0] = above;
            beside[up][1] = below;
            above = if counts(down) { Some(down) } else { above };
            below = if counts(up) { Some(up) } else { below };
        }
    }
    beside
}

/// Goes on level.
fn line_to(curve: &mut Vec<Point>, to: Point) {
    let from = curve[curve.len() - 1];
    if from == to {
        return;
    }
    let third = (to[0] - from[0]) / 3.0;
    curve.extend([[from[0] + third, from[1]], [to[0] - third, to[1]], to]);
}

/// Goes on with a bend that is level at both ends.
fn bend_to(curve: &mut Vec<Point>, to: Point) {
    let from = curve[curve.len() - 1];
    let middle = (from[0] + to[0]) / 2.0;
    curve.extend([[middle, from[1]], [middle, to[1]], to]);
}

/// Level pieces that follow each other become one.
fn simplified(curve: &[Point]) -> Vec<Point> {
    let mut simple = vec![curve[0]];
    let mut level_from: Option<Point> = None;
    let mut from = curve[0];
    for piece in curve[1..].chunks(3) {
        let to = piece[2];
        let is_level = from[1] == to[1];
        if let Some(begin) = level_from.filter(|_| is_level) {
            simple.truncate(simple.len() - 3);
            debug_assert_eq!(simple.last(), Some(&begin));
            line_to(&mut simple, to);
        } else {
            level_from = is_level.then_some(from);
            simple.extend(piece);
        }
        from = to;
    }
    simple
}

/// How high the bend between two points is somewhere on its way.
fn height_at(from: Point, to: Point, along: f64) -> f64 {
    let share = (along - from[0]) / (to[0] - from[0]);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..18 {
        let t: f64 = (low + high) / 2.0;
        let reached = 1.5 * t * (1.0 - t) + t * t * t;
        if reached < share { low = t } else { high = t }
    }
    let t = (low + high) / 2.0;
    from[1] + (to[1] - from[1]) * t * t * (3.0 - 2.0 * t)
}
