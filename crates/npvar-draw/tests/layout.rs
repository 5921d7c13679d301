//! What holds for the layout of any graph.

use npvar::graph::EdgeKind;
use npvar_draw::layout::{Direction, Layout, Point, STUB, Size, layers, layout};
use proptest::collection::vec;
use proptest::prelude::*;

/// Straight parts that a piece of a curve is checked as.
const PARTS: usize = 24;
/// Rounding in sums of a few hundred distances.
const ROUNDING: f64 = 1e-6;

#[derive(Debug, Clone)]
struct Case {
    sizes: Vec<Size>,
    edges: Vec<(usize, usize)>,
    layers: Vec<usize>,
    direction: Direction,
}

impl Case {
    fn laid_out(&self) -> Layout {
        layout(&self.sizes, &self.layers, &self.edges, self.direction)
    }

    /// Left, top, right, bottom.
    fn boxes(&self, layout: &Layout) -> Vec<[f64; 4]> {
        let around = |(&[x, y], size): (&Point, &Size)| {
            [x - size.width / 2.0, y - size.height / 2.0, x + size.width / 2.0, y + size.height / 2.0]
        };
        layout.nodes.iter().zip(&self.sizes).map(around).collect()
    }
}

/// Graphs with nodes of any size, in the layers made for them or in any others.
fn cases() -> impl Strategy<Value = Case> {
    (1_usize..40).prop_flat_map(|nodes| {
        let size = (20.0..240.0, 20.0..90.0).prop_map(|(width, height)| Size { width, height });
        let edges = vec((0..nodes, 0..nodes), 0..3 * nodes);
        let given = prop::option::of(vec(0..6_usize, nodes));
        (vec(size, nodes), edges, given, any::<bool>()).prop_map(|(sizes, mut edges, given, across)| {
            edges.retain(|&(from, to)| from != to);
            let directed: Vec<_> = edges.iter().map(|&(from, to)| (from, to, EdgeKind::Directed)).collect();
            let layers = given.unwrap_or_else(|| layers(sizes.len(), &directed));
            let direction = if across { Direction::Across } else { Direction::Down };
            Case { sizes, edges, layers, direction }
        })
    })
}

fn on_curve(piece: &[Point], t: f64) -> Point {
    let s = 1.0 - t;
    [0, 1].map(|side| {
        s * s * s * piece[0][side]
            + 3.0 * s * s * t * piece[1][side]
            + 3.0 * s * t * t * piece[2][side]
            + t * t * t * piece[3][side]
    })
}

/// Whether a straight line passes through the inside of a box (Liang & Barsky's clipping).
fn crosses(from: Point, to: Point, [left, top, right, bottom]: [f64; 4]) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (begin, step, low, high) in [(from[0], to[0] - from[0], left, right), (from[1], to[1] - from[1], top, bottom)] {
        let (low, high) = (low + ROUNDING, high - ROUNDING);
        if step == 0.0 {
            if begin <= low || begin >= high {
                return false;
            }
        } else {
            let (a, b) = ((low - begin) / step, (high - begin) / step);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
    }
    enter < leave
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_edge_crosses_the_box_of_a_foreign_node(case in cases()) {
        let layout = case.laid_out();
        let boxes = case.boxes(&layout);
        for (&(from, to), route) in case.edges.iter().zip(&layout.routes) {
            for start in (0..route.len() - 1).step_by(3) {
                let piece = &route[start..start + 4];
                for part in 0..PARTS {
                    let [a, b] = [part, part + 1].map(|at| on_curve(piece, at as f64 / PARTS as f64));
                    for (node, &around) in boxes.iter().enumerate() {
                        prop_assert!(
                            node == from || node == to || !crosses(a, b, around),
                            "{from} -> {to} crosses {node}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_two_boxes_overlap_and_the_page_holds_everything(case in cases()) {
        let layout = case.laid_out();
        let boxes = case.boxes(&layout);
        for (node, a) in boxes.iter().enumerate() {
            for b in &boxes[..node] {
                prop_assert!(a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3], "{a:?} {b:?}");
            }
        }
        let corners = boxes.iter().flat_map(|around| [[around[0], around[1]], [around[2], around[3]]]);
        for [x, y] in corners.chain(layout.routes.iter().flatten().copied()) {
            let inside = |value: f64, most: f64| value >= -ROUNDING && value <= most + ROUNDING;
            prop_assert!(inside(x, layout.width) && inside(y, layout.height), "{x} {y}");
        }
    }

    #[test]
    fn edges_meet_their_boxes_squarely_with_room_for_a_head(case in cases()) {
        let layout = case.laid_out();
        let boxes = case.boxes(&layout);
        for (&(from, to), route) in case.edges.iter().zip(&layout.routes) {
            prop_assert_eq!(route.len() % 3, 1);
            let last = route.len() - 1;
            for (node, end, next) in [(from, route[0], route[3]), (to, route[last], route[last - 3])] {
                let side = match case.direction { Direction::Across => 0, Direction::Down => 1 };
                let border = [boxes[node][side], boxes[node][side + 2]];
                prop_assert!(border.iter().any(|at| (at - end[side]).abs() < ROUNDING), "{end:?} {border:?}");
                prop_assert!((end[1 - side] - next[1 - side]).abs() < ROUNDING);
                prop_assert!((end[side] - next[side]).abs() >= STUB - ROUNDING);
            }
        }
    }

    #[test]
    fn the_same_graph_is_always_drawn_the_same_way(case in cases()) {
        prop_assert_eq!(case.laid_out(), case.laid_out());
    }
}

#[test]
#[ignore = "a measurement"]
fn how_long_a_large_graph_takes() {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut edges = std::collections::BTreeSet::new();
    while edges.len() < 1000 {
        let (a, b) = (next(200), next(200));
        if a != b {
            edges.insert((a.min(b), a.max(b)));
        }
    }
    let edges: Vec<_> = edges.into_iter().collect();
    let layers: Vec<usize> = (0..200).collect();
    for direction in [Direction::Across, Direction::Down] {
        let begun = std::time::Instant::now();
        let laid = layout(&[Size { width: 60.0, height: 30.0 }; 200], &layers, &edges, direction);
        println!("{direction:?}: {:?}, {} x {}", begun.elapsed(), laid.width.round(), laid.height.round());
    }
}
