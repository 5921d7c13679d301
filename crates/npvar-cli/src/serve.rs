//! `npvar serve`: the page in the browser, until Ctrl-C.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use npvar_web::server::{Limits, ServeOptions, Server, serve};

use crate::args::ServeArguments;
use crate::{interrupt, output};

pub(crate) fn run(arguments: &ServeArguments) -> Result<()> {
    let folder = match &arguments.history {
        Some(folder) => folder.clone(),
        None => data_folder()?.join("npvar").join("runs"),
    };
    let limits = Limits { upload_bytes: (arguments.upload_limit as usize) << 20, ..Limits::default() };
    let options = ServeOptions {
        port: arguments.port,
        folder: folder.clone(),
        temporary: std::env::temp_dir(),
        limits,
        log: |line| output::tell(&format!("error: {line}")),
    };
    interrupt::stop_flag();
    let ready = |server: &Server| {
        // The address is what this command is for; everything else is said beside it.
        let _ = output::print(&format!("{}\n", server.address()));
        output::tell("open this address in a browser; it is for you alone, do not pass it on. Ctrl-C ends the server");
        output::tell(&format!("finished runs are kept in {}", folder.display()));
        match server.unreadable() {
            0 => {}
            1 => output::tell("warning: one file there is no run and was left alone"),
            files => output::tell(&format!("warning: {files} files there are no runs and were left alone")),
        }
    };
    serve(options, ready, || interrupt::stop_flag().load(Ordering::Relaxed))
        .map_err(|error| anyhow::anyhow!("{error:#}"))
}

/// Where this system keeps a user's data.
fn data_folder() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || from("HOME").map(|home| home.join(".local").join("share"));
    match from("XDG_DATA_HOME").or_else(|| from("LOCALAPPDATA")).or_else(home) {
        Some(folder) => Ok(folder),
        None => bail!("there is no home folder; name one for the runs with --history"),
    }
}
