//! The evidence against a direct dense evaluation.

use faer::Mat;
use faer::linalg::solvers::Solve;

use super::factored::{Factored, LeastSchur};
use super::prior::Whitened;
use super::*;
use crate::data::summarise;
use crate::local_score::toggling::{Asked, Toggles};
use crate::local_score::{Noise, NoiseKind, ParentChoice, Refit};
use crate::run::{Run, Seed};
use crate::simulate::{SimulateOptions, simulate};
use crate::smooth::{AdditiveGram, FewValued, RawGram, SmoothSpec};

/// Sums over a hundred rows, in another order.
const DENSE: f64 = 1e-8;

/// A Gram matrix of 4 columns in turned coordinates.
fn gram() -> AdditiveGram {
    let options = SimulateOptions { nodes: Some(4), samples: 120, ..SimulateOptions::default() };
    let data = simulate("ER-AGP-1".parse().unwrap(), &options, Seed(5)).unwrap().data;
    let run = Run::new(Seed(0));
    let columns = summarise(&data, &run).unwrap();
    let raw = RawGram::of(&data, SmoothSpec::spline(10, FewValued::Saturated), &columns, &run).unwrap();
    AdditiveGram::new(&raw).turned(&Run::new(Seed(0))).unwrap()
}

/// `−½ log|K| − ½ x'K⁻¹x` with `K = s (I + r Σ_k Φ_kΦ_k')` over rows: any `n` rows with the Gram matrix `[B X]'[B X]` will do,
/// here those of its root.
fn dense(gram: &AdditiveGram, prior: FunctionPrior, variance: Option<f64>, node: usize, parents: &[usize]) -> f64 {
    let (d, n) = (gram.d(), gram.n() as f64);
    let starts: Vec<usize> = (0..=d).map(|j| (0..j).map(|i| gram.term(i).size()).sum()).collect();
    let q = starts[d];
    let mut whole = Mat::<f64>::zeros(q, q);
    for i in 0..d {
        for j in 0..d {
            let (rows, columns) = (gram.term(i).size(), gram.term(j).size());
            let mut block = vec![0.0; rows * columns];
            gram.copy_block(i, j, &mut block, columns);
            for r in 0..rows {
                (0..columns).for_each(|c| whole[(starts[i] + r, starts[j] + c)] = block[r * columns + c]);
            }
        }
    }
    // Rows of a root of G: row a is √λ_a u_a'. A column of the table is B γ, so that its rows are the root's times γ.
    let eigen = whole.self_adjoint_eigen(faer::Side::Lower).unwrap();
    let root = Mat::from_fn(q, q, |a, j| eigen.S().column_vector()[a].max(0.0).sqrt() * eigen.U()[(j, a)]);
    let own = starts[node]..starts[node + 1];
    let block = Mat::from_fn(own.len(), own.len(), |i, j| whole[(own.start + i, own.start + j)]);
    let cross = Mat::from_fn(own.len(), 1, |i, _| gram.cross(node, node)[i]);
    let gamma = block.partial_piv_lu().solve(&cross);
    let x = Mat::from_fn(q, 1, |a, _| (0..own.len()).map(|i| root[(a, own.start + i)] * gamma[(i, 0)]).sum::<f64>());
    let mut kernel = Mat::<f64>::identity(q, q);
    for &k in parents {
        let roughness = gram.term(k).roughness();
        let weight = |i: usize| 1.0 / (1.0 + prior.smoothness * roughness[i] / roughness[roughness.len() - 1]);
        let size = gram.term(k).size();
        let average = (0..size).map(|i| whole[(starts[k] + i, starts[k] + i)] * weight(i)).sum::<f64>() / n;
        for i in 0..size {
            let column = root.col(starts[k] + i);
            let amount = prior.ratio * weight(i) / average;
            kernel += Mat::from_fn(q, q, |a, b| amount * column[a] * column[b]);
        }
    }
    let llt = kernel.llt(faer::Side::Lower).unwrap();
    let log_determinant = 2.0 * (0..q).map(|i| llt.L()[(i, i)].ln()).sum::<f64>();
    let square = (x.transpose() * llt.solve(&x))[(0, 0)];
    // The n − q rows that the root leaves out are zero in x and in the bases: each adds log s alone.
    match variance {
        Some(s) => -0.5 * (n * s.ln() + log_determinant + square / s),
        None => -0.5 * (n * ((square / n).ln() + 1.0) + log_determinant) - 0.5 * n.ln(),
    }
}

