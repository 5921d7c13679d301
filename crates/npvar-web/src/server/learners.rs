//! The learners with everything a form needs: what they assume, their options' schema, and the defaults.

use npvar::learner::{LEARNERS, LearnerConfig, LearnerInfo};
use serde_json::{Value, json};

/// The list, and the schema that all of them share.
pub(super) fn learners() -> Value {
    let schema = schemars::schema_for!(LearnerConfig).to_value();
    let learners: Vec<Value> = LEARNERS
        .iter()
        .filter_map(|&LearnerInfo { name, summary, assumes }| {
            let defaults = LearnerConfig::resolve(name, &[]).ok()?;
            Some(json!({"name": name, "summary": summary, "assumes": assumes, "defaults": defaults}))
        })
        .collect();
    json!({"learners": learners, "schema": schema})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_learner_has_its_options_in_the_schema() {
        let found = learners();
        assert_eq!(found["learners"].as_array().unwrap().len(), LEARNERS.len());
        let variants = found["schema"]["oneOf"].as_array().unwrap();
        for learner in LEARNERS {
            let has = |variant: &&Value| variant["properties"]["algorithm"]["const"] == learner.name;
            assert!(variants.iter().any(|variant| has(&variant)), "{}", learner.name);
        }
    }
}
