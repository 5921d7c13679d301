//! The paper's three-node examples: where CAM finds a wrong order, and unequal residual variances.

use super::Nonlinearity;
use super::ancestral::Drawn;
use super::noise::Noise;
use crate::graph::Dag;
use crate::run::Seed;

impl Nonlinearity {
    /// The function's value.
    pub fn at(self, u: f64) -> f64 {
        match self {
            Nonlinearity::Pow14 => u.signum() * u.abs().powf(1.4),
            Nonlinearity::Sin => u.sin(),
            Nonlinearity::Lin => u,
            Nonlinearity::Tanh => u.tanh(),
            Nonlinearity::Sqrt => u.signum() * u.abs().sqrt(),
        }
    }
}

/// A model on `X1, X2, X3`, in this order, with Gaussian noise.
pub(super) struct ThreeNodes {
    dag: Dag,
    noise_variances: [f64; 3],
    second: Box<dyn Fn(f64) -> f64>,
    third: Box<dyn Fn(f64, f64) -> f64>,
}

impl ThreeNodes {
    /// `X2 = g(X1) + ε2, X3 = g(X1) + g(X2) + ε3`.
    pub(super) fn cam_fail(g: Nonlinearity) -> Self {
        ThreeNodes::same_function(move |u| g.at(u))
    }

    /// The same with `u + δ g(u)`.
    pub(super) fn cam_fail_perturbed(g: Nonlinearity, delta: f64) -> Self {
        ThreeNodes::same_function(move |u| u + delta * g.at(u))
    }

    fn same_function(g: impl Fn(f64) -> f64 + Copy + 'static) -> Self {
        ThreeNodes {
            dag: three(&[(0, 1), (0, 2), (1, 2)]),
            noise_variances: [1.0; 3],
            second: Box::new(g),
            third: Box::new(move |x1, x2| g(x1) + g(x2)),
        }
    }

    /// `X2 = X1² + ε2, X3 = 4 X1² + h(X2) + ε3`.
    pub(super) fn cam_fail_square(h: Nonlinearity) -> Self {
        ThreeNodes {
            dag: three(&[(0, 1), (0, 2), (1, 2)]),
            noise_variances: [1.0; 3],
            second: Box::new(|x1| x1 * x1),
            third: Box::new(move |x1, x2| 4.0 * x1 * x1 + h.at(x2)),
        }
    }

    /// `X2 = X1²/2 + ε2, X3 = X2²/3 + ε3`; the noise has variances 1, 2/3 and `third`.
    pub(super) fn unequal(third: f64) -> Self {
        ThreeNodes {
            dag: three(&[(0, 1), (1, 2)]),
            noise_variances: [1.0, 2.0 / 3.0, third],
            second: Box::new(|x1| x1 * x1 / 2.0),
            third: Box::new(|_, x2| x2 * x2 / 3.0),
        }
    }

    /// `n` rows.
    pub(super) fn sample(self, n: usize, seed: Seed) -> Drawn {
        let noise = |node: usize| Noise::Gaussian.draw(n, self.noise_variances[node], seed.child("noise", node));
        let first = noise(0);
        let second: Vec<f64> = first.iter().zip(noise(1)).map(|(&x1, e)| (self.second)(x1) + e).collect();
        let third = first.iter().zip(&second).zip(noise(2)).map(|((&x1, &x2), e)| (self.third)(x1, x2) + e).collect();
        Drawn {
            truth: self.dag,
            columns: vec![first, second, third],
            residual_variances: self.noise_variances.to_vec(),
        }
    }
}

