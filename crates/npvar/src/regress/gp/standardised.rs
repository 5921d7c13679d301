//! Standardised columns, any of which can be regressed on any others.

/// A standard deviation below this share of the largest absolute value is rounding: the column is constant.
const CONSTANT: f64 = 1e-13;

/// Columns with mean 0 and variance 1; the fit does not depend on any column's unit or origin.
#[derive(Debug, Clone)]
pub struct Standardised {
    columns: Vec<Vec<f64>>,
    scales: Vec<Scale>,
}

/// A column's mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The mean.
    pub mean: f64,
    /// The standard deviation with divisor `n`; 0 for a constant column.
    pub deviation: f64,
}

impl Scale {
    fn of(column: &[f64]) -> Self {
        let n = column.len().max(1) as f64;
        let mean = column.iter().sum::<f64>() / n;
        let deviation = (column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt();
        let largest = column.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        Scale { mean, deviation: if deviation > CONSTANT * largest { deviation } else { 0.0 } }
    }

    /// A value in standard units; 0 in a constant column.
    pub fn standardised(&self, x: f64) -> f64 {
        if self.deviation > 0.0 { (x - self.mean) / self.deviation } else { 0.0 }
    }
}

impl Standardised {
    /// Standardises columns of equal length.
    pub fn new<'c>(columns: impl IntoIterator<Item = &'c [f64]>) -> Self {
        let (columns, scales) = columns
            .into_iter()
            .map(|column| {
                let scale = Scale::of(column);
                (column.iter().map(|&x| scale.standardised(x)).collect(), scale)
            })
            .unzip();
        Standardised { columns, scales }
    }

    /// The number of columns.
    pub fn d(&self) -> usize {
        self.columns.len()
    }

    /// The number of rows.
    pub fn n(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// A standardised column.
    pub fn column(&self, column: usize) -> &[f64] {
        &self.columns[column]
    }

    /// A column's mean and deviation.
    pub fn scale(&self, column: usize) -> Scale {
        self.scales[column]
    }

    /// Whether a column has one value only.
    pub fn is_constant(&self, column: usize) -> bool {
        self.scales[column].deviation == 0.0
    }

    /// A column's sample variance, with divisor `n − 1`.
    pub fn variance(&self, column: usize) -> f64 {
        let n = self.n() as f64;
        self.scales[column].deviation.powi(2) * n / (n - 1.0).max(1.0)
    }
}
