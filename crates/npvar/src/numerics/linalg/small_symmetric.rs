//! Eigenvalues of a small dense symmetric matrix `W = U diag(l) U'` and the coordinates `z = U'v` of one vector.
//!
//! `U` is never formed: Householder reflections reduce `W` to a tridiagonal matrix, plane rotations (implicit QL with
//! Wilkinson's shift) reduce that to a diagonal one, and each is applied to `v` as it is made. Nothing is allocated. Made for the
//! size of one smooth term (9), where calling a general library costs more than the arithmetic.

/// Largest size accepted.
pub(crate) const MAX_SIZE: usize = 64;

/// QL steps allowed per eigenvalue. Two are typical; when they run out (never seen) Jacobi rotations, which always converge,
/// finish the tridiagonal matrix.
const MOST_QL_STEPS: usize = 60;

/// Replaces `vector` by its coordinates `z = U'v` and fills `eigenvalues`, decreasing; `matrix` (row-major n × n, only the
/// lower triangle is read) is destroyed. The sign of each `z_i` is arbitrary, as is the basis within a repeated eigenvalue.
/// Entries that are not finite give eigenvalues that are NaN.
pub(crate) fn eigen_coordinates(matrix: &mut [f64], vector: &mut [f64], eigenvalues: &mut [f64]) {
    let n = vector.len();
    assert!(n <= MAX_SIZE, "at most {MAX_SIZE} rows, got {n}");
    assert!(matrix.len() == n * n && eigenvalues.len() == n, "matrix, vector and eigenvalues must have matching sizes");

    let mut largest = 0.0_f64;
    let mut finite = true;
    for i in 0..n {
        for &entry in &matrix[i * n..=i * n + i] {
            largest = largest.max(entry.abs());
            finite &= entry.is_finite();
        }
    }
    if !finite {
        eigenvalues.fill(f64::NAN);
        return;
    }
    if largest == 0.0 {
        eigenvalues.fill(0.0);
        return;
    }
    // entries of size one, so that squares neither overflow nor vanish; a power of two, so that nothing is rounded
    let (down, up) = power_of_two_scale(largest);
    for i in 0..n {
        for entry in &mut matrix[i * n..=i * n + i] {
            *entry *= down;
        }
    }

    let mut off_diagonal = [0.0; MAX_SIZE];
    tridiagonalise(matrix, vector, eigenvalues, &mut off_diagonal);
    if !ql_rotations(eigenvalues, &mut off_diagonal, vector) {
        jacobi_rotations(matrix, eigenvalues, &off_diagonal, vector);
    }
    for value in eigenvalues.iter_mut() {
        *value *= up;
    }
    sort_decreasing(eigenvalues, vector);
}

/// `2^−e` and `2^e` with `largest · 2^−e` in [1, 2), kept away from the subnormal range.
fn power_of_two_scale(largest: f64) -> (f64, f64) {
    let exponent = (((largest.to_bits() >> 52) & 0x7ff) as i64 - 1023).clamp(-1000, 1000);
    (f64::from_bits(((1023 - exponent) as u64) << 52), f64::from_bits(((1023 + exponent) as u64) << 52))
}

