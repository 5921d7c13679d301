//! A call with the options that a piece of advice names.

use super::call::{Call, Caller};
use super::evidence::{Bootstrap, Resampling};
use crate::data::{ColumnChoice, Missing};
use crate::learner::{Assignment, LearnerConfig};

impl Call {
    /// The same call with these options of `npvar learn` too, written as in a shell; nothing where they change nothing or cannot
    /// be joined with the others.
    ///
    /// ```
    /// use npvar::judge::Call;
    /// use npvar::learner::LearnerConfig;
    /// use npvar::Seed;
    /// let call = Call::new(["t.csv"], LearnerConfig::resolve("npvar", &[])?, Seed(7));
    /// let advised = call.advised("--learner cam --exclude 'a b'").expect("options that there are");
    /// assert_eq!(advised.command(), "npvar learn t.csv --learner cam --exclude 'a b' --seed 7");
    /// # Ok::<(), npvar::Error>(())
    /// ```
    pub fn advised(&self, options: &str) -> Option<Call> {
        let mut call = Call { made_by: None, ..self.clone() };
        let words = words(options)?;
        let mut assignments = Vec::new();
        let mut learner = None;
        for pair in words.chunks(2) {
            let [option, value] = pair else { return None };
            match option.as_str() {
                "--learner" => learner = Some(value),
                "--set" => assignments.push(Assignment::parse(value).ok()?),
                "--exclude" => call.exclude(value),
                "--missing" => call.read.missing = Missing::named(value).ok()?,
                // As many samples as were asked for already are enough; an estimator of one's own has none.
                "--bootstrap" if !call.holds("estimator") => {
                    let replicates = value.parse().ok()?;
                    let asked = Bootstrap { replicates, ..Bootstrap::default() };
                    call.bootstrap.get_or_insert(asked);
                }
                "--resampling" if value == "half" => {
                    call.bootstrap = Some(Bootstrap { resampling: Resampling::Half, ..call.bootstrap? });
                }
                _ => return None,
            }
        }
        let before = if learner.is_some() { Vec::new() } else { self.config.assignments() };
        let learner = learner.map_or(self.config.info().name, String::as_str);
        let all: Vec<Assignment> = before.into_iter().chain(assignments).collect();
        call.config = LearnerConfig::resolve(learner, &all).ok()?;
        if call.config != self.config {
            // These are for what the options were before.
            call.second_sample = None;
            if let Caller::Python(held) = &mut call.caller {
                held.retain(|name| name != "second_sample" && name != "estimator");
            }
        }
        (call != Call { made_by: None, ..self.clone() }).then_some(call)
    }

    /// Whether an object in Python was given for a keyword.
    fn holds(&self, keyword: &str) -> bool {
        matches!(&self.caller, Caller::Python(held) if held.iter().any(|name| name == keyword))
    }

    /// Leaves columns out, by their names with commas between.
    fn exclude(&mut self, names: &str) {
        let names: Vec<String> = names.split(',').map(str::to_owned).collect();
        match &mut self.read.columns {
            ColumnChoice::Only(chosen) => chosen.retain(|column| !names.contains(column)),
            ColumnChoice::Except(left_out) => left_out.extend(names),
            all @ ColumnChoice::All => *all = ColumnChoice::Except(names),
        }
    }
}

/// The words that a shell makes of a line: what stands in single quotes stays together.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut inside, mut letters) = (vec![String::new()], false, line.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => inside = !inside,
            '\\' if !inside => words.last_mut()?.extend(letters.next()),
            ' ' if !inside => words.push(String::new()),
            letter => words.last_mut()?.push(letter),
        }
    }
    (!inside && words.iter().all(|word| !word.is_empty())).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Seed;

    fn call(learner: &str) -> Call {
        Call::new(["t.csv"], LearnerConfig::resolve(learner, &[]).unwrap(), Seed(1))
    }

    #[test]
    fn options_are_added_to_those_there_are() {
        let gp = call("npvar").advised("--set cutoff=0.01").unwrap().advised("--set estimator=gp").unwrap();
        assert_eq!(gp.command(), "npvar learn t.csv --set estimator=gp --set cutoff=0.01 --seed 1");
        let cam = gp.advised("--learner cam").unwrap();
        assert_eq!(cam.command(), "npvar learn t.csv --learner cam --seed 1");
        let fewer = cam.advised("--exclude a").unwrap().advised("--exclude 'it'\\''s'").unwrap();
        assert_eq!(fewer.command(), "npvar learn t.csv --learner cam --exclude 'a,it'\\''s' --seed 1");
        assert!(fewer.advised("--missing impute").unwrap().command().contains("--missing impute"));
        let drawn = cam.advised("--bootstrap 200").unwrap();
        assert!(drawn.advised("--bootstrap 200").is_none(), "nothing new");
        assert!(drawn.advised("--resampling half").unwrap().command().contains("--resampling half"));
    }

    #[test]
    fn python_goes_on_with_the_objects_that_still_serve() {
        let held = ["knowledge", "second_sample", "estimator"].map(str::to_owned).to_vec();
        let own = Call { data: Vec::new(), caller: Caller::Python(held), ..call("npvar") };
        assert!(own.advised("--bootstrap 200").is_none(), "an estimator of one's own has no bootstrap");
        let cam = own.advised("--learner cam").unwrap();
        assert_eq!(cam.again(), r#"npvar.learn(data, learner="cam", knowledge=knowledge, seed=1)"#);
        let fewer = own.advised("--exclude 'a b'").unwrap().again();
        assert!(fewer.contains(r#"exclude=["a b"], knowledge=knowledge, second_sample=second_sample, estimator"#));
    }

    #[test]
    fn what_is_no_option_is_not_taken_for_one() {
        for options in
            ["--learner", "--learner nobody", "--set eta", "--resampling half", "--exclude 'a", "--frequency 2"]
        {
            assert!(call("npvar").advised(options).is_none(), "{options}");
        }
    }
}
