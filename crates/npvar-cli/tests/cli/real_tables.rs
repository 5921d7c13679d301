//! Tables that nobody here made (`reference/tables/README.md`), given to `npvar learn` as they stand.

use std::path::Path;

use crate::Folder;

#[test]
fn real_tables_are_answered_at_the_first_attempt() {
    let tables = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/tables/files"));
    let mut names: Vec<String> =
        std::fs::read_dir(tables).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() >= 40);
    let mut refused = Vec::new();
    for name in &names {
        let folder = Folder::new();
        std::fs::copy(tables.join(name), folder.path(name)).unwrap();
        let ran = folder.npvar(&format!("learn {name} --seed 1 --json"));
        if ran.code == Some(0) {
            let document = ran.json();
            assert!(document["nodes"].as_array().unwrap().len() >= 2, "{name}");
            // Everything that was done is said once, on the terminal and in the document.
            let told = ran.stderr.lines().filter(|line| line.starts_with("read: ")).count();
            assert_eq!(told == 0, document["intake"].is_null(), "{name}: {ran:?}");
            continue;
        }
        assert_eq!(ran.code, Some(1), "{name}: {ran:?}");
        let last = ran.stderr.lines().last().unwrap().to_owned();
        let command = last.strip_prefix("try: npvar ").unwrap_or_else(|| panic!("{name}: {ran:?}"));
        folder.npvar(&format!("{command} --seed 1")).succeeded();
        refused.push(name);
    }
    assert!(20 * refused.len() <= names.len(), "{refused:?}");
}
