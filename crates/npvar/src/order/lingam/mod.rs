//! DirectLiNGAM's order search (Shimizu, Inazumi, Sogawa, Hyvärinen, Kawahara, Washio, Hoyer & Bollen 2011).
//!
//! In a linear model whose noise is not Gaussian, a source is independent of what it leaves of every other column, and only a
//! source is. So the column that looks most like one comes next, its linear effect is taken out of the others, and the search
//! goes on with what is left of them.
//!
//! Which column looks most like a source is judged pair by pair with the likelihood ratio of Hyvärinen & Smith (2013), as the
//! authors' package does by default. With `H` the entropy and `r(i|j)` what `x_j` leaves of `x_i`, all of variance one,
//!
//! ```text
//! M_i = Σ_j min(0, H(x_j) + H(r(i|j)) − H(x_i) − H(r(j|i)))²        the smallest comes next
//! ```
//!
//! A pair is compared once for both of its columns, as the difference only changes its sign. `M` is a sum of squares, so a
//! column is given up as soon as what is known of its `M` is more than the smallest `M` there is; the column of which least is
//! known to speak against it is compared next. Cost per step with `m` columns left: `m(m − 1)` entropies of `n` values at most.
//!
//! Differs from the paper: its mutual information by kernels is not offered; it costs `n³` per pair. Differs from the authors'
//! package: a column that is constant, or exactly a linear function of columns before it, has nothing to compare and no `M` but
//! zero, where the package stops or goes on with values that are not numbers.

mod entropy;

use std::cmp::Ordering::Equal;

use rayon::prelude::*;

use entropy::{UNIT, entropy, residual_entropy};

use crate::error::Result;
use crate::graph::{Knowledge, Node, NodeSet, Order};
use crate::numerics::linalg::wide::{add_multiple, dot, sum};
use crate::run::{Event, Run};

/// A column of which less than this share of its square is left is a function of the columns before it, and a pair of which one
/// leaves less than this of the other is one column twice.
const DETERMINED: f64 = 1e-10;

/// One step of the search.
#[derive(Debug, Clone, PartialEq)]
pub struct LingamStep {
    /// The nodes still there.
    pub nodes: Vec<Node>,
    /// `M` of the source, which is the smallest, and of the others as much as was needed to give them up: a lower bound.
    pub dependences: Vec<f64>,
    /// The source.
    pub source: Node,
    /// The p-value of Jarque and Bera's test that what is left of the source, its noise, is Gaussian; nothing where nothing is
    /// left of it.
    pub gaussian: Option<f64>,
}

/// The order, source first, and every step behind it.
///
/// ```
/// use npvar::order::lingam;
/// use npvar::simulate::{Noise, SimulateOptions, simulate};
/// use npvar::{Run, Seed};
/// let options = SimulateOptions { nodes: Some(4), noise: Some(Noise::Laplace), ..Default::default() };
/// let simulated = simulate("MC-LIN".parse()?, &options, Seed(1))?;
/// let columns: Vec<&[f64]> = (0..4).map(|node| simulated.data.column(node)).collect();
/// let (order, _) = lingam(&columns, &Run::new(Seed(1)))?;
/// assert_eq!(&order, simulated.truth.order());
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn lingam(columns: &[&[f64]], run: &Run<'_>) -> Result<(Order, Vec<LingamStep>)> {
    lingam_within(columns, &Knowledge::none(columns.len()), run)
}

/// The same where something is known: at every step only nodes compete before which nothing that is left must come.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn lingam_within(columns: &[&[f64]], knowledge: &Knowledge, run: &Run<'_>) -> Result<(Order, Vec<LingamStep>)> {
    let d = columns.len();
    let mut left: Vec<Left> = columns.iter().map(|column| Left::of(column)).collect();
    // Constant columns come first; they may have to wait for others, which `arranged` sees to.
    let (constant, mut nodes): (Vec<Node>, Vec<Node>) = (0..d).partition(|&node| left[node].length == 0.0);
    let mut placed = NodeSet::with_capacity(d);
    constant.iter().for_each(|&node| placed.insert(node));
    let (mut order, mut steps) = (constant, Vec::with_capacity(d));
    let mut known = vec![0.0; d];
    while !nodes.is_empty() {
        run.check()?;
        let may_come: Vec<bool> = nodes.iter().map(|&node| knowledge.may_follow(node, &placed)).collect();
        let mut comparisons = Comparisons::new(&left, &nodes);
        let first = comparisons
            .least(&may_come, |at| known[nodes[at]], run)?
            .expect("knowledge without contradictions leaves some node to come next");
        let dependences = comparisons.sums;
        nodes.iter().zip(&dependences).for_each(|(&node, &dependence)| known[node] = dependence);
        let source = nodes[first];
        steps.push(LingamStep { nodes: nodes.clone(), dependences, source, gaussian: left[source].gaussian() });
        nodes.remove(first);
        order.push(source);
        placed.insert(source);
        let taken = std::mem::take(&mut left[source].values);
        if !left[source].is_determined() {
            let remains: NodeSet = nodes.iter().copied().collect();
            let others = left.par_iter_mut().enumerate().filter(|(node, _)| remains.contains(*node));
            others.for_each(|(_, other)| other.take_out(&taken));
        }
        run.report(&Event::Layer { layer: &[source], ordered: order.len(), nodes: d })?;
    }
    Ok((Order::new(knowledge.arranged(&order))?, steps))
}

