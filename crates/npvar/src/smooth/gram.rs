//! The Gram matrix of the constrained bases: `G = B'B`, `C = B'X`, `v = diag(X'X)` from which everything else follows (ARCHITECTURE.md).
//!
//! Every column of every term sums to zero over the sample, so the intercept is the response's mean and never appears.

use faer::Mat;
use rayon::prelude::*;

use super::basis::{Basis, NullSpace};
use super::constraint::Constraint;
use super::design::Design;
use super::raw_gram::RawGram;
use crate::data::Dataset;
use crate::error::Result;
use crate::numerics::linalg::{Into, multiply, small};
use crate::run::Run;

/// How much straight functions are penalised where they are, as a share of what the least rough of the others is.
const SHRINKAGE: f64 = 0.1;

/// One column's term: its constraint and its scaled penalty `Z'SZ`, row-major.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Term {
    constraint: Option<Constraint>,
    size: usize,
    penalty: Vec<f64>,
    /// The rank of the penalty.
    penalty_rank: usize,
    /// The penalty's eigenvalues, increasing, those of straight functions exactly zero; and its eigenvectors, one row each.
    roughness: Vec<f64>,
    rotation: Vec<f64>,
    coordinates: Coordinates,
}

/// Which coordinates a term's coefficients have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Coordinates {
    /// Those of the constrained basis.
    #[default]
    Constrained,
    /// Those in which the penalty is diagonal.
    Turned,
}

impl Term {
    /// `q`, the number of coefficients.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The scaled penalty, `q` by `q`, row-major; multiply by the smoothing parameter.
    pub fn penalty(&self) -> &[f64] {
        &self.penalty
    }

    /// How many directions the penalty sees.
    pub fn penalty_rank(&self) -> usize {
        self.penalty_rank
    }

    /// The scaled penalty's eigenvalues, increasing, those of straight functions exactly zero.
    pub(crate) fn roughness(&self) -> &[f64] {
        &self.roughness
    }

    /// Its eigenvectors, one row each; nothing when the coefficients are along them already.
    pub(crate) fn rotation(&self) -> Option<&[f64]> {
        (self.coordinates == Coordinates::Constrained).then_some(&self.rotation)
    }

    /// The logarithm of the product of the penalty's nonzero eigenvalues.
    pub fn log_penalty_determinant(&self) -> f64 {
        self.roughness[self.size - self.penalty_rank..].iter().map(|value| value.ln()).sum()
    }

    /// The coefficients of the raw basis.
    pub fn raw_coefficients(&self, beta: &[f64]) -> Vec<f64> {
        let Some(constraint) = &self.constraint else { return Vec::new() };
        match self.coordinates {
            Coordinates::Constrained => constraint.expand(beta),
            Coordinates::Turned => {
                let mut straight = vec![0.0; self.size];
                for (beta, direction) in beta.iter().zip(self.rotation.chunks_exact(self.size)) {
                    straight.iter_mut().zip(direction).for_each(|(entry, direction)| *entry += beta * direction);
                }
                constraint.expand(&straight)
            }
        }
    }

    /// `U a` with the penalty's eigenvectors as rows of `U`.
    fn turn(&self, a: &[f64]) -> Vec<f64> {
        self.rotation.chunks_exact(self.size.max(1)).map(|direction| small::dot(direction, a)).collect()
    }

    /// The same term with coefficients along the penalty's eigenvectors.
    fn turned(&self) -> Self {
        let q = self.size;
        let penalty = (0..q * q).map(|at| if at / q == at % q { self.roughness[at % q] } else { 0.0 }).collect();
        Term { penalty, coordinates: Coordinates::Turned, ..self.clone() }
    }

    fn of_basis(basis: &Basis, column_sums: &[f64]) -> Self {
        let penalty_rank = match basis {
            Basis::PSpline(spline) => spline.dimension() - 2,
            Basis::Line { .. } | Basis::Saturated(_) | Basis::Constant => 0,
        };
        let term = Term::new(&basis.penalty(), penalty_rank, column_sums);
        match basis {
            Basis::PSpline(spline) if spline.null_space() == NullSpace::Shrunk => term.shrunk(),
            _ => term,
        }
    }

