//! The inner loop: cross products of two local bases over a chunk of rows.
//!
//! A row touches 4 × 4 of the 10 × 10 entries of a block. Adding them where they belong makes stores of successive rows
//! overlap in part, which stalls the processor; so every pair of cells has 16 sums of its own (7 × 7 × 16 numbers, well
//! inside the first cache), and the overlapping sums are folded together once per chunk.
//! Measured against a dense product of the 10-column bases: about four times as fast (see docs/benchmarks.md).

use super::basis::{Basis, WIDTH};

/// One column's basis at every row of a chunk.
pub(super) struct Evaluated {
    cells: Vec<u16>,
    weights: Vec<[f64; WIDTH]>,
}

impl Evaluated {
    pub(super) fn new(basis: &Basis, values: impl Iterator<Item = f64>) -> Self {
        let (cells, weights) = values
            .map(|x| {
                let (cell, weights) = basis.evaluate(x);
                (cell as u16, weights)
            })
            .unzip();
        Evaluated { cells, weights }
    }
}

type Sums = [f64; WIDTH * WIDTH];

/// Reusable room for the sums of every pair of cells.
#[derive(Default)]
pub(super) struct CellSums(Vec<Sums>);

impl CellSums {
    /// Adds `B_i'B_j` over the chunk to `block` (row-major, functions of `i` by functions of `j`).
    pub(super) fn add_block(&mut self, i: (&Basis, &Evaluated), j: (&Basis, &Evaluated), block: &mut [f64]) {
        let (cells_i, cells_j) = (i.0.cells(), j.0.cells());
        if cells_i == 0 || cells_j == 0 {
            return;
        }
        self.0.clear();
        self.0.resize(cells_i * cells_j, [0.0; WIDTH * WIDTH]);
        accumulate(i.1, j.1, cells_j, &mut self.0);
        let functions_j = j.0.functions();
        for cell_i in 0..cells_i {
            for cell_j in 0..cells_j {
                let sums = &self.0[cell_i * cells_j + cell_j];
                for a in 0..i.0.width() {
                    let row = &mut block[(cell_i + a) * functions_j + cell_j..];
                    for b in 0..j.0.width() {
                        row[b] += sums[WIDTH * a + b];
                    }
                }
            }
        }
    }
}

fn accumulate(i: &Evaluated, j: &Evaluated, stride: usize, sums: &mut [Sums]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has AVX2, as just checked.
        unsafe {
            accumulate_avx2(i, j, stride, sums);
        }
        return;
    }
    accumulate_rows(i, j, stride, sums);
}

/// The same loop compiled for 256-bit registers; no fused multiply-add, so the result is the same to the bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn accumulate_avx2(i: &Evaluated, j: &Evaluated, stride: usize, sums: &mut [Sums]) {
    accumulate_rows(i, j, stride, sums);
}

#[inline(always)]
fn accumulate_rows(i: &Evaluated, j: &Evaluated, stride: usize, sums: &mut [Sums]) {
    let rows = i.cells.iter().zip(&i.weights).zip(j.cells.iter().zip(&j.weights));
    for ((&cell_i, weights_i), (&cell_j, weights_j)) in rows {
        let sums = &mut sums[usize::from(cell_i) * stride + usize::from(cell_j)];
        for a in 0..WIDTH {
            for b in 0..WIDTH {
                sums[WIDTH * a + b] += weights_i[a] * weights_j[b];
            }
        }
    }
}
