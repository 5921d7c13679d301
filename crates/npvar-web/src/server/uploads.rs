//! Tables that were uploaded or made from an example, as files in a folder that goes with the server.
//!
//! The name a client gives is only shown; the file's own name is made here, and its format told from its first bytes.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use axum::body::{Body, HttpBody};
use axum::http::StatusCode;
use flate2::read::MultiGzDecoder;
use futures_util::StreamExt;
use npvar::graph::NamedGraph;

use super::failure::Failure;
use super::own_folder::OwnFolder;
use super::{Limits, random_name};

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The longest name that is shown.
const NAME_LENGTH: usize = 120;

/// A table that runs can use.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) id: String,
    /// What the client called it.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// Of an example: the graph to compare with, and what to know about it.
    pub(super) truth: Option<(String, NamedGraph)>,
    pub(super) note: Option<String>,
    /// Of a simulated example: the command that makes the same file.
    pub(super) made_by: Option<String>,
}

impl Upload {
    /// An error that names the table as the client does.
    pub(super) fn shown(&self, error: &npvar::Error) -> String {
        error.to_string().replace(&*self.path.to_string_lossy(), &self.name)
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // The folder is removed in the end in any case.
        let _ = std::fs::remove_file(&self.path);
    }
}

pub(super) struct Uploads {
    folder: OwnFolder,
    limits: Limits,
    tables: Mutex<VecDeque<Arc<Upload>>>,
}

impl Uploads {
    /// Makes the folder in `parent`.
    pub(super) fn new(parent: &Path, limits: Limits) -> Result<Self> {
        Ok(Uploads { folder: OwnFolder::within(parent)?, limits, tables: Mutex::default() })
    }

    /// Removes every table, whoever uses it, and takes no more.
    pub(super) fn close(&self) {
        self.folder.close();
    }

    /// Takes a request's body, up to the limit.
    pub(super) async fn take(&self, name: &str, body: Body) -> Result<Arc<Upload>, Failure> {
        let most = self.limits.upload_bytes;
        let too_large =
            || Failure::new(StatusCode::PAYLOAD_TOO_LARGE, format!("a file may have {} MiB at most", most >> 20));
        if body.size_hint().lower() > most as u64 {
            return Err(too_large());
        }
        let table = self.fresh(name)?;
        let mut file = self.folder.create(&table.path).map_err(unwritten)?;
        let mut written = 0;
        let mut chunks = body.into_data_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| Failure::bad("the upload broke off"))?;
            written += chunk.len();
            if written > most {
                return Err(too_large());
            }
            // Chunks are small and the file is local: not worth another thread.
            file.write_all(&chunk).map_err(unwritten)?;
        }
        if written == 0 {
            return Err(Failure::bad("the file is empty"));
        }
        // Before it is kept: it could take another's place.
        let path = table.path.clone();
        let unpacks = tokio::task::spawn_blocking(move || unpacks_beyond(&path, most as u64));
        if unpacks.await.map_err(Failure::internal)? {
            let message = format!("a packed file may unpack to {} MiB at most", most >> 20);
            return Err(Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        Ok(self.add(table))
    }

    /// Fills a table made by [`Uploads::fresh`].
    pub(super) fn write(&self, table: &Upload, content: &[u8]) -> Result<(), Failure> {
        self.folder.create(&table.path).and_then(|mut file| file.write_all(content)).map_err(unwritten)
    }

    /// A table with a name of its own and no content yet.
    pub(super) fn fresh(&self, name: &str) -> Result<Upload, Failure> {
        let id = random_name().map_err(Failure::internal)?;
        let shown: String = name.chars().filter(|c| !c.is_control()).take(NAME_LENGTH).collect();
        let name = if shown.trim().is_empty() { "table".to_owned() } else { shown };
        Ok(Upload { path: self.folder.path(&id), id, name, truth: None, note: None, made_by: None })
    }

    /// Keeps a table, and lets the oldest go when there are too many.
    pub(super) fn add(&self, table: Upload) -> Arc<Upload> {
        let table = Arc::new(table);
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.push_back(table.clone());
        if tables.len() > self.limits.tables {
            tables.pop_front();
        }
        table
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Upload>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|table| table.id == id).cloned()
    }

    /// Lets a table go that turned out not to be one.
    pub(super) fn forget(&self, id: &str) {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).retain(|table| table.id != id);
    }
}

/// Whether this is a gzip file that unpacks to more bytes than these. Nothing of it is kept, and no more of it is unpacked;
/// one that is damaged before is told when it is read as a table.
fn unpacks_beyond(path: &Path, most: u64) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    let mut packed = BufReader::new(file);
    if !packed.fill_buf().is_ok_and(|first| first.starts_with(&GZIP)) {
        return false;
    }
    let mut unpacked = MultiGzDecoder::new(packed);
    let (mut part, mut bytes) = (vec![0; 1 << 16], 0);
    while bytes <= most {
        match unpacked.read(&mut part) {
            Ok(0) => return false,
            Ok(read) => bytes += read as u64,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
    true
}

/// What the operating system says goes to the log: it may name folders.
fn unwritten(error: std::io::Error) -> Failure {
    let message = match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => "the server's disk is full",
        _ => "the server cannot write the table; its terminal says why",
    };
    Failure::new(StatusCode::INSUFFICIENT_STORAGE, message).because(format!("an upload cannot be written: {error}"))
}