    /// The same term with a penalty on what the penalty does not see.
    fn shrunk(mut self) -> Self {
        let free = self.size - self.penalty_rank;
        let weight = SHRINKAGE * self.roughness.get(free).copied().unwrap_or(1.0);
        for (roughness, direction) in self.roughness.iter_mut().zip(self.rotation.chunks_exact(self.size)).take(free) {
            *roughness = weight;
            for (row, a) in self.penalty.chunks_exact_mut(self.size).zip(direction) {
                row.iter_mut().zip(direction).for_each(|(entry, b)| *entry += weight * a * b);
            }
        }
        self.penalty_rank = self.size;
        self
    }

    /// The term of a raw basis with this scaled penalty and these column sums.
    fn new(penalty: &[f64], penalty_rank: usize, column_sums: &[f64]) -> Self {
        let k = column_sums.len();
        if k < 2 {
            return Term::default();
        }
        let constraint = Constraint::new(column_sums);
        let penalty = congruence(penalty, k, k, &constraint, &constraint);
        let (mut roughness, rotation) = small::eigen(&penalty, k - 1);
        roughness[..k - 1 - penalty_rank].fill(0.0);
        let rotation = rotation.concat();
        Term {
            constraint: Some(constraint),
            size: k - 1,
            penalty,
            penalty_rank,
            roughness,
            rotation,
            coordinates: Coordinates::Constrained,
        }
    }

    /// `γ` with `B γ = x - mean(x)`: the basis reproduces its own column.
    fn identity(&self, basis: &Basis, column_sums: &[f64]) -> Vec<f64> {
        let xi = basis.identity_coefficients();
        let weighted: f64 = xi.iter().zip(column_sums).map(|(xi, sum)| xi * sum).sum();
        let mean = weighted / column_sums.iter().sum::<f64>();
        let centred: Vec<f64> = xi.iter().map(|xi| xi - mean).collect();
        self.reduce(&centred)
    }

    /// `Z'a` for a vector over the raw basis.
    pub(crate) fn reduce(&self, a: &[f64]) -> Vec<f64> {
        self.constraint.as_ref().map_or_else(Vec::new, |constraint| constraint.reduce(a))
    }
}

/// `(G, C, v, n)` for all columns of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct AdditiveGram {
    terms: Vec<Term>,
    /// `offsets[j]` coefficients belong to terms before `j`.
    offsets: Vec<usize>,
    n: usize,
    means: Vec<f64>,
    squares: Vec<f64>,
    /// For each `i`, blocks `G_ij` (row-major, `q_i` by `q_j`) for `j = i, i + 1, …`.
    rows: Vec<Vec<f64>>,
    /// For each `i`, `C_ij = B_i'x_j`: `q_i` numbers per `j`, one `j` after the other.
    cross: Vec<Vec<f64>>,
}

impl AdditiveGram {
    /// Applies the constraints that the raw Gram's own rows imply.
    pub fn new(raw: &RawGram) -> Self {
        let d = raw.d();
        let terms: Vec<Term> = (0..d).map(|j| Term::of_basis(&raw.bases()[j], &raw.column_sums(j))).collect();
        let identity: Vec<Vec<f64>> = (0..d).map(|j| terms[j].identity(&raw.bases()[j], &raw.column_sums(j))).collect();
        let offsets = offsets(&terms);
        let rows = (0..d).into_par_iter().map(|i| constrained_row(raw, &terms, i)).collect();
        let mut gram = AdditiveGram {
            terms,
            offsets,
            n: raw.n(),
            means: (0..d).map(|j| raw.mean(j)).collect(),
            squares: (0..d).map(|j| raw.centred_square(j)).collect(),
            rows,
            cross: Vec::new(),
        };
        gram.cross = (0..d).into_par_iter().map(|i| gram.cross_row(i, &identity)).collect();
        gram
    }

