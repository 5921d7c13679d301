//! Equal runs give equal bytes, on any number of threads.

use crate::Folder;

const OPTIONS: [&str; 8] = [
    "",
    "--learner eqvar",
    "--learner eqvar --set direction=bottom-up",
    "--set preset=reference",
    "--set eta=0.05 --set residual-variance=rss",
    "--set eta=adaptive",
    "--set split=half --set residual-variance=plug-in",
    "--set split=fresh",
];

#[test]
fn one_thread_and_two_give_the_same_bytes() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 12 --samples 600 --seed 1");
    for options in OPTIONS {
        let learn = |threads: usize| {
            let arguments = format!("learn s/data.csv --json --no-timing --seed 7 --threads {threads} {options}");
            folder.npvar(&arguments).succeeded().stdout
        };
        let one = learn(1);
        assert!(one == learn(2), "{options}");
        assert!(one == learn(0), "{options}");
    }
}

#[test]
fn estimated_smoothing_gives_the_same_bytes_on_one_thread_and_two() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-1 --nodes 5 --samples 200 --seed 1");
    for smoothing in ["gcv", "reml"] {
        let learn = |threads: usize| {
            let options = format!("--set estimator.smoothing={smoothing} --set selection.smoothing={smoothing}");
            let arguments = format!("learn s/data.csv --json --no-timing --seed 7 --threads {threads} {options}");
            folder.npvar(&arguments).succeeded().stdout
        };
        assert!(learn(1) == learn(2), "{smoothing}");
    }
}

#[test]
fn a_seed_decides_every_random_choice() {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-2 --nodes 8 --samples 300 --seed 1");
    let learn = |seed: u64| {
        folder.npvar(&format!("learn s/data.csv --json --no-timing --seed {seed} --set split=half")).succeeded().json()
    };
    let (first, again, other) = (learn(1), learn(1), learn(2));
    assert_eq!(first, again);
    assert_ne!(first["steps"], other["steps"]);
}

#[test]
fn a_simulation_is_repeated_by_its_seed() {
    let folder = Folder::new();
    for (name, seed) in [("a", 5), ("b", 5), ("c", 6)] {
        folder.simulate(name, &format!("SF-NGP-2 --nodes 8 --samples 50 --noise laplace --seed {seed}"));
    }
    assert_eq!(folder.read("a/data.csv"), folder.read("b/data.csv"));
    assert_eq!(folder.read("a/truth.csv"), folder.read("b/truth.csv"));
    assert_ne!(folder.read("a/data.csv"), folder.read("c/data.csv"));
}
