//! A table that has been summed in parts, on one machine or many: `knots` first, then a part for every portion of the rows,
//! then all parts added up. After that the rows are not needed any more.
//!
//! Parts travel as bytes: a line that names the format, a JSON object with the knots, the sums as little-endian 64-bit
//! numbers, and a check sum. The size depends on the columns alone: about `(10 d)²/2` numbers.

use serde::{Deserialize, Serialize};

use super::raw_gram::RawGram;
use super::spec::SmoothSpec;
use crate::data::{ColumnSummary, FEW_VALUES, RowBlocks, summarise};
use crate::error::{Error, Result};
use crate::run::{Event, Run};

/// What a part begins with. A later format has a later number.
const FORMAT: &str = "npvar-gram/1\n";

/// What must be known of all rows before any can be summed: every column's name, range, and values where they are few.
///
/// ```
/// use npvar::data::Dataset;
/// use npvar::smooth::{FewValued, Knots, SmoothSpec, Summed};
/// use npvar::{Run, Seed};
/// let table = |a: &[f64], b: &[f64]| Dataset::new(vec!["a".into(), "b".into()], vec![a.to_vec(), b.to_vec()]);
/// let parts = [table(&[0.1, 0.7, 0.4], &[1.0, 0.2, 0.3])?, table(&[0.3, 0.9], &[0.5, 0.8])?];
/// let spec = SmoothSpec::spline(10, FewValued::Saturated);
/// let run = Run::new(Seed(1));
/// let mut knots = Knots::of(&parts[0], spec, &run)?;
/// knots.merge(&Knots::of(&parts[1], spec, &run)?)?;
/// let mut sum = Summed::of(&parts[0], &knots, &run)?;
/// sum.merge(&Summed::from_bytes(&Summed::of(&parts[1], &knots, &run)?.to_bytes())?)?;
/// assert_eq!(sum.gram().n(), 5);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knots {
    names: Vec<String>,
    spec: SmoothSpec,
    columns: Vec<ColumnSummary>,
}

impl Knots {
    /// The knots of some rows.
    ///
    /// # Errors
    /// What reading the rows came upon, or [`Error::Cancelled`].
    pub fn of(rows: &dyn RowBlocks, spec: SmoothSpec, run: &Run<'_>) -> Result<Self> {
        Ok(Knots { names: rows.names().to_vec(), spec, columns: summarise(rows, run)? })
    }

    /// Takes further rows into account.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when they have other columns or bases.
    pub fn merge(&mut self, later: &Knots) -> Result<()> {
        if (&self.names, self.spec) != (&later.names, later.spec) {
            return Err(different("must be of the same columns and bases in every part"));
        }
        for (column, later) in self.columns.iter_mut().zip(&later.columns) {
            column.n += later.n;
            column.min = column.min.min(later.min);
            column.max = column.max.max(later.max);
            column.levels = match (column.levels.take(), &later.levels) {
                (Some(mut levels), Some(more)) => {
                    levels.extend_from_slice(more);
                    levels.sort_unstable_by(f64::total_cmp);
                    levels.dedup();
                    (levels.len() <= FEW_VALUES).then_some(levels)
                }
                _ => None,
            };
        }
        Ok(())
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How columns are turned into terms.
    pub fn spec(&self) -> SmoothSpec {
        self.spec
    }

    /// The columns in brief.
    pub fn columns(&self) -> &[ColumnSummary] {
        &self.columns
    }

    /// Rows that were not there when the knots were made would be summed wrongly.
    fn check(&self, node: usize, values: &[f64]) -> Result<()> {
        let ColumnSummary { min, max, levels, .. } = &self.columns[node];
        let known = |value: f64| match levels {
            Some(levels) => levels.contains(&value),
            None => *min <= value && value <= *max,
        };
        match values.iter().find(|&&value| !known(value)) {
            None => Ok(()),
            Some(value) => Err(Error::InvalidOption {
                option: "knots",
                requirement: "must be made from all rows before any is summed".to_owned(),
                got: format!("the value {value} of column `{}`, which they do not know", self.names[node]),
            }),
        }
    }
}

/// The sum over some or all rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Summed {
    knots: Knots,
    gram: RawGram,
}

