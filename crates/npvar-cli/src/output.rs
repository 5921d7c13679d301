//! Where results go: standard output, and files that are there complete or not at all.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use npvar::data::{WholeFile, can_be_replaced};
use npvar::{Diagnostic, Level};

use crate::terminal::{OWN_COLOURS, Stream, Tone};

/// Writes to standard output; a reader who has seen enough (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(visible(text, console::colors_enabled()).as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| anyhow::anyhow!("standard output: {error}")),
    }
}

/// One object, and a line end. Control characters stand as JSON writes them, also those that it would let stand.
pub(crate) fn json(object: &impl serde::Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(object)? + "\n";
    let escaped = |c: char| format!("\\u{:04x}", u32::from(c));
    let raw = |c: char| c.is_control() && c != '\n';
    Ok(if text.contains(raw) {
        text.chars().map(|c| if raw(c) { escaped(c) } else { c.into() }).collect()
    } else {
        text
    })
}

/// Writes lines to standard error. There is nowhere to report that this failed.
pub(crate) fn tell(lines: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(lines, console::colors_enabled_stderr()));
}

/// The text with pictures in place of control characters: a column may be called anything, also what would move a
/// terminal's cursor. What [`Stream::paint`] writes stays where colours are shown.
fn visible(text: &str, colours: bool) -> Cow<'_, str> {
    let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(c) = rest.chars().next() {
        let own = OWN_COLOURS.iter().find(|own| colours && rest.starts_with(**own));
        match own {
            Some(own) => shown.push_str(own),
            None => shown.push(if hidden(c) { picture(c) } else { c }),
        }
        rest = &rest[own.map_or(c.len_utf8(), |own| own.len())..];
    }
    shown.into()
}

/// Shows warnings, one line each; or everything, in full and with the advice.
pub(crate) fn tell_all(diagnostics: &[Diagnostic], explain: bool) {
    let told = diagnostics.iter().filter(|diagnostic| explain || diagnostic.level == Level::Warning);
    told.for_each(|diagnostic| match explain {
        true => tell(&explained(diagnostic, Stream::Err)),
        false => tell(&Stream::Err.wrapped(&line(diagnostic, diagnostic.headline(), Stream::Err), INDENT)),
    });
}

/// How far lines after the first are indented.
const INDENT: usize = 2;

/// A diagnostic in full for a person: `warning: …` or `note: …`, with the advice on a line of its own.
pub(crate) fn explained(diagnostic: &Diagnostic, stream: Stream) -> String {
    let advice = |advice: &String| format!("\n{}", stream.wrapped(&format!("  what to do: {advice}"), 2 * INDENT));
    let advice = diagnostic.advice.as_ref().map_or_else(String::new, advice);
    stream.wrapped(&line(diagnostic, &diagnostic.message, stream), INDENT) + &advice
}

/// What a diagnostic begins with, and `words`.
fn line(diagnostic: &Diagnostic, words: &str, stream: Stream) -> String {
    let level = match diagnostic.level {
        Level::Info => stream.paint(Tone::Strong, "note:"),
        Level::Warning => stream.paint(Tone::Doubtful, "warning:"),
    };
    format!("{level} {words}")
}

/// Fails now rather than after an hour's work when a file cannot be written later, when it would take the place of one that
/// is read (`inputs`), or when two outputs are one.
pub(crate) fn check_writable(paths: &[PathBuf], inputs: &[PathBuf]) -> Result<()> {
    for (i, path) in paths.iter().enumerate() {
        if path.is_dir() {
            bail!("{}: is a directory", path.display());
        }
        if !can_be_replaced(path) {
            continue;
        }
        temporary(path)?;
        let place = Place::of(path);
        if let Some(input) = inputs.iter().find(|input| Place::of(input) == place) {
            bail!("{}: is read as {}; write to another file", path.display(), input.display());
        }
        if paths[..i].iter().any(|other| Place::of(other) == place) {
            bail!("{}: is written twice; give every output a name of its own", path.display());
        }
    }
    Ok(())
}

/// What a path leads to, whatever it is called.
#[derive(PartialEq)]
enum Place {
    /// Device and inode: the same for every name of a file.
    #[cfg(unix)]
    File(u64, u64),
    /// A name in a folder.
    Name(PathBuf),
}

impl Place {
    fn of(path: &Path) -> Place {
        #[cfg(unix)]
        if let Ok(found) = std::fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Place::File(found.dev(), found.ino());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let there = path.canonicalize().ok();
        Place::Name(there.unwrap_or_else(|| folder.join(path.file_name().unwrap_or_default())))
    }
}

/// Writes all files, or none: each is complete beside its place before the first takes it.
pub(crate) fn write_files<'a, C: AsRef<[u8]>>(files: impl IntoIterator<Item = (&'a Path, C)>) -> Result<()> {
    let mut written = Vec::new();
    for (path, content) in files {
        let mut file = temporary(path)?;
        file.write_all(content.as_ref()).map_err(|error| anyhow::anyhow!(unwritable(path, error)))?;
        written.push((path, file));
    }
    for (path, file) in written {
        file.put().map_err(|error| anyhow::anyhow!(unwritable(path, error)))?;
    }
    Ok(())
}

/// A file beside `path`, removed unless it takes its place.
fn temporary(path: &Path) -> Result<WholeFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!("{}: the folder {} is not there", path.display(), folder.display());
    }
    WholeFile::beside(path).map_err(|error| anyhow::anyhow!(unwritable(path, error.kind())))
}

fn unwritable(path: &Path, why: impl std::fmt::Display) -> String {
    format!("{}: cannot be written ({why})", path.display())
}
