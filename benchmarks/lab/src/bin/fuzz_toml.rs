//! Random changes of study files and of background knowledge; see `fuzz_readers`.
//!
//! ```text
//! (ulimit -v 4000000; cargo run --release -p npvar-lab --bin fuzz_toml -- seconds=600)
//! ```

use npvar::graph::{Knowledge, WrittenKnowledge};
use npvar_lab::fuzz::Fuzz;
use npvar_study::{Size, Study};

const STUDIES: [&str; 3] = [
    "settings = [\"MC-SIN\"]\nnodes = [5]\nsamples = [100]\nseeds = 3\nlearners = [{ name = \"npvar\" }]\n",
    include_str!("../../../../studies/cam.toml"),
    include_str!("../../../../studies/unequal.toml"),
];
const KNOWLEDGE: &str = "required = [[\"a\", \"b\"]]\nforbidden = [[\"c\", \"a\"]]\ntiers = [[\"a\"], [\"b\", \"c\"]]\nroots = [\"a\"]\n\
                         sinks = [\"d\"]\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut fuzz = Fuzz::from_arguments()?;
    println!("inputs are kept in {}", fuzz.folder().display());
    fuzz.target("study", STUDIES.map(|text| text.as_bytes().to_vec()).to_vec(), &|input| {
        let text = String::from_utf8_lossy(input);
        let sizes = [Size::Full, Size::Quick];
        sizes.into_iter().filter(|&size| Study::parse(&text, "fuzz", size).is_ok()).count() > 0
    });
    let names = ["a", "b", "c", "d"].map(str::to_owned);
    fuzz.target("knowledge", vec![KNOWLEDGE.into()], &|input| {
        let written: Result<WrittenKnowledge, _> = toml::from_str(&String::from_utf8_lossy(input));
        written.is_ok_and(|written| Knowledge::new(&names, &written).is_ok())
    });
    fuzz.finish()
}
