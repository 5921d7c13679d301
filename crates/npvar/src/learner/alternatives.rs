//! What to turn to where an assumption fails: options that can be added to `npvar learn` as they stand.

/// Learners that direct edges and that no unit changes, the first to try first.
pub(crate) const WITHOUT_UNITS: [&str; 2] = ["--learner best-order --set noise=own", "--learner cam"];

/// What finds effects of several columns together where units mean something.
pub(crate) const WITH_JOINT_EFFECTS: &str = "--learner best-order --set score=gaussian-process";

/// [`WITHOUT_UNITS`] in a sentence.
pub(crate) fn without_units() -> String {
    let [first, second] = WITHOUT_UNITS;
    format!("`{first}` or `{second}`, which no unit changes")
}