fn three(edges: &[(usize, usize)]) -> Dag {
    Dag::from_edges(3, edges.iter().copied()).expect("the edges follow the order of the labels")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
        let n = values.len() as f64;
        values.sum::<f64>() / n
    }

    fn variance(values: &[f64]) -> f64 {
        let centre = mean(values.iter().copied());
        mean(values.iter().map(|value| (value - centre).powi(2)))
    }

    #[test]
    fn the_unequal_chain_has_the_variances_of_the_paper() {
        let n = 200_000;
        for third in [1.0 / 2.0, 1.0 / 3.0] {
            let Drawn { columns, residual_variances, .. } = ThreeNodes::unequal(third).sample(n, Seed(1));
            assert_eq!(residual_variances, [1.0, 2.0 / 3.0, third]);
            let second: Vec<f64> = columns[0].iter().zip(&columns[1]).map(|(x1, x2)| x2 - x1 * x1 / 2.0).collect();
            let last: Vec<f64> = columns[1].iter().zip(&columns[2]).map(|(x2, x3)| x3 - x2 * x2 / 3.0).collect();
            for (values, expected) in [(&columns[0], 1.0), (&second, 2.0 / 3.0), (&last, third)] {
                // Gaussian: sd = v sqrt(2/n) = 0.0032 v; five of them.
                assert!((variance(values) / expected - 1.0).abs() < 0.016);
            }
            // var(X2) = 2/3 + 1/2. The fourth central moment of X1²/2 is 60/16 = 3.75, that of the sum below 8:
            // sd below sqrt(8/n) = 0.0063; five of them.
            assert!((variance(&columns[1]) - 7.0 / 6.0).abs() < 0.032);
        }
    }

    #[test]
    fn the_examples_that_mislead_cam_are_those_of_the_paper() {
        let n = 50;
        let Drawn { truth, columns, .. } = ThreeNodes::cam_fail(Nonlinearity::Pow14).sample(n, Seed(3));
        assert_eq!(truth.edges(), [(0, 1), (0, 2), (1, 2)]);
        let noise = Noise::Gaussian.draw(n, 1.0, Seed(3).child("noise", 2));
        let power = |u: f64| if u < 0.0 { -(-u).powf(1.4) } else { u.powf(1.4) };
        for i in 0..n {
            let (x1, x2, x3) = (columns[0][i], columns[1][i], columns[2][i]);
            assert!((x3 - power(x1) - power(x2) - noise[i]).abs() < 1e-12);
        }
    }

    #[test]
    fn the_perturbed_model_is_the_linear_one_where_delta_is_zero() {
        let columns = |model: ThreeNodes| model.sample(50, Seed(3)).columns;
        assert_eq!(
            columns(ThreeNodes::cam_fail_perturbed(Nonlinearity::Sin, 0.0)),
            columns(ThreeNodes::cam_fail(Nonlinearity::Lin))
        );
        let perturbed = columns(ThreeNodes::cam_fail_perturbed(Nonlinearity::Sin, 0.5));
        let noise = Noise::Gaussian.draw(50, 1.0, Seed(3).child("noise", 1));
        for i in 0..50 {
            let x1 = perturbed[0][i];
            assert!((perturbed[1][i] - x1 - 0.5 * x1.sin() - noise[i]).abs() < 1e-12);
        }
    }

    /// `E var(y | group of x)` over groups of 500 neighbours in `x`: at least `E var(y | x)`, and nearly equal to it.
    fn residual_variance(y: &[f64], x: &[f64]) -> f64 {
        let mut rows: Vec<usize> = (0..x.len()).collect();
        rows.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        mean(rows.chunks(500).map(|group| variance(&group.iter().map(|&i| y[i]).collect::<Vec<_>>())))
    }

    #[test]
    fn the_second_family_misleads_cam_whatever_h() {
        use Nonlinearity::{Lin, Pow14, Sin, Sqrt, Tanh};
        let n = 200_000;
        for h in [Pow14, Sin, Lin, Tanh, Sqrt] {
            let columns = ThreeNodes::cam_fail_square(h).sample(n, Seed(7)).columns;
            let [x1, x2, x3] = &columns[..] else { panic!("three columns") };
            // The edge that explains most is X1 -> X3, clearly better than X2 -> X3; X1 itself, symmetric given the others,
            // cannot be explained at all.
            let (third_given_first, third_given_second) = (residual_variance(x3, x1), residual_variance(x3, x2));
            assert!(third_given_first < third_given_second / 2.0, "{h:?}: {third_given_first} {third_given_second}");
            // The next is X3 -> X2, which is wrong. It explains more of X2 (variance 3) than X1 -> X2 would,
            // E var(X2 | X1) = 1, and more than is left of X3 for X2 -> X3, E var(X3 | X1, X2) = 1. The mean variance of
            // groups has sd about sqrt(2/n) = 0.0032 relative; the margin is ten of them.
            let second_given_third = residual_variance(x2, x3);
            assert!(second_given_third < 1.0 - 0.032, "{h:?}: {second_given_third}");
            assert!(
                3.0 / second_given_third > 1.032 * third_given_first,
                "{h:?}: {second_given_third} {third_given_first}"
            );
        }
    }
}
