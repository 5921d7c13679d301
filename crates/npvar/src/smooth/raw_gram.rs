//! The Gram matrix of the raw bases: accumulated over the rows in chunks, mergeable, the only thing that ever reads data.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rayon::prelude::*;

use super::basis::Basis;
use super::cells::{CellSums, Evaluated};
use super::spec::SmoothSpec;
use crate::data::{Block, ColumnSummary, RowBlocks};
use crate::error::{Error, Result};
use crate::run::{Event, Run};

/// Rows per chunk: small enough for two columns' bases to stay in the second cache, large enough to make folding cheap.
/// Sums are formed within chunks and then added in row order, so results do not depend on threads or on how rows arrive,
/// as long as they arrive in blocks of a multiple of this.
pub const CHUNK_ROWS: usize = 2048;

/// Blocks `B_i'B_j` for `i ≤ j`, and the sums and squares of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct RawGram {
    bases: Arc<[Basis]>,
    n: usize,
    /// Subtracted from every column before squaring, so that a large mean does not cost digits.
    pilot: Arc<[f64]>,
    sums: Vec<f64>,
    squares: Vec<f64>,
    /// For each `i`, its blocks with `j = i, i + 1, …`, each row-major.
    rows: Vec<Vec<f64>>,
}

impl RawGram {
    /// The empty sum. `pilot` holds a rough mean of every column.
    pub fn new(bases: Arc<[Basis]>, pilot: Arc<[f64]>) -> Self {
        let d = bases.len();
        let functions: Vec<usize> = bases.iter().map(Basis::functions).collect();
        let rows = (0..d).map(|i| vec![0.0; functions[i] * functions[i..].iter().sum::<usize>()]).collect();
        RawGram { bases, n: 0, pilot, sums: vec![0.0; d], squares: vec![0.0; d], rows }
    }

    /// Reads all rows of `source`, whose columns these are.
    ///
    /// # Errors
    /// What reading the source came upon, or [`Error::Cancelled`].
    pub fn of(source: &dyn RowBlocks, spec: SmoothSpec, columns: &[ColumnSummary], run: &Run<'_>) -> Result<Self> {
        let mut gram = RawGram::for_columns(spec, columns);
        let total = source.row_count();
        source.for_each_counted_block(&mut |block, counts| {
            match counts {
                None => gram.add(block, run)?,
                Some(counts) => gram.add_counted(block, counts, run)?,
            }
            run.report(&Event::Rows { done: gram.n, total })
        })?;
        Ok(gram)
    }

    /// The empty sum for these columns.
    pub fn for_columns(spec: SmoothSpec, columns: &[ColumnSummary]) -> Self {
        RawGram::new(spec.bases(columns), columns.iter().map(|column| column.pilot_mean).collect())
    }

    /// Reads all rows of `source`, those marked in `first` into one Gram matrix, the others into another.
    ///
    /// # Errors
    /// What reading the source came upon, or [`Error::Cancelled`].
    pub fn of_halves(
        source: &dyn RowBlocks,
        first: &FixedBitSet,
        spec: SmoothSpec,
        columns: &[ColumnSummary],
        run: &Run<'_>,
    ) -> Result<(Self, Self)> {
        let mut parts = RawGram::of_parts(source, (2, &|row| usize::from(first.contains(row))), spec, columns, run)?;
        Ok((parts.remove(1), parts.remove(0)))
    }

    /// Reads all rows of `source` into as many Gram matrices as there are parts; the function says which part a row
    /// belongs to.
    ///
    /// # Errors
    /// What reading the source came upon, or [`Error::Cancelled`].
    pub fn of_parts(
        source: &dyn RowBlocks,
        (count, part_of): (usize, &dyn Fn(usize) -> usize),
        spec: SmoothSpec,
        columns: &[ColumnSummary],
        run: &Run<'_>,
    ) -> Result<Vec<Self>> {
        let mut parts = vec![RawGram::for_columns(spec, columns); count];
        source.for_each_block(&mut |block| {
            let mut rows = vec![Vec::new(); count];
            (0..block.rows()).for_each(|row| rows[part_of(block.first_row + row)].push(row));
            parts.iter_mut().zip(&rows).try_for_each(|(part, rows)| part.add_rows(block, rows, run))
        })?;
        Ok(parts)
    }

