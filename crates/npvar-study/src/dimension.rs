//! What a study varies.

use serde::{Deserialize, Serialize};

use crate::row::Row;

/// Something that differs between the cells of a study, beside learner and seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// Graph and model.
    Setting,
    /// `d`.
    Nodes,
    /// `n`.
    Samples,
    /// `σ²`.
    NoiseVariance,
    /// `p` of binary models.
    P,
}

impl Dimension {
    /// All of them, in the order of the table.
    pub const ALL: [Dimension; 5] =
        [Dimension::Setting, Dimension::Nodes, Dimension::Samples, Dimension::NoiseVariance, Dimension::P];

    /// The paper's symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Dimension::Setting => "setting",
            Dimension::Nodes => "d",
            Dimension::Samples => "n",
            Dimension::NoiseVariance => "σ²",
            Dimension::P => "p",
        }
    }

    /// The words of an axis.
    pub fn axis(self) -> &'static str {
        match self {
            Dimension::Setting => "setting",
            Dimension::Nodes => "number of nodes d",
            Dimension::Samples => "number of samples n",
            Dimension::NoiseVariance => "noise variance σ²",
            Dimension::P => "probability p",
        }
    }

    /// Its value in a row, as a number; nothing where the setting has none, and for the setting itself.
    pub fn number(self, row: &Row) -> Option<f64> {
        match self {
            Dimension::Setting => None,
            Dimension::Nodes => Some(row.nodes as f64),
            Dimension::Samples => Some(row.samples as f64),
            Dimension::NoiseVariance => row.noise_variance,
            Dimension::P => row.p,
        }
    }

    /// Its value in a row, in words; empty where the setting has none.
    pub fn text(self, row: &Row) -> String {
        match self {
            Dimension::Setting => row.setting.to_string(),
            other => other.number(row).map_or_else(String::new, |number| number.to_string()),
        }
    }

    /// `d = 20`, `ER-SIN-4`.
    pub fn named(self, value: &str) -> String {
        match self {
            Dimension::Setting => value.to_owned(),
            other => format!("{} = {value}", other.symbol()),
        }
    }
}
