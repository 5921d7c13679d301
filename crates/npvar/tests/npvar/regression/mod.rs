//! Conditional means and the residual variances made from them.

mod estimators;
mod forms;
mod held_out;
