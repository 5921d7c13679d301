//! Residual variances of one node given a growing set of parents, for searches that add one edge at a time (CAM).
//!
//! Every number comes from the Gram matrix; no candidate touches the rows. Smoothing parameters are estimated for every
//! regression anew, all of them jointly.

use rayon::prelude::*;

use crate::error::Result;
use crate::graph::Node;
use crate::regress::{SmoothRegression, Smoothed, Smoother, Smoothing, SmoothingSearch};
use crate::run::Run;
use crate::smooth::AdditiveGram;

/// Residual sums of squares below this share of the node's count as this share: the logarithm of zero orders nothing.
pub const PERFECT_FIT: f64 = 1e-13;

/// Nodes that can be regressed on growing sets of others.
pub trait ChildRegressions: Sync {
    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// The regression of `child` on nothing yet.
    fn start(&self, child: Node) -> Box<dyn ChildRegression + '_>;
}

/// One node's regression on its parents so far.
pub trait ChildRegression: Send {
    /// `log σ̂²(child | pa)`.
    fn log_variance(&self) -> f64;

    /// `log σ̂²(child | pa ∪ {candidate})` for every candidate.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    fn log_variances(&mut self, candidates: &[Node], run: &Run<'_>) -> Result<Vec<f64>>;

    /// Makes a candidate, which has been asked for since the last inclusion, a parent.
    fn include(&mut self, parent: Node);

    /// The logarithms of the parents' smoothing parameters, in the order of their inclusion, from which a search would go
    /// on; empty where nothing is searched for.
    fn smoothing(&self) -> &[f64];
}

/// The Gram matrices of regressions on different numbers of parents: bases may shrink as parents become many.
pub struct ParentGrams {
    grams: Vec<AdditiveGram>,
    /// Which of them serves regressions on `m` parents, `m = 0, 1, …`; the last also serves all beyond.
    which: Vec<usize>,
}

impl ParentGrams {
    /// One Gram matrix for all regressions.
    pub fn one(gram: AdditiveGram) -> Self {
        ParentGrams { grams: vec![gram], which: vec![0] }
    }

    /// For `m = 0, 1, …` parents the basis dimension `dimensions[m]`; `gram` makes the matrix of a dimension.
    ///
    /// # Panics
    /// When there are no dimensions.
    pub fn by_dimension(dimensions: &[usize], gram: impl Fn(usize) -> AdditiveGram) -> Self {
        assert!(!dimensions.is_empty(), "there must be a basis for no parents at all");
        let mut distinct: Vec<usize> = dimensions.to_vec();
        distinct.sort_unstable_by(|a, b| b.cmp(a));
        distinct.dedup();
        let which = dimensions.iter().map(|dimension| distinct.partition_point(|known| known > dimension)).collect();
        ParentGrams { grams: distinct.into_iter().map(gram).collect(), which }
    }

    /// The matrix for regressions on this many parents.
    pub fn for_parents(&self, count: usize) -> &AdditiveGram {
        &self.grams[self.which[count.min(self.which.len() - 1)]]
    }
}

/// Additive regressions, smoothed one way or another.
pub struct AdditiveParents<'g> {
    grams: &'g ParentGrams,
    smoother: Smoother,
    search: SmoothingSearch,
}

impl<'g> AdditiveParents<'g> {
    /// Regressions on the terms of these matrices.
    pub fn new(grams: &'g ParentGrams, smoother: Smoother, search: SmoothingSearch) -> Self {
        AdditiveParents { grams, smoother, search }
    }
}

impl ChildRegressions for AdditiveParents<'_> {
    fn nodes(&self) -> usize {
        self.grams.for_parents(0).d()
    }

    fn start(&self, child: Node) -> Box<dyn ChildRegression + '_> {
        let square = self.grams.for_parents(0).square(child);
        let mut regression = AdditiveChild {
            grams: self.grams,
            smoother: self.smoother,
            search: self.search,
            child,
            parents: Vec::new(),
            starts: Vec::new(),
            last: vec![None; self.nodes()],
            log_variance: 0.0,
        };
        regression.log_variance = regression.log_of(square);
        Box::new(regression)
    }
}

struct AdditiveChild<'g> {
    grams: &'g ParentGrams,
    smoother: Smoother,
    search: SmoothingSearch,
    child: Node,
    parents: Vec<Node>,
    /// Where the search for the parents' smoothing parameters begins.
    starts: Vec<f64>,
    /// What the last regression with each candidate found.
    last: Vec<Option<Evaluated>>,
    log_variance: f64,
}

#[derive(Clone)]
struct Evaluated {
    log_variance: f64,
    /// Where the next search begins, the candidate last; empty when nothing is searched for.
    starts: Vec<f64>,
}

impl AdditiveChild<'_> {
    fn log_of(&self, residual_square: f64) -> f64 {
        let gram = self.grams.for_parents(0);
        let floor = (PERFECT_FIT * gram.square(self.child)).max(f64::MIN_POSITIVE);
        (residual_square.max(floor) / (gram.n() as f64 - 1.0)).ln()
    }

    fn evaluate(&self, candidate: Node, run: &Run<'_>) -> Result<Evaluated> {
        let terms: Vec<Node> = self.parents.iter().copied().chain([candidate]).collect();
        let gram = self.grams.for_parents(terms.len());
        let regression = SmoothRegression::new(gram, &terms, self.child, self.smoother.smoothing, run);
        if self.smoother.smoothing == Smoothing::Fixed {
            let residual_square = regression.residual_square(self.smoother.sp)?;
            return Ok(Evaluated { log_variance: self.log_of(residual_square), starts: Vec::new() });
        }
        let last = self.last[candidate].as_ref().and_then(|last| last.starts.last());
        let found: Smoothed = match (self.search, last) {
            (SmoothingSearch::Continued, Some(&own)) => {
                let start: Vec<f64> = self.starts.iter().copied().chain([own]).collect();
                regression.search_from(&start)?
            }
            _ => regression.search()?,
        };
        Ok(Evaluated {
            log_variance: self.log_of(found.residual_square),
            starts: (0..terms.len()).map(|term| found.restart(term)).collect(),
        })
    }
}

impl ChildRegression for AdditiveChild<'_> {
    fn log_variance(&self) -> f64 {
        self.log_variance
    }

    fn log_variances(&mut self, candidates: &[Node], run: &Run<'_>) -> Result<Vec<f64>> {
        let evaluated: Vec<Evaluated> = candidates
            .par_iter()
            .map(|&candidate| {
                run.check()?;
                self.evaluate(candidate, run)
            })
            .collect::<Result<_>>()?;
        let variances = evaluated.iter().map(|evaluated| evaluated.log_variance).collect();
        for (&candidate, evaluated) in candidates.iter().zip(evaluated) {
            self.last[candidate] = Some(evaluated);
        }
        Ok(variances)
    }

    fn include(&mut self, parent: Node) {
        let evaluated = self.last[parent].take().expect("a parent has been a candidate before");
        self.parents.push(parent);
        self.log_variance = evaluated.log_variance;
        self.starts = evaluated.starts;
    }

    fn smoothing(&self) -> &[f64] {
        &self.starts
    }
}
