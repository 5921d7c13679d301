//! FCI on oracles with hidden nodes and selection, on permuted columns, on any number of threads, and with background knowledge.

use std::collections::HashMap;

use npvar::data::{Covariance, Dataset};
use npvar::equivalence::{FciOptions, FciResult, PcOptions, SecondSearch, SeparatingSets, SkeletonOptions, fci};
use npvar::graph::EdgeKind::{Bidirected, Directed, PartiallyDirected, Undetermined};
use npvar::graph::{Dag, EdgeKind, Knowledge, Mark, NodeSet, Pag, Pdag, WrittenKnowledge};
use npvar::independence::{FisherZ, IndependenceTest};
use npvar::{Result, Run, Seed};
use rand::RngExt;

use super::pc::Oracle;

/// A DAG whose first nodes are observed; then come hidden ones, then those on which rows were selected.
struct World {
    dag: Dag,
    observed: usize,
    selected: Vec<usize>,
}

impl World {
    /// Every second one has hidden nodes with two effects and nothing else, and selection by two columns: any maximal ancestral
    /// graph can come of such.
    fn random(seed: usize, most_observed: usize) -> World {
        let mut rng = Seed(19).child("world", seed).rng();
        if seed.is_multiple_of(2) {
            let observed = rng.random_range(3..most_observed + 1);
            let (hidden, selected) =
                (rng.random_range(0..5), if seed.is_multiple_of(8) { rng.random_range(1..4) } else { 0 });
            let density = rng.random_range(0.1..0.4);
            let mut order: Vec<usize> = (0..observed).collect();
            (1..observed).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
            let pairs = (0..observed).flat_map(|i| (i + 1..observed).map(move |j| (i, j)));
            let mut edges: Vec<(usize, usize)> =
                pairs.filter(|_| rng.random_bool(density)).map(|(i, j)| (order[i], order[j])).collect();
            let latent = observed..observed + hidden + selected;
            for node in latent.clone() {
                let one = rng.random_range(0..observed);
                let other = (one + rng.random_range(1..observed)) % observed;
                edges.extend([one, other].map(|end| if node < observed + hidden { (node, end) } else { (end, node) }));
            }
            let dag = Dag::from_edges(latent.end, edges).unwrap();
            return World { dag, observed, selected: (observed + hidden..latent.end).collect() };
        }
        let observed = rng.random_range(3..most_observed + 1);
        let (hidden, selected) = (rng.random_range(0..4), if seed % 4 == 1 { rng.random_range(1..3) } else { 0 });
        let d = observed + hidden + selected;
        let density = rng.random_range(0.2..0.6);
        let mut order: Vec<usize> = (0..d).collect();
        (1..d).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
        let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |j| (i, j)));
        let edges: Vec<(usize, usize)> =
            pairs.filter(|_| rng.random_bool(density)).map(|(i, j)| (order[i], order[j])).collect();
        World { dag: Dag::from_edges(d, edges).unwrap(), observed, selected: (observed + hidden..d).collect() }
    }

    /// With two columns that only a set beyond the neighbours of either separates; found by a search over random graphs.
    fn beyond_neighbours() -> Vec<(World, (usize, usize))> {
        let world = |observed: usize, parents: &[&[usize]], pair| {
            let edges =
                parents.iter().enumerate().flat_map(|(child, set)| set.iter().map(move |&parent| (parent, child)));
            let hidden = parents.iter().flat_map(|set| set.iter()).max().unwrap();
            (World { dag: Dag::from_edges(hidden + 1, edges).unwrap(), observed, selected: Vec::new() }, pair)
        };
        vec![
            world(5, &[&[4, 5, 7], &[4, 6], &[1, 5], &[0, 6], &[7]], (2, 3)),
            world(6, &[&[4, 7], &[8], &[5, 9], &[6], &[6, 8, 9], &[3, 7]], (0, 2)),
            world(6, &[&[3, 7], &[3, 5, 6, 8], &[0, 6], &[8, 9], &[1, 7], &[9]], (2, 4)),
            world(6, &[&[5, 8], &[5, 2, 7, 9], &[4, 8], &[0, 6], &[5, 6, 7], &[9]], (2, 3)),
        ]
    }

    fn independent(&self, x: usize, y: usize, given: &[usize]) -> bool {
        let given: Vec<usize> = given.iter().chain(&self.selected).copied().collect();
        Oracle(self.dag.clone()).p_value(x, y, &given).unwrap() > 0.5
    }

    fn is_ancestor(&self, from: usize, to: usize) -> bool {
        from == to || self.dag.children(from).ones().any(|child| self.is_ancestor(child, to))
    }

    /// The maximal ancestral graph by its definition: joined where no set separates, a tail at an ancestor of the other end or
    /// of the selection.
    fn ancestral_graph(&self, joined: &[(usize, usize)]) -> Marks {
        let tail = |a: usize, b: usize| {
            self.is_ancestor(a, b) || self.selected.iter().any(|&selected| self.is_ancestor(a, selected))
        };
        let mark = |a: usize, b: usize| if tail(a, b) { Mark::Tail } else { Mark::Arrow };
        joined.iter().flat_map(|&(a, b)| [((b, a), mark(a, b)), ((a, b), mark(b, a))]).collect()
    }
}