    /// Adds the rows of a block.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn add(&mut self, block: &Block<'_>, run: &Run<'_>) -> Result<()> {
        let rows = block.rows();
        let mut evaluated = self.room();
        for start in (0..rows).step_by(CHUNK_ROWS) {
            let end = rows.min(start + CHUNK_ROWS);
            let column = |j: usize| block.columns[j][start..end].iter().copied();
            self.add_chunk(end - start, &mut evaluated, None, column, run)?;
        }
        Ok(())
    }

    /// Adds the rows of a block, each as often as it counts. Up to rounding this is what [`add`](RawGram::add) makes of the
    /// repeated rows.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn add_counted(&mut self, block: &Block<'_>, counts: &[u32], run: &Run<'_>) -> Result<()> {
        let mut evaluated = self.room();
        for (chunk, counts) in counts.chunks(CHUNK_ROWS).enumerate() {
            let rows = chunk * CHUNK_ROWS..chunk * CHUNK_ROWS + counts.len();
            let total = counts.iter().map(|&count| count as usize).sum();
            let column = |j: usize| block.columns[j][rows.clone()].iter().copied();
            self.add_chunk(total, &mut evaluated, Some(counts), column, run)?;
        }
        Ok(())
    }

    /// Adds the rows with these indices of a table in memory.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn add_rows(&mut self, block: &Block<'_>, rows: &[usize], run: &Run<'_>) -> Result<()> {
        let mut evaluated = self.room();
        for chunk in rows.chunks(CHUNK_ROWS) {
            let column = |j: usize| chunk.iter().map(move |&row| block.columns[j][row]);
            self.add_chunk(chunk.len(), &mut evaluated, None, column, run)?;
        }
        Ok(())
    }

    /// Room for a chunk's evaluated bases.
    fn room(&self) -> Vec<Evaluated> {
        std::iter::repeat_with(Evaluated::default).take(self.d()).collect()
    }

    /// Where it is cancelled the sums are of no use any more.
    fn add_chunk<I>(
        &mut self,
        rows: usize,
        evaluated: &mut [Evaluated],
        counts: Option<&[u32]>,
        column: impl Fn(usize) -> I + Sync,
        run: &Run<'_>,
    ) -> Result<()>
    where
        I: ExactSizeIterator<Item = f64>,
    {
        run.check()?;
        let RawGram { bases, pilot, .. } = self;
        // Both factors of a product carry the root of the count.
        let roots: Option<Vec<f64>> =
            counts.map(|counts| counts.iter().map(|&count| f64::from(count).sqrt()).collect());
        evaluated.par_iter_mut().enumerate().for_each(|(j, evaluated)| {
            evaluated.refill(&bases[j], column(j));
            if let Some(roots) = &roots {
                evaluated.scale(roots);
            }
        });
        for j in 0..bases.len() {
            let (mut sum, mut square) = (0.0, 0.0);
            let mut add = |x: f64, count: f64| {
                let centred = x - pilot[j];
                sum += count * centred;
                square += count * centred * centred;
            };
            match counts {
                None => column(j).for_each(|x| add(x, 1.0)),
                Some(counts) => column(j).zip(counts).for_each(|(x, &count)| add(x, f64::from(count))),
            }
            self.sums[j] += sum;
            self.squares[j] += square;
        }
        let columns: Vec<(&Basis, &Evaluated)> = bases.iter().zip(evaluated.iter()).collect();
        self.rows.par_iter_mut().enumerate().try_for_each_init(CellSums::default, |cells, (i, blocks)| {
            run.check()?;
            let mut start = 0;
            for j in i..columns.len() {
                let size = bases[i].functions() * bases[j].functions();
                cells.add_block(columns[i], columns[j], &mut blocks[start..start + size]);
                start += size;
            }
            Ok(())
        })?;
        self.n += rows;
        Ok(())
    }

    /// Adds the rows another Gram matrix has seen.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when the two were made for different bases.
    pub fn merge(&mut self, other: &RawGram) -> Result<()> {
        if self.bases != other.bases || self.pilot != other.pilot {
            return Err(Error::InvalidOption {
                option: "knots",
                requirement: "must be the same for every part of a merged Gram matrix".to_owned(),
                got: "different ones".to_owned(),
            });
        }
        self.n += other.n;
        let add = |into: &mut [f64], from: &[f64]| into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        add(&mut self.sums, &other.sums);
        add(&mut self.squares, &other.squares);
        for (into, from) in self.rows.iter_mut().zip(&other.rows) {
            add(into, from);
        }
        Ok(())
    }

    /// Every sum, in a fixed order.
    pub(super) fn sums(&self) -> impl Iterator<Item = f64> + '_ {
        self.sums.iter().chain(&self.squares).chain(self.rows.iter().flatten()).copied()
    }

    /// Takes over sums in the order of [`RawGram::sums`].
    pub(super) fn set_sums(&mut self, n: usize, values: &mut dyn Iterator<Item = f64>) {
        self.n = n;
        let all = self.sums.iter_mut().chain(&mut self.squares).chain(self.rows.iter_mut().flatten());
        all.zip(values).for_each(|(sum, value)| *sum = value);
    }

    /// The number of rows seen.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The number of columns.
    pub fn d(&self) -> usize {
        self.bases.len()
    }

    /// The bases.
    pub fn bases(&self) -> &Arc<[Basis]> {
        &self.bases
    }

    /// The mean of a column.
    pub fn mean(&self, node: usize) -> f64 {
        self.pilot[node] + self.sums[node] / self.n as f64
    }

    /// `x'x` of the centred column.
    pub fn centred_square(&self, node: usize) -> f64 {
        (self.squares[node] - self.sums[node] * self.sums[node] / self.n as f64).max(0.0)
    }

    /// `B_j'1`: how much of the sample each function of a basis has seen.
    pub fn column_sums(&self, node: usize) -> Vec<f64> {
        let k = self.bases[node].functions();
        self.rows[node][..k * k].chunks_exact(k.max(1)).map(|row| row.iter().sum()).collect()
    }

    /// `B_i'B_j` between two nodes, as the entry at (function of `i`, function of `j`).
    pub(crate) fn entry(&self, i: usize, j: usize) -> impl Fn(usize, usize) -> f64 + '_ {
        let (low, high) = (i.min(j), i.max(j));
        let (k_low, k_high) = (self.bases[low].functions(), self.bases[high].functions());
        let start = k_low * self.bases[low..high].iter().map(Basis::functions).sum::<usize>();
        let block = &self.rows[low][start..start + k_low * k_high];
        move |a, b| if i <= j { block[a * k_high + b] } else { block[b * k_high + a] }
    }

    /// The blocks of `node` with itself and every later node, each row-major, one after the other.
    pub(super) fn block_row(&self, node: usize) -> &[f64] {
        &self.rows[node]
    }
}