    /// The same for bases evaluated at every row of a table.
    pub(super) fn of_designs(designs: &[Design], data: &Dataset) -> Self {
        let (n, d) = (data.n(), data.d());
        let terms: Vec<Term> = designs.par_iter().map(term_of_design).collect();
        let offsets = offsets(&terms);
        let means: Vec<f64> = (0..d).map(|j| mean(data.column(j))).collect();
        let centred = Mat::from_fn(n, d, |i, j| data.column(j)[i] - means[j]);
        let mut basis = Mat::zeros(n, offsets[d]);
        for ((design, term), &start) in designs.iter().zip(&terms).zip(&offsets) {
            let Some(constraint) = &term.constraint else { continue };
            let mut raw = vec![0.0; constraint.functions()];
            let mut reduced = vec![0.0; term.size];
            for i in 0..n {
                raw.iter_mut().enumerate().for_each(|(j, raw)| *raw = design.rows[(i, j)]);
                constraint.reduce_into(&raw, &mut reduced);
                reduced.iter().enumerate().for_each(|(j, &value)| basis[(i, start + j)] = value);
            }
        }
        let mut whole = Mat::zeros(offsets[d], offsets[d]);
        multiply(whole.as_mut(), Into::Replace, basis.transpose(), basis.as_ref(), 1.0);
        let mut products = Mat::zeros(offsets[d], d);
        multiply(products.as_mut(), Into::Replace, basis.transpose(), centred.as_ref(), 1.0);
        let row = |i: usize| -> Vec<f64> {
            let own = offsets[i]..offsets[i + 1];
            let blocks = (i..d).flat_map(|j| own.clone().map(move |r| (r, j)));
            blocks.flat_map(|(r, j)| (offsets[j]..offsets[j + 1]).map(move |c| (r, c))).map(|at| whole[at]).collect()
        };
        let cross =
            |i: usize| (0..d).flat_map(|j| products.col_as_slice(j)[offsets[i]..offsets[i + 1]].to_vec()).collect();
        AdditiveGram {
            n,
            rows: (0..d).map(row).collect(),
            cross: (0..d).map(cross).collect(),
            squares: (0..d).map(|j| small::dot(centred.col_as_slice(j), centred.col_as_slice(j))).collect(),
            means,
            terms,
            offsets,
        }
    }

    /// The same matrix in coordinates in which every penalty is diagonal, so that many regressions need not turn their own parts.
    /// Fits, scores and tests do not depend on coordinates.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn turned(&self, run: &Run<'_>) -> Result<Self> {
        let d = self.d();
        let row = |i: usize| {
            run.check()?;
            let mut out = Vec::with_capacity(self.rows[i].len());
            for j in i..d {
                let (rows, columns, block) = (self.terms[i].size, self.terms[j].size, self.upper_block(i, j));
                let half: Vec<Vec<f64>> =
                    block.chunks_exact(columns.max(1)).map(|row| self.terms[j].turn(row)).collect();
                let turned: Vec<Vec<f64>> = (0..columns)
                    .map(|c| self.terms[i].turn(&half.iter().map(|row| row[c]).collect::<Vec<_>>()))
                    .collect();
                out.extend((0..rows * columns).map(|at| turned[at % columns][at / columns]));
            }
            Ok(out)
        };
        let cross = |i: usize| (0..d).flat_map(|j| self.terms[i].turn(self.cross(i, j))).collect();
        Ok(AdditiveGram {
            rows: (0..d).into_par_iter().map(row).collect::<Result<_>>()?,
            cross: (0..d).map(cross).collect(),
            terms: self.terms.iter().map(Term::turned).collect(),
            ..self.clone()
        })
    }

    /// The number of rows behind the matrix.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The number of columns.
    pub fn d(&self) -> usize {
        self.terms.len()
    }

    /// The number of coefficients of all terms together.
    pub fn coefficients(&self) -> usize {
        self.offsets[self.d()]
    }

    /// A column's term.
    pub fn term(&self, node: usize) -> &Term {
        &self.terms[node]
    }

    /// A column's mean.
    pub fn mean(&self, node: usize) -> f64 {
        self.means[node]
    }

    /// `v_j = x_j'x_j` of the centred column.
    pub fn square(&self, node: usize) -> f64 {
        self.squares[node]
    }

    /// `C_ij = B_i'x_j`.
    pub fn cross(&self, i: usize, j: usize) -> &[f64] {
        let q = self.terms[i].size;
        &self.cross[i][j * q..(j + 1) * q]
    }

    /// Writes `G_ij` row by row, rows `stride` apart, into `out`.
    pub fn copy_block(&self, i: usize, j: usize, out: &mut [f64], stride: usize) {
        let (rows, columns) = (self.terms[i].size, self.terms[j].size);
        if columns == 0 {
            return;
        }
        let block = self.upper_block(i.min(j), i.max(j));
        for r in 0..rows {
            let out = &mut out[r * stride..r * stride + columns];
            if i <= j {
                out.copy_from_slice(&block[r * columns..(r + 1) * columns]);
            } else {
                for c in 0..columns {
                    out[c] = block[c * rows + r];
                }
            }
        }
    }

    /// `G_jj`, row-major.
    pub fn diagonal_block(&self, node: usize) -> &[f64] {
        self.upper_block(node, node)
    }

    fn upper_block(&self, i: usize, j: usize) -> &[f64] {
        let (q_i, q_j) = (self.terms[i].size, self.terms[j].size);
        let start = q_i * (self.offsets[j] - self.offsets[i]);
        &self.rows[i][start..start + q_i * q_j]
    }

    /// `C_ij = G_ij γ_j`, because a centred column is its own basis times `γ_j`.
    fn cross_row(&self, i: usize, identity: &[Vec<f64>]) -> Vec<f64> {
        let q = self.terms[i].size;
        let mut out = vec![0.0; q * self.d()];
        for (j, gamma) in identity.iter().enumerate() {
            let out = &mut out[j * q..(j + 1) * q];
            let block = self.upper_block(i.min(j), i.max(j));
            for (r, out) in out.iter_mut().enumerate() {
                let entry = |c: usize| if i <= j { block[r * gamma.len() + c] } else { block[c * q + r] };
                *out = gamma.iter().enumerate().map(|(c, gamma)| gamma * entry(c)).sum();
            }
        }
        out
    }
}

