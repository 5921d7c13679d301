//! How the derivatives are estimated.

/// The ridges, and the rows the estimate rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct SteinRule {
    /// `η_G`, the ridge of the first derivatives.
    pub eta_g: f64,
    /// `η_H`, the ridge of the second derivatives.
    pub eta_h: f64,
    /// All rows, or inducing ones.
    pub rows: SteinRows,
}

/// Which rows carry the estimate of the derivatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SteinRows {
    /// All.
    All,
    /// These rows, with all others averaged over.
    Inducing(Vec<usize>),
}

impl Default for SteinRule {
    /// The authors' ridges.
    fn default() -> Self {
        SteinRule { eta_g: 0.001, eta_h: 0.001, rows: SteinRows::All }
    }
}
