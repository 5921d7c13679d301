//! BDeu: the Bayesian Dirichlet equivalent uniform score (Heckerman, Geiger & Chickering 1995; Buntine 1991).
//!
//! ```text
//! s(j, P) = |P| log(κ/m) + (m − |P|) log(1 − κ/m)
//!         + Σ_c [ log Γ(α/q) − log Γ(N_c + α/q) + Σ_k ( log Γ(N_ck + α/(qr)) − log Γ(α/(qr)) ) ]
//! ```
//!
//! with `r` the number of values of `X_j`, `q` the product of the parents' numbers of values, `N_c` the rows in which the
//! parents are in configuration `c` and `N_ck` those of them in which `X_j` has its `k`-th value. `α` is the sample prior
//! (equivalent sample size), `κ` the structure prior: an expected number of parents out of `m` possible ones.
//! Configurations that no row shows add nothing, so only those seen are counted: empty cells cost neither time nor memory.
//!
//! `m = d − 1`. This is causal-learn's `local_score_BDeu`, to rounding. The first line is left out for `κ = 0`, and where
//! `κ ≥ m`, because it would then ask for every edge. Score-equivalent.

use libm::lgamma as ln_gamma;

use super::LocalScore;
use crate::data::{Dataset, Discrete};
use crate::error::Result;
use crate::graph::Node;

/// BDeu of a table of discrete columns.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::local_score::{Bdeu, LocalScore};
/// let copy = vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
/// let other = vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
/// let data = Dataset::new(["a", "b", "c"].map(String::from).to_vec(), vec![copy.clone(), copy, other])?;
/// let score = Bdeu::new(&data, 1.0, 0.0)?;
/// assert!(score.local(0, &[1])? > score.local(0, &[])?);
/// assert!(score.local(0, &[2])? < score.local(0, &[])?);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Bdeu {
    sample_prior: f64,
    structure_prior: f64,
    columns: Discrete,
}

impl Bdeu {
    /// With sample prior `α > 0` and structure prior `κ ≥ 0`.
    ///
    /// # Errors
    /// [`crate::Error::NotDiscrete`] when a column has too many distinct values.
    pub fn new(data: &Dataset, sample_prior: f64, structure_prior: f64) -> Result<Self> {
        Ok(Bdeu { sample_prior, structure_prior, columns: Discrete::of(data, "bdeu")? })
    }

    fn structure(&self, parents: usize) -> f64 {
        let possible = self.columns.d() as f64 - 1.0;
        let share = self.structure_prior / possible;
        if self.structure_prior == 0.0 || share >= 1.0 {
            return 0.0;
        }
        parents as f64 * share.ln() + (possible - parents as f64) * (-share).ln_1p()
    }

    /// `N_ck` for the configurations seen, in the order in which rows first show them.
    fn counts(&self, node: Node, parents: &[Node]) -> Vec<f64> {
        let r = self.columns.levels(node);
        let (configuration, seen) = self.columns.combinations(parents);
        let mut counts = vec![0.0; seen * r];
        for (&configuration, &code) in configuration.iter().zip(self.columns.codes(node)) {
            counts[configuration as usize * r + code as usize] += 1.0;
        }
        counts
    }
}

impl LocalScore for Bdeu {
    fn nodes(&self) -> usize {
        self.columns.d()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        let r = self.columns.levels(node);
        let q: f64 = parents.iter().map(|&parent| self.columns.levels(parent) as f64).product();
        let per_configuration = self.sample_prior / q;
        let per_cell = per_configuration / r as f64;
        let (of_configuration, of_cell) = (ln_gamma(per_configuration), ln_gamma(per_cell));
        let mut score = self.structure(parents.len());
        for counts in self.counts(node, parents).chunks_exact(r) {
            let rows: f64 = counts.iter().sum();
            score += of_configuration - ln_gamma(rows + per_configuration);
            for &count in counts.iter().filter(|&&count| count > 0.0) {
                score += ln_gamma(count + per_cell) - of_cell;
            }
        }
        Ok(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Dag;
    use crate::run::Seed;
    use rand::RngExt;

    fn table(levels: &[u32], n: usize) -> Dataset {
        let mut rng = Seed(3).rng();
        let columns = levels.iter().map(|&r| (0..n).map(|_| f64::from(rng.random_range(0..r))).collect()).collect();
        Dataset::new((0..levels.len()).map(|j| format!("X{j}")).collect(), columns).unwrap()
    }

    #[test]
    fn three_coin_tosses_by_hand() {
        // α = 1, r = 2, q = 1, counts 2 and 1: Γ(1)/Γ(4) · Γ(2.5)/Γ(.5) · Γ(1.5)/Γ(.5) = (1.5·0.5)(0.5)/6 = 1/16.
        let data = Dataset::new(vec!["a".into(), "b".into()], vec![vec![0.0, 0.0, 1.0], vec![1.0, 1.0, 0.0]]).unwrap();
        let score = Bdeu::new(&data, 1.0, 0.0).unwrap();
        assert!((score.local(0, &[]).unwrap() - f64::ln(1.0 / 16.0)).abs() < 1e-13);
    }

    #[test]
    fn equivalent_graphs_score_alike() {
        let score = Bdeu::new(&table(&[2, 3, 4, 2], 50), 2.5, 1.0).unwrap();
        let total =
            |edges: &[(usize, usize)]| score.total(&Dag::from_edges(4, edges.iter().copied()).unwrap()).unwrap();
        let chains = [[(0, 1), (1, 2), (2, 3)], [(3, 2), (2, 1), (1, 0)], [(1, 0), (1, 2), (2, 3)]];
        for chain in chains {
            assert!((total(&chain) - total(&chains[0])).abs() < 1e-10);
        }
        assert!((total(&[(0, 1), (2, 1), (2, 3)]) - total(&chains[0])).abs() > 1e-3);
    }

    #[test]
    fn what_the_values_are_called_does_not_matter() {
        let data = table(&[2, 3], 40);
        let renamed = data.column(1).iter().map(|value| 7.5 - value).collect();
        let other = Dataset::new(data.names().to_vec(), vec![data.column(0).to_vec(), renamed]).unwrap();
        let score = |data: &Dataset| Bdeu::new(data, 1.0, 1.0).unwrap().local(0, &[1]).unwrap();
        assert!((score(&data) - score(&other)).abs() < 1e-12);
    }

    #[test]
    fn many_parents_with_mostly_empty_cells_are_no_trouble() {
        let data = table(&[8; 30], 60);
        let score = Bdeu::new(&data, 1.0, 1.0).unwrap();
        // 8^29 configurations, at most 60 of them seen.
        assert!(score.local(0, &(1..30).collect::<Vec<_>>()).unwrap().is_finite());
    }

    #[test]
    fn a_continuous_column_is_refused_by_name() {
        let column: Vec<f64> = (0..100).map(f64::from).collect();
        let data = Dataset::new(vec!["age".into(), "b".into()], vec![column, vec![1.0; 100]]).unwrap();
        let message = Bdeu::new(&data, 1.0, 1.0).unwrap_err().to_string();
        assert!(message.contains("`age`"), "{message}");
    }
}
