//! What a learner is known to depend on, and what to turn to where that fails.

use super::alternatives::WITH_JOINT_EFFECTS;
use super::registry::LearnerConfig;

impl LearnerConfig {
    /// Whether a column in another unit may change the answer; a test rescales columns for every learner.
    ///
    /// ```
    /// use npvar::learner::LearnerConfig;
    /// assert!(LearnerConfig::resolve("npvar", &[])?.depends_on_units());
    /// assert!(!LearnerConfig::resolve("cam", &[])?.depends_on_units());
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn depends_on_units(&self) -> bool {
        self.rests_on().units
    }

    /// What finds effects of several columns together: the learner itself with other options, where it can, else another that
    /// the units matter to no more than to this one.
    pub(crate) fn finding_joint_effects(&self) -> &'static str {
        self.joint_effects().unwrap_or(match self.depends_on_units() {
            true => WITH_JOINT_EFFECTS,
            false => "--learner score --set units=standardised",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::alternatives::WITHOUT_UNITS;
    use crate::learner::{Assignment, LEARNERS};

    /// The learner that options name, beginning from another.
    fn after(learner: &str, options: &str) -> LearnerConfig {
        let mut words = options.split(' ');
        let (mut learner, mut assignments) = (learner, Vec::new());
        while let (Some(option), Some(value)) = (words.next(), words.next()) {
            match option {
                "--learner" => learner = value,
                "--set" => assignments.push(Assignment::parse(value).unwrap()),
                other => panic!("{other}"),
            }
        }
        LearnerConfig::resolve(learner, &assignments).unwrap()
    }

    #[test]
    fn what_is_recommended_against_units_does_not_depend_on_them() {
        for options in WITHOUT_UNITS {
            assert!(!after("npvar", options).depends_on_units(), "{options}");
        }
    }

    #[test]
    fn what_is_recommended_for_joint_effects_does_not_add_effects_up() {
        for info in LEARNERS {
            let config = LearnerConfig::resolve(info.name, &[]).unwrap();
            let found = after(info.name, config.finding_joint_effects());
            assert!(!found.rests_on().additivity, "{}", info.name);
            assert!(config.depends_on_units() || !found.depends_on_units(), "{}", info.name);
        }
    }
}
