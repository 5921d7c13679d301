//! `η`: which nodes share a layer.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How far above the smallest residual variance a node may be and still join its layer.
///
/// Written as `node-by-node`, a number, or `adaptive`.
///
/// ```
/// use npvar::order::Eta;
/// assert_eq!(serde_json::from_str::<Eta>("0.05").unwrap(), Eta::Fixed(0.05));
/// assert_eq!(serde_json::to_string(&Eta::NodeByNode).unwrap(), "\"node-by-node\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Eta {
    /// Algorithm 1: the node with the smallest residual variance alone (with any that equal it to the last bit, as the
    /// reference does).
    #[default]
    NodeByNode,
    /// Algorithm 2 with this `η ≥ 0`.
    Fixed(f64),
    /// `η` is the largest change of any residual variance from one sample to a second one, at every step anew.
    Adaptive,
}

const WORDS: &str = "`node-by-node`, `adaptive` or a number that is not negative";

impl Serialize for Eta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Eta::NodeByNode => serializer.serialize_str("node-by-node"),
            Eta::Fixed(eta) => serializer.serialize_f64(*eta),
            Eta::Adaptive => serializer.serialize_str("adaptive"),
        }
    }
}

impl<'de> Deserialize<'de> for Eta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Eta;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(WORDS)
            }
            fn visit_f64<E: serde::de::Error>(self, eta: f64) -> Result<Eta, E> {
                if eta >= 0.0 && eta.is_finite() {
                    return Ok(Eta::Fixed(eta));
                }
                Err(E::custom(format!("`eta` must be {WORDS}, got {eta}")))
            }
            fn visit_i64<E: serde::de::Error>(self, eta: i64) -> Result<Eta, E> {
                self.visit_f64(eta as f64)
            }
            fn visit_u64<E: serde::de::Error>(self, eta: u64) -> Result<Eta, E> {
                self.visit_f64(eta as f64)
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<Eta, E> {
                match word {
                    "node-by-node" => Ok(Eta::NodeByNode),
                    "adaptive" => Ok(Eta::Adaptive),
                    _ => Err(E::custom(format!("`eta` must be {WORDS}, got `{word}`"))),
                }
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Eta {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Eta".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "node-by-node, adaptive, or a number that is not negative",
            "anyOf": [{"enum": ["node-by-node", "adaptive"]}, {"type": "number", "minimum": 0}]
        })
    }
}

/// Whether a node exactly `η` above the smallest residual variance joins the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// `< η`, as the paper writes it.
    #[default]
    Below,
    /// `<= η`, as the reference implementation does.
    AtMost,
}

/// What happens when one node is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LastNode {
    /// Its residual variance is estimated and reported like any other.
    #[default]
    Tested,
    /// It is appended without a regression, as the reference implementation does.
    Untested,
}
