//! Linear regressions from the covariance matrix.
//!
//! With `V = S_AA⁻¹` and `β = V S_Aj` every single change of the parents `A` of `j` costs little more than one product:
//!
//! ```text
//! add i:     RSS − (S_ij − S_iA V S_Aj)² / (S_ii − S_iA V S_Ai)
//! remove i:  RSS + β_i² / V_ii
//! ```

use super::node_fits::{Fit, NodeFits, toggle};
use crate::data::Covariance;
use crate::error::Result;
use crate::graph::Node;
use crate::numerics::linalg::small;
use crate::run::Run;

/// A variable with less than this share of its variance left given others is a linear function of them.
const DEPENDENT: f64 = 1e-10;

/// Linear regressions with intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFits {
    n: usize,
    d: usize,
    /// `S` with divisor `n`, row-major.
    s: Vec<f64>,
}

impl LinearFits {
    /// Those of a table with this covariance.
    pub fn new(covariance: &Covariance) -> Self {
        let (matrix, n) = (covariance.matrix(), covariance.n());
        let (d, share) = (matrix.nrows(), (n as f64 - 1.0) / n as f64);
        LinearFits { n, d, s: (0..d * d).map(|at| matrix[(at / d, at % d)] * share).collect() }
    }

    fn s(&self, i: Node, j: Node) -> f64 {
        self.s[i * self.d + j]
    }

    /// `L⁻¹` with `S_AA = LL'`; none when a parent depends on those before it.
    fn inverse_factor(&self, parents: &[Node]) -> Option<Vec<f64>> {
        let k = parents.len();
        let mut factor: Vec<f64> = (0..k * k).map(|at| self.s(parents[at / k], parents[at % k])).collect();
        let scale: Vec<f64> = parents.iter().map(|&parent| self.s(parent, parent)).collect();
        let smallest = small::cholesky(&mut factor, k, &scale);
        (k == 0 || smallest > DEPENDENT).then(|| small::invert_lower(&factor, k))
    }

    /// `L⁻¹ S_Ai`.
    fn reduced(&self, inverse: &[f64], parents: &[Node], i: Node) -> Vec<f64> {
        let k = parents.len();
        let column: Vec<f64> = parents.iter().map(|&parent| self.s(parent, i)).collect();
        (0..k).map(|row| small::dot(&inverse[row * k..=row * k + row], &column[..=row])).collect()
    }
}

impl NodeFits for LinearFits {
    fn nodes(&self) -> usize {
        self.d
    }

    fn n(&self) -> usize {
        self.n
    }

    /// Parents that depend linearly on those before them are left out, but count.
    fn fit(&self, child: Node, parents: &[Node]) -> Fit {
        let mut independent: Vec<Node> = parents.to_vec();
        let inverse = self.inverse_factor(&independent).unwrap_or_else(|| {
            independent.clear();
            let mut inverse = Vec::new();
            for &parent in parents {
                independent.push(parent);
                match self.inverse_factor(&independent) {
                    Some(grown) => inverse = grown,
                    None => {
                        independent.pop();
                    }
                }
            }
            inverse
        });
        let reduced = self.reduced(&inverse, &independent, child);
        let variance = (self.s(child, child) - small::dot(&reduced, &reduced)).max(0.0);
        Fit { variance, parameters: parents.len() as f64 }
    }

    fn toggled(&self, child: Node, parents: &[Node], run: &Run<'_>) -> Result<Vec<Fit>> {
        run.check()?;
        let k = parents.len();
        let Some(inverse) = self.inverse_factor(parents) else {
            return Ok((0..self.d).map(|i| self.fit(child, &toggle(parents, i, child))).collect());
        };
        let own = self.reduced(&inverse, parents, child);
        let present = self.s(child, child) - small::dot(&own, &own);
        let changed = |i: Node| {
            if i == child {
                return Fit { variance: present.max(0.0), parameters: k as f64 };
            }
            if let Some(at) = parents.iter().position(|&parent| parent == i) {
                // Column `at` of L⁻¹ gives both β_i = Σ L⁻¹_ri own_r and V_ii = Σ (L⁻¹_ri)².
                let column = (at..k).map(|row| inverse[row * k + at]);
                let beta: f64 = column.clone().zip(&own[at..]).map(|(entry, own)| entry * own).sum();
                let v: f64 = column.map(|entry| entry * entry).sum();
                return Fit { variance: (present + beta * beta / v).max(0.0), parameters: k as f64 - 1.0 };
            }
            let reduced = self.reduced(&inverse, parents, i);
            let left = self.s(i, i) - small::dot(&reduced, &reduced);
            let common = self.s(i, child) - small::dot(&reduced, &own);
            let gain = if left > DEPENDENT * self.s(i, i) { common * common / left } else { 0.0 };
            Fit { variance: (present - gain).max(0.0), parameters: k as f64 + 1.0 }
        };
        Ok((0..self.d).map(changed).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;
    use proptest::prelude::*;
    use rand::RngExt;

    /// The covariance of 50 rows of random mixtures; with `copies`, the last column repeats the first.
    fn fits(d: usize, copies: bool, seed: u64) -> LinearFits {
        let mut rng = Seed(seed).rng();
        let mut rows = faer::Mat::from_fn(50, d, |_, _| rng.random_range(-1.0..1.0));
        for i in 0..50 {
            for j in 1..d {
                rows[(i, j)] += 0.7 * rows[(i, j - 1)];
            }
            if copies {
                rows[(i, d - 1)] = rows[(i, 0)];
            }
        }
        let matrix = faer::Mat::from_fn(d, d, |i, j| (0..50).map(|r| rows[(r, i)] * rows[(r, j)]).sum::<f64>() / 49.0);
        LinearFits::new(&Covariance::known(matrix, 50))
    }

    proptest! {
        #[test]
        fn changes_equal_fits_from_scratch(d in 2_usize..8, copies: bool, seed in 0_u64..500, mask: u8) {
            let fits = fits(d, copies, seed);
            let child = seed as usize % d;
            let parents: Vec<Node> = (0..d).filter(|&i| i != child && mask >> i & 1 == 1).collect();
            let changed = fits.toggled(child, &parents, &Run::new(Seed(0))).expect("not cancelled");
            for (i, got) in changed.iter().enumerate() {
                let expected = fits.fit(child, &toggle(&parents, i, child));
                prop_assert_eq!(got.parameters, expected.parameters);
                prop_assert!((got.variance - expected.variance).abs() < 1e-9, "{} {:?} {:?}", i, got, expected);
            }
        }
    }

    #[test]
    fn a_copy_among_the_parents_changes_nothing_but_the_count() {
        let fits = fits(4, true, 1);
        let (with, without) = (fits.fit(1, &[0, 2, 3]), fits.fit(1, &[0, 2]));
        assert!((with.variance - without.variance).abs() < 1e-12);
        assert_eq!(with.parameters, 3.0);
    }
}
