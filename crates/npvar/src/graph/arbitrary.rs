//! Random graphs for property tests.

use proptest::prelude::*;

use super::{Dag, EdgeKind, NamedGraph, Pdag};

/// DAGs with 1 to `max_nodes` nodes, any order of the nodes, any density.
pub(crate) fn dags(max_nodes: usize) -> impl Strategy<Value = Dag> {
    (1..=max_nodes).prop_flat_map(dags_with)
}

/// DAGs with exactly this many nodes.
pub(crate) fn dags_with(nodes: usize) -> impl Strategy<Value = Dag> {
    let order = Just((0..nodes).collect::<Vec<_>>()).prop_shuffle();
    let density = 0.0..1.0_f64;
    let draws = prop::collection::vec(0.0..1.0_f64, nodes * (nodes - 1) / 2);
    (order, density, draws).prop_map(move |(order, density, draws)| {
        let pairs = (0..nodes).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
        let kept = pairs.zip(draws).filter(|(_, draw)| *draw < density);
        Dag::from_edges(nodes, kept.map(|((earlier, later), _)| (order[earlier], order[later])))
            .expect("edges follow an order")
    })
}

/// Any mixed graph with 1 to `max_nodes` nodes, cyclic ones included.
pub(crate) fn pdags(max_nodes: usize) -> impl Strategy<Value = Pdag> {
    (1..=max_nodes).prop_flat_map(|nodes| {
        prop::collection::vec(0..12_u8, nodes * (nodes - 1) / 2).prop_map(move |marks| {
            let pairs = (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b)));
            let mut graph = Pdag::empty(nodes);
            for ((a, b), mark) in pairs.zip(marks) {
                match mark {
                    0 => graph.set(a, b, EdgeKind::Directed),
                    1 => graph.set(b, a, EdgeKind::Directed),
                    2 => graph.set(a, b, EdgeKind::Undirected),
                    3 => graph.set(a, b, EdgeKind::Bidirected),
                    4 => graph.set(a, b, EdgeKind::PartiallyDirected),
                    5 => graph.set(b, a, EdgeKind::PartiallyDirected),
                    6 => graph.set(a, b, EdgeKind::Undetermined),
                    7 => graph.set(b, a, EdgeKind::PartiallyUndirected),
                    _ => {}
                }
            }
            graph
        })
    })
}

/// Mixed graphs whose nodes have awkward names: quotes, commas, backslashes, line ends, XML and DOT syntax, any script.
pub(crate) fn named_graphs() -> impl Strategy<Value = NamedGraph> {
    pdags(6).prop_flat_map(|graph| {
        let name = prop_oneof![
            "[a-z\"',;<>&\\\\#= \t\r\n{}\\[\\]-]{0,6}",
            "\\PC{0,6}",
            any::<String>(),
            "[01]",
            Just("]]>".to_owned()),
            Just("digraph".to_owned()),
            Just("\\".to_owned()),
        ];
        prop::collection::hash_set(name, graph.nodes()).prop_map(move |names| {
            NamedGraph::new(names.into_iter().collect(), graph.clone()).expect("distinct names, one per node")
        })
    })
}