/// Householder reduction of the lower triangle from the last row up; `off_diagonal[i]` couples i and i + 1.
fn tridiagonalise(matrix: &mut [f64], vector: &mut [f64], diagonal: &mut [f64], off_diagonal: &mut [f64; MAX_SIZE]) {
    let n = vector.len();
    let mut product = [0.0; MAX_SIZE];
    for i in (1..n).rev() {
        // rows 0..i are still to be reduced; row i holds their coupling x = W[i, 0..i], to become (0, …, 0, ±‖x‖)
        let (rest, row) = matrix.split_at_mut(i * n);
        diagonal[i] = row[i];
        let x = &mut row[..i];
        let others: f64 = x[..i - 1].iter().map(|value| value * value).sum();
        if others < 1e-290 {
            // entries below 1e-145 of the largest: their squares would lose digits, and they change nothing
            off_diagonal[i - 1] = x[i - 1];
            continue;
        }
        // reflection I − τ h h' with h = x + sign(x_last)‖x‖ e_last
        let norm = (others + x[i - 1] * x[i - 1]).sqrt().copysign(x[i - 1]);
        off_diagonal[i - 1] = -norm;
        let tau = 1.0 / (norm * (norm + x[i - 1]));
        x[i - 1] += norm;
        let h = &*x;

        // v ← v − τ h (h'v)
        let shift = tau * dot(h, &vector[..i]);
        for (value, direction) in vector[..i].iter_mut().zip(h) {
            *value -= shift * direction;
        }

        // p = τ W h from the lower triangle, k = ½ τ h'p, w = p − k h, W ← W − h w' − w h'
        let p = &mut product[..i];
        p.fill(0.0);
        for j in 0..i {
            let line = &rest[j * n..=j * n + j];
            let hj = h[j];
            let mut sum = line[j] * hj;
            for l in 0..j {
                sum += line[l] * h[l];
                p[l] += line[l] * hj;
            }
            p[j] += sum;
        }
        for value in p.iter_mut() {
            *value *= tau;
        }
        let k = 0.5 * tau * dot(h, p);
        for (value, direction) in p.iter_mut().zip(h) {
            *value -= k * direction;
        }
        for j in 0..i {
            let line = &mut rest[j * n..=j * n + j];
            let (hj, pj) = (h[j], p[j]);
            for l in 0..=j {
                line[l] -= hj * p[l] + pj * h[l];
            }
        }
    }
    if n > 0 {
        diagonal[0] = matrix[0];
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Implicit QL steps until the off-diagonal is negligible; false if an eigenvalue takes more than [`MOST_QL_STEPS`].
fn ql_rotations(diagonal: &mut [f64], off_diagonal: &mut [f64; MAX_SIZE], vector: &mut [f64]) -> bool {
    let n = diagonal.len();
    for first in 0..n {
        let mut steps = 0;
        loop {
            // the block first..=last that is not yet split by a negligible coupling
            let mut last = first;
            while last + 1 < n && !negligible(off_diagonal[last], diagonal[last], diagonal[last + 1]) {
                last += 1;
            }
            if last == first {
                break;
            }
            if steps == MOST_QL_STEPS {
                return false;
            }
            steps += 1;
            ql_step(diagonal, off_diagonal, vector, first, last);
        }
    }
    true
}

/// Below rounding of its two neighbours, or (entries are of size one) too small for its square to be represented.
fn negligible(coupling: f64, before: f64, after: f64) -> bool {
    coupling.abs() <= 0.5 * f64::EPSILON * (before.abs() + after.abs()) || coupling.abs() < 1e-150
}

/// One QL step on the block `first..=last`: chase the bulge from the bottom to the top.
///
/// Rotation in the plane (i, i + 1) with `r = ‖(f, g)‖`, `s = f/r`, `c = g/r`.
fn ql_step(diagonal: &mut [f64], off_diagonal: &mut [f64; MAX_SIZE], vector: &mut [f64], first: usize, last: usize) {
    // Wilkinson's shift: the eigenvalue of the leading 2 × 2 block nearer to its first entry
    let coupling = off_diagonal[first];
    let half_gap = 0.5 * (diagonal[first + 1] - diagonal[first]);
    let shift = diagonal[first]
        - coupling * (coupling / (half_gap + (half_gap * half_gap + coupling * coupling).sqrt().copysign(half_gap)));

    // (g, f): the column of W − shift that the next rotation aligns; its first one is (diagonal − shift, coupling)
    let mut g = diagonal[last] - shift;
    let mut f = off_diagonal[last - 1];
    for i in (first..last).rev() {
        let r = (f * f + g * g).sqrt();
        let (c, s) = if r > 0.0 { (g / r, f / r) } else { (1.0, 0.0) };
        if i + 1 < last {
            off_diagonal[i + 1] = r;
        }
        let (upper, lower, e) = (diagonal[i], diagonal[i + 1], off_diagonal[i]);
        // the rotated 2 × 2 block: lower entry moves by t, upper by −t
        let t = s * (s * (upper - lower) + 2.0 * c * e);
        diagonal[i + 1] = lower + t;
        diagonal[i] = upper - t;
        let e_rotated = c * (s * (upper - lower) + 2.0 * c * e) - e;
        off_diagonal[i] = e_rotated;
        (vector[i], vector[i + 1]) = (c * vector[i] - s * vector[i + 1], s * vector[i] + c * vector[i + 1]);
        if i > first {
            // the coupling above is split into the bulge and what stays
            g = e_rotated;
            f = s * off_diagonal[i - 1];
            off_diagonal[i - 1] *= c;
        }
    }
}

/// Cyclic Jacobi rotations of the tridiagonal matrix, written out in full in `matrix`.
fn jacobi_rotations(matrix: &mut [f64], diagonal: &mut [f64], off_diagonal: &[f64; MAX_SIZE], vector: &mut [f64]) {
    let n = diagonal.len();
    matrix.fill(0.0);
    for i in 0..n {
        matrix[i * n + i] = diagonal[i];
        if i + 1 < n {
            matrix[i * n + i + 1] = off_diagonal[i];
            matrix[(i + 1) * n + i] = off_diagonal[i];
        }
    }
    // converges quadratically after a few sweeps; the bound only keeps the loop finite
    for _ in 0..100 {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (matrix[p * n + p], matrix[q * n + q], matrix[p * n + q]);
                if negligible(apq, app, aqq) {
                    continue;
                }
                rotated = true;
                let theta = (aqq - app) / (2.0 * apq);
                let t = 1.0_f64.copysign(theta) / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for j in 0..n {
                    let (x, y) = (matrix[j * n + p], matrix[j * n + q]);
                    (matrix[j * n + p], matrix[j * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for j in 0..n {
                    let (x, y) = (matrix[p * n + j], matrix[q * n + j]);
                    (matrix[p * n + j], matrix[q * n + j]) = (c * x - s * y, s * x + c * y);
                }
                (vector[p], vector[q]) = (c * vector[p] - s * vector[q], s * vector[p] + c * vector[q]);
            }
        }
        if !rotated {
            break;
        }
    }
    for i in 0..n {
        diagonal[i] = matrix[i * n + i];
    }
}

/// Insertion sort: the values come out of QL nearly sorted.
fn sort_decreasing(eigenvalues: &mut [f64], vector: &mut [f64]) {
    for i in 1..eigenvalues.len() {
        let mut j = i;
        while j > 0 && eigenvalues[j - 1] < eigenvalues[j] {
            eigenvalues.swap(j - 1, j);
            vector.swap(j - 1, j);
            j -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::{Mat, Side};
    use proptest::prelude::*;

    /// Backward error of orthogonal transformations of size ≤ 64, relative to the norm.
    const ALGEBRA: f64 = 1e-13;

    fn norm(values: &[f64]) -> f64 {
        let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if largest == 0.0 { 0.0 } else { largest * values.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt() }
    }

    /// Compares eigenvalues, the length of z, and the part of v in every cluster of eigenvalues with faer.
    fn check(matrix: &[f64], vector: &[f64]) {
        let n = vector.len();
        let (mut work, mut z, mut eigenvalues) = (matrix.to_vec(), vector.to_vec(), vec![0.0; n]);
        eigen_coordinates(&mut work, &mut z, &mut eigenvalues);

        let scale = norm(matrix).max(f64::MIN_POSITIVE);
        let faer =
            Mat::from_fn(n, n, |i, j| matrix[i * n + j] / scale).self_adjoint_eigen(Side::Lower).expect("converges");
        let (mut cluster, mut ours, mut theirs) = (0, 0.0, 0.0);
        for i in 0..n {
            let truth = faer.S()[n - 1 - i];
            assert!((eigenvalues[i] / scale - truth).abs() <= ALGEBRA, "{eigenvalues:?}");
            // z_i² is determined up to rounding / gap, sums over a cluster up to rounding over the gap around it
            ours += z[i] * z[i];
            theirs += (0..n).map(|j| faer.U()[(j, n - 1 - i)] * vector[j]).sum::<f64>().powi(2);
            let gap = if i + 1 < n { truth - faer.S()[n - 2 - i] } else { 1.0 };
            if gap > 1e-6 {
                assert!(
                    (ours - theirs).abs() <= 10.0 * ALGEBRA / 1e-6 * norm(vector).powi(2),
                    "cluster {cluster}..={i}"
                );
                (cluster, ours, theirs) = (i + 1, 0.0, 0.0);
            }
        }
        assert!((norm(&z) - norm(vector)).abs() <= ALGEBRA * norm(vector));
    }

    fn symmetric(n: usize, entries: &[f64]) -> Vec<f64> {
        (0..n * n).map(|ij| entries[(ij / n).max(ij % n) * (MAX_SIZE) + (ij / n).min(ij % n)]).collect()
    }

    #[test]
    fn two_by_two_by_hand() {
        // eigenvalues 5 and 0 with directions (2, 1)/√5 and (−1, 2)/√5
        let (mut matrix, mut z, mut eigenvalues) = ([4.0, 2.0, 2.0, 1.0], [3.0, 1.0], [0.0; 2]);
        eigen_coordinates(&mut matrix, &mut z, &mut eigenvalues);
        assert!((eigenvalues[0] - 5.0).abs() < 1e-14 && eigenvalues[1].abs() < 1e-14);
        assert!((z[0].powi(2) - 49.0 / 5.0).abs() < 1e-13 && (z[1].powi(2) - 1.0 / 5.0).abs() < 1e-13);
    }

    #[test]
    fn special_matrices() {
        for n in [1, 2, 3, 9, 64] {
            let vector: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let fill = |f: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|ij| f(ij / n, ij % n)).collect::<Vec<_>>();
            check(&fill(&|_, _| 0.0), &vector);
            check(&fill(&|i, j| f64::from(u8::from(i == j))), &vector);
            check(&fill(&|_, _| 1.0), &vector);
            check(&fill(&|i, j| if i == j { 1.0 + (i / 2) as f64 } else { 0.0 }), &vector);
            check(&fill(&|i, j| 1.0 / (1.0 + (i + j) as f64)), &vector);
            check(&fill(&|i, j| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 }), &vector);
            check(&fill(&|i, j| 10_f64.powi(-(10 * (i + j) as i32))), &vector);
            check(&fill(&|i, j| if i == j { 1.0 } else { 1e-9 * (1.0 + (i * j) as f64) }), &vector);
        }
    }

    #[test]
    fn an_empty_matrix_and_entries_that_are_not_finite_are_answered() {
        eigen_coordinates(&mut [], &mut [], &mut []);
        let mut eigenvalues = [0.0; 2];
        eigen_coordinates(&mut [1.0, 0.0, f64::NAN, 1.0], &mut [1.0, 1.0], &mut eigenvalues);
        assert!(eigenvalues.iter().all(|value| value.is_nan()));
    }

    #[test]
    fn jacobi_finishes_what_ql_would() {
        let n = 9;
        let mut off_diagonal = [0.0; MAX_SIZE];
        let mut diagonal: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).sin()).collect();
        off_diagonal[..n - 1].iter_mut().enumerate().for_each(|(i, e)| *e = (0.9 * i as f64).cos());
        let mut vector: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
        let (mut ql_values, mut ql_couplings, mut ql_vector) = (diagonal.clone(), off_diagonal, vector.clone());
        assert!(ql_rotations(&mut ql_values, &mut ql_couplings, &mut ql_vector));
        jacobi_rotations(&mut vec![0.0; n * n], &mut diagonal, &off_diagonal, &mut vector);
        sort_decreasing(&mut ql_values, &mut ql_vector);
        sort_decreasing(&mut diagonal, &mut vector);
        for i in 0..n {
            assert!((ql_values[i] - diagonal[i]).abs() <= ALGEBRA);
            assert!((ql_vector[i].powi(2) - vector[i].powi(2)).abs() <= 1e-10);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_full_decomposition(
            n in 1_usize..=20,
            entries in proptest::collection::vec(-1.0..1.0_f64, MAX_SIZE * 20),
            vector in proptest::collection::vec(-1.0..1.0_f64, 20),
            exponent in -150_i32..=150,
        ) {
            let scale = 10_f64.powi(exponent);
            let matrix: Vec<f64> = symmetric(n, &entries).iter().map(|v| v * scale).collect();
            check(&matrix, &vector[..n]);
        }

        #[test]
        fn a_low_rank_matrix_has_zero_eigenvalues(
            n in 2_usize..=12, rank in 1_usize..=3, factor in proptest::collection::vec(-1.0..1.0_f64, 36)
        ) {
            let matrix: Vec<f64> = (0..n * n)
                .map(|ij| (0..rank).map(|r| factor[r * 12 + ij / n] * factor[r * 12 + ij % n]).sum())
                .collect();
            check(&matrix, &factor[..n]);
        }
    }
}
