//! Estimators of the conditional mean `f(Z) = E[Y | Z]` (Condition 3 of the paper). They have never heard of graphs.

mod additive;
mod conditional_mean;
mod estimator;
mod forest;
pub mod gp;
mod lars;
mod linear;
mod local;
mod neighbours;
mod network;
mod noise_variance;
mod relevance;
mod undersmooth;
mod unit_scale;

pub use additive::{
    AdditiveFit, AdditiveResiduals, FittedGam, Gam, GamConfig, Regressed, Smoother, Smoothing, SmoothingSearch,
    TermSummary,
};
pub(crate) use additive::{SmoothRegression, Smoothed, smooth_fit, smooth_fit_from};
pub use conditional_mean::{ConditionalMean, FittedMean};
pub use estimator::{Estimator, Undersmoothed};
pub use forest::{FittedForest, Forest};
pub use lars::{CrossProducts, Knot, lasso_bic, lasso_path};
pub use linear::Linear;
pub use local::{BandwidthScope, Degree, FittedGrid, FittedKernel, FittedRodeo, Grid, Kernel, Rodeo};
pub use neighbours::{FittedKnn, Knn};
pub use network::{FittedMlp, Mlp};
pub use noise_variance::NoiseVariance;
pub use relevance::{ChoosesColumns, Relevance, SelectsVariables};
