//! Tables that lack cells: what is imputed for every learner, and taken pair by pair by those that can.

use npvar::data::{Dataset, GapUse, HeldColumn, Loaded, Missing, ReadOptions, RowBlocks, take_in};
use npvar::judge::{Bootstrap, Resampling, bootstrap};
use npvar::learner::{Assignment, Input, LEARNERS, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

/// A chain of sines, of which every `every`-th cell of three columns is missing; one column is whole.
fn table(rows: usize, every: usize, missing: Missing) -> Loaded {
    let options = SimulateOptions { nodes: Some(4), samples: rows, ..Default::default() };
    let data = simulate("MC-SIN".parse().unwrap(), &options, Seed(2)).unwrap().data;
    let lacks = |row: usize, node: usize| node > 0 && (row * 7 + node * 5).is_multiple_of(every);
    let column = |node: usize| -> Vec<f64> {
        (0..rows).map(|row| if lacks(row, node) { f64::NAN } else { data.column(node)[row] }).collect()
    };
    let columns: Vec<Vec<f64>> = (0..4).map(column).collect();
    let held: Vec<HeldColumn<'_>> = columns.iter().map(|column| HeldColumn::Numbers(column)).collect();
    take_in(data.names(), &held, &ReadOptions { missing, ..ReadOptions::default() }).unwrap()
}

fn learn(data: &Dataset, learner: &str, set: &[&str]) -> npvar::Result<npvar::learner::Learned> {
    let set: Vec<Assignment> = set.iter().map(|text| Assignment::parse(text).unwrap()).collect();
    LearnerConfig::resolve(learner, &set)?.build()?.learn(&Input::new(data), &Run::new(Seed(1)))
}

#[test]
fn every_learner_takes_imputed_cells_and_says_so_where_it_cannot_take_pairs() {
    let (imputed, pairwise) = (table(80, 9, Missing::Impute).data, table(80, 9, Missing::Pairwise).data);
    assert_eq!(imputed.gaps().unwrap().gap_use(), GapUse::Imputed);
    for learner in LEARNERS {
        let whole = learn(&imputed, learner.name, &[]).unwrap_or_else(|error| panic!("{}: {error}", learner.name));
        assert_eq!(whole.n, 80, "{}", learner.name);
        let in_pairs = learn(&pairwise, learner.name, &[]);
        if ["pc", "fci", "ges"].contains(&learner.name) {
            assert!(in_pairs.is_ok(), "{}", learner.name);
        } else {
            let error = in_pairs.unwrap_err().to_string();
            assert!(error.contains("`impute` is for every learner"), "{error}");
        }
    }
}

#[test]
fn cells_are_filled_where_nothing_is_said_but_for_tests_of_independence() {
    for learner in LEARNERS {
        let read = LearnerConfig::resolve(learner.name, &[]).unwrap().reading(ReadOptions::default());
        assert_eq!(read.skips_missing, ["pc", "fci"].contains(&learner.name), "{}", learner.name);
    }
}

#[test]
fn pc_takes_pairs_with_every_test_of_numbers_and_ges_only_with_a_covariance() {
    let data = table(60, 9, Missing::Pairwise).data;
    // RCoT needs two rows for every random feature of a conditioning set.
    for (test, rows) in [("fisher-z", 60), ("hsic", 60), ("kci", 60), ("rcot", 350)] {
        let data = table(rows, 9, Missing::Pairwise).data;
        let graph = learn(&data, "pc", &[&format!("test={test}")]).unwrap().graph;
        assert!(!graph.edges().is_empty(), "{test}: neighbours in the chain depend on each other");
    }
    assert!(learn(&data, "ges", &["score=bdeu"]).is_err());
}

#[test]
fn too_few_complete_rows_remove_no_edge_and_are_told() {
    // Columns 2 and 3 are never there together.
    let data = table(60, 2, Missing::Pairwise).data;
    let learned = learn(&data, "pc", &["alpha=1e-9"]).unwrap();
    assert!(learned.graph.adjacent(1, 2), "no test could separate them");
    assert!(learned.diagnostics.iter().any(|found| found.code == "few-complete-rows"), "{:?}", learned.diagnostics);
}

#[test]
fn without_missing_cells_every_way_is_the_same() {
    let learned = |missing| learn(&table(200, 1000, missing).data, "pc", &[]).unwrap();
    assert_eq!(learned(Missing::Pairwise), learned(Missing::Error));
    assert_eq!(learned(Missing::Impute), learned(Missing::Error));
}

/// Half of the rows, none twice: without imputation a replicate is nothing but rows of the table.
#[test]
fn bootstrap_samples_draw_missing_cells_anew_whatever_the_number_of_threads() {
    let loaded = table(120, 4, Missing::Impute);
    let asked = Bootstrap { replicates: 12, resampling: Resampling::Half };
    let config = LearnerConfig::resolve("npvar", &[]).unwrap();
    let stability = |data: &Dataset| bootstrap(&config, &Input::new(data), asked, &Run::new(Seed(4))).unwrap();
    let as_if_observed = {
        let columns = (0..4).map(|node| loaded.data.column(node).to_vec()).collect();
        Dataset::new(loaded.data.names().to_vec(), columns).unwrap()
    };
    let drawn_anew = stability(&loaded.data);
    assert_ne!(drawn_anew, stability(&as_if_observed), "the same rows with the same cells would give the same");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| stability(&loaded.data)), drawn_anew);
}
