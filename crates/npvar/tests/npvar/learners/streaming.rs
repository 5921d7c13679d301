//! Learning from a file row block by row block is learning from memory, to the bit.

use npvar::data::{BLOCK_ROWS, ParquetWriter, ReadOptions, RowBlocks, open, write_csv};
use npvar::learner::{Assignment, Input, LearnerConfig};
use npvar::simulate::{SimulateOptions, simulate};
use npvar::{Run, Seed};

#[test]
fn a_file_read_in_blocks_gives_the_answer_of_the_table_in_memory() {
    let options = SimulateOptions { nodes: Some(5), samples: 2 * BLOCK_ROWS + 777, ..SimulateOptions::default() };
    let data = simulate("ER-SIN-1".parse().unwrap(), &options, Seed(4)).unwrap().data;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut writer = ParquetWriter::create(&path("data.parquet"), data.names()).unwrap();
    data.for_each_block(&mut |block| writer.write(block)).unwrap();
    writer.finish().unwrap();
    write_csv(&data, std::fs::File::create(path("data.csv")).unwrap()).unwrap();

    for settings in [&[][..], &["split=half", "residual-variance=plug-in"], &["split=fresh"], &["eta=adaptive"]] {
        let settings: Vec<Assignment> = settings.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        for learner in ["npvar", "eqvar"] {
            if learner == "eqvar" && !settings.is_empty() {
                continue;
            }
            let learner = LearnerConfig::resolve(learner, &settings).unwrap().build().unwrap();
            let learn = |rows: &dyn RowBlocks| {
                let learned = learner.learn(&Input::new(rows), &Run::new(Seed(2))).unwrap();
                serde_json::to_string(&learned.document(None)).unwrap()
            };
            let expected = learn(&data);
            for file in ["data.parquet", "data.csv"] {
                let source = open(&path(file), &ReadOptions::default()).unwrap();
                assert_eq!(learn(&source), expected, "{file}");
            }
        }
    }
}
