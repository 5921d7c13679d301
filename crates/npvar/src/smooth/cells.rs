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
        let (widths, functions_j) = ((i.0.width(), j.0.width()), j.0.functions());
        for (cell_i, sums) in self.0.chunks_exact(cells_j).enumerate() {
            for (cell_j, sums) in sums.iter().enumerate() {
                let corner = &mut block[cell_i * functions_j + cell_j..];
                match widths {
                    (WIDTH, WIDTH) => fold::<WIDTH, WIDTH>(sums, corner, functions_j),
                    (WIDTH, 1) => fold::<WIDTH, 1>(sums, corner, functions_j),
                    (1, WIDTH) => fold::<1, WIDTH>(sums, corner, functions_j),
                    (1, 1) => fold::<1, 1>(sums, corner, functions_j),
                    _ => fold::<2, 2>(sums, corner, functions_j),
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
