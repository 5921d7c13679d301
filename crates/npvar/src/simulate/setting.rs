//! The shorthand of the paper's experiments, `XX-YYY-k`, and the names of its examples.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What to simulate: a random graph with a model, or one of the paper's examples.
///
/// Written in any case, shown in capitals; `k` is 1 when left out, and a chain has none.
///
/// ```
/// use npvar::simulate::{Model, RandomGraph, Setting};
/// let setting: Setting = "er-sin-4".parse()?;
/// assert_eq!(setting, Setting::Random { graph: RandomGraph::ErdosRenyi { k: 4 }, model: Model::Sine });
/// assert_eq!(setting.to_string(), "ER-SIN-4");
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Setting {
    /// A random graph with a model of the nodes given their parents.
    Random {
        /// How the graph is drawn.
        graph: RandomGraph,
        /// How a node depends on its parents.
        model: Model,
    },
    /// An example of the paper.
    Example(Example),
}

/// How a graph is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RandomGraph {
    /// MC: a chain with randomly permuted labels.
    MarkovChain,
    /// ER: `kd` edges chosen uniformly among the pairs of a random order.
    ErdosRenyi {
        /// Edges per node.
        k: usize,
    },
    /// SF: Barabási–Albert, every node attaches to `k` older ones.
    ScaleFree {
        /// Edges per node.
        k: usize,
    },
}

/// How a node depends on its parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// SIN: the sum over the parents of `sin(x)`.
    Sine,
    /// AGP: the sum over the parents of independent Gaussian-process draws.
    AdditiveGp,
    /// NGP: one Gaussian-process draw over all parents jointly.
    JointGp,
    /// GLM: binary nodes, `P(X = 1 | pa)` is `p` or `1 − p`.
    Binary,
    /// LIN: linear, weights uniform on ±\[0.5, 1.5\].
    Linear,
}

/// The examples of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Example {
    /// `X1 = ε1, X2 = g(X1) + ε2, X3 = g(X1) + g(X2) + ε3` (eq. cam:fail), unit noise variances.
    CamFail(Nonlinearity),
    /// The same with `g_δ(u) = u + δ g(u)` for `g` (eq. nlin:cam:fail): a small perturbation of the linear model. The paper asks for a
    /// bounded `g` and names none; `sin` and `tanh` are ours.
    CamFailPerturbed(Nonlinearity),
    /// `X1 = ε1, X2 = X1² + ε2, X3 = 4 X1² + h(X2) + ε3` (eq. nlin2:cam:fail), unit noise variances.
    CamFailSquare(Nonlinearity),
    /// The chain of appendix B with `var(ε3) = 1/2`, which meets the condition for unequal variances.
    UnequalHalf,
    /// The same chain with `var(ε3) = 1/3`, which violates it.
    UnequalThird,
    /// Causal pair with `E var(Y | X) = var(X)`.
    Pair,
    /// Binomial model with `E f(1 − f)` the same for all nodes.
    Binomial,
    /// Generalised linear model, here Poisson, with `E K''(θ)` the same for all nodes.
    Poisson,
    /// Additive noise model with heteroskedastic noise, `E g(pa)` the same for all nodes.
    Hetero,
}

/// `g` and `h` of the models on which CAM finds a wrong order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nonlinearity {
    /// `sgn(u)|u|^1.4`.
    Pow14,
    /// `sin u`.
    Sin,
    /// `u`.
    Lin,
    /// `tanh u`.
    Tanh,
    /// `sgn(u)|u|^(1/2)`.
    Sqrt,
}

/// Every example by name, with a line about it.
///
/// The paper shows eight examples on which CAM fails and names two of the functions, `sgn(u)|u|^1.4` and `sin u`; its linear
/// model is the starting point of the construction. The other five are ours: for each of them `X3` predicts `X2` better than
/// `X1` does, which is what leads CAM astray in the second model (a test measures it).
const EXAMPLES: [(&str, Example, &str); 16] = [
    ("CAM-POW14", Example::CamFail(Nonlinearity::Pow14), "CAM finds a wrong order: g(u) = sgn(u)|u|^1.4"),
    ("CAM-SIN", Example::CamFail(Nonlinearity::Sin), "CAM finds a wrong order: g(u) = sin u"),
    ("CAM-LIN", Example::CamFail(Nonlinearity::Lin), "CAM finds a wrong order: g(u) = u"),
    (
        "CAM-DELTA-SIN",
        Example::CamFailPerturbed(Nonlinearity::Sin),
        "CAM finds a wrong order: g(u) = u + delta sin u (ours; option delta)",
    ),
    (
        "CAM-DELTA-TANH",
        Example::CamFailPerturbed(Nonlinearity::Tanh),
        "CAM finds a wrong order: g(u) = u + delta tanh u (ours; option delta)",
    ),
    ("CAM2-POW14", Example::CamFailSquare(Nonlinearity::Pow14), "CAM finds a wrong order: h(u) = sgn(u)|u|^1.4 (ours)"),
    ("CAM2-SIN", Example::CamFailSquare(Nonlinearity::Sin), "CAM finds a wrong order: h(u) = sin u (ours)"),
    ("CAM2-LIN", Example::CamFailSquare(Nonlinearity::Lin), "CAM finds a wrong order: h(u) = u (ours)"),
    ("CAM2-TANH", Example::CamFailSquare(Nonlinearity::Tanh), "CAM finds a wrong order: h(u) = tanh u (ours)"),
    ("CAM2-SQRT", Example::CamFailSquare(Nonlinearity::Sqrt), "CAM finds a wrong order: h(u) = sgn(u)|u|^0.5 (ours)"),
    ("UNEQUAL-HALF", Example::UnequalHalf, "unequal residual variances, identifiable"),
    ("UNEQUAL-THIRD", Example::UnequalThird, "unequal residual variances, not identifiable"),
    ("PAIR", Example::Pair, "causal pair with E var(Y | X) = var(X)"),
    ("BINOMIAL", Example::Binomial, "binary chain with E f(1 - f) equal for all nodes"),
    ("POISSON", Example::Poisson, "Poisson nodes with E var(X | pa) equal for all nodes"),
    ("HETERO", Example::Hetero, "heteroskedastic noise with E var(X | pa) equal for all nodes"),
];