/// What the columns before it leave of a column: centred, of variance one.
struct Left {
    values: Vec<f64>,
    /// The standard deviation of what is left, as a share of the whole column's; zero for a constant column.
    length: f64,
}

impl Left {
    fn of(column: &[f64]) -> Self {
        let mut left = Left { values: column.to_vec(), length: 1.0 };
        // Of a constant column rounding may leave something.
        if column.iter().all(|value| value == &column[0]) {
            left.values.fill(0.0);
        }
        left.standardise();
        if left.length > 0.0 {
            left.length = 1.0;
        }
        left
    }

    /// Takes out the linear effect of `other`, which is centred and of variance one.
    fn take_out(&mut self, other: &[f64]) {
        if !self.is_determined() {
            let correlation = dot(&self.values, other) / other.len() as f64;
            add_multiple(&mut self.values, -correlation, other);
            self.standardise();
        }
    }

    fn is_determined(&self) -> bool {
        self.length * self.length <= DETERMINED
    }

    fn standardise(&mut self) {
        let n = self.values.len() as f64;
        let mean = sum(&self.values) / n;
        self.values.iter_mut().for_each(|value| *value -= mean);
        let deviation = (dot(&self.values, &self.values) / n).sqrt();
        self.length *= deviation;
        if deviation > 0.0 {
            self.values.iter_mut().for_each(|value| *value /= deviation);
        }
    }

    /// Jarque and Bera's test; its χ² with two degrees of freedom has the tail `e^{−x/2}`.
    fn gaussian(&self) -> Option<f64> {
        (!self.is_determined()).then(|| {
            let n = self.values.len() as f64;
            let skewness = self.values.iter().map(|value| value.powi(3)).sum::<f64>() / n;
            let excess = self.values.iter().map(|value| value.powi(4)).sum::<f64>() / n - 3.0;
            (-n / 12.0 * (skewness * skewness + excess * excess / 4.0)).exp()
        })
    }
}

/// More of a sum than this share is not rounding.
const ROUNDING: f64 = 1e-9;

/// The comparisons of one step, as far as they are needed. Nodes are places among those that are still there.
struct Comparisons<'a> {
    columns: Vec<&'a Left>,
    entropies: Vec<f64>,
    /// The square that speaks against the first of two, where they have been compared.
    against: Vec<Vec<Option<f64>>>,
    /// What is known of every `M`.
    sums: Vec<f64>,
}

impl<'a> Comparisons<'a> {
    fn new(left: &'a [Left], nodes: &[Node]) -> Self {
        let columns: Vec<&Left> = nodes.iter().map(|&node| &left[node]).collect();
        let entropies = columns.par_iter().map(|column| entropy(&column.values)).collect();
        let m = nodes.len();
        Comparisons { columns, entropies, against: vec![vec![None; m]; m], sums: vec![0.0; m] }
    }

    /// The place of the smallest `M`, the first of equal ones; what was `known` a step before says where to begin.
    fn least(&mut self, may_come: &[bool], known: impl Fn(usize) -> f64, run: &Run<'_>) -> Result<Option<usize>> {
        let mut open: Vec<usize> = (0..self.columns.len()).filter(|&at| may_come[at]).collect();
        let mut least: Option<usize> = None;
        loop {
            let against = |at: usize| (self.sums[at], known(at));
            let next = open.iter().copied().min_by(|&a, &b| against(a).partial_cmp(&against(b)).unwrap_or(Equal));
            let Some(next) = next else { return Ok(least) };
            self.compare(next, run)?;
            least = least.filter(|&best| (self.sums[best], best) < (self.sums[next], next)).or(Some(next));
            let bound = least.map_or(f64::INFINITY, |best| self.sums[best]) * (1.0 + ROUNDING);
            open.retain(|&at| at != next && self.sums[at] <= bound);
        }
    }

