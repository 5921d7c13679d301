//! The command line and the Python code that repeat a run: only what differs from the defaults is written.

use npvar::learner::{LearnerConfig, Setting};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// More settings than any learner has.
const MOST_SETTINGS: usize = 200;

/// How to do it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeat {
    /// For a shell.
    pub command: String,
    /// For Python.
    pub python: String,
}

impl Repeat {
    /// Repeats `config` with `seed` on the files `data`; `more` are further words of the command, such as `--missing drop`.
    /// Where they give an order, its names are `order`.
    pub fn new(
        data: &[impl AsRef<str>],
        config: &LearnerConfig,
        seed: u64,
        more: &[String],
        order: &[String],
    ) -> Repeat {
        let settings = settings(config);
        let learner = config.info().name;
        let data: Vec<&str> = data.iter().map(AsRef::as_ref).collect();
        let mut words = vec!["npvar".to_owned(), "learn".to_owned()];
        words.extend(data.iter().map(|file| quoted(file)));
        if learner != "npvar" {
            words.extend(["--learner".to_owned(), learner.to_owned()]);
        }
        for setting in &settings {
            let value = setting.value.as_str().map_or_else(|| setting.value.to_string(), str::to_owned);
            words.extend(["--set".to_owned(), quoted(&format!("{}={value}", setting.path.join(".")))]);
        }
        words.extend(more.iter().map(|word| quoted(word)));
        words.push(format!("--seed {seed}"));
        let data: Value = if let [only] = data[..] { only.into() } else { data.into() };
        let mut arguments = vec![python(&data), format!("learner={}", python(&learner.into()))];
        arguments.extend(nested(&settings).iter().map(|(key, value)| format!("{key}={}", python(value))));
        arguments.extend(keywords(more, order));
        arguments.push(format!("seed={seed}"));
        let arguments = arguments.join(", ");
        let imports = if arguments.contains("tomllib") { "import tomllib\n\nimport npvar" } else { "import npvar" };
        Repeat {
            command: words.join(" "),
            python: format!("{imports}\n\nlearned = npvar.learn({arguments})\nprint(learned)"),
        }
    }
}

/// The words of a command as keywords of `npvar.learn`.
fn keywords(words: &[String], order: &[String]) -> Vec<String> {
    let mut words = words.iter();
    let mut keywords = Vec::new();
    while let Some(flag) = words.next() {
        if flag == "--no-header" {
            keywords.push("header=False".to_owned());
            continue;
        }
        let Some(value) = words.next() else { break };
        let text = python(&value.as_str().into());
        keywords.push(match flag.as_str() {
            "--bootstrap" => format!("bootstrap={value}"),
            "--columns" | "--exclude" => {
                let names: Value = value.split(',').collect::<Vec<_>>().into();
                format!("{}={}", &flag[2..], python(&names))
            }
            "--knowledge" => format!("knowledge=tomllib.load(open({text}, \"rb\"))"),
            "--order" => format!("order={}", python(&order.into())),
            flag => format!("{}={text}", flag[2..].replace('-', "_")),
        });
    }
    keywords
}

/// The settings that lead from the learner's defaults to `config`, in an order in which each can be applied.
fn settings(config: &LearnerConfig) -> Vec<Setting> {
    let value = |config: &LearnerConfig| serde_json::to_value(config).expect("a configuration is plain data");
    let wanted = value(config);
    let mut settings: Vec<Setting> = Vec::new();
    while settings.len() < MOST_SETTINGS {
        let Ok(reached) = LearnerConfig::resolve(config.info().name, &settings) else { break };
        let Some((path, value)) = first_difference(&value(&reached), &wanted, &[]) else { break };
        settings.push(Setting { written: path.join("."), path, value });
    }
    settings
}

/// Where two configurations differ first; a `kind` comes before the options that depend on it.
fn first_difference(reached: &Value, wanted: &Value, path: &[String]) -> Option<(Vec<String>, Value)> {
    let (Value::Object(from), Value::Object(to)) = (reached, wanted) else {
        return (reached != wanted).then(|| (path.to_vec(), wanted.clone()));
    };
    if let Some(kind) = to.get("kind").filter(|&kind| from.get("kind") != Some(kind)) {
        return Some((path.to_vec(), kind.clone()));
    }
    to.iter().find_map(|(key, value)| {
        first_difference(from.get(key).unwrap_or(&Value::Null), value, &[path, std::slice::from_ref(key)].concat())
    })
}

