//! The call that repeats a run, for a shell and for Python. Only what differs from the defaults is written.

use serde_json::{Map, Value, json};

use super::{Bootstrap, Resampling};
use crate::data::{ReadArgument, ReadOptions};
use crate::learner::{Assignment, LearnerConfig, keyword};
use crate::run::Seed;

/// What was asked for, to be asked for again.
///
/// ```
/// use npvar::judge::Call;
/// use npvar::learner::{Assignment, LearnerConfig};
/// use npvar::Seed;
/// let config = LearnerConfig::resolve("pc", &[Assignment::parse("test=kci")?])?;
/// let call = Call::new(["a b.csv"], config, Seed(7));
/// assert_eq!(call.command(), "npvar learn 'a b.csv' --learner pc --set test=kci --seed 7");
/// assert!(call.python().contains(r#"npvar.learn("a b.csv", learner="pc", test="kci", seed=7)"#));
/// # Ok::<(), npvar::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The files.
    pub data: Vec<String>,
    /// The learner and its options.
    pub config: LearnerConfig,
    /// The seed.
    pub seed: Seed,
    /// How the files are read.
    pub read: ReadOptions,
    /// The order that was given.
    pub order: Option<OrderGiven>,
    /// The file with the knowledge that was given.
    pub knowledge: Option<String>,
    /// The bootstrap samples asked for.
    pub bootstrap: Option<Bootstrap>,
    /// The file with the second sample.
    pub second_sample: Option<String>,
    /// The file with the true graph, which a report is compared with.
    pub truth: Option<String>,
    /// A command that makes the data first.
    pub made_by: Option<String>,
    /// Where it was made.
    pub caller: Caller,
}

/// Where a call was made, and so can be repeated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Caller {
    /// In a shell.
    #[default]
    Shell,
    /// In Python, with objects for these keywords. Data without a file are called `data`.
    Python(Vec<String>),
}

/// An order that was given: the command line reads it from a file, Python takes the names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderGiven {
    /// The file.
    pub file: String,
    /// The columns, source first.
    pub names: Vec<String>,
}

impl Call {
    /// Learns from the files with these options and nothing else.
    pub fn new(data: impl IntoIterator<Item = impl Into<String>>, config: LearnerConfig, seed: Seed) -> Self {
        Call {
            data: data.into_iter().map(Into::into).collect(),
            config,
            seed,
            read: ReadOptions::default(),
            order: None,
            knowledge: None,
            bootstrap: None,
            second_sample: None,
            truth: None,
            made_by: None,
            caller: Caller::Shell,
        }
    }

    /// For the one who made it: a command, or a call in Python.
    ///
    /// ```
    /// use npvar::judge::{Call, Caller};
    /// use npvar::learner::LearnerConfig;
    /// let held = vec!["knowledge".to_owned()];
    /// let config = LearnerConfig::resolve("pc", &[])?;
    /// let call = Call { caller: Caller::Python(held), ..Call::new([""; 0], config, npvar::Seed(7)) };
    /// assert_eq!(call.again(), r#"npvar.learn(data, learner="pc", knowledge=knowledge, seed=7)"#);
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn again(&self) -> String {
        match &self.caller {
            Caller::Shell => self.command(),
            Caller::Python(held) => self.python_call(held),
        }
    }

    /// For a shell.
    pub fn command(&self) -> String {
        let mut words: Vec<String> = ["npvar", "learn"].map(str::to_owned).into();
        words.extend(self.data.iter().cloned());
        let learner = self.config.info().name;
        if learner != "npvar" {
            words.extend(["--learner".to_owned(), learner.to_owned()]);
        }
        for assignment in self.config.assignments() {
            words.extend(["--set".to_owned(), assignment.to_string()]);
        }
        words.extend(self.arguments().into_iter().flat_map(|argument| argument.words));
        // Only reports, which Python does not write, are compared with it.
        words.extend(self.truth.iter().flat_map(|file| ["--truth".to_owned(), file.clone()]));
        words.extend(["--seed".to_owned(), self.seed.0.to_string()]);
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        self.made_by.iter().map(|command| format!("{command}\n")).collect::<String>() + &words.join(" ")
    }

