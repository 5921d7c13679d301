//! Starting other programs from the root of the repository.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The folder that holds the workspace's `Cargo.toml`.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask stands in the repository root").to_path_buf()
}

/// The folder that cargo builds into.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// `program`, started in the root of the repository.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    command(&env::var("CARGO").unwrap_or_else(|_| "cargo".to_string()))
}

/// Whether the command can be started and succeeds; says nothing.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Standard output of a command that must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let result = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    if !result.status.success() {
        bail!("`{shown}` failed ({}):\n{}", result.status, String::from_utf8_lossy(&result.stderr).trim_end());
    }
    String::from_utf8(result.stdout).with_context(|| format!("`{shown}` did not print UTF-8"))
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        words.push(format!("{}='{}'", name.to_string_lossy(), value.unwrap_or_default().to_string_lossy()));
    }
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    words.push(program.to_string_lossy().into_owned());
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}
