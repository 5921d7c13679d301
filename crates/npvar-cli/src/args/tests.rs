//! Every command that is shown anywhere can be typed, and what a run prints repeats it.

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use npvar::Seed;

use super::{Arguments, Command, LearnArguments};
use crate::shown::{blocks, commands, pages};

#[test]
fn the_command_line_is_consistent() {
    Arguments::command().debug_assert();
}

/// The words that a shell makes of a command: quotes go, and what stands in them stays together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut inside, mut letters) = (vec![String::new()], false, command.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => inside = !inside,
            '\\' if !inside => words.last_mut().unwrap().extend(letters.next()),
            ' ' if !inside => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

#[test]
fn the_call_of_a_run_is_read_as_the_same_run() {
    let read = |words: &[String]| match Arguments::try_parse_from(words) {
        Ok(Arguments { command: Command::Learn(arguments) }) => arguments,
        Ok(_) => panic!("not `learn`"),
        Err(error) => panic!("{error}"),
    };
    for command in [
        "npvar learn t.csv",
        "npvar learn 'a b.csv' 'it'\\''s.csv' --learner pc --set test=kci --set alpha=0.2 --seed 3",
        "npvar learn t.csv --set estimator.smoothing=reml --set residual-variance=own --exclude id,'who is it'",
        "npvar learn t.csv --set estimator=knn --set estimator.k=null --set preset=reference --separator ';' --no-header",
        "npvar learn t.csv --columns a,b --missing drop-rows --separator tab --order 'my order.txt' --knowledge k.toml",
        "npvar learn t.csv --decimal , --skip-rows 3 --strict --separator '|' --missing drop-columns",
        "npvar learn t.csv --truth 'true graph.csv' --bootstrap 20 --resampling half --set eta=adaptive --second-sample s.csv",
    ] {
        let call = |arguments: &LearnArguments| {
            let config = crate::config::resolve(arguments).unwrap();
            arguments.call(&config, Seed(arguments.seed.unwrap_or(7)), Some(vec!["b".to_owned(), "a".to_owned()]))
        };
        let asked = call(&read(&words(command)));
        assert_eq!(call(&read(&words(&asked.command()))), asked, "{command}");
    }
}

fn parse(words: &[impl AsRef<str>]) -> Result<(), ErrorKind> {
    let words = std::iter::once("npvar").chain(words.iter().map(AsRef::as_ref));
    Arguments::try_parse_from(words).map(drop).map_err(|error| error.kind())
}

#[test]
fn every_command_in_a_block_of_a_page_can_be_typed() {
    let mut count = 0;
    for (page, text) in pages() {
        for block in blocks(&text) {
            assert_ne!(block.not_run.as_deref(), Some(""), "{}: a reason is missing", page.display());
            for (line, words) in commands(&block) {
                assert_eq!(parse(&words), Ok(()), "{}:{line}: {words:?}", page.display());
                count += 1;
            }
        }
    }
    assert!(count > 20, "{count}");
}

/// In prose a command may be named without all of its arguments.
#[test]
fn every_command_named_in_prose_exists() {
    let mut count = 0;
    for (page, text) in pages() {
        for span in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let Some(words) = span.strip_prefix("npvar ") else { continue };
            let words: Vec<&str> = words.split(' ').collect();
            let parsed = parse(&words);
            let unfinished = matches!(
                parsed,
                Err(ErrorKind::MissingRequiredArgument
                    | ErrorKind::MissingSubcommand
                    | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand)
            );
            assert!(parsed.is_ok() || unfinished, "{}: `{span}`: {parsed:?}", page.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}
