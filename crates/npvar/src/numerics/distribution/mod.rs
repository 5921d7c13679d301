//! Tail probabilities of the tests: the F distribution and the weighted sums of χ² variables of Wood (2013).
//!
//! Both are ratios of quadratic forms in normal variables and both are evaluated by one contour integral, accurate in
//! relative terms down to the smallest double (p = 1e-300 has as many correct digits as p = 0.3).

mod contour;
mod f;
mod gamma;
#[cfg(test)]
mod ruben;
pub(crate) mod weighted_chi_square;

pub(crate) use f::f_upper_tail;
pub(crate) use gamma::{chi_square_upper_tail, gamma_upper_tail, normal_two_sided};
pub(crate) use weighted_chi_square::WoodWeights;