const MODELS: [(&str, Model); 5] = [
    ("SIN", Model::Sine),
    ("AGP", Model::AdditiveGp),
    ("NGP", Model::JointGp),
    ("GLM", Model::Binary),
    ("LIN", Model::Linear),
];

impl Setting {
    /// The names of all examples, each with a line about it.
    pub fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
        EXAMPLES.iter().map(|&(name, _, about)| (name, about))
    }

    /// The number of nodes, where the setting fixes it.
    pub fn fixed_nodes(self) -> Option<usize> {
        match self {
            Setting::Random { .. } => None,
            Setting::Example(Example::Pair) => Some(2),
            Setting::Example(Example::Binomial | Example::Poisson | Example::Hetero) => None,
            Setting::Example(_) => Some(3),
        }
    }
}

impl FromStr for Setting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let name = text.trim().to_uppercase();
        if let Some(&(_, example, _)) = EXAMPLES.iter().find(|(known, ..)| *known == name) {
            return Ok(Setting::Example(example));
        }
        let parts: Vec<&str> = name.split('-').collect();
        let (graph, model, k) = match parts[..] {
            [graph, model] => (graph, model, 1),
            [graph, model, k] => (graph, model, k.parse().map_err(|_| unknown(text))?),
            _ => return Err(unknown(text)),
        };
        let &(_, model) = MODELS.iter().find(|(known, _)| *known == model).ok_or_else(|| unknown(text))?;
        let graph = match (graph, k) {
            ("MC", 1) => RandomGraph::MarkovChain,
            ("ER", 1..) => RandomGraph::ErdosRenyi { k },
            ("SF", 1..) => RandomGraph::ScaleFree { k },
            _ => return Err(unknown(text)),
        };
        Ok(Setting::Random { graph, model })
    }
}

fn unknown(text: &str) -> Error {
    let models = MODELS.map(|(name, _)| name).join(", ");
    let examples = EXAMPLES.map(|(name, ..)| name).join(", ");
    Error::InvalidOption {
        option: "setting",
        requirement: format!(
            "must be MC-<model>, ER-<model>-<k> or SF-<model>-<k> with model {models} and k >= 1, or one of {examples}"
        ),
        got: text.to_owned(),
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Setting::Random { graph, model } => {
                let model = MODELS.iter().find(|(_, known)| *known == model).map_or("", |(name, _)| name);
                match graph {
                    RandomGraph::MarkovChain => write!(f, "MC-{model}"),
                    RandomGraph::ErdosRenyi { k } => write!(f, "ER-{model}-{k}"),
                    RandomGraph::ScaleFree { k } => write!(f, "SF-{model}-{k}"),
                }
            }
            Setting::Example(example) => {
                f.write_str(EXAMPLES.iter().find(|(_, known, _)| *known == example).map_or("", |(name, ..)| name))
            }
        }
    }
}

impl TryFrom<String> for Setting {
    type Error = Error;
    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Setting> for String {
    fn from(setting: Setting) -> Self {
        setting.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shorthand_reads_back_as_written() {
        let random = ["MC-SIN", "MC-AGP", "MC-NGP", "MC-GLM", "MC-LIN", "ER-SIN-1", "ER-AGP-4", "SF-NGP-4", "ER-LIN-2"];
        for name in random.into_iter().chain(Setting::examples().map(|(name, _)| name)) {
            let setting: Setting = name.parse().expect(name);
            assert_eq!(setting.to_string(), name);
            assert_eq!(name.to_lowercase().parse::<Setting>().expect(name), setting);
        }
    }

    #[test]
    fn k_is_one_when_left_out() {
        assert_eq!("SF-GLM".parse::<Setting>().expect("known").to_string(), "SF-GLM-1");
        assert_eq!("MC-SIN-1".parse::<Setting>().expect("known").to_string(), "MC-SIN");
    }

    #[test]
    fn an_unknown_shorthand_is_told_the_known_ones() {
        for wrong in [
            "",
            "ER",
            "XX-SIN-1",
            "ER-COS-1",
            "ER-SIN-0",
            "ER-SIN-x",
            "ER-SIN--1",
            "MC-SIN-4",
            "ER-SIN-1-1",
            "CAM-TANH",
        ] {
            let message = wrong.parse::<Setting>().expect_err(wrong).to_string();
            for known in ["ER-<model>-<k>", "SIN, AGP, NGP, GLM, LIN", "CAM-POW14", "UNEQUAL-THIRD", "HETERO"] {
                assert!(message.contains(known), "{message}");
            }
        }
    }
}
