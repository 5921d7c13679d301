//! What a look over all cells of one column shows.

use std::collections::{BTreeMap, HashSet};

use super::cell::Cell;
use super::number::{DecimalSign, Shape, shape, value};
use crate::data::Decimal;
use crate::data::checks::is_named_like_an_identifier;

/// Different cells that are remembered; a column with more has many.
const REMEMBERED: usize = 64;
/// A cell longer than this is no level of a category.
const LONGEST_LEVEL: usize = 120;
/// Values of an identifier that are remembered to see whether one comes twice.
const REMEMBERED_IDENTIFIERS: usize = 1 << 20;
/// Cells that are no numbers, of which a message shows the first.
const SHOWN: usize = 3;
/// What programs write in place of a missing number.
const SENTINELS: [f64; 6] = [-99.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0];

/// Counts over the cells of one column.
#[derive(Debug, Clone)]
pub(crate) struct ColumnLook {
    pub(super) cells: usize,
    pub(super) missing: usize,
    /// Finite numbers in any form.
    pub(super) numbers: usize,
    pub(super) infinite: usize,
    pub(super) logical: usize,
    pub(super) times: usize,
    pub(super) text: usize,
    /// Numbers whose comma can only stand before decimals.
    pub(super) commas: usize,
    /// Numbers whose point can only stand before decimals, or whose comma only between thousands.
    pub(super) points: usize,
    /// `1,234`.
    pub(super) unclear_commas: usize,
    /// `1.234`.
    pub(super) unclear_points: usize,
    /// Numbers that are written with more than digits and a point.
    pub(super) written: usize,
    pub(super) percent: usize,
    /// The currency signs seen.
    pub(super) currencies: Vec<&'static str>,
    /// The different cells and how often each comes, unless they are many.
    pub(super) levels: Option<BTreeMap<Vec<u8>, usize>>,
    /// The first cells that are neither numbers nor missing, with their 1-based rows.
    pub(super) odd: Vec<(usize, Vec<u8>)>,
    pub(super) sentinels: [usize; SENTINELS.len()],
    /// The range of the other numbers.
    pub(super) range: (f64, f64),
    /// Whether every number is one more than the one before.
    pub(super) counts_up: bool,
    last: Option<f64>,
    /// Whole numbers of which none came twice, where the name is an identifier's.
    identifiers: Option<HashSet<u64>>,
}

impl ColumnLook {
    pub(crate) fn new(name: &str) -> Self {
        ColumnLook {
            cells: 0,
            missing: 0,
            numbers: 0,
            infinite: 0,
            logical: 0,
            times: 0,
            text: 0,
            commas: 0,
            points: 0,
            unclear_commas: 0,
            unclear_points: 0,
            written: 0,
            percent: 0,
            currencies: Vec::new(),
            levels: Some(BTreeMap::new()),
            odd: Vec::new(),
            sentinels: [0; SENTINELS.len()],
            range: (f64::INFINITY, f64::NEG_INFINITY),
            counts_up: true,
            last: None,
            identifiers: is_named_like_an_identifier(name).then(HashSet::new),
        }
    }

    /// Takes the next cell, in this 1-based row, and says what it is.
    pub(crate) fn add(&mut self, field: &[u8], row: usize, decimal: Decimal) -> Cell {
        let cell = Cell::of(field, decimal);
        self.cells += 1;
        match cell {
            Cell::Missing => self.missing += 1,
            Cell::Plain(number) => {
                self.number(number);
                if self.points == 0 && field.contains(&b'.') {
                    self.point(field);
                }
            }
            Cell::Written(shape) => self.written(field, shape),
            Cell::Infinite => self.infinite += 1,
            Cell::Logical(_) => self.logical += 1,
            Cell::Time => self.times += 1,
            Cell::Text => self.text += 1,
        }
        if cell != Cell::Missing {
            self.level(field);
            if !cell.is_number() && self.odd.len() < SHOWN && self.odd.iter().all(|(_, seen)| seen != field) {
                self.odd.push((row, field.iter().copied().take(LONGEST_LEVEL).collect()));
            }
        }
        cell
    }

    /// Takes a value that is a number already; NaN is a missing one.
    pub(crate) fn add_value(&mut self, value: f64) -> Cell {
        self.cells += 1;
        if value.is_nan() {
            self.missing += 1;
            return Cell::Missing;
        }
        if value.is_infinite() {
            self.infinite += 1;
            return Cell::Infinite;
        }
        self.points += 1;
        self.number(value);
        Cell::Plain(value)
    }

    /// Cells that are there and no numbers.
    pub(super) fn not_numbers(&self) -> usize {
        self.infinite + self.logical + self.times + self.text
    }

    /// Cells that are there.
    pub(super) fn present(&self) -> usize {
        self.cells - self.missing
    }

    /// Whether it numbers the rows, or has the name of an identifier and no whole number twice.
    pub(super) fn is_identifier(&self) -> bool {
        self.missing == 0 && self.not_numbers() == 0 && (self.counts_up || self.identifiers.is_some())
    }

    /// The sentinel that lies outside the range of all other numbers and comes more than once, and how often it does.
    pub(super) fn sentinel(&self) -> Option<(f64, usize)> {
        let (min, max) = self.range;
        let outside = |value: f64| value < min - (max - min) || value > max + (max - min);
        let seen = SENTINELS.into_iter().zip(self.sentinels);
        seen.filter(|&(value, count)| count > 1 && min < max && outside(value)).max_by_key(|&(_, count)| count)
    }

    fn number(&mut self, number: f64) {
        self.numbers += 1;
        match SENTINELS.iter().position(|&sentinel| sentinel == number) {
            Some(which) => self.sentinels[which] += 1,
            None => self.range = (self.range.0.min(number), self.range.1.max(number)),
        }
        self.counts_up &= number.fract() == 0.0 && self.last.is_none_or(|last| number - last == 1.0);
        self.last = Some(number);
        if let Some(seen) = &mut self.identifiers {
            let is_new =
                number.fract() == 0.0 && (seen.len() >= REMEMBERED_IDENTIFIERS || seen.insert(number.to_bits()));
            if !is_new {
                self.identifiers = None;
            }
        }
    }

    fn written(&mut self, field: &[u8], shape: Shape) {
        let text = std::str::from_utf8(field).unwrap_or_default();
        let number = value(text, '.').or_else(|| value(text, ','));
        self.number(number.unwrap_or(f64::NAN));
        self.written += 1;
        match shape.decimal {
            DecimalSign::Comma => self.commas += 1,
            DecimalSign::Point => self.points += 1,
            DecimalSign::Unclear if text.contains(',') => self.unclear_commas += 1,
            DecimalSign::Unclear => self.unclear_points += 1,
            DecimalSign::None => {}
        }
        self.percent += usize::from(shape.percent);
        if let Some(sign) = shape.currency
            && !self.currencies.contains(&sign)
        {
            self.currencies.push(sign);
        }
    }

    /// A plain number with a point.
    fn point(&mut self, field: &[u8]) {
        let text = std::str::from_utf8(field).unwrap_or_default();
        match shape(text, Decimal::Detect).map(|shape| shape.decimal) {
            Some(DecimalSign::Unclear) => self.unclear_points += 1,
            _ => self.points += 1,
        }
    }

    fn level(&mut self, field: &[u8]) {
        let Some(levels) = &mut self.levels else { return };
        if let Some(count) = levels.get_mut(field) {
            *count += 1;
        } else if levels.len() < REMEMBERED && field.len() <= LONGEST_LEVEL {
            levels.insert(field.to_vec(), 1);
        } else {
            self.levels = None;
        }
    }
}
