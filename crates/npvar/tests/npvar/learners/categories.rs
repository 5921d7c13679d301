//! Columns of words: the alphabetical order of the words counts for nothing.

use npvar::data::{ReadOptions, read};
use npvar::judge::{Question, Stopwatch, answer};
use npvar::learner::LearnerConfig;
use npvar::simulate::Noise;
use npvar::{Run, Seed};

/// `y` differs between words in a way that no order of theirs shows; `z` follows `y`.
fn table(words: [&str; 4]) -> String {
    let (y, z) = (Noise::Gaussian.draw(400, 0.5, Seed(1)), Noise::Gaussian.draw(400, 0.5, Seed(2)));
    let mut text = "z,y,kind\n".to_owned();
    for i in 0..400 {
        let word = (i * 7 + i / 4) % 4;
        let y = y[i] + [1.5, -1.5, 1.2, -1.2][word];
        text += &format!("{},{y},{}\n", z[i] + (2.0 * y).sin(), words[word]);
    }
    text
}

fn edges(words: [&str; 4], learner: &str) -> (Vec<(String, String)>, Vec<String>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), table(words)).unwrap();
    let config = LearnerConfig::resolve(learner, &[]).unwrap();
    let options = ReadOptions { categories: config.categories(), ..ReadOptions::default() };
    let loaded = read(file.path().to_str().unwrap(), &options).unwrap();
    let clock = || std::time::Duration::ZERO;
    let run = Run::new(Seed(1));
    let document = answer(&config, &Question::new(&loaded), &Stopwatch::start(&clock), &run).unwrap().document;
    (document.edges.into_iter().map(|edge| (edge.from, edge.to)).collect(), document.nodes)
}

#[test]
fn a_category_is_a_cause_whatever_its_words_are_called() {
    for learner in ["npvar", "best-order"] {
        for words in [["a", "b", "c", "d"], ["d", "a", "b", "c"], ["b", "d", "a", "c"]] {
            let (mut found, _) = edges(words, learner);
            found.sort();
            let expected = [("kind", "y"), ("y", "z")].map(|(from, to)| (from.to_owned(), to.to_owned()));
            assert_eq!(found, expected, "{learner} {words:?}");
        }
    }
}

#[test]
fn a_learner_that_would_take_words_for_numbers_does_not_see_them() {
    for learner in ["eqvar", "pc", "notears", "cam"] {
        assert_eq!(edges(["a", "b", "c", "d"], learner).1, ["z", "y"], "{learner}");
    }
}