impl IndependenceTest for World {
    fn nodes(&self) -> usize {
        self.observed
    }

    fn p_value(&self, x: usize, y: usize, given: &[usize]) -> Result<f64> {
        Ok(if self.independent(x, y, given) { 1.0 } else { 0.0 })
    }
}

/// The mark at the second node of the edge from the first.
type Marks = HashMap<(usize, usize), Mark>;

fn subsets(of: &[usize]) -> Vec<Vec<usize>> {
    (0..1_usize << of.len())
        .map(|bits| of.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, &node)| node).collect())
        .collect()
}

/// Everything that the world says of its observed nodes: pairs that no set separates, and for the others every set with whether
/// it separates.
type Model = (Vec<(usize, usize)>, Vec<(usize, usize, Vec<usize>, bool)>);

fn model(world: &World) -> Model {
    let (mut joined, mut facts) = (Vec::new(), Vec::new());
    for x in 0..world.observed {
        for y in x + 1..world.observed {
            let others: Vec<usize> = (0..world.observed).filter(|&node| node != x && node != y).collect();
            let about = subsets(&others).into_iter().map(|set| {
                let apart = world.independent(x, y, &set);
                (x, y, set, apart)
            });
            let about: Vec<_> = about.collect();
            if about.iter().any(|fact| fact.3) { facts.extend(about) } else { joined.push((x, y)) }
        }
    }
    (joined, facts)
}

/// A mixed graph looked at by definition: every path, one by one.
struct Mixed<'a> {
    nodes: usize,
    marks: &'a Marks,
}

impl Mixed<'_> {
    fn has(&self, from: usize, at: usize, mark: Mark) -> bool {
        self.marks.get(&(from, at)) == Some(&mark)
    }

    /// The nodes from which arrows lead to `node`, with itself.
    fn ancestors(&self, node: usize) -> NodeSet {
        let mut found = NodeSet::with_capacity(self.nodes);
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if !found.put(node) {
                let parents =
                    (0..self.nodes).filter(|&p| self.has(p, node, Mark::Arrow) && self.has(node, p, Mark::Tail));
                pending.extend(parents);
            }
        }
        found
    }

    /// No arrowhead at an ancestor of the other end, and none at a node with an undirected edge.
    fn is_ancestral(&self) -> bool {
        self.marks.iter().filter(|(_, mark)| **mark == Mark::Arrow).all(|(&(from, at), _)| {
            let undirected = (0..self.nodes).any(|n| self.has(n, at, Mark::Tail) && self.has(at, n, Mark::Tail));
            !self.ancestors(from).contains(at) && !undirected
        })
    }

    fn separates(&self, x: usize, y: usize, given: &[usize]) -> bool {
        let mut open = NodeSet::with_capacity(self.nodes);
        given.iter().for_each(|&node| open.union_with(&self.ancestors(node)));
        !self.connects(&mut vec![x], y, given, &open)
    }

    fn connects(&self, path: &mut Vec<usize>, y: usize, given: &[usize], open: &NodeSet) -> bool {
        let last = path[path.len() - 1];
        for next in (0..self.nodes).filter(|&next| self.marks.contains_key(&(last, next))) {
            if path.contains(&next) {
                continue;
            }
            if path.len() > 1 {
                let before = path[path.len() - 2];
                let collider = self.has(before, last, Mark::Arrow) && self.has(next, last, Mark::Arrow);
                if if collider { !open.contains(last) } else { given.contains(&last) } {
                    continue;
                }
            }
            path.push(next);
            let connected = next == y || self.connects(path, y, given, open);
            path.pop();
            if connected {
                return true;
            }
        }
        false
    }
}

