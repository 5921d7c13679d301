//! The table to learn from, opened as the arguments say.

use anyhow::Result;
use npvar::Seed;
use npvar::data::{IntakeEntry, Loaded, Table, open_all};
use npvar::judge::Call;
use npvar::learner::LearnerConfig;

use crate::args::ReadArguments;
use crate::output;
use crate::terminal::Stream;

/// Opens the table at `paths`, which is read as the arguments say.
pub(crate) fn open(paths: &[String], arguments: &ReadArguments, learner: Option<&LearnerConfig>) -> Result<Table> {
    Table::open(paths, &arguments.options(learner)).map_err(|error| readable(error, paths))
}

/// The table read whole.
pub(crate) fn load(arguments: &ReadArguments) -> Result<Loaded> {
    let paths = &arguments.data;
    let options = arguments.options(None);
    open_all(paths, &options)
        .and_then(|source| source.load())
        .map_err(|error| with_instead(readable(error, paths), paths, None))
}

/// Says what was done to the table, column by column; the same of several columns in one line.
pub(crate) fn tell_intake(intake: &[IntakeEntry]) {
    let mut told: Vec<(&IntakeEntry, Vec<&str>)> = Vec::new();
    for entry in intake {
        let column = entry.column.as_deref();
        match told.iter_mut().find(|(known, _)| (&known.did, &known.why) == (&entry.did, &entry.why)) {
            Some((_, columns)) => columns.extend(column),
            None => told.push((entry, column.into_iter().collect())),
        }
    }
    for (entry, columns) in told {
        let columns: Vec<String> = columns.iter().map(|name| format!("`{name}`")).collect();
        let columns = if columns.is_empty() { String::new() } else { format!("{}: ", columns.join(", ")) };
        output::tell(&Stream::Err.wrapped(&format!("read: {columns}{} ({})", entry.did, entry.why), 2));
    }
}

/// The error, and below it a command that works where a table could not be used as it stands.
pub(crate) fn with_instead(error: anyhow::Error, paths: &[String], config: Option<&LearnerConfig>) -> anyhow::Error {
    let Some(npvar::Error::Unusable { instead: Some(words), .. }) = error.downcast_ref() else { return error };
    let Some(config) = config.cloned().or_else(|| LearnerConfig::resolve("npvar", &[]).ok()) else { return error };
    let command = Call::new(paths, config, Seed(0)).instead(words);
    let shown = format!("{error}\ntry: {command}");
    error.context(shown)
}

/// Names the file where the library could only say "the table".
pub(crate) fn readable(error: npvar::Error, paths: &[impl AsRef<str>]) -> anyhow::Error {
    let source_name = || {
        let paths: Vec<&str> = paths.iter().map(AsRef::as_ref).collect();
        if paths == ["-"] { "standard input".to_owned() } else { paths.join(", ") }
    };
    match error {
        npvar::Error::NoRows { .. } => npvar::Error::NoRows { source_name: source_name() }.into(),
        error => error.into(),
    }
}
