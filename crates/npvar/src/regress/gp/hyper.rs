//! Hyper-parameters, kept as logarithms: `a_1 … a_p, l_1 … l_p, m_1 … m_p, b, s`.

use crate::numerics::optimise::Bounds;

/// Below `e^LEAST` an amplitude or an inverse squared length counts as zero.
const LEAST: f64 = -11.0;
const MOST: f64 = 5.0;
/// The noise is at least this share of the response's variance: what an exact function of the covariates gets.
const LEAST_NOISE: f64 = -16.0;
/// Noise and signal together hardly exceed the response's variance.
const MOST_NOISE: f64 = 1.0;

/// Parts that a fit had given up start the next one from at least this, so that they can come back.
const REVIVED: f64 = -5.0;

const START_A: f64 = 0.3;
const START_B: f64 = 0.3;
const START_NOISE: f64 = 0.5;
const START_M: f64 = 0.3;
const START_M_SUM: f64 = 2.0;
/// From this many covariates on the inverse squared lengths of the short start are at least one and a half times the usual.
const SHORT_START_FROM: usize = 10;

/// Which parts of the covariance take part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelParts {
    /// The sum over covariates and the product over all of them.
    Full,
    /// The sum alone: an additive model.
    Additive,
}

/// The hyper-parameters of a Gaussian process with standardised covariates and response.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyper {
    logs: Vec<f64>,
}

impl Hyper {
    /// Where a fit starts: half the variance is noise, the rest is shared out. In the joint part two points a standard
    /// deviation apart in every covariate are still related; from shorter lengths the joint part would take over the
    /// noise, and from a fit that had given it up it would not come back.
    pub fn start(p: usize, shape: KernelParts) -> Self {
        let per = 1.0 / p.max(1) as f64;
        let mut logs = vec![(START_A * per).ln(); p];
        logs.extend(vec![0.0; p]);
        match shape {
            KernelParts::Full => {
                logs.extend(vec![START_M.min(START_M_SUM * per).ln(); p]);
                logs.push(START_B.ln());
            }
            KernelParts::Additive => logs.extend(vec![LEAST; p + 1]),
        }
        logs.push(START_NOISE.ln());
        Hyper { logs }
    }

    /// A second start for the selection of parents, with shorter lengths in the joint part, where [`Hyper::start`] has
    /// much longer ones: from ten covariates on. Functions of seven or eight of nineteen are now and then found from here
    /// and not from there. The order search does without: there short lengths take noise for a function.
    pub fn short_start(p: usize) -> Option<Self> {
        (p >= SHORT_START_FROM).then(|| {
            let mut start = Hyper::start(p, KernelParts::Full);
            start.logs[2 * p..3 * p].fill(START_M.ln());
            start
        })
    }

    /// No covariates, all noise.
    pub(super) fn noise_alone() -> Self {
        Hyper { logs: vec![LEAST, 0.0] }
    }

    /// Hyper-parameters from their logarithms, in the order above.
    pub fn from_logs(logs: Vec<f64>) -> Self {
        Hyper { logs }
    }

    /// The logarithms.
    pub fn logs(&self) -> &[f64] {
        &self.logs
    }

    /// `p`.
    pub fn covariates(&self) -> usize {
        (self.logs.len() - 2) / 3
    }

    /// The same without the covariates that `keep` leaves out.
    pub fn restricted(&self, keep: &[usize]) -> Self {
        let p = self.covariates();
        let mut logs = Vec::with_capacity(3 * keep.len() + 2);
        for part in 0..3 {
            logs.extend(keep.iter().map(|&k| self.logs[part * p + k]));
        }
        logs.extend_from_slice(&self.logs[3 * p..]);
        Hyper { logs }
    }

    /// The same with parts that were given up brought back a little: at zero they could not grow again.
    pub fn revived(&self) -> Self {
        let noise = self.logs.len() - 1;
        let revive = |(at, log): (usize, &f64)| if at < noise { log.max(REVIVED) } else { *log };
        Hyper { logs: self.logs.iter().enumerate().map(revive).collect() }
    }

    /// The box the logarithms stay in.
    pub(super) fn bounds(p: usize, shape: KernelParts) -> Bounds {
        let mut bounds = Bounds::none(3 * p + 2);
        (0..3 * p + 1).for_each(|at| bounds.restrict(at, LEAST, MOST));
        if shape == KernelParts::Additive {
            (2 * p..3 * p + 1).for_each(|at| bounds.restrict(at, LEAST, LEAST));
        }
        bounds.restrict(3 * p + 1, LEAST_NOISE, MOST_NOISE);
        bounds
    }

    /// The amplitude of a covariate's own part.
    pub fn a(&self, k: usize) -> f64 {
        above_least(self.logs[k])
    }

    /// Its inverse squared length.
    pub fn l(&self, k: usize) -> f64 {
        self.logs[self.covariates() + k].exp()
    }

    /// The covariate's inverse squared length in the joint part.
    pub fn m(&self, k: usize) -> f64 {
        above_least(self.logs[2 * self.covariates() + k])
    }

    /// The amplitude of the joint part.
    pub fn b(&self) -> f64 {
        above_least(self.logs[3 * self.covariates()])
    }

    /// The noise variance as a share of the response's.
    pub fn noise(&self) -> f64 {
        self.logs[3 * self.covariates() + 1].exp()
    }
}

fn above_least(log: f64) -> f64 {
    if log > LEAST { log.exp() } else { 0.0 }
}
