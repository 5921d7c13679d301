//! A part of a study, for one of several machines.

use std::fmt;
use std::str::FromStr;

/// Part `index` of `count`, written `2/5`. Data sets are dealt out in turn, so that all learners of one stay together.
///
/// ```
/// use npvar_study::Shard;
/// let shard: Shard = "2/3".parse()?;
/// assert_eq!((0..7).filter(|&sample| shard.has(sample)).collect::<Vec<_>>(), [1, 4]);
/// assert!("4/3".parse::<Shard>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Whether a data set belongs to this part.
    pub fn has(self, sample: usize) -> bool {
        sample % self.count == self.index - 1
    }

    /// The name of its log.
    pub(crate) fn log_name(self) -> String {
        match self {
            Shard::WHOLE => "results.csv".to_owned(),
            Shard { index, count } => format!("results-{index}-of-{count}.csv"),
        }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
            _ => Err(format!("a shard is written i/k with i from 1 to k, got `{text}`")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}
