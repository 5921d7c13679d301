//! The cells of a study: a data set, and a learner that learns from it.

use std::fmt;

use npvar::learner::LearnerConfig;
use npvar::simulate::{Setting, SimulateOptions, Simulated, simulate};
use npvar::{Result, Seed};
use serde::{Deserialize, Serialize};

/// A data set of a study; the same for every learner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SampleSpec {
    /// Graph and model.
    pub setting: Setting,
    /// `d`.
    pub nodes: usize,
    /// `n`.
    pub samples: usize,
    /// `σ²`, where it was chosen.
    pub noise_variance: Option<f64>,
    /// `p`, where it was chosen.
    pub p: Option<f64>,
    /// Which of the study's seeds, from 1.
    pub seed: usize,
}

impl SampleSpec {
    /// The seed of this data set: it depends on what the data set is, not on the study it is in.
    ///
    /// ```
    /// use npvar_study::cell::SampleSpec;
    /// let sample = |seed| SampleSpec { setting: "MC-SIN".parse().unwrap(), nodes: 5, samples: 100, noise_variance: Some(0.5), p: None, seed };
    /// assert_eq!(sample(1).data_seed(), sample(1).data_seed());
    /// assert_ne!(sample(1).data_seed(), sample(2).data_seed());
    /// ```
    pub fn data_seed(&self) -> Seed {
        let meaning = SampleSpec { seed: 0, ..self.clone() }.to_string();
        // Halved, so that it can be written wherever numbers are signed.
        Seed(Seed(0).child(&meaning, self.seed).0 >> 1)
    }

    /// Draws it.
    ///
    /// # Errors
    /// Those of [`simulate`].
    pub fn draw(&self) -> Result<Simulated> {
        let options = SimulateOptions {
            nodes: Some(self.nodes),
            samples: self.samples,
            noise_variance: self.noise_variance,
            p: self.p,
            ..SimulateOptions::default()
        };
        simulate(self.setting, &options, self.data_seed())
    }
}

impl fmt::Display for SampleSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} d={} n={}", self.setting, self.nodes, self.samples)?;
        if let Some(variance) = self.noise_variance {
            write!(f, " variance={variance}")?;
        }
        if let Some(p) = self.p {
            write!(f, " p={p}")?;
        }
        write!(f, " seed={}", self.seed)
    }
}

/// Everything a worker needs to know about a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// The data set.
    pub sample: SampleSpec,
    /// The learner's label.
    pub label: String,
    /// The hash of its configuration.
    pub configuration: String,
    /// Its configuration.
    pub config: LearnerConfig,
    /// Seconds after which it is given up.
    pub time_limit: f64,
}

/// A cell by positions in the study: of its data set, and of its learner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Of the data set.
    pub sample: usize,
    /// Of the learner.
    pub learner: usize,
}
