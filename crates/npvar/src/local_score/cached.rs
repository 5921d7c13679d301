//! A score that remembers what it was asked.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::LocalScore;
use crate::error::Result;
use crate::graph::Node;
use crate::run::{Run, Seed};

/// Remembers every local score. Safe to share between threads; because a local score is a pure function, the answers do
/// not depend on who asks first.
///
/// ```
/// use npvar::data::Covariance;
/// use npvar::local_score::{Cached, GaussianBic, LocalScore};
/// let covariance = Covariance::known(faer::Mat::from_fn(2, 2, |i, j| if i == j { 1.0 } else { 0.5 }), 100);
/// let score = Cached::new(GaussianBic::new(&covariance, None));
/// assert_eq!(score.local(0, &[1])?, score.local(0, &[1])?);
/// assert_eq!(score.len(), 1);
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug)]
pub struct Cached<S> {
    score: S,
    known: Vec<RwLock<HashMap<Box<[Node]>, f64>>>,
}

impl<S: LocalScore> Cached<S> {
    /// Nothing is known at first.
    pub fn new(score: S) -> Self {
        let known = (0..score.nodes()).map(|_| RwLock::default()).collect();
        Cached { score, known }
    }

    /// The local score, if it has been asked for before.
    pub fn known(&self, node: Node, parents: &[Node]) -> Option<f64> {
        self.known[node].read().unwrap_or_else(PoisonError::into_inner).get(parents).copied()
    }

    /// How many local scores are known.
    pub fn len(&self) -> usize {
        self.known.iter().map(|known| known.read().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Whether nothing has been asked yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<S: LocalScore> LocalScore for Cached<S> {
    fn nodes(&self) -> usize {
        self.score.nodes()
    }

    fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
        self.local_during(node, parents, &Run::new(Seed(0)))
    }

    fn local_during(&self, node: Node, parents: &[Node], run: &Run<'_>) -> Result<f64> {
        run.check()?;
        if let Some(known) = self.known(node, parents) {
            return Ok(known);
        }
        // Not computed under the lock: a score may itself run in parallel.
        let value = self.score.local_during(node, parents, run)?;
        self.known[node].write().unwrap_or_else(PoisonError::into_inner).insert(parents.into(), value);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Counting(AtomicUsize);

    impl LocalScore for Counting {
        fn nodes(&self) -> usize {
            3
        }
        fn local(&self, node: Node, parents: &[Node]) -> Result<f64> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok((node * 10 + parents.len()) as f64)
        }
    }

    #[test]
    fn a_score_is_computed_once() {
        let cached = Cached::new(Counting(AtomicUsize::new(0)));
        assert!(cached.is_empty());
        for _ in 0..3 {
            assert_eq!(cached.local(1, &[0, 2]).unwrap(), 12.0);
            assert_eq!(cached.local(2, &[0]).unwrap(), 21.0);
        }
        assert_eq!((cached.score.0.load(Ordering::Relaxed), cached.len()), (2, 2));
        assert_eq!(cached.known(1, &[0]), None);
    }
}