fn offsets(terms: &[Term]) -> Vec<usize> {
    let mut offsets = vec![0; terms.len() + 1];
    for (j, term) in terms.iter().enumerate() {
        offsets[j + 1] = offsets[j] + term.size;
    }
    offsets
}

fn mean(values: &[f64]) -> f64 {
    // Twice: the second sum takes away the first one's rounding.
    let n = values.len() as f64;
    let rough = values.iter().sum::<f64>() / n;
    rough + values.iter().map(|value| value - rough).sum::<f64>() / n
}

fn term_of_design(design: &Design) -> Term {
    let sums: Vec<f64> = (0..design.basis.functions()).map(|j| design.rows.col_as_slice(j).iter().sum()).collect();
    let scale = design.penalty_scale();
    let (roughness, rank) = design.basis.roughness();
    let penalty: Vec<f64> = roughness.iter().map(|entry| entry / scale).collect();
    Term::new(&penalty, rank, &sums)
}

/// `Z_i'A Z_j` for a row-major `A`.
fn congruence(a: &[f64], rows: usize, columns: usize, left: &Constraint, right: &Constraint) -> Vec<f64> {
    let mut half = vec![0.0; rows * (columns - 1)];
    for r in 0..rows {
        right.reduce_into(&a[r * columns..(r + 1) * columns], &mut half[r * (columns - 1)..(r + 1) * (columns - 1)]);
    }
    let mut out = vec![0.0; (rows - 1) * (columns - 1)];
    let (mut column, mut reduced) = (vec![0.0; rows], vec![0.0; rows - 1]);
    for c in 0..columns - 1 {
        for r in 0..rows {
            column[r] = half[r * (columns - 1) + c];
        }
        left.reduce_into(&column, &mut reduced);
        for r in 0..rows - 1 {
            out[r * (columns - 1) + c] = reduced[r];
        }
    }
    out
}

fn constrained_row(raw: &RawGram, terms: &[Term], i: usize) -> Vec<f64> {
    let Some(left) = &terms[i].constraint else { return Vec::new() };
    let rows = left.functions();
    let mut out = Vec::with_capacity(terms[i].size * terms[i..].iter().map(|term| term.size).sum::<usize>());
    let mut start = 0;
    for (j, term) in terms.iter().enumerate().skip(i) {
        let columns = raw.bases()[j].functions();
        if let Some(right) = &term.constraint {
            out.extend(congruence(&raw.block_row(i)[start..start + rows * columns], rows, columns, left, right));
        }
        start += rows * columns;
    }
    out
}
