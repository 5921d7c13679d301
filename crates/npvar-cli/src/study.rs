//! `npvar study`: hands a study to `npvar-study`, shows its progress, says what came out.

use anyhow::{Context, Result};
use npvar_study::run::{RunOptions, Summary};
use npvar_study::{Size, Study, merge, report, run as study_run, worker};

use crate::args::{StudyCommand, StudyRunArguments};
use crate::study_progress::StudyProgress;
use crate::text::count;
use crate::{interrupt, output};

pub(crate) fn run(command: &StudyCommand) -> Result<()> {
    match command {
        StudyCommand::Run(arguments) => run_study(arguments),
        StudyCommand::Merge(arguments) => {
            let merged = merge::merge(&arguments.folders, &arguments.out)?;
            let out = arguments.out.display();
            output::tell(&format!("{out}: {} of {} cells", merged.cells, merged.total));
            if merged.cells < merged.total {
                output::tell(
                    "note: some shards are missing or not finished; `study run` into the same folder runs the rest",
                );
            }
            Ok(())
        }
        StudyCommand::Report(arguments) => {
            let reported = report::report(&arguments.folder)?;
            if reported.cells < reported.total {
                output::tell(&format!("note: {} of {} cells are there", reported.cells, reported.total));
            }
            output::tell(&format!(
                "{}: {}, {}",
                reported.page.display(),
                count(reported.figures, "figure"),
                count(reported.tables, "table")
            ));
            Ok(())
        }
        StudyCommand::Worker => worker::work().context("a worker failed"),
    }
}

fn run_study(arguments: &StudyRunArguments) -> Result<()> {
    let size = if arguments.quick { Size::Quick } else { Size::Full };
    let study = Study::read(&arguments.study, size)?;
    let program = std::env::current_exe().context("the program cannot find itself")?;
    let options = RunOptions {
        out: arguments.out.clone(),
        shard: arguments.shard,
        jobs: arguments.jobs.map(usize::from),
        memory_gib: arguments.memory,
        retry: arguments.retry,
        worker: (program, vec!["study".to_owned(), "worker".to_owned()]),
    };
    let progress = StudyProgress::new(arguments.quiet);
    let ran = study_run::run(&study, &options, &progress, interrupt::stop_flag());
    progress.finish();
    let Summary { total, run, not_ok } = ran?;
    if !arguments.quiet {
        let out = arguments.out.display();
        let before = if run < total { format!(" ({} were done before)", total - run) } else { String::new() };
        output::tell(&format!("{out}: {}{before}", count(total, "cell")));
        if not_ok > 0 {
            output::tell(&format!("note: {} did not finish; the table and the report say why", count(not_ok, "cell")));
        }
    }
    Ok(())
}
