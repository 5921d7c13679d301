//! Reasons not to believe a result: each speaks where it should and is silent where it should not. The rates over more data
//! sets are in `docs/src/lab/diagnostics.md`.

use npvar::data::{BLOCK_ROWS, Dataset};
use npvar::judge::doubts;
use npvar::learner::{Input, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Diagnostic, Run, Seed};
use rayon::prelude::*;

use super::doubt_cases::{CASES, CODES, Case};

const SEEDS: usize = 8;

fn doubted(learner: &str, data: &Dataset) -> Vec<Diagnostic> {
    let run = Run::new(Seed(1));
    let learned = LearnerConfig::resolve(learner, &[]).unwrap().build().unwrap();
    let learned = learned.learn(&Input::new(data), &run).unwrap();
    let doubts = doubts(data, &learned, &run).unwrap();
    learned.diagnostics.into_iter().chain(doubts).collect()
}

fn speaks(found: &[Diagnostic], code: &str) -> bool {
    found.iter().any(|diagnostic| diagnostic.code == code)
}

#[test]
fn doubts_speak_where_deserved_and_are_silent_elsewhere() {
    let drawn: Vec<(&Case, Vec<Diagnostic>)> = CASES
        .par_iter()
        .flat_map(|case| (1..=SEEDS).into_par_iter().map(move |seed| (case, Seed(2).child(case.name, seed))))
        .map(|(case, seed)| (case, doubted("npvar", &(case.draw)(seed).unwrap().0)))
        .collect();
    for code in CODES {
        // Rates of 0.985 and more where deserved, over 200 other data sets (Seed(1)): fewer than 6 of 8 have probability below 3e-4.
        for case in CASES.iter().filter(|case| case.deserves.contains(&code)) {
            let fired = drawn.iter().filter(|(of, found)| of.name == case.name && speaks(found, code)).count();
            assert!(fired >= 6, "{code} on {}: {fired} of {SEEDS}", case.name);
        }
        let undeserved: Vec<_> =
            drawn.iter().filter(|(case, _)| !case.deserves.contains(&code) && !case.may.contains(&code)).collect();
        let fired = undeserved.iter().filter(|(_, found)| speaks(found, code)).count();
        assert!(20 * fired <= undeserved.len(), "{code}: {fired} of {}", undeserved.len());
    }
    for diagnostic in drawn.iter().flat_map(|(_, found)| found).filter(|found| CODES.contains(&found.code.as_str())) {
        assert!(diagnostic.advice.as_ref().is_some_and(|advice| advice.len() > 20), "{diagnostic:?}");
        assert!(diagnostic.message.contains("`X") || diagnostic.message.contains("all 10 columns"), "{diagnostic:?}");
    }
}

#[test]
fn sortability_speaks_of_graphs_that_the_variances_sort() {
    let speaks_on = |setting: &str| {
        let options = SimulateOptions { nodes: Some(10), ..Default::default() };
        let data = simulate(setting.parse().unwrap(), &options, Seed(3)).unwrap().data;
        speaks(&doubted("npvar", &data), "high-var-sortability")
    };
    // Variances grow along linear edges with weights above 1/2; along a chain of sines they do not.
    assert!(speaks_on("ER-LIN-2"));
    assert!(!speaks_on("MC-SIN"));
}

#[test]
fn a_learner_is_only_doubted_for_what_it_assumes() {
    let case = |name: &str| CASES.iter().find(|case| case.name == name).unwrap();
    let unequal = (case("noise variances 0.25 to 1").draw)(Seed(5)).unwrap().0;
    let standardised = (case("standardised, two decimals").draw)(Seed(5)).unwrap().0;
    let products = (case("products of parents").draw)(Seed(5)).unwrap().0;
    for (learner, equal_variances, additivity) in
        [("npvar", true, true), ("notears", true, true), ("cam", false, true), ("score", false, false)]
    {
        assert_eq!(speaks(&doubted(learner, &unequal), "unequal-residual-variances"), equal_variances, "{learner}");
        assert_eq!(speaks(&doubted(learner, &standardised), "standardised-data"), equal_variances, "{learner}");
        assert!(additivity || !speaks(&doubted(learner, &products), "non-additive"), "{learner}");
    }
    // A class without a DAG of its own is examined by one that it allows.
    let sorted = (case("rows sorted by a column").draw)(Seed(5)).unwrap().0;
    assert!(speaks(&doubted("pc", &sorted), "time-ordered-rows"));
}

#[test]
fn long_tables_are_judged_by_their_first_rows_and_say_so() {
    let options = SimulateOptions { samples: BLOCK_ROWS + 100, ..Default::default() };
    let data = simulate("ER-NGP-4".parse().unwrap(), &options, Seed(1)).unwrap().data;
    let found = doubted("npvar", &data);
    let doubt = found.iter().find(|found| found.code == "unequal-residual-variances").unwrap();
    assert!(doubt.message.starts_with("in the first 16384 rows, noise differs between columns"), "{}", doubt.message);
}

#[test]
fn awkward_tables_are_no_trouble() {
    let wave = |k: f64, n: usize| (0..n).map(|i| (k * i as f64).sin()).collect::<Vec<f64>>();
    for n in [4, 5, 30, 120] {
        let coin = (0..n).map(|i| f64::from(i % 2 == 0)).collect();
        let columns = vec![wave(0.7, n), wave(0.7, n), vec![3.0; n], coin, wave(1.9, n)];
        let names = ["a", "copy", "constant", "coin", "b"].map(str::to_owned).to_vec();
        let data = Dataset::new(names, columns).unwrap();
        for learner in ["npvar", "eqvar", "notears", "ges", "gds"] {
            doubted(learner, &data);
        }
    }
}
