//! The noise of the nodes: one variance for all, or each its own.

/// What is assumed of the nodes' noise variances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// All nodes have this one.
    Shared(f64),
    /// Every node has its own, the one of highest evidence, at half a `log n` (BIC's price of a free number).
    Own,
}

impl Noise {
    /// The log likelihood of `n` rows, up to `−(n/2) log 2π`, of which noise must account for the sum of squares `square`:
    ///
    /// ```text
    /// shared   −(n/2) log s − square/(2s)
    /// own      −(n/2)(1 + log(square/n)) − ½ log n
    /// ```
    ///
    /// Both are on the scale of the columns as they are: multiplying a column by `c` takes `n log|c|` from either, the Jacobian
    /// of the change, so that the two may be compared.
    pub(super) fn log_likelihood(self, n: f64, square: f64) -> f64 {
        match self {
            Noise::Shared(variance) => -0.5 * (n * variance.ln() + square / variance),
            Noise::Own => -0.5 * (n * (1.0 + (square / n).ln()) + n.ln()),
        }
    }
}