    /// Compares a node with all others with which it has not been compared.
    fn compare(&mut self, node: usize, run: &Run<'_>) -> Result<()> {
        let others: Vec<usize> =
            (0..self.columns.len()).filter(|&other| other != node && self.against[node][other].is_none()).collect();
        let differences: Vec<f64> =
            others.par_iter().map(|&other| self.difference(node, other, run)).collect::<Result<_>>()?;
        for (other, difference) in others.into_iter().zip(differences) {
            let square = difference * difference;
            let (of_node, of_other) = if difference < 0.0 { (square, 0.0) } else { (0.0, square) };
            self.against[node][other] = Some(of_node);
            self.against[other][node] = Some(of_other);
            self.sums[other] += of_other;
        }
        // In the order of the columns, whatever was compared first.
        self.sums[node] = self.against[node].iter().flatten().sum();
        Ok(())
    }

    /// `H(x_b) + H(r(a|b)) − H(x_a) − H(r(b|a))`: negative where it speaks against `a`.
    fn difference(&self, a: usize, b: usize, run: &Run<'_>) -> Result<f64> {
        run.check()?;
        let (first, second) = (self.columns[a], self.columns[b]);
        if first.is_determined() || second.is_determined() {
            return Ok(0.0);
        }
        let (x, y) = (&first.values[..], &second.values[..]);
        let correlation = dot(x, y) / x.len() as f64;
        let remains = 1.0 - correlation * correlation;
        if remains <= DETERMINED {
            return Ok(0.0);
        }
        let scale = UNIT / remains.sqrt();
        let of_first = residual_entropy(x, y, correlation, scale);
        let of_second = residual_entropy(y, x, correlation, scale);
        Ok((self.entropies[b] + of_first) - (self.entropies[a] + of_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use crate::simulate::{Noise, SimulateOptions, simulate};

    /// Four points of a square and their shear: by hand `r(y|x)` is what went in.
    #[test]
    fn taking_a_column_out_leaves_what_it_did_not_explain() {
        let (x, noise) = ([1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]);
        let y: Vec<f64> = x.iter().zip(noise).map(|(x, noise)| 7.0 + 3.0 * x + 4.0 * noise).collect();
        let mut left = Left::of(&y);
        left.take_out(&x);
        assert!(left.values.iter().zip(noise).all(|(got, noise)| (got - noise).abs() < 1e-12), "{:?}", left.values);
        assert!((left.length - 0.8).abs() < 1e-12, "{}", left.length);
    }

    #[test]
    fn what_is_not_compared_could_not_have_come_next() {
        let (mut saved, mut all) = (0, 0);
        for seed in 0..20 {
            let options = SimulateOptions {
                nodes: Some(8),
                samples: 60,
                noise: Some(Noise::Laplace),
                ..SimulateOptions::default()
            };
            let data = simulate("ER-LIN-2".parse().unwrap(), &options, Seed(seed)).unwrap().data;
            let left: Vec<Left> = (0..8).map(|node| Left::of(data.column(node))).collect();
            let nodes: Vec<Node> = (0..8).collect();
            let run = Run::new(Seed(0));
            let mut every = Comparisons::new(&left, &nodes);
            nodes.iter().for_each(|&node| every.compare(node, &run).unwrap());
            for may_come in [vec![true; 8], (0..8).map(|node| node % 3 > 0).collect()] {
                let expected =
                    (0..8).filter(|&at| may_come[at]).min_by(|&a, &b| every.sums[a].total_cmp(&every.sums[b]));
                let mut needed = Comparisons::new(&left, &nodes);
                let found = needed.least(&may_come, |_| 0.0, &run).unwrap();
                assert_eq!(found, expected);
                assert_eq!(needed.sums[found.unwrap()], every.sums[expected.unwrap()]);
                let compared = needed.against.iter().flatten().flatten().count();
                (saved, all) = (saved + 56 - compared, all + 56);
            }
        }
        // Three in ten need not be compared, or little is gained.
        assert!(10 * saved > 3 * all, "{saved} of {all}");
    }

    #[test]
    fn copies_and_constants_take_part_without_a_word() {
        let x: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17)).collect();
        let y: Vec<f64> = (0..60).map(|i| x[i] + f64::from(i as u32 % 7)).collect();
        let constant = vec![0.1; 60];
        let (order, steps) = lingam(&[&x, &constant, &y, &x], &Run::new(Seed(0))).unwrap();
        assert_eq!(order.nodes()[0], 1);
        assert!(steps.iter().flat_map(|step| &step.dependences).all(|value| value.is_finite()));
        assert_eq!(steps.len(), 3);
    }
}
