//! The vertices of a layered graph: its nodes, then the bends of its edges, one in every layer that an edge passes.

use npvar::graph::Node;

pub(super) struct Vertices {
    pub(super) nodes: usize,
    pub(super) layer_of: Vec<usize>,
    /// The vertices of every layer, in their order.
    pub(super) layers: Vec<Vec<usize>>,
    /// Neighbours in the layer before.
    pub(super) before: Vec<Vec<usize>>,
    /// Neighbours in the layer after.
    pub(super) after: Vec<Vec<usize>>,
    /// The vertices of every edge from its first node to its second.
    pub(super) chains: Vec<Vec<usize>>,
}

impl Vertices {
    pub(super) fn new(layer_of: &[usize], edges: &[(Node, Node)]) -> Self {
        let nodes = layer_of.len();
        let mut graph = Vertices {
            nodes,
            layer_of: layer_of.to_vec(),
            layers: vec![Vec::new(); layer_of.iter().max().map_or(0, |last| last + 1)],
            before: vec![Vec::new(); nodes],
            after: vec![Vec::new(); nodes],
            chains: Vec::new(),
        };
        graph.chains = edges.iter().map(|&(from, to)| graph.chain(from, to)).collect();
        graph.arrange();
        graph
    }

    /// Adds an edge's bends and returns its vertices from end to end.
    fn chain(&mut self, from: Node, to: Node) -> Vec<usize> {
        let backwards = self.layer_of[from] > self.layer_of[to];
        let (first, last) = if backwards { (to, from) } else { (from, to) };
        let mut chain = vec![first];
        for layer in self.layer_of[first] + 1..self.layer_of[last] {
            chain.push(self.layer_of.len());
            self.layer_of.push(layer);
            self.before.push(Vec::new());
            self.after.push(Vec::new());
        }
        chain.push(last);
        if self.layer_of[first] < self.layer_of[last] {
            for pair in chain.windows(2) {
                self.after[pair[0]].push(pair[1]);
                self.before[pair[1]].push(pair[0]);
            }
        }
        if backwards {
            chain.reverse();
        }
        chain
    }

    /// A first order of every layer: what hangs together stands together.
    fn arrange(&mut self) {
        let mut seen = vec![false; self.layer_of.len()];
        for start in 0..self.nodes {
            let mut waiting = vec![start];
            while let Some(vertex) = waiting.pop() {
                if std::mem::replace(&mut seen[vertex], true) {
                    continue;
                }
                self.layers[self.layer_of[vertex]].push(vertex);
                waiting.extend(self.before[vertex].iter().chain(&self.after[vertex]).rev());
            }
        }
    }

    pub(super) fn is_bend(&self, vertex: usize) -> bool {
        vertex >= self.nodes
    }

    /// Where every vertex stands in its layer.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.layer_of.len()];
        for layer in &self.layers {
            for (place, &vertex) in layer.iter().enumerate() {
                places[vertex] = place;
            }
        }
        places
    }
}