    /// For a shell, to compare learners on the same table in place of learning with one.
    ///
    /// ```
    /// use npvar::judge::Call;
    /// use npvar::learner::LearnerConfig;
    /// let call = Call::new(["t.csv"], LearnerConfig::resolve("pc", &[])?, npvar::Seed(7));
    /// assert_eq!(call.comparing(), "npvar compare t.csv --seed 7");
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn comparing(&self) -> String {
        let mut words: Vec<String> = ["npvar", "compare"].map(str::to_owned).into();
        words.extend(self.data.iter().cloned());
        words.extend(self.read.arguments().into_iter().flat_map(|argument| argument.words));
        words.extend(["--seed".to_owned(), self.seed.0.to_string()]);
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// For a shell, to be tried: as these words say in place of how the files were read, and with no seed.
    pub fn instead(&self, read: &[String]) -> String {
        let plain = Call { read: ReadOptions::default(), ..self.clone() };
        let command = plain.command();
        let seed = format!(" --seed {}", self.seed.0);
        let words: Vec<String> = read.iter().map(|word| quoted(word)).collect();
        let command = command.strip_suffix(&seed).unwrap_or(&command);
        if words.is_empty() { command.to_owned() } else { format!("{command} {}", words.join(" ")) }
    }

    /// For Python.
    pub fn python(&self) -> String {
        let imports = if self.knowledge.is_some() { "import tomllib\n\nimport npvar" } else { "import npvar" };
        format!("{imports}\n\nlearned = {}\nprint(learned)", self.python_call(&[]))
    }

    /// The call in Python, with objects that are called as the keywords they are for.
    fn python_call(&self, held: &[String]) -> String {
        let data = match &self.data[..] {
            [] => "data".to_owned(),
            [only] => literal(&only.as_str().into()),
            several => literal(&several.into()),
        };
        let mut arguments = vec![data, format!("learner={}", literal(&self.config.info().name.into()))];
        let options = keywords(&self.config.assignments());
        arguments.extend(options.iter().map(|(name, value)| format!("{name}={}", literal(value))));
        arguments.extend(self.arguments().into_iter().map(|argument| argument.keyword));
        arguments.extend(held.iter().map(|name| format!("{name}={name}")));
        arguments.push(format!("seed={}", self.seed.0));
        format!("npvar.learn({})", arguments.join(", "))
    }

    /// Everything but the data, the learner with its options, and the seed.
    fn arguments(&self) -> Vec<Argument> {
        let read = |argument: ReadArgument| Argument {
            words: argument.words,
            keyword: format!("{}={}", argument.keyword, literal(&argument.value)),
        };
        let mut all: Vec<Argument> = self.read.arguments().into_iter().map(read).collect();
        all.extend(self.order.iter().map(|order| Argument::new("order", &order.file, order.names.clone())));
        all.extend(self.knowledge.iter().map(|file| Argument {
            keyword: format!("knowledge=tomllib.load(open({}, \"rb\"))", literal(&file.as_str().into())),
            ..Argument::word("knowledge", file)
        }));
        if let Some(Bootstrap { replicates, resampling }) = self.bootstrap {
            all.push(Argument::new("bootstrap", &replicates.to_string(), replicates));
            if resampling == Resampling::Half {
                all.push(Argument::word("resampling", "half"));
            }
        }
        all.extend(self.second_sample.iter().map(|file| Argument::word("second-sample", file)));
        all
    }
}

/// A part of the call in both languages.
struct Argument {
    words: Vec<String>,
    keyword: String,
}

impl Argument {
    /// An option with what follows it in the command, and its value in Python.
    fn new(option: &str, word: &str, value: impl Into<Value>) -> Self {
        Argument {
            words: vec![format!("--{option}"), word.to_owned()],
            keyword: format!("{}={}", keyword(option), literal(&value.into())),
        }
    }

