//! Which line belongs to which learner: the same learner looks the same in every figure.

use npvar_draw::style::{STYLES, Style};

/// The learners that have the styles first, in their order.
const FIRST: [&str; 19] = [
    "npvar",
    "eqvar",
    "cam",
    "resit",
    "notears-mlp",
    "gsges",
    "pc",
    "ges",
    "notears",
    "score",
    "gds",
    "var-sort-regress",
    "r2-sort-regress",
    "best-order",
    "direct-lingam",
    "das",
    "nogam",
    "caps",
    "fci",
];

/// A style for each of these algorithms: its own, or when a label before it has that, one that is free.
pub(super) fn styles(algorithms: &[&str]) -> Vec<Style> {
    let own = |algorithm: &str| FIRST.iter().position(|name| *name == algorithm);
    let mut free: Vec<usize> =
        (0..STYLES.len()).filter(|&at| !algorithms.iter().any(|algorithm| own(algorithm) == Some(at))).collect();
    let mut taken = Vec::new();
    for algorithm in algorithms {
        let at = match own(algorithm).filter(|at| !taken.contains(at)) {
            Some(at) => at,
            None if free.is_empty() => taken.len() % STYLES.len(),
            None => free.remove(0),
        };
        taken.push(at);
    }
    taken.into_iter().map(|at| STYLES[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_learner_keeps_its_look_unless_another_label_has_it() {
        let two = styles(&["cam", "cam", "npvar"]);
        assert_eq!((two[0], two[2]), (STYLES[2], STYLES[0]));
        assert!(two[1] != two[0] && two[1] != two[2]);
    }
}