/// The marks on which all ancestral graphs with the world's independences agree, by trying every graph with its adjacencies.
fn true_pag(world: &World, (joined, facts): &Model) -> Marks {
    let mut kept: Option<Marks> = None;
    for code in 0..1_usize << (2 * joined.len()) {
        let mark = |arrow: usize| if arrow == 1 { Mark::Arrow } else { Mark::Tail };
        let marks: Marks = (joined.iter().enumerate())
            .flat_map(|(place, &(a, b))| {
                [((a, b), mark(code >> (2 * place) & 1)), ((b, a), mark(code >> (2 * place + 1) & 1))]
            })
            .collect();
        let graph = Mixed { nodes: world.observed, marks: &marks };
        let agrees = |(x, y, set, apart): &(usize, usize, Vec<usize>, bool)| graph.separates(*x, *y, set) == *apart;
        if !graph.is_ancestral() || !facts.iter().all(agrees) {
            continue;
        }
        match &mut kept {
            None => kept = Some(marks),
            Some(kept) => {
                kept.iter_mut().filter(|(end, mark)| marks[*end] != **mark).for_each(|(_, mark)| *mark = Mark::Circle)
            }
        }
    }
    kept.expect("the world's own ancestral graph is among them")
}

fn options(separating_sets: SeparatingSets) -> FciOptions {
    at(0.5, separating_sets)
}

fn at(alpha: f64, separating_sets: SeparatingSets) -> FciOptions {
    let skeleton = SkeletonOptions { separating_sets, ..PcOptions::at(alpha).skeleton };
    FciOptions { skeleton, second_search: SecondSearch::PossibleDSep }
}

fn learn(test: &dyn IndependenceTest, options: &FciOptions, knowledge: &Knowledge) -> FciResult {
    fci(test, options, knowledge, &Run::new(Seed(0))).unwrap()
}

fn marks(graph: &Pag) -> Marks {
    let pairs = (0..graph.nodes()).flat_map(|a| (0..graph.nodes()).map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| Some(((a, b), graph.mark(a, b)?))).collect()
}

#[test]
fn with_perfect_tests_the_true_partial_ancestral_graph_is_found() {
    let (mut compared, mut kinds) = (0, HashMap::new());
    for seed in 0..400 {
        let world = World::random(seed, 6);
        let model = model(&world);
        // Four to the power of the adjacencies: as many graphs are tried.
        if model.0.len() > 7 {
            continue;
        }
        let truth = true_pag(&world, &model);
        for sets in [SeparatingSets::First, SeparatingSets::All] {
            let found = learn(&world, &options(sets), &Knowledge::none(world.observed));
            assert_eq!(marks(&found.graph), truth, "world {seed}");
        }
        compared += 1;
        let found = learn(&world, &options(SeparatingSets::All), &Knowledge::none(world.observed));
        Pdag::from(&found.graph).edges().iter().for_each(|(_, _, kind)| *kinds.entry(*kind).or_insert(0) += 1);
    }
    assert!(compared >= 200, "{compared}");
    let often = |kind| kinds.get(&kind).is_some_and(|&count| count >= 10);
    assert!([Directed, Bidirected, PartiallyDirected, Undetermined].into_iter().all(often), "{kinds:?}");
}

#[test]
fn a_circle_of_selections_has_tails() {
    // 0, 1, 2 and 3 are selected on in pairs, and 0 causes 4.
    let edges = [(0, 5), (1, 5), (1, 6), (2, 6), (2, 7), (3, 7), (3, 8), (0, 8), (0, 4)];
    let world = World { dag: Dag::from_edges(9, edges).unwrap(), observed: 5, selected: vec![5, 6, 7, 8] };
    let found = learn(&world, &options(SeparatingSets::All), &Knowledge::none(5));
    assert_eq!(marks(&found.graph), true_pag(&world, &model(&world)));
    let kinds: Vec<EdgeKind> = Pdag::from(&found.graph).edges().into_iter().map(|edge| edge.2).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == EdgeKind::Undirected).count(), 4, "{kinds:?}");
    assert!(kinds.contains(&EdgeKind::PartiallyUndirected), "{kinds:?}");
}

#[test]
fn sets_beyond_the_neighbours_are_found_where_they_are_needed() {
    for (world, pair) in World::beyond_neighbours() {
        let truth = true_pag(&world, &model(&world));
        for sets in [SeparatingSets::First, SeparatingSets::All] {
            let found = learn(&world, &options(sets), &Knowledge::none(world.observed));
            assert_eq!(found.separated_beyond, [pair]);
            assert_eq!(marks(&found.graph), truth, "{pair:?}");
        }
    }
}

