//! What is known about an equivalence class: the members that agree with it.

use super::known::Knowledge;
use crate::graph::{Cpdag, EdgeKind, Pdag};

impl Knowledge {
    /// The members of a class that agree with what is known, as one graph: its edges are directed where those members all
    /// agree (Meek 1995). Nothing where no member does.
    ///
    /// ```
    /// use npvar::graph::{Cpdag, Dag, Knowledge, WrittenKnowledge};
    /// let names = ["a", "b", "c"].map(str::to_owned);
    /// let written = WrittenKnowledge { required: vec![["a".into(), "b".into()]], ..Default::default() };
    /// let known = Knowledge::new(&names, &written)?;
    /// let chain = Cpdag::from_dag(&Dag::from_edges(3, [(0, 1), (1, 2)])?);
    /// // a → b leaves no other way for b and c: a collider at b would be another class.
    /// assert_eq!(known.members(&chain).and_then(|graph| graph.to_dag()).map(|dag| dag.edges()), Some(vec![(0, 1), (1, 2)]));
    /// let collider = Cpdag::from_dag(&Dag::from_edges(3, [(1, 0), (2, 0)])?);
    /// assert_eq!(known.members(&collider), None);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn members(&self, class: &Cpdag) -> Option<Pdag> {
        let mut graph = class.pdag().clone();
        if self.required_edges().iter().any(|&(from, to)| !graph.adjacent(from, to)) {
            return None;
        }
        for (from, to, kind) in class.pdag().edges() {
            match (kind, self.forbids(from, to), self.forbids(to, from)) {
                (EdgeKind::Directed, true, _) | (EdgeKind::Undirected, true, true) => return None,
                (EdgeKind::Undirected, false, true) => graph.set(from, to, EdgeKind::Directed),
                (EdgeKind::Undirected, true, false) => graph.set(to, from, EdgeKind::Directed),
                _ => {}
            }
        }
        graph.meek_closure();
        let forbidden = |&(from, to, kind): &(_, _, EdgeKind)| kind == EdgeKind::Directed && self.forbids(from, to);
        if graph.edges().iter().any(forbidden) {
            return None;
        }
        // Directions that contradict each other leave no member, or members of another class.
        let member = graph.consistent_extension()?;
        (Cpdag::from_dag(&member) == *class).then_some(graph)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::arbitrary::dags;
    use crate::graph::{Dag, WrittenKnowledge};

    /// All members of a class, by trying every direction of its undirected edges.
    fn all_members(class: &Cpdag) -> Vec<Dag> {
        let edges = class.pdag().edges();
        let open: Vec<usize> = (0..edges.len()).filter(|&at| edges[at].2 == EdgeKind::Undirected).collect();
        let directed = |turned: usize| {
            let edge = |(at, &(from, to, _)): (usize, &(usize, usize, EdgeKind))| {
                let place = open.iter().position(|&other| other == at);
                if place.is_some_and(|place| turned >> place & 1 == 1) { (to, from) } else { (from, to) }
            };
            Dag::from_edges(class.pdag().nodes(), edges.iter().enumerate().map(edge)).ok()
        };
        let acyclic = (0..1 << open.len()).filter_map(directed);
        acyclic.filter(|dag| Cpdag::from_dag(dag) == *class).collect()
    }

    proptest! {
        #[test]
        fn the_graph_directs_what_all_agreeing_members_do(
            dag in dags(5),
            required in prop::option::of((0..5_usize, 0..5_usize)),
            forbidden in prop::collection::vec((0..5_usize, 0..5_usize), 0..5),
        ) {
            let d = dag.nodes();
            let names: Vec<String> = (0..d).map(|node| node.to_string()).collect();
            let pair = |&(a, b): &(usize, usize)| (a < d && b < d && a != b).then(|| [names[a].clone(), names[b].clone()]);
            let written = WrittenKnowledge {
                required: required.iter().filter_map(pair).collect(),
                forbidden: forbidden.iter().filter_map(pair).collect(),
                ..Default::default()
            };
            let Ok(known) = Knowledge::new(&names, &written) else { return Ok(()) };
            let class = Cpdag::from_dag(&dag);
            let agrees = |dag: &Dag| {
                dag.edges().iter().all(|&(from, to)| !known.forbids(from, to))
                    && known.required_edges().iter().all(|&(from, to)| dag.has_edge(from, to))
            };
            let members: Vec<Dag> = all_members(&class).into_iter().filter(agrees).collect();
            match known.members(&class) {
                None => prop_assert!(members.is_empty()),
                Some(graph) => {
                    prop_assert!(!members.is_empty());
                    for (from, to, kind) in graph.edges() {
                        let forward = members.iter().filter(|dag| dag.has_edge(from, to)).count();
                        match kind {
                            EdgeKind::Directed => prop_assert_eq!(forward, members.len()),
                            _ => prop_assert!(forward > 0 && forward < members.len()),
                        }
                    }
                }
            }
        }
    }
}