/// Dotted settings as the keywords of a call.
fn nested(settings: &[Setting]) -> Map<String, Value> {
    let mut keywords = Map::new();
    for Setting { path, value, .. } in settings {
        let names: Vec<String> = path.iter().map(|name| name.replace('-', "_")).collect();
        let Some((last, before)) = names.split_last() else { continue };
        let mut table = &mut keywords;
        for name in before {
            let entry = table.entry(name.clone()).or_insert_with(|| Map::new().into());
            if !entry.is_object() {
                // `estimator` was given as a word, which is its kind.
                let kind = entry.take();
                *entry = Map::from_iter([("kind".to_owned(), kind)]).into();
            }
            table = entry.as_object_mut().expect("just made one");
        }
        table.insert(last.clone(), value.clone());
    }
    keywords
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => {
            let entries: Vec<String> = table
                .iter()
                .map(|(key, value)| format!("{}: {}", python(&key.as_str().into()), python(value)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(learner: &str, settings: &[&str]) -> LearnerConfig {
        let settings: Vec<Setting> = settings.iter().map(|text| Setting::parse(text).unwrap()).collect();
        LearnerConfig::resolve(learner, &settings).unwrap()
    }

    #[test]
    fn only_what_differs_from_the_defaults_is_written() {
        let repeat = Repeat::new(&["a b.csv"], &config("npvar", &[]), 7, &[], &[]);
        assert_eq!(repeat.command, "npvar learn 'a b.csv' --seed 7");
        assert!(repeat.python.contains("npvar.learn(\"a b.csv\", learner=\"npvar\", seed=7)"));
        let repeat = Repeat::new(
            &["t.csv"],
            &config("npvar", &["eta=0.05", "selection.sp=1.5"]),
            7,
            &["--no-header".to_owned()],
            &[],
        );
        assert_eq!(repeat.command, "npvar learn t.csv --set eta=0.05 --set selection.sp=1.5 --no-header --seed 7");
        assert!(repeat.python.contains("eta=0.05, selection={\"sp\": 1.5}, header=False, seed=7"), "{}", repeat.python);
        let repeat = Repeat::new(&["1.csv", "2.csv"], &config("npvar", &[]), 7, &[], &[]);
        assert_eq!(repeat.command, "npvar learn 1.csv 2.csv --seed 7");
        assert!(repeat.python.contains("npvar.learn([\"1.csv\", \"2.csv\"], learner"), "{}", repeat.python);
    }

    #[test]
    fn the_words_of_the_command_become_keywords() {
        let words = [
            ["--columns", "a,b"],
            ["--missing", "drop"],
            ["--separator", "tab"],
            ["--bootstrap", "200"],
            ["--resampling", "half"],
            ["--second-sample", "s.csv"],
            ["--knowledge", "k.toml"],
            ["--order", "o.txt"],
        ];
        let words: Vec<String> = words.iter().flatten().chain(&["--no-header"]).map(|&word| word.to_owned()).collect();
        let order = ["b".to_owned(), "dose a".to_owned()];
        let python = Repeat::new(&["t.csv"], &config("npvar", &[]), 7, &words, &order).python;
        let expected = "columns=[\"a\", \"b\"], missing=\"drop\", separator=\"tab\", bootstrap=200, resampling=\"half\", \
                        second_sample=\"s.csv\", knowledge=tomllib.load(open(\"k.toml\", \"rb\")), \
                        order=[\"b\", \"dose a\"], header=False, seed=7";
        assert!(python.starts_with("import tomllib\n") && python.contains(expected), "{python}");
    }

    #[test]
    fn the_settings_lead_back_to_the_configuration() {
        for (learner, changed) in [
            ("npvar", &["preset=reference", "eta=adaptive"][..]),
            ("npvar", &["estimator=linear"]),
            ("pc", &["test=kci", "alpha=0.2"]),
            ("ges", &["score=bdeu"]),
            ("cam", &["preset=reference"]),
        ] {
            let wanted = config(learner, changed);
            let written = settings(&wanted);
            assert_eq!(
                LearnerConfig::resolve(learner, &written).unwrap(),
                wanted,
                "{learner} {changed:?}: {written:?}"
            );
            // Through text too, as a shell hands it over.
            let command = Repeat::new(&["t.csv"], &wanted, 1, &[], &[]).command;
            let texts: Vec<&str> =
                command.split("--set ").skip(1).map(|word| word.split(' ').next().unwrap()).collect();
            assert_eq!(config(learner, &texts), wanted, "{command}");
        }
    }
}