#[test]
fn on_larger_worlds_the_adjacencies_are_right_and_no_mark_is_wrong() {
    for seed in 0..60 {
        let world = World::random(seed, 9);
        let (joined, _) = model(&world);
        let truth = world.ancestral_graph(&joined);
        let found = learn(&world, &options(SeparatingSets::First), &Knowledge::none(world.observed));
        let found = marks(&found.graph);
        assert_eq!(found.len(), truth.len(), "world {seed}");
        for (end, mark) in found {
            assert!(mark == Mark::Circle || mark == truth[&end], "world {seed}: {end:?}");
        }
    }
}

fn names(d: usize) -> Vec<String> {
    (0..d).map(|j| format!("X{}", j + 1)).collect()
}

/// Linear data of a world's observed nodes, without its selection.
fn sample(seed: usize, n: usize) -> Dataset {
    let World { dag, observed, .. } = World::random(seed, 9);
    let mut rng = Seed(5).child("sample", seed).rng();
    let mut columns = vec![Vec::new(); dag.nodes()];
    for &node in dag.order().nodes() {
        columns[node] = (0..n).map(|_| (0..4).map(|_| rng.random_range(-1.0..1.0)).sum()).collect();
        for parent in dag.parents(node).ones() {
            let weight = rng.random_range(0.4..1.2);
            let effect: Vec<f64> = columns[parent].iter().map(|value| weight * value).collect();
            columns[node].iter_mut().zip(effect).for_each(|(value, effect)| *value += effect);
        }
    }
    columns.truncate(observed);
    Dataset::new(names(observed), columns).unwrap()
}

fn fisher_z(data: &Dataset) -> FisherZ {
    FisherZ::new(&Covariance::of(data, &Run::new(Seed(0))).unwrap()).unwrap()
}

/// Also where tests contradict each other.
#[test]
fn permuting_columns_permutes_the_graph() {
    let level = at(0.05, SeparatingSets::All);
    for seed in 0..80 {
        let data = sample(seed, 120);
        let d = data.d();
        let mut rng = Seed(8).child("permutation", seed).rng();
        let mut order: Vec<usize> = (0..d).collect();
        (1..d).for_each(|i| order.swap(i, rng.random_range(0..i + 1)));
        let permuted = Dataset::new(names(d), order.iter().map(|&j| data.column(j).to_vec()).collect()).unwrap();
        let [original, moved] = [&data, &permuted].map(|data| learn(&fisher_z(data), &level, &Knowledge::none(d)));
        let back: Marks = marks(&moved.graph).into_iter().map(|((a, b), mark)| ((order[a], order[b]), mark)).collect();
        assert_eq!(back, marks(&original.graph), "{seed}");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let data = sample(3, 210);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| learn(&fisher_z(&data), &at(0.05, SeparatingSets::First), &Knowledge::none(data.d())))
    };
    let one = on(1);
    assert!([2, 4].map(on).iter().all(|other| *other == one));
}

#[test]
fn true_knowledge_removes_circles_and_adds_no_mistake() {
    let mut fewer = 0;
    for seed in 0..160 {
        let world = World::random(seed, 7);
        if !world.selected.is_empty() {
            continue;
        }
        let d = world.observed;
        let (joined, _) = model(&world);
        let truth = world.ancestral_graph(&joined);
        let (names, order) = (names(d), world.dag.order());
        let observed: Vec<usize> = order.nodes().iter().copied().filter(|&node| node < d).collect();
        let (early, late) = observed.split_at(d / 2);
        let tiers = [early, late].map(|tier| tier.iter().map(|&node| names[node].clone()).collect()).to_vec();
        let required = joined.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).find(|&(a, b)| world.is_ancestor(a, b));
        let required = required.map(|(a, b)| [names[a].clone(), names[b].clone()]).into_iter().collect();
        let knowledge = Knowledge::new(&names, &WrittenKnowledge { tiers, required, ..Default::default() }).unwrap();
        let circles = |marks: &Marks| marks.values().filter(|mark| **mark == Mark::Circle).count();
        let without = marks(&learn(&world, &options(SeparatingSets::All), &Knowledge::none(d)).graph);
        let with = learn(&world, &options(SeparatingSets::All), &knowledge);
        assert!(with.overruled.is_empty(), "world {seed}");
        let with = marks(&with.graph);
        assert_eq!(with.len(), truth.len(), "world {seed}");
        for (end, mark) in &with {
            assert!(*mark == Mark::Circle || *mark == truth[end], "world {seed}: {end:?}");
        }
        assert!(circles(&with) <= circles(&without), "world {seed}");
        fewer += usize::from(circles(&with) < circles(&without));
    }
    assert!(fewer > 30, "{fewer}");
}