impl Summed {
    /// Sums rows.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when the knots are not theirs; what reading the rows came upon; [`Error::Cancelled`].
    pub fn of(rows: &dyn RowBlocks, knots: &Knots, run: &Run<'_>) -> Result<Self> {
        let mut sum = Summed::none(knots);
        sum.add(rows, run)?;
        Ok(sum)
    }

    /// The sum over no rows.
    pub fn none(knots: &Knots) -> Self {
        Summed { gram: RawGram::for_columns(knots.spec, &knots.columns), knots: knots.clone() }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// As [`Summed::of`].
    pub fn add(&mut self, rows: &dyn RowBlocks, run: &Run<'_>) -> Result<()> {
        if rows.names() != self.knots.names {
            return Err(different("must be of the columns that are summed"));
        }
        let total = rows.row_count().map(|more| self.gram.n() + more);
        rows.for_each_block(&mut |block| {
            for (node, values) in block.columns.iter().enumerate() {
                self.knots.check(node, values)?;
            }
            self.gram.add(block, run)?;
            run.report(&Event::Rows { done: self.gram.n(), total })
        })
    }

    /// Adds another part. The sum depends, in its last digits, on the order in which parts are added.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when the two have different knots.
    pub fn merge(&mut self, other: &Summed) -> Result<()> {
        if self.knots != other.knots {
            return Err(different("must be the same for every part"));
        }
        self.gram.merge(&other.gram)
    }

    /// The knots.
    pub fn knots(&self) -> &Knots {
        &self.knots
    }

    /// The Gram matrix.
    pub fn gram(&self) -> &RawGram {
        &self.gram
    }

    /// Whether every row the knots know of has been summed once.
    ///
    /// # Errors
    /// [`Error::InvalidOption`] when there are more or fewer.
    pub fn check_complete(&self) -> Result<()> {
        let rows = self.knots.columns.first().map_or(0, |column| column.n);
        if self.gram.n() == rows {
            return Ok(());
        }
        Err(Error::InvalidOption {
            option: "gram",
            requirement: format!("must be the sum over the {rows} rows that the knots were made from"),
            got: format!("{} rows (a part is missing, or was added twice)", self.gram.n()),
        })
    }

    /// The sum as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(&(self.gram.n(), &self.knots)).expect("names and finite numbers serialise");
        let mut bytes = FORMAT.as_bytes().to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(header);
        for value in self.gram.sums() {
            bytes.extend(value.to_le_bytes());
        }
        let check = check_sum(&bytes);
        bytes.extend(check.to_le_bytes());
        bytes
    }

    /// The sum from its bytes.
    ///
    /// # Errors
    /// [`Error::Format`] when they are not whole, were changed, or are of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wrong = |problem: &str| Error::Format { path: "the partial sum".to_owned(), problem: problem.to_owned() };
        let Some(rest) = bytes.strip_prefix(FORMAT.as_bytes()) else {
            let is_later = bytes.starts_with(b"npvar-gram/");
            let problem = if is_later { "it was written by another version" } else { "it is not one" };
            return Err(wrong(problem));
        };
        let damaged = || wrong("it is not whole, or was changed");
        let (rest, check) = rest.split_last_chunk::<8>().ok_or_else(damaged)?;
        if check_sum(&bytes[..bytes.len() - 8]) != u64::from_le_bytes(*check) {
            return Err(damaged());
        }
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (header, values) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let (n, knots): (usize, Knots) = serde_json::from_slice(header).map_err(|error| wrong(&error.to_string()))?;
        if knots.names.len() != knots.columns.len() {
            return Err(damaged());
        }
        let mut sum = Summed::none(&knots);
        let mut values = values.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("chunks of eight")));
        if values.len() != sum.gram.sums().count() {
            return Err(damaged());
        }
        sum.gram.set_sums(n, &mut values);
        Ok(sum)
    }
}

fn different(requirement: &str) -> Error {
    Error::InvalidOption { option: "knots", requirement: requirement.to_owned(), got: "different ones".to_owned() }
}

