//! The `npvar` program: translates between the command line and the library, and computes nothing itself.
//!
//! Data go to standard output, everything else to standard error. Exit status: 0 success, 1 failure, 2 wrong usage,
//! 130, 143 and 129 stopped by Ctrl-C, SIGTERM and SIGHUP.

mod args;
mod compare;
mod config;
mod demo;
mod diagnose;
mod evaluate;
mod interrupt;
mod knowledge_file;
mod learn;
mod learned_text;
mod learners;
mod order_file;
mod output;
mod plan;
mod progress;
mod serve;
#[cfg(test)]
#[path = "../tests/cli/shown.rs"]
mod shown;
mod simulate;
mod study;
mod study_progress;
mod table;
mod terminal;
mod text;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Arguments, Command};
use terminal::{Stream, Tone};

fn main() -> ExitCode {
    quieten_readers();
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let error_word = Stream::Err.paint(Tone::Bad, "error:");
            output::tell(&format!("{error_word} {error}"));
            ExitCode::from(exit_status(&error))
        }
    }
}

/// The Arrow crates panic at some damaged files. The library catches that and says so in a sentence of its own.
fn quieten_readers() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let of_a_reader = |file: &str| file.contains("/arrow-") || file.contains("/parquet-");
        if !panic.location().is_some_and(|location| of_a_reader(location.file())) {
            usual(panic);
        }
    }));
}

fn run(command: &Command) -> anyhow::Result<()> {
    match command {
        Command::Learn(arguments) => learn::run(arguments),
        Command::Simulate(arguments) => simulate::run(arguments),
        Command::Evaluate(arguments) => evaluate::run(arguments),
        Command::Diagnose(arguments) => diagnose::run(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Serve(arguments) => serve::run(arguments),
        Command::Demo(arguments) => demo::run(arguments),
        Command::Learners(arguments) => learners::run(arguments),
        Command::Study { command } => study::run(command),
        Command::Plan { command } => plan::run(command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), "npvar", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
    }
}

/// An option that does not exist or cannot have its value is wrong usage, wherever it was written.
fn exit_status(error: &anyhow::Error) -> u8 {
    match error.downcast_ref() {
        Some(npvar_study::Error::Study { .. }) => return 2,
        Some(npvar_study::Error::Stopped { .. }) => return interrupt::status(),
        _ => {}
    }
    match error.downcast_ref() {
        Some(npvar::Error::Options { .. } | npvar::Error::InvalidOption { .. } | npvar::Error::Knowledge { .. }) => 2,
        Some(npvar::Error::Cancelled) => interrupt::status(),
        _ => 1,
    }
}