    fn word(option: &str, word: &str) -> Self {
        Argument::new(option, word, word)
    }
}

/// A learner's options as the keywords of a call: the first name is the keyword, those below it are keys of tables.
fn keywords(assignments: &[Assignment]) -> Map<String, Value> {
    let mut keywords = Map::new();
    for assignment in assignments {
        let names: Vec<String> = assignment.path().iter().map(|name| keyword(name)).collect();
        let Some((last, before)) = names.split_last() else { continue };
        let mut table = &mut keywords;
        for name in before {
            let entry = table.entry(name.clone()).or_insert_with(|| Map::new().into());
            if !entry.is_object() {
                // `estimator` was given as a word, which is its kind.
                *entry = json!({"kind": entry.take()});
            }
            table = entry.as_object_mut().expect("just made one");
        }
        table.insert(last.clone(), assignment.value().clone());
    }
    keywords
}

/// A word as a shell reads it.
///
/// ```
/// assert_eq!(npvar::judge::quoted("it's mine.csv"), r"'it'\''s mine.csv'");
/// ```
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => {
            let entry =
                |(key, value): (&String, &Value)| format!("{}: {}", literal(&key.as_str().into()), literal(value));
            format!("{{{}}}", table.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        // Numbers and strings are written as in JSON.
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ColumnChoice, Header, Missing, Separator};

    fn call(data: &[&str], assignments: &[&str]) -> Call {
        let assignments: Vec<Assignment> = assignments.iter().map(|text| Assignment::parse(text).unwrap()).collect();
        let config = LearnerConfig::resolve("npvar", &assignments).unwrap();
        Call::new(data.iter().copied(), config, Seed(7))
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_written() {
        let plain = call(&["a b.csv"], &[]);
        assert_eq!(plain.command(), "npvar learn 'a b.csv' --seed 7");
        assert!(plain.python().contains("npvar.learn(\"a b.csv\", learner=\"npvar\", seed=7)"));
        let read = ReadOptions { header: Header::No, ..ReadOptions::default() };
        let changed = Call { read, ..call(&["t.csv"], &["eta=0.05", "selection.few-valued=spline"]) };
        assert_eq!(
            changed.command(),
            "npvar learn t.csv --set eta=0.05 --set selection.few-valued=spline --no-header --seed 7"
        );
        let expected = "eta=0.05, selection={\"few_valued\": \"spline\"}, header=False, seed=7";
        assert!(changed.python().contains(expected), "{}", changed.python());
        let several = call(&["1.csv", "it's.csv"], &[]);
        assert_eq!(several.command(), "npvar learn 1.csv 'it'\\''s.csv' --seed 7");
        assert!(several.python().contains("npvar.learn([\"1.csv\", \"it's.csv\"], learner"), "{}", several.python());
        let made = Call { made_by: Some("npvar simulate MC-SIN".to_owned()), ..call(&["t.csv"], &[]) };
        assert_eq!(made.command(), "npvar simulate MC-SIN\nnpvar learn t.csv --seed 7");
        let words = ["--decimal".to_owned(), ",".to_owned()];
        assert_eq!(plain.instead(&words), "npvar learn 'a b.csv' --decimal ,");
    }

    #[test]
    fn a_kind_and_its_options_are_one_table_in_python() {
        let knn = call(&["t.csv"], &["estimator=knn", "estimator.max-k=7"]);
        assert_eq!(knn.command(), "npvar learn t.csv --set estimator=knn --set estimator.max-k=7 --seed 7");
        assert!(knn.python().contains("estimator={\"kind\": \"knn\", \"max_k\": 7}"), "{}", knn.python());
    }

    #[test]
    fn everything_asked_for_is_asked_for_again_in_both_languages() {
        let read = ReadOptions {
            header: Header::No,
            separator: Separator::Byte(b'\t'),
            missing: Missing::DropRows,
            columns: ColumnChoice::Only(vec!["a".to_owned(), "b".to_owned()]),
            ..ReadOptions::default()
        };
        let names = vec!["b".to_owned(), "dose, a".to_owned()];
        let all = Call {
            read,
            order: Some(OrderGiven { file: "o.txt".to_owned(), names }),
            knowledge: Some("k.toml".to_owned()),
            bootstrap: Some(Bootstrap { replicates: 200, resampling: Resampling::Half }),
            second_sample: Some("s.csv".to_owned()),
            ..call(&["t.csv"], &[])
        };
        assert_eq!(
            all.command(),
            "npvar learn t.csv --columns a,b --missing drop-rows --separator tab --no-header --order o.txt --knowledge k.toml \
             --bootstrap 200 --resampling half --second-sample s.csv --seed 7"
        );
        let expected = "columns=[\"a\", \"b\"], missing=\"drop-rows\", separator=\"tab\", header=False, \
                        order=[\"b\", \"dose, a\"], knowledge=tomllib.load(open(\"k.toml\", \"rb\")), \
                        bootstrap=200, resampling=\"half\", second_sample=\"s.csv\", seed=7";
        let python = all.python();
        assert!(python.starts_with("import tomllib\n") && python.contains(expected), "{python}");
    }
}