#[test]
fn values_and_toggles_equal_a_dense_evaluation() {
    let gram = gram();
    let prior = FunctionPrior { smoothness: 7.0, ratio: 1.3 };
    for noise in [Noise::Own, Noise::Shared(0.4)] {
        let variance = if let Noise::Shared(s) = noise { Some(s) } else { None };
        let evidence = AdditiveEvidence::new(&gram, prior, noise);
        for (node, parents) in [(0, vec![]), (3, vec![0]), (2, vec![0, 1, 3]), (1, vec![2, 3])] {
            let choice = ParentChoice::free(node, 4);
            let toggled = evidence.toggled(node, &parents, Asked::freely(&choice), &Run::new(Seed(0))).unwrap();
            let close = |value: f64, parents: &[usize]| {
                let expected = dense(&gram, prior, variance, node, parents);
                assert!((value - expected).abs() < DENSE * expected.abs(), "{node} {parents:?}: {value}, {expected}");
            };
            close(toggled.nats, &parents);
            close(evidence.nats(node, &parents), &parents);
            for k in (0..4).filter(|&k| k != node) {
                let mut other: Vec<usize> = parents.iter().copied().filter(|&parent| parent != k).collect();
                if other.len() == parents.len() {
                    other.push(k);
                }
                other.sort_unstable();
                if toggled.bounded.contains(k) {
                    let exact = evidence.nats(node, &other);
                    assert!(exact < toggled.with[k], "{node} {parents:?} {k}: {exact} above {}", toggled.with[k]);
                    close(exact, &other);
                } else {
                    close(toggled.with[k], &other);
                }
            }
            assert_eq!(toggled.with[node], f64::NEG_INFINITY);
        }
    }
}

#[test]
fn no_toggle_explains_more_than_its_bound() {
    let gram = gram();
    let whitened = Whitened::new(&gram, FunctionPrior { smoothness: 7.0, ratio: 1.3 });
    let least = LeastSchur::of_all(&whitened, &Run::new(Seed(0))).unwrap();
    for (node, parents) in [(0, vec![]), (3, vec![0]), (2, vec![0, 1]), (1, vec![2, 3])] {
        let others: Vec<usize> = (0..4).filter(|&k| k != node && !parents.contains(&k)).collect();
        let factored = Factored::new(&whitened, node, &parents);
        let bounds = factored.bounds(&others, &least);
        assert_eq!(bounds.len(), others.len() + parents.len());
        for (k, bound) in bounds {
            let exact = factored.toggled(k);
            assert!(bound.explained > exact.explained, "{node} {parents:?} {k}");
            assert!(bound.log_determinant < exact.log_determinant, "{node} {parents:?} {k}");
        }
    }
}

#[test]
fn refitting_never_lowers_the_total_and_ends_at_the_top() {
    let gram = gram();
    let parents = [vec![], vec![0], vec![0, 1], vec![0, 1, 2]];
    let run = Run::new(Seed(0));
    for kind in [NoiseKind::Shared, NoiseKind::Own] {
        let first = AdditiveEvidence::new(&gram, FunctionPrior::default(), Noise::Own);
        let total = |evidence: &AdditiveEvidence<'_>| -> f64 {
            parents.iter().enumerate().map(|(node, parents)| evidence.nats(node, parents)).sum()
        };
        let refitted = first.refitted(kind, &parents, &run).unwrap();
        let top = total(&refitted);
        for (up, across) in [(1.2, 1.0), (1.0 / 1.2, 1.0), (1.0, 1.2), (1.0, 1.0 / 1.2), (1.0, 1.0)] {
            let FunctionPrior { smoothness, ratio } = refitted.prior();
            let prior = FunctionPrior { smoothness: smoothness * up, ratio: ratio * across };
            let near = AdditiveEvidence::new(&gram, prior, refitted.noise());
            assert!(total(&near) <= top + 1e-9, "{kind:?} {prior:?}");
        }
        if let Noise::Shared(s) = refitted.noise() {
            assert!(total(&AdditiveEvidence::new(&gram, refitted.prior(), Noise::Shared(1.05 * s))) < top);
        }
    }
}
