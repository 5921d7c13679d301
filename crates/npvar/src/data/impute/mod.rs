//! Imputation: values for missing cells, drawn from rows that resemble them.
//!
//! Chained regressions (van Buuren & Groothuis-Oudshoorn 2011) with predictive mean matching (Little 1988): every column with
//! missing cells is regressed on the others, and a missing cell takes the observed value of one of the five rows whose
//! prediction is nearest. Five rounds over all columns, the one that lacks the least first. The regressions are additive, of
//! piecewise linear functions, because straight lines would straighten the effects that are looked for.
//!
//! One imputation is one draw. That its values are not known shows in the bootstrap: every replicate imputes its own rows
//! anew (Schomaker & Heumann 2018), so the regressions' coefficients need no noise of their own.
//!
//! The draws hold what the table shows of the cells if whether one is missing depends on what was observed only (missing at
//! random).

mod chained;
mod pieces;
mod similar;

pub(super) use self::chained::impute;
