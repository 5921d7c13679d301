//! Every command that README and guide show runs as it stands.

use std::path::Path;

use crate::reading::to_parquet;
use crate::shown::{blocks, commands, pages};
use crate::{Folder, csv, noise};

/// The files that commands are shown with. TOML files are the blocks that begin with their name as a remark.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.simulate("s", "ER-SIN-1 --nodes 5 --samples 300 --seed 1");
    for name in ["measurements.csv", "data.csv", "mine.csv"] {
        folder.write(name, &folder.read("s/data.csv"));
    }
    to_parquet(&folder, "data.csv", "measurements.parquet");
    let columns: Vec<Vec<f64>> = (0..4).map(|seed| noise(300, seed)).collect();
    folder.write("trial.csv", &csv(&["age", "sex", "dose", "response"], &columns));
    std::fs::create_dir(folder.path("studies")).unwrap();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies")).unwrap() {
        let study = entry.unwrap();
        std::fs::copy(study.path(), folder.path("studies").join(study.file_name())).unwrap();
    }
    folder
}

/// Runs the commands of the pages that begin with `begin`, each page in a folder of its own; how many there were.
fn run(begin: &str) -> usize {
    let mut count = 0;
    for (page, text) in pages() {
        if !page.starts_with(begin) {
            continue;
        }
        let folder = prepared();
        let blocks = blocks(&text);
        for block in blocks.iter().filter(|block| block.language == "toml") {
            if let Some(name) = block.lines[0].1.strip_prefix("# ").filter(|name| name.ends_with(".toml")) {
                let lines: Vec<&str> = block.lines.iter().map(|(_, line)| &**line).collect();
                folder.write(name, &lines.join("\n"));
            }
        }
        for (line, words) in blocks.iter().filter(|block| block.not_run.is_none()).flat_map(commands) {
            let ran = folder.npvar(&words.join(" "));
            let shown = format!("{}:{line}: npvar {}", page.display(), words.join(" "));
            assert_eq!(ran.code, Some(0), "{shown}\n{}", ran.stderr);
            count += 1;
        }
    }
    count
}

#[test]
fn the_commands_of_the_readme_run() {
    assert!(run("README.md") >= 7);
}

#[test]
fn the_commands_of_the_guide_run() {
    assert!(run("docs/src/guide") >= 17);
}
