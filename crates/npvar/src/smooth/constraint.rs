//! The sum-to-zero constraint that makes an additive model identifiable.
//!
//! With `c` the column means of a term's raw basis, `Z` spans the vectors orthogonal to `c`: the constrained basis `B Z`
//! has columns that sum to zero over the sample. As in mgcv, `Z` is what one Householder reflection of `c` leaves when
//! its first column is dropped (sign as LINPACK's `dqrdc`); where the first entries of `c` are zero the first nonzero
//! entry takes their place. Applying `Z` to a vector costs one dot product.

/// One term's constraint: `Z = (I − v v'/v_p)` without column `p`.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    reflector: Vec<f64>,
    pivot: usize,
}

impl Constraint {
    /// The constraint for a raw basis with these column sums (any positive multiple of the means); not all may be zero.
    pub fn new(column_sums: &[f64]) -> Self {
        let pivot = column_sums.iter().position(|&sum| sum != 0.0).unwrap_or(0);
        let norm = column_sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt().copysign(column_sums[pivot]);
        let mut reflector: Vec<f64> = column_sums.iter().map(|sum| sum / norm).collect();
        reflector[pivot] += 1.0;
        Constraint { reflector, pivot }
    }

    /// The size of the raw basis.
    pub fn functions(&self) -> usize {
        self.reflector.len()
    }

    /// `Z'a`: one entry shorter than `a`.
    pub fn reduce(&self, a: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; a.len() - 1];
        self.reduce_into(a, &mut out);
        out
    }

    /// `Z'a` into `out`.
    pub(super) fn reduce_into(&self, a: &[f64], out: &mut [f64]) {
        let factor = dot(&self.reflector, a) / self.reflector[self.pivot];
        let mut next = 0;
        for i in 0..a.len() {
            if i != self.pivot {
                out[next] = a[i] - factor * self.reflector[i];
                next += 1;
            }
        }
    }

    /// `Zβ`: the raw coefficients of constrained coefficients.
    pub fn expand(&self, beta: &[f64]) -> Vec<f64> {
        let mut raw = Vec::with_capacity(self.functions());
        raw.extend_from_slice(&beta[..self.pivot]);
        raw.push(0.0);
        raw.extend_from_slice(&beta[self.pivot..]);
        let factor = dot(&self.reflector, &raw) / self.reflector[self.pivot];
        for (entry, v) in raw.iter_mut().zip(&self.reflector) {
            *entry -= factor * v;
        }
        raw
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expanded_coefficients_are_orthogonal_to_the_column_sums() {
        for sums in [vec![1.0, 2.0, 0.0, 3.0], vec![0.0, 0.0, 2.0, 1.0]] {
            let raw = Constraint::new(&sums).expand(&[0.3, -1.0, 2.0]);
            assert!(dot(&raw, &sums).abs() < 1e-15);
        }
    }

    #[test]
    fn reducing_is_the_transpose_of_expanding() {
        let constraint = Constraint::new(&[0.5, 1.5, 1.0]);
        let (a, beta) = ([1.0, -2.0, 0.7], [0.4, 3.0]);
        assert!((dot(&constraint.reduce(&a), &beta) - dot(&a, &constraint.expand(&beta))).abs() < 1e-15);
    }
}
