//! `npvar serve`: the page for runs made in the browser.
//!
//! The server is for one person on this machine. It listens on 127.0.0.1 only; every address begins with a random token
//! (`guard`); nothing that a client sends ever becomes part of a path (`uploads`, `history`); one thread makes one
//! run after the other (`worker`); every finished run is on disk, whole, before anyone is told of it; and when the server
//! ends, however it ends, no upload stays behind (`own_folder`).

mod board;
mod connections;
mod examples;
mod failure;
mod guard;
mod history;
mod own_folder;
mod preview;
mod progress;
mod routes;
mod uploads;
mod worker;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use guard::Guard;
use history::History;
use uploads::Uploads;
use worker::Worker;

/// What a client may ask for at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one uploaded file.
    pub upload_bytes: usize,
    /// Tables held at once; the oldest goes when another comes.
    pub tables: usize,
    /// Values (rows times columns) of a table: what a run holds in memory.
    pub values: usize,
    /// Columns of a table.
    pub columns: usize,
    /// Runs that wait at once.
    pub waiting_runs: usize,
    /// Open connections; a further one takes the place of one that has sent no request of the page, or waits.
    pub connections: usize,
    /// How long a connection may take to send the head of a request. One that has sent none for a tenth of this makes
    /// room for others when all places are taken.
    pub head_patience: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            upload_bytes: 256 << 20,
            tables: 16,
            // 400 MB as numbers.
            values: 50_000_000,
            columns: 2000,
            waiting_runs: 32,
            connections: 200,
            head_patience: Duration::from_secs(20),
        }
    }
}

/// Where and how to serve.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// The port on 127.0.0.1; 0 is any that is free.
    pub port: u16,
    /// The folder that keeps finished runs; made if it is not there.
    pub folder: PathBuf,
    /// The folder in which a folder for uploads is made, as [`std::env::temp_dir`].
    pub temporary: PathBuf,
    /// What a client may ask for.
    pub limits: Limits,
    /// Is told what goes wrong inside, in a line.
    pub log: fn(&str),
}

/// What the handlers share.
struct Shared {
    limits: Limits,
    uploads: Uploads,
    history: Arc<History>,
    worker: Worker,
    /// Tables read for a preview at once: a packed file can unfold to gigabytes.
    readers: Semaphore,
}

/// Tables that are read for a preview at once.
const READERS: usize = 2;

/// A server that is bound to its port.
pub struct Server {
    listener: TcpListener,
    app: Router,
    shared: Arc<Shared>,
    address: String,
    unreadable: usize,
}

impl Server {
    /// Opens the history and takes the port.
    ///
    /// # Errors
    /// When the folder cannot be used or the port is taken.
    pub async fn bind(options: ServeOptions) -> Result<Server> {
        let ServeOptions { port, folder, temporary, limits, log } = options;
        let (history, unreadable) =
            History::open(&folder).with_context(|| format!("{}: cannot keep runs there", folder.display()))?;
        let history = Arc::new(history);
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .await
            .with_context(|| format!("port {port} of 127.0.0.1 cannot be taken"))?;
        let port = listener.local_addr()?.port();
        let token = random_name()?;
        let shared = Arc::new(Shared {
            limits,
            uploads: Uploads::new(&temporary, limits)?,
            worker: Worker::start(history.clone(), limits, log)?,
            history,
            readers: Semaphore::new(READERS),
        });
        let guard = Guard::new(&token, port, log);
        let app = guard::guarded(guard, routes::routes(&token, shared.clone()));
        Ok(Server { listener, app, shared, address: format!("http://127.0.0.1:{port}/{token}/"), unreadable })
    }

    /// The page's address, token included.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How many files of the history could not be read, and were left alone.
    pub fn unreadable(&self) -> usize {
        self.unreadable
    }

    /// Serves until `stop` is ready. Then connections are closed, the run that goes on is given up or, if it is being
    /// written, kept, and uploads are removed.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) {
        tokio::select! {
            () = connections::serve(self.listener, self.app, self.shared.limits) => {}
            () = stop => {}
        }
        self.shared.worker.close();
        self.shared.uploads.close();
    }
}

/// Serves until `stop` answers true, having told the address to `ready`.
///
/// # Errors
/// As [`Server::bind`].
pub fn serve(options: ServeOptions, ready: impl FnOnce(&Server), stop: fn() -> bool) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let result = runtime.block_on(async {
        let server = Server::bind(options).await?;
        ready(&server);
        let stopped = async move {
            while !stop() {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        };
        server.run(stopped).await;
        Ok(())
    });
    // Tables that are being read for a preview need not be waited for.
    runtime.shutdown_background();
    result
}

/// 128 random bits, as a name nobody can guess.
fn random_name() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the system gives no random numbers")?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
