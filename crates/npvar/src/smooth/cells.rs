//! The inner loop: cross products of two local bases over a chunk of rows.
//!
//! A row touches 4 × 4 of the 10 × 10 entries of a block. Adding them where they belong makes stores of successive rows
//! overlap in part, which stalls the processor; so every pair of cells has 16 sums of its own (7 × 7 × 16 numbers, well
//! inside the first cache), and the overlapping sums are folded together once per chunk.
//! A dense product of the 10-column bases would need six times as many multiplications.

use super::basis::{Basis, WIDTH};

/// One column's basis at every row of a chunk.
#[derive(Default)]
pub(super) struct Evaluated {
    cells: Vec<u16>,
    weights: Vec<[f64; WIDTH]>,
}

impl Evaluated {
    /// Evaluates `basis` at other values, in the memory already there.
    pub(super) fn refill(&mut self, basis: &Basis, values: impl ExactSizeIterator<Item = f64>) {
        self.cells.resize(values.len(), 0);
        self.weights.resize(values.len(), [0.0; WIDTH]);
        match basis {
            // The common case, with the kind of basis settled outside the loop.
            Basis::PSpline(spline) => self.fill(values, |x| spline.evaluate(x)),
            _ => self.fill(values, |x| basis.evaluate(x)),
        }
    }

    /// Multiplies each row's values by a number of its own.
    pub(super) fn scale(&mut self, factors: &[f64]) {
        for (weights, factor) in self.weights.iter_mut().zip(factors) {
            weights.iter_mut().for_each(|weight| *weight *= factor);
        }
    }

    fn fill(&mut self, values: impl Iterator<Item = f64>, evaluate: impl Fn(f64) -> (usize, [f64; WIDTH])) {
        for ((x, cell), weights) in values.zip(&mut self.cells).zip(&mut self.weights) {
            let (own, values) = evaluate(x);
            (*cell, *weights) = (own as u16, values);
        }
    }
}

type Sums = [f64; WIDTH * WIDTH];

/// Reusable room for the sums of every pair of cells: those of even and of odd rows.
#[derive(Default)]
pub(super) struct CellSums([Vec<Sums>; 2]);

impl CellSums {
    /// Adds `B_i'B_j` over the chunk to `block` (row-major, functions of `i` by functions of `j`).
    pub(super) fn add_block(&mut self, i: (&Basis, &Evaluated), j: (&Basis, &Evaluated), block: &mut [f64]) {
        let cells = i.0.cells() * j.0.cells();
        if cells == 0 {
            return;
        }
        for sums in &mut self.0 {
            sums.clear();
            sums.resize(cells, [0.0; WIDTH * WIDTH]);
        }
        let [even, odd] = &mut self.0;
        accumulate(i.1, j.1, j.0.cells(), even, odd);
        for (even, odd) in even.iter_mut().zip(odd) {
            even.iter_mut().zip(odd).for_each(|(even, odd)| *even += *odd);
        }
        fold_cells(i.0, j.0, even, block);
    }
}

/// Adds the sums of all pairs of cells to the block they belong to.
fn fold_cells(i: &Basis, j: &Basis, sums: &[Sums], block: &mut [f64]) {
    let (widths, functions_j) = ((i.width(), j.width()), j.functions());
    for (cell_i, sums) in sums.chunks_exact(j.cells().max(1)).enumerate() {
        for (cell_j, sums) in sums.iter().enumerate() {
            let corner = &mut block[cell_i * functions_j + cell_j..];
            match widths {
                (WIDTH, WIDTH) => fold::<WIDTH, WIDTH>(sums, corner, functions_j),
                (WIDTH, 1) => fold::<WIDTH, 1>(sums, corner, functions_j),
                (1, WIDTH) => fold::<1, WIDTH>(sums, corner, functions_j),
                (1, 1) => fold::<1, 1>(sums, corner, functions_j),
                (rows, columns) => {
                    for a in 0..rows {
                        for b in 0..columns {
                            corner[a * functions_j + b] += sums[WIDTH * a + b];
                        }
                    }
                }
            }
        }
    }
}

/// Adds a cell's sums to the block's entries they belong to.
#[inline(always)]
fn fold<const A: usize, const B: usize>(sums: &Sums, corner: &mut [f64], stride: usize) {
    for a in 0..A {
        let row = &mut corner[a * stride..a * stride + B];
        for b in 0..B {
            row[b] += sums[WIDTH * a + b];
        }
    }
}

fn accumulate(i: &Evaluated, j: &Evaluated, cells_j: usize, even: &mut [Sums], odd: &mut [Sums]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has AVX2, as just checked.
        unsafe {
            accumulate_avx2(i, j, cells_j, even, odd);
        }
        return;
    }
    accumulate_rows(i, j, cells_j, even, odd);
}

/// The same loop compiled for 256-bit registers; no fused multiply-add, so the result is the same to the bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn accumulate_avx2(i: &Evaluated, j: &Evaluated, cells_j: usize, even: &mut [Sums], odd: &mut [Sums]) {
    accumulate_rows(i, j, cells_j, even, odd);
}

/// Successive rows often fall into the same cells, and a sum cannot be loaded before the row before has stored it: even
/// and odd rows have sums of their own, so that one fills the other's wait.
#[inline(always)]
fn accumulate_rows(i: &Evaluated, j: &Evaluated, cells_j: usize, even: &mut [Sums], odd: &mut [Sums]) {
    let n = i.cells.len();
    let (cells_i, weights_i) = (&i.cells[..n], &i.weights[..n]);
    let (own_j, weights_j) = (&j.cells[..n], &j.weights[..n]);
    let cell = |row: usize| usize::from(cells_i[row]) * cells_j + usize::from(own_j[row]);
    for row in (0..n / 2 * 2).step_by(2) {
        add_product(&mut even[cell(row)], &weights_i[row], &weights_j[row]);
        add_product(&mut odd[cell(row + 1)], &weights_i[row + 1], &weights_j[row + 1]);
    }
    if n % 2 == 1 {
        add_product(&mut even[cell(n - 1)], &weights_i[n - 1], &weights_j[n - 1]);
    }
}

#[inline(always)]
fn add_product(sums: &mut Sums, weights_i: &[f64; WIDTH], weights_j: &[f64; WIDTH]) {
    for a in 0..WIDTH {
        for b in 0..WIDTH {
            sums[WIDTH * a + b] += weights_i[a] * weights_j[b];
        }
    }
}
