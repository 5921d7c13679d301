//! Worlds whose assumptions are known, for the grid of worlds × learners (`assumptions`).
//!
//! A graph of `d` nodes with `kd` edges, weights of size 0.5 to 1.5 with random signs, and, where effects are not linear, functions
//! `a sin(ωx + φ)` with amplitude `a` as a weight, `ω` in \[1, 2\] and `φ` anywhere. Noise has variance 1, or, where variances are unequal,
//! its logarithm is uniform on ±log 2.

use npvar::data::Dataset;
use npvar::graph::{Dag, Node};
use npvar::simulate::{Noise, RandomGraph, SimulateOptions, simulate};
use npvar::{Result, Seed};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How a node comes from its parents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effects {
    Linear,
    Additive,
    /// The noise's standard deviation grows with the parents.
    Heteroskedastic,
    /// A monotone distortion of a linear sum with its noise.
    PostNonlinear,
    /// What the parents make is multiplied by the noise.
    Multiplicative,
    /// A Gaussian-process draw of all parents together (`ER-NGP-k`).
    Joint,
}

/// What is seen of the columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    All,
    /// With an error of a fifth of each column's variance.
    WithError,
    /// Without a column that has at least two children.
    NotAll,
}

/// A world.
#[derive(Clone, Copy)]
pub struct World {
    /// Its name.
    pub name: &'static str,
    effects: Effects,
    noise: Law,
    unequal: bool,
    seen: Seen,
}

#[derive(Clone, Copy)]
enum Law {
    Known(Noise),
    /// An exponential law less its mean.
    Exponential,
}

impl World {
    const fn new(name: &'static str, effects: Effects, noise: Law) -> Self {
        World { name, effects, noise, unequal: false, seen: Seen::All }
    }

    const fn unequal(self) -> Self {
        World { unequal: true, ..self }
    }

    const fn seen(self, seen: Seen) -> Self {
        World { seen, ..self }
    }

    /// Whether effects are linear and nothing hides it.
    pub fn is_linear(&self) -> bool {
        self.effects == Effects::Linear && self.seen == Seen::All
    }

    /// Whether all noise has one variance, and nothing hides it: nothing where the world does not say.
    pub fn has_equal_variances(&self) -> Option<bool> {
        let says = matches!(self.effects, Effects::Linear | Effects::Additive) && self.seen == Seen::All;
        says.then_some(!self.unequal)
    }
}

const GAUSSIAN: Law = Law::Known(Noise::Gaussian);
const LAPLACE: Law = Law::Known(Noise::Laplace);
const UNIFORM: Law = Law::Known(Noise::Uniform);

/// All worlds.
pub const WORLDS: [World; 17] = [
    World::new("linear, Gaussian, equal variances", Effects::Linear, GAUSSIAN),
    World::new("linear, Gaussian, unequal variances", Effects::Linear, GAUSSIAN).unequal(),
    World::new("linear, Laplace", Effects::Linear, LAPLACE).unequal(),
    World::new("linear, uniform", Effects::Linear, UNIFORM).unequal(),
    World::new("linear, exponential", Effects::Linear, Law::Exponential).unequal(),
    World::new("additive, Gaussian, equal variances", Effects::Additive, GAUSSIAN),
    World::new("additive, Gaussian, unequal variances", Effects::Additive, GAUSSIAN).unequal(),
    World::new("additive, Laplace", Effects::Additive, LAPLACE).unequal(),
    World::new("additive, uniform", Effects::Additive, UNIFORM).unequal(),
    World::new("additive, exponential", Effects::Additive, Law::Exponential).unequal(),
    World::new("interactions", Effects::Joint, GAUSSIAN),
    World::new("heteroskedastic", Effects::Heteroskedastic, GAUSSIAN),
    World::new("post-nonlinear", Effects::PostNonlinear, GAUSSIAN).unequal(),
    World::new("multiplicative noise", Effects::Multiplicative, GAUSSIAN),
    World::new("measurement error, linear", Effects::Linear, GAUSSIAN).seen(Seen::WithError),
    World::new("measurement error, additive", Effects::Additive, GAUSSIAN).seen(Seen::WithError),
    World::new("hidden common cause, additive", Effects::Additive, GAUSSIAN).seen(Seen::NotAll),
];

impl World {
    /// A sample of `nodes` columns that are seen, and the graph among them.
    ///
    /// # Errors
    /// What making the table came upon.
    pub fn draw(&self, nodes: usize, k: usize, samples: usize, seed: Seed) -> Result<(Dataset, Dag)> {
        let (columns, dag) = self.all(nodes + usize::from(self.seen == Seen::NotAll), k, samples, seed)?;
        let (columns, dag) = match self.seen {
            Seen::All => (columns, dag),
            Seen::WithError => (with_error(columns, seed), dag),
            Seen::NotAll => without_a_cause(columns, &dag)?,
        };
        let names = (1..=columns.len()).map(|j| format!("X{j}")).collect();
        Ok((Dataset::new(names, columns)?, dag))
    }

