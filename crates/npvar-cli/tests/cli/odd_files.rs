//! Files with one peculiarity each, read without being told anything: every number is the one that pandas gives when it is
//! told how to read the file, or the file is refused (`reference/tables/README.md`).

use std::path::PathBuf;

use npvar::data::{ReadOptions, RowBlocks, read};
use serde_json::Value;

fn tables() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/tables"))
}

#[test]
fn no_odd_file_gives_another_number_than_pandas() {
    let text = std::fs::read_to_string(tables().join("odd.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let files = expected["files"].as_object().unwrap();
    assert!(files.len() >= 50);
    let mut wrong = Vec::new();
    for (name, expected) in files {
        let path = tables().join("odd").join(name);
        let loaded = read(path.to_str().unwrap(), &ReadOptions::default());
        let Some(columns) = expected["columns"].as_object() else {
            if let Ok(loaded) = loaded {
                wrong.push(format!("{name}: was read, {:?}", loaded.intake));
            }
            continue;
        };
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let kept: Vec<&str> = expected["kept"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        if loaded.data.names() != kept {
            wrong.push(format!("{name}: columns {:?}, not {kept:?}; {:?}", loaded.data.names(), loaded.intake));
            continue;
        }
        let column = |name: &&str| columns[*name].as_array().unwrap().iter().map(Value::as_f64).collect::<Vec<_>>();
        let pandas: Vec<Vec<Option<f64>>> = kept.iter().map(column).collect();
        // Rows without anything are left out; so are all that lack a value, unless it was filled.
        let is_kept = |row: &usize| match loaded.data.gaps() {
            None => pandas.iter().all(|column| column[*row].is_some()),
            Some(_) => pandas.iter().any(|column| column[*row].is_some()),
        };
        let rows: Vec<usize> = (0..pandas[0].len()).filter(is_kept).collect();
        for (j, column) in pandas.iter().enumerate() {
            let values: Vec<Option<f64>> = rows.iter().map(|&row| column[row]).collect();
            let ours = loaded.data.column(j);
            let observed = values.iter().enumerate().filter_map(|(row, value)| Some((row, (*value)?)));
            let is_observed = |row: usize| loaded.data.gaps().is_none_or(|gaps| !gaps.of_column(j)[row]);
            let agree = ours.len() == values.len()
                && observed.clone().all(|(row, value)| ours[row] == value && is_observed(row))
                && (0..ours.len()).filter(|&row| is_observed(row)).count() == observed.count();
            if !agree {
                wrong.push(format!("{name}, `{}`: {ours:?}, not {values:?}", kept[j]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