/// FNV-1a over 64-bit words: finds what was cut, flipped or swapped, and is no protection against intent.
fn check_sum(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        hash = (hash ^ u64::from_le_bytes(padded)).wrapping_mul(0x0000_0100_0000_01b3);
        hash ^= hash >> 29;
    }
    hash ^ bytes.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dataset;
    use crate::run::Seed;
    use crate::smooth::FewValued;

    const SPEC: SmoothSpec = SmoothSpec::spline(10, FewValued::Saturated);

    fn table(first: usize, rows: usize) -> Dataset {
        let value = |i: usize, k: usize| (((first + i) * (7 * k + 13)) % 1009) as f64 / 100.0;
        let column = |k: usize| (0..rows).map(|i| value(i, k)).collect();
        let binary = (0..rows).map(|i| ((first + i) % 2) as f64).collect();
        Dataset::new(vec!["a".into(), "b".into(), "c".into()], vec![column(1), column(2), binary]).unwrap()
    }

    fn run() -> Run<'static> {
        Run::new(Seed(1))
    }

    fn parts() -> [Dataset; 2] {
        [table(0, 3000), table(3000, 2000)]
    }

    fn knots() -> Knots {
        let [first, second] = parts();
        let mut knots = Knots::of(&first, SPEC, &run()).unwrap();
        knots.merge(&Knots::of(&second, SPEC, &run()).unwrap()).unwrap();
        knots
    }

    #[test]
    fn knots_of_parts_are_those_of_the_whole() {
        assert_eq!(knots(), Knots::of(&table(0, 5000), SPEC, &run()).map(|whole| with_pilot(whole, &knots())).unwrap());
        assert_eq!(knots().columns()[2].levels, Some(vec![0.0, 1.0]));
    }

    /// The pilot means are those of the first part: any rough mean serves.
    fn with_pilot(mut whole: Knots, parts: &Knots) -> Knots {
        for (column, part) in whole.columns.iter_mut().zip(&parts.columns) {
            assert!((column.pilot_mean - part.pilot_mean).abs() < 0.1);
            column.pilot_mean = part.pilot_mean;
        }
        whole
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let [first, second] = parts();
        let mut sum = Summed::of(&first, &knots(), &run()).unwrap();
        assert!(sum.check_complete().unwrap_err().to_string().contains("got 3000 rows (a part is missing"));
        sum.merge(&Summed::of(&second, &knots(), &run()).unwrap()).unwrap();
        sum.check_complete().unwrap();
        let whole = Summed::of(&table(0, 5000), &knots(), &run()).unwrap();
        for (part, all) in sum.gram().sums().zip(whole.gram().sums()) {
            // The same terms in another order: 5000 roundings of half a unit in the last place, at the worst.
            assert!((part - all).abs() <= 5000.0 * f64::EPSILON * all.abs().max(1.0), "{part} {all}");
        }
    }

    #[test]
    fn bytes_come_back_as_the_same_sum() {
        let sum = Summed::of(&parts()[0], &knots(), &run()).unwrap();
        assert_eq!(Summed::from_bytes(&sum.to_bytes()).unwrap(), sum);
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = Summed::of(&parts()[0], &knots(), &run()).unwrap().to_bytes();
        let message = |bytes: &[u8]| Summed::from_bytes(bytes).unwrap_err().to_string();
        for cut in [bytes.len() - 1, bytes.len() - 8, 40, FORMAT.len(), 15] {
            assert_eq!(message(&bytes[..cut]), "the partial sum: it is not whole, or was changed");
        }
        for place in [20, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert_eq!(message(&changed), "the partial sum: it is not whole, or was changed");
        }
        assert_eq!(message(b"npvar-gram/2\n"), "the partial sum: it was written by another version");
        assert_eq!(message(b""), "the partial sum: it is not one");
    }

    #[test]
    fn rows_that_the_knots_do_not_know_are_refused() {
        let knots = Knots::of(&table(0, 5), SPEC, &run()).unwrap();
        let error = Summed::of(&table(5, 500), &knots, &run()).unwrap_err().to_string();
        assert!(error.contains("`knots` must be made from all rows before any is summed, got the value"), "{error}");
    }
}
