//! `npvar plan`.

use crate::Folder;

#[test]
fn bounds_come_with_their_assumptions() {
    let folder = Folder::new();
    let page = folder.npvar("plan bounds --nodes 10 --layers 10 --eta 0.25 --relevant 2").succeeded().stdout;
    // r d / (η² ε) = 100 / (0.0625 · 0.05) = 32000
    for words in ["Corollary 4.2", "1.1e27", "1.0e9", "32000", "Condition 2", "taken as 1", "the text's Markov chain"] {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
    let layered = "--layers 2 --eta 0.5 --layer-width 5 --layer-span 1 --squared-error 0.001";
    let page = folder.npvar(&format!("plan bounds --nodes 10 {layered}")).succeeded().stdout;
    for words in ["narrow layers", "bipartite", "probability 0.08000 or less"] {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
}

#[test]
fn recovery_rises_with_the_samples_and_repeats_itself() {
    let folder = Folder::new();
    let command =
        "plan simulate MC-SIN --nodes 4 --samples 400,20 --replicates 20 --seed 1 --figure f.svg --table t.csv";
    let page = folder.npvar(command).succeeded().stdout;
    assert!(page.contains("20 data sets"), "{page}");
    assert!(page.contains("order: 0.9 or more with 400 samples"), "{page}");
    let table = folder.read("t.csv");
    let shares: Vec<f64> = table.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    assert!(shares[0] < shares[1] && shares[1] >= 0.95, "{table}");
    assert!(folder.read("f.svg").starts_with("<svg"));
    assert_eq!(folder.npvar(&format!("{command} --threads 1")).succeeded().stdout, page);
    assert_eq!(folder.read("t.csv"), table);
}

#[test]
fn a_table_serves_as_a_model() {
    let folder = Folder::new();
    folder.simulate("s", "MC-SIN --nodes 4 --samples 500 --seed 2");
    let ran = folder.npvar("plan simulate --data s/data.csv --samples 30,500 --replicates 10 --seed 1").succeeded();
    assert!(ran.stdout.contains("the model fitted to s/data.csv"), "{ran:?}");
    assert_eq!(ran.stderr, "", "{ran:?}");
    folder.simulate("b", "MC-GLM --nodes 4 --samples 500 --seed 2");
    let ran = folder.npvar("plan simulate --data b/data.csv --samples 50 --replicates 2 --seed 1").succeeded();
    assert!(ran.stderr.contains("X1, X2, X3, X4 hold few values"), "{ran:?}");
}

#[test]
fn wrong_usage_is_explained() {
    let folder = Folder::new();
    for (arguments, words) in [
        ("bounds --nodes 10 --layers 11 --eta 0.1", "layers"),
        ("bounds --nodes 10 --layers 2 --eta 0.1 --epsilon 2", "epsilon"),
        ("bounds --nodes 10 --layers 2 --eta 0.1 --layer-width 2", "--layer-span"),
        ("simulate", "SETTING"),
        ("simulate ER-SIN-1 --replicates 0", "replicates"),
        ("simulate ER-SIN-1 --target 1.5", "target"),
        ("simulate ER-SIN-1 --data x.csv", "--data"),
        ("simulate ER-SIN-1 --learner npvr", "npvr"),
    ] {
        folder.npvar(&format!("plan {arguments}")).failed(2, &[words]);
    }
    folder.npvar("plan simulate --data none.csv").failed(1, &["none.csv"]).one_line();
}
