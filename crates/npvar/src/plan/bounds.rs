//! The sample complexity of Gao, Ding & Aragam (2020): Theorem 4.1, Corollary 4.2 and the variants of section 4.
//!
//! The theorem bounds the probability of wrong layers by a constant times `δ² r d / η²`, where `δ²` is the estimator's squared
//! error. With `δ² = n^(−2/(2+m))`, the rate for Lipschitz functions of `m` variables, this is at most `ε` once
//!
//! ```text
//! n ≥ (r d / (η² ε))^(1 + m/2)
//! ```
//!
//! The paper states no constant. It is taken as 1 here, so these numbers say how the need for samples grows, not what it is.
//! They are computed as logarithms: many exceed any number of samples there will ever be.

use crate::error::{Error, Result};

/// What is to be recovered, and how surely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// `d`.
    pub nodes: usize,
    /// `r`, the number of layers.
    pub layers: usize,
    /// `η`, the threshold, below half the gap `Δ` between residual variances.
    pub eta: f64,
    /// `ε`, the probability of wrong layers that is accepted.
    pub epsilon: f64,
    /// `d*`: the most ancestors that any conditional mean really depends on.
    pub relevant: Option<usize>,
    /// `w` and `r*`: the most nodes of a layer, and the most layers that an edge spans.
    pub layer_width_and_span: Option<(usize, usize)>,
}

/// One bound.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// Where it stands.
    pub name: &'static str,
    /// The formula.
    pub formula: &'static str,
    /// What it assumes beyond Conditions 1 to 3.
    pub assumes: String,
    /// The logarithm, to the base 10, of the samples that suffice.
    pub log10_samples: f64,
}

