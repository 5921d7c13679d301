//! How long a run may take, before it begins: what will not be done in sensible time is said, not found out.
//!
//! The numbers are powers of the rows and columns fitted to measured times (`docs/src/lab/soak.md` has them), right to a factor of
//! three or so: enough to tell a minute from a day, and no more is claimed.

use super::best_order::BestOrderScore;
use super::independence::IndependenceConfig;
use super::registry::LearnerConfig;

/// Work that takes longer is worth a word before it begins.
const LONG_SECONDS: f64 = 600.0;
/// And so is work that takes more memory.
const LARGE_BYTES: f64 = 8.0 * (1_u64 << 30) as f64;
/// Rows that a Gaussian process is searched on at most.
const GAUSSIAN_PROCESS_ROWS: f64 = 1000.0;
/// Coefficients of a smooth term.
const FUNCTIONS: f64 = 9.0;

/// What a run will take, about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// Seconds on one core.
    pub seconds: f64,
    /// Bytes of memory.
    pub bytes: f64,
    /// What would take less.
    pub instead: &'static str,
}

impl Outlook {
    /// A sentence where the run will take long or much memory.
    ///
    /// ```
    /// use npvar::learner::LearnerConfig;
    /// let resit = LearnerConfig::resolve("resit", &[])?;
    /// assert_eq!(resit.outlook(1000, 10).unwrap().warning(), None);
    /// let words = resit.outlook(1000, 500).unwrap().warning().unwrap();
    /// assert!(words.starts_with("this may take about 2 days of one core"), "{words}");
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn warning(&self) -> Option<String> {
        let time = (self.seconds > LONG_SECONDS).then(|| format!("about {} of one core", in_words(self.seconds)));
        let memory =
            (self.bytes > LARGE_BYTES).then(|| format!("{:.0} GiB of memory", self.bytes / (1_u64 << 30) as f64));
        let takes: Vec<String> = time.into_iter().chain(memory).collect();
        (!takes.is_empty()).then(|| format!("this may take {}: {}", takes.join(" and "), self.instead))
    }
}

impl LearnerConfig {
    /// About what a run on so many rows and columns takes; nothing for a learner that has not been measured.
    pub fn outlook(&self, n: usize, d: usize) -> Option<Outlook> {
        let (n, d) = (n as f64, d as f64);
        // The Gram matrix of all columns, its factor and a copy.
        let gram = 3.0 * 8.0 * (FUNCTIONS * d).powi(2);
        let factor = 5e-10 * n * d * d + 5e-11 * (FUNCTIONS * d).powi(3);
        let fewer = "take fewer columns (`--columns`, `--exclude`)";
        let outlook = |seconds: f64, bytes: f64, instead| Some(Outlook { seconds, bytes, instead });
        match self {
            LearnerConfig::Npvar(_) | LearnerConfig::Eqvar(_) | LearnerConfig::Cam(_) => outlook(factor, gram, fewer),
            LearnerConfig::Resit(_) => outlook(
                factor + 5.7e-8 * d.powf(3.5) * n,
                gram,
                "take fewer columns, or `--learner npvar`, `cam` or `score`",
            ),
            LearnerConfig::Notears(_) => outlook(8e-5 * d.powi(3), 40.0 * 8.0 * d * d, fewer),
            LearnerConfig::NotearsMlp(_) => {
                outlook(2.5e-5 * d * d * n, 400.0 * 8.0 * d * d, "take fewer rows or columns, or `--learner notears`")
            }
            LearnerConfig::Gsges(_) => {
                outlook(1.6e-6 * d.powf(2.5) * n, 8.0 * 100.0 * n * d, "take fewer columns, or `--learner ges`")
            }
            LearnerConfig::BestOrder(best) => match best.score {
                BestOrderScore::Additive => outlook(5e-5 * d.powi(3), gram, "take fewer columns, or `--learner npvar`"),
                BestOrderScore::GaussianProcess => {
                    let whole = n.min(GAUSSIAN_PROCESS_ROWS);
                    let fewer = "take fewer columns, or `--set score=additive`";
                    outlook(7e-7 * (whole * d).powi(2) * (n / whole), 8.0 * 10.0 * whole * whole, fewer)
                }
                BestOrderScore::Linear => None,
            },
            LearnerConfig::Pc(pc) => {
                let other = "take fewer rows or columns, or `--set test=fisher-z`";
                match pc.test {
                    IndependenceConfig::Hsic(_) => outlook(7.8e-7 * d * d * n.powf(1.5), 3.0 * 8.0 * n * n, other),
                    IndependenceConfig::Kci(_) => outlook(1.8e-8 * d * d * n.powi(3), 6.0 * 8.0 * n * n, other),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// "20 minutes", "3 hours", "2 days", "1000 years".
fn in_words(seconds: f64) -> String {
    let units = [("year", 365.0 * 86_400.0), ("day", 86_400.0), ("hour", 3600.0), ("minute", 60.0)];
    let (unit, length) = units.into_iter().find(|(_, length)| seconds >= *length).unwrap_or(("second", 1.0));
    let count = (seconds / length).round();
    format!("{count} {unit}{}", if count == 1.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(learner: &str, n: usize, d: usize) -> Option<String> {
        let settings =
            if learner == "kci" { vec![crate::learner::Assignment::parse("test=kci").unwrap()] } else { vec![] };
        let name = if learner == "kci" { "pc" } else { learner };
        LearnerConfig::resolve(name, &settings).unwrap().outlook(n, d).and_then(|outlook| outlook.warning())
    }

    #[test]
    fn what_takes_minutes_is_not_announced_and_what_takes_days_is() {
        let short = [
            ("npvar", 1_000_000, 20),
            ("resit", 1000, 20),
            ("notears", 1000, 100),
            ("kci", 200, 8),
            ("best-order", 1000, 100),
        ];
        for (learner, n, d) in short {
            assert_eq!(warning(learner, n, d), None, "{learner}");
        }
        for (learner, n, d) in
            [("npvar", 1000, 5000), ("resit", 1_000_000, 20), ("notears-mlp", 10_000, 200), ("kci", 2000, 10)]
        {
            assert!(warning(learner, n, d).is_some(), "{learner}");
        }
        assert!(warning("best-order", 1000, 500).unwrap().ends_with("take fewer columns, or `--learner npvar`"));
        assert!(warning("npvar", 1000, 20_000).unwrap().contains("GiB of memory: take fewer columns"));
        assert_eq!(warning("score", 1000, 20_000), None);
    }

    #[test]
    fn times_are_told_in_the_largest_unit_that_fits() {
        for (seconds, words) in
            [(30.0, "30 seconds"), (90.0, "2 minutes"), (3600.0, "1 hour"), (2e5, "2 days"), (1e9, "32 years")]
        {
            assert_eq!(in_words(seconds), words);
        }
    }
}
