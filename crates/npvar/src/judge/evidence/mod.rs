//! How sure a learned graph is: what bootstrap samples say of it, the curve behind every edge, and the sampling error of
//! every decision of the order search. Nothing here changes what was learned.

mod bootstrap;
mod curves;
mod model;
mod resampling;
mod stability;
mod step_errors;

pub use bootstrap::{Bootstrap, bootstrap};
pub use curves::{BAND, Curve, Curves, curves};
pub use model::{FittedModel, Origin};
pub use resampling::Resampling;
pub use stability::{CONSENSUS, Frequency, Places, Stability};
pub use step_errors::{StepError, StepErrors, StepMargin, step_errors};

use crate::error::Result;
use crate::learner::{Input, Learned};
use crate::run::Run;

/// What is known of a result beyond the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// What bootstrap samples say, where they were asked.
    pub stability: Option<Stability>,
    /// The curve of every edge.
    pub curves: Option<Curves>,
    /// The sampling error of every step, for learners that have steps.
    pub step_errors: Option<StepErrors>,
}

impl Evidence {
    /// The curves and the steps' errors of what was learned from `input`, and bootstrap samples where they are asked for.
    ///
    /// ```
    /// use npvar::judge::{Bootstrap, Evidence};
    /// use npvar::learner::Input;
    /// use npvar::simulate::{SimulateOptions, simulate};
    /// use npvar::{Run, Seed};
    /// let options = SimulateOptions { nodes: Some(4), samples: 300, ..Default::default() };
    /// let data = simulate("MC-SIN".parse()?, &options, Seed(1))?.data;
    /// let run = Run::new(Seed(1));
    /// let learned = npvar::learn(&data, &run)?;
    /// let asked = Bootstrap { replicates: 20, ..Bootstrap::default() };
    /// let evidence = Evidence::gather(&learned, &Input::new(&data), Some(asked), &run)?;
    /// let document = learned.document(None).with_evidence(&evidence);
    /// assert!(document.edges.iter().all(|edge| edge.frequency.is_some()));
    /// # Ok::<(), npvar::Error>(())
    /// ```
    ///
    /// # Errors
    /// What reading the rows came upon, what every bootstrap sample failed with, or [`crate::Error::Cancelled`].
    pub fn gather(learned: &Learned, input: &Input<'_>, asked: Option<Bootstrap>, run: &Run<'_>) -> Result<Evidence> {
        // On a thread of the pool, as every learner.
        rayon::scope(|_| {
            Ok(Evidence {
                stability: asked.map(|asked| bootstrap(&learned.config, input, asked, run)).transpose()?,
                curves: Some(curves(learned, input.rows, run)?),
                step_errors: step_errors(learned, input.rows, run)?,
            })
        })
    }
}