impl Problem {
    fn check(&self) -> Result<()> {
        let options = |option: &str, good: bool, problem: &str| match good {
            true => Ok(()),
            false => Err(Error::Options { option: option.to_owned(), problem: problem.to_owned() }),
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        options("nodes", self.nodes >= 2, "must be at least 2")?;
        options("layers", (1..=self.nodes).contains(&self.layers), "must be between 1 and the number of nodes")?;
        options("eta", positive(self.eta), "must be a positive number")?;
        options("epsilon", positive(self.epsilon) && self.epsilon < 1.0, "must lie between 0 and 1")?;
        let sensible = |count: usize| (1..=self.nodes).contains(&count);
        options("relevant", self.relevant.is_none_or(sensible), "must be between 1 and the number of nodes")?;
        let (width, span) = self.layer_width_and_span.unwrap_or((1, 1));
        options("layer-width", sensible(width), "must be between 1 and the number of nodes")?;
        options("layer-span", sensible(span), "must be between 1 and the number of nodes")
    }

    /// `log₁₀ (r d / (η² ε))`.
    fn log10_base(&self) -> f64 {
        (self.layers as f64 * self.nodes as f64).log10() - 2.0 * self.eta.log10() - self.epsilon.log10()
    }

    fn lipschitz(&self, variables: usize) -> f64 {
        (1.0 + variables as f64 / 2.0) * self.log10_base()
    }
}

/// The bounds that apply to a problem.
///
/// ```
/// use npvar::plan::{Problem, bounds};
/// let chain = Problem { nodes: 4, layers: 4, eta: 0.5, epsilon: 0.1, relevant: Some(1), layer_width_and_span: None };
/// let found = bounds(&chain)?;
/// assert!((found[0].log10_samples - 3.0 * 640f64.log10()).abs() < 1e-12);
/// assert!((found[1].log10_samples - 1.5 * 640f64.log10()).abs() < 1e-12);
/// # Ok::<(), npvar::Error>(())
/// ```
///
/// # Errors
/// [`Error::Options`] for a number that makes no sense.
pub fn bounds(problem: &Problem) -> Result<Vec<Bound>> {
    problem.check()?;
    let Problem { nodes, layers, eta, epsilon, .. } = *problem;
    let mut found = vec![Bound {
        name: "Corollary 4.2",
        formula: "(r d / (η² ε))^(1 + d/2)",
        assumes: "conditional means are Lipschitz continuous".to_owned(),
        log10_samples: problem.lipschitz(nodes),
    }];
    if let Some(relevant) = problem.relevant {
        found.push(Bound {
            name: "sparse means (section 4)",
            formula: "(r d / (η² ε))^(1 + d*/2)",
            assumes: format!(
                "Lipschitz; every conditional mean depends on at most {relevant} of its ancestors, and the estimator adapts to \
                 that (rodeo, grid)"
            ),
            log10_samples: problem.lipschitz(relevant),
        });
    }
    if let Some((width, span)) = problem.layer_width_and_span {
        found.push(Bound {
            name: "narrow layers (section 4)",
            formula: "(r d / (η² ε))^(1 + w r*/2)",
            assumes: format!("Lipschitz; layers of at most {width} nodes, no edge spans more than {span}"),
            log10_samples: problem.lipschitz(width * span),
        });
    }
    found.push(Bound {
        name: "smooth means (section 4)",
        formula: "r d / (η² ε)",
        assumes: "d/2 or more derivatives, and a one-step correction of the residual variance".to_owned(),
        log10_samples: problem.log10_base(),
    });
    // What the paper's own illustrations say; the corollary gives other numbers.
    let half = |per_eta: f64| (1.0 + nodes as f64 / 2.0) * (per_eta - eta.log10() - epsilon.log10() / 2.0);
    let illustration = |name, formula, log10_samples| Bound {
        name,
        formula,
        assumes: "Lipschitz; the text after Corollary 4.2 prints this, the corollary gives the first row".to_owned(),
        log10_samples,
    };
    if layers == nodes {
        found.push(illustration(
            "the text's Markov chain",
            "(d² / (η √ε))^(1 + d/2)",
            half(2.0 * (nodes as f64).log10()),
        ));
    } else if layers == 2 {
        found.push(illustration(
            "the text's bipartite graph",
            "(√d / (η √ε))^(1 + d/2)",
            half((nodes as f64).log10() / 2.0),
        ));
    }
    Ok(found)
}

/// Theorem 4.1: the bound on the probability of wrong layers, `δ² r d / η²`, for an estimator of squared error `δ²`; nothing
/// where the theorem asks for a larger threshold, `η > δ√d`.
///
/// # Errors
/// [`Error::Options`] for a number that makes no sense.
pub fn failure_bound(problem: &Problem, squared_error: f64) -> Result<Option<f64>> {
    problem.check()?;
    if !(squared_error >= 0.0 && squared_error.is_finite()) {
        let problem = "must be a number from 0 on".to_owned();
        return Err(Error::Options { option: "squared-error".to_owned(), problem });
    }
    let allowed = problem.eta > (squared_error * problem.nodes as f64).sqrt();
    let bound = squared_error * (problem.layers * problem.nodes) as f64 / (problem.eta * problem.eta);
    Ok(allowed.then_some(bound.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEM: Problem = Problem {
        nodes: 10,
        layers: 10,
        eta: 0.25,
        epsilon: 0.05,
        relevant: Some(2),
        layer_width_and_span: Some((1, 1)),
    };

    fn samples(name: &str) -> f64 {
        let found = bounds(&PROBLEM).unwrap();
        10f64.powf(found.iter().find(|bound| bound.name.starts_with(name)).unwrap().log10_samples)
    }

    #[test]
    fn bounds_are_the_papers_formulas() {
        // r d / (η² ε) = 100 / (0.0625 · 0.05) = 32000
        for (name, expected) in [
            ("Corollary", 32_000f64.powi(6)),
            ("sparse", 32_000f64.powi(2)),
            ("narrow", 32_000f64.powf(1.5)),
            ("smooth", 32_000.0),
            ("the text's Markov chain", (100.0 / (0.25 * 0.05f64.sqrt())).powi(6)),
        ] {
            assert!((samples(name) / expected - 1.0).abs() < 1e-9, "{name}: {}", samples(name));
        }
        let bipartite = bounds(&Problem { layers: 2, ..PROBLEM }).unwrap().pop().unwrap();
        let expected = 6.0 * (10f64.sqrt() / (0.25 * 0.05f64.sqrt())).log10();
        assert!((bipartite.log10_samples - expected).abs() < 1e-9);
    }

    #[test]
    fn the_theorem_bounds_the_probability_of_failure() {
        let bound = failure_bound(&PROBLEM, 1e-4).unwrap().unwrap();
        assert!((bound - 1e-4 * 100.0 / 0.0625).abs() < 1e-12);
        assert_eq!(failure_bound(&PROBLEM, 0.01).unwrap(), None);
        assert!(failure_bound(&PROBLEM, f64::NAN).is_err());
    }

    #[test]
    fn numbers_that_make_no_sense_are_named() {
        for (problem, option) in [
            (Problem { nodes: 1, layers: 1, ..PROBLEM }, "nodes"),
            (Problem { layers: 11, ..PROBLEM }, "layers"),
            (Problem { eta: 0.0, ..PROBLEM }, "eta"),
            (Problem { epsilon: 1.0, ..PROBLEM }, "epsilon"),
            (Problem { relevant: Some(0), ..PROBLEM }, "relevant"),
            (Problem { layer_width_and_span: Some((3, 40)), ..PROBLEM }, "layer-span"),
        ] {
            let said = bounds(&problem).unwrap_err().to_string();
            assert!(said.contains(option), "{said}");
        }
    }
}