    fn all(&self, nodes: usize, k: usize, samples: usize, seed: Seed) -> Result<(Vec<Vec<f64>>, Dag)> {
        if self.effects == Effects::Joint {
            let options =
                SimulateOptions { nodes: Some(nodes), samples, noise_variance: Some(1.0), ..Default::default() };
            let drawn = simulate(format!("ER-NGP-{k}").parse()?, &options, seed)?;
            let columns = (0..nodes).map(|node| drawn.data.column(node).to_vec()).collect();
            return Ok((columns, drawn.truth));
        }
        let dag = RandomGraph::ErdosRenyi { k }.draw(nodes, seed.child("graph", 0));
        let mut columns = vec![Vec::new(); nodes];
        for &node in dag.order().nodes() {
            let parents: Vec<Node> = dag.parents(node).ones().collect();
            columns[node] = self.node(node, &parents, &columns, samples, seed);
        }
        Ok((columns, dag))
    }

    fn node(&self, node: Node, parents: &[Node], columns: &[Vec<f64>], samples: usize, seed: Seed) -> Vec<f64> {
        let mut rng = seed.child("function", node).rng();
        let variance = if self.unequal { 2_f64.powf(rng.random_range(-1.0..=1.0)) } else { 1.0 };
        let noise = self.noise.draw(samples, variance, seed.child("noise", node));
        let mut sum = vec![0.0; samples];
        for &parent in parents {
            let weight = weight(&mut rng);
            let (omega, phase): (f64, f64) =
                (rng.random_range(1.0..=2.0), rng.random_range(0.0..std::f64::consts::TAU));
            let linear = matches!(self.effects, Effects::Linear | Effects::PostNonlinear);
            for (value, x) in sum.iter_mut().zip(&columns[parent]) {
                *value += if linear { weight * x } else { weight * (omega * x + phase).sin() };
            }
        }
        let joined = sum.iter().zip(noise).map(|(f, e)| match self.effects {
            Effects::Linear | Effects::Additive | Effects::Joint => f + e,
            Effects::Heteroskedastic => f + (0.5 + f.abs()) * e / 1.5,
            Effects::PostNonlinear if parents.is_empty() => e,
            // Cube roots bend, and the linear part keeps the scale.
            Effects::PostNonlinear => 0.5 * (f + e) + (f + e).cbrt(),
            Effects::Multiplicative if parents.is_empty() => e,
            Effects::Multiplicative => (1.0 + f.abs()) * (1.0 + 0.5 * e),
        });
        joined.collect()
    }
}

impl Law {
    fn draw(self, n: usize, variance: f64, seed: Seed) -> Vec<f64> {
        match self {
            Law::Known(noise) => noise.draw(n, variance, seed),
            Law::Exponential => {
                let mut rng = seed.rng();
                let scale = variance.sqrt();
                (0..n).map(|_| scale * (-(1.0 - rng.random::<f64>()).ln() - 1.0)).collect()
            }
        }
    }
}

fn weight(rng: &mut ChaCha8Rng) -> f64 {
    let size = rng.random_range(0.5..=1.5);
    if rng.random() { size } else { -size }
}

fn with_error(columns: Vec<Vec<f64>>, seed: Seed) -> Vec<Vec<f64>> {
    let noisy = |(node, column): (usize, Vec<f64>)| {
        let n = column.len() as f64;
        let mean = column.iter().sum::<f64>() / n;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let error = Noise::Gaussian.draw(column.len(), 0.2 * variance, seed.child("error", node));
        column.into_iter().zip(error).map(|(x, e)| x + e).collect()
    };
    columns.into_iter().enumerate().map(noisy).collect()
}

/// Without the first node of most children.
fn without_a_cause(mut columns: Vec<Vec<f64>>, dag: &Dag) -> Result<(Vec<Vec<f64>>, Dag)> {
    let children = |node: &Node| dag.children(*node).count_ones(..);
    let most = (0..dag.nodes()).map(|node| children(&node)).max().unwrap_or(0);
    let hidden = (0..dag.nodes()).find(|node| children(node) == most).unwrap_or(0);
    columns.remove(hidden);
    let seen = |node: Node| node - usize::from(node > hidden);
    let left = dag.edges().into_iter().filter(|&(a, b)| a != hidden && b != hidden);
    Ok((columns, Dag::from_edges(dag.nodes() - 1, left.map(|(a, b)| (seen(a), seen(b))))?))
}
