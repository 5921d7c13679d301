//! A server over real connections, and a client without a library.

use std::sync::Mutex;
use std::time::Duration;

use npvar_web::server::{Limits, ServeOptions, Server};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A test that waits longer than this has failed; on a busy machine an answer may take minutes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1200);

/// Small limits, so that tests reach them.
pub(crate) const LIMITS: Limits = Limits {
    upload_bytes: 200_000,
    tables: 4,
    values: 100_000,
    columns: 50,
    waiting_runs: 3,
    connections: 50,
    // However busy this machine is, no client of a test is taken for a silent one.
    head_patience: PATIENCE,
};

/// What the servers of all tests told on the terminal.
pub(crate) static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

pub(crate) struct Site {
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) serving: tokio::task::JoinHandle<()>,
    pub(crate) stop: tokio::sync::oneshot::Sender<()>,
    pub(crate) folder: TempDir,
}

impl Site {
    pub(crate) async fn start() -> Site {
        Site::start_in(TempDir::new().unwrap(), LIMITS).await
    }

    pub(crate) async fn start_in(folder: TempDir, limits: Limits) -> Site {
        let temporary = folder.path().join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let log = |line: &str| LOGGED.lock().unwrap().push(line.to_owned());
        let options = ServeOptions { port: 0, folder: folder.path().join("runs"), temporary, limits, log };
        let server = Server::bind(options).await.unwrap();
        let address = server.address().to_owned();
        let parts: Vec<&str> =
            address.trim_start_matches("http://127.0.0.1:").trim_end_matches('/').split('/').collect();
        let (port, token) = (parts[0].parse().unwrap(), parts[1].to_owned());
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let serving = tokio::spawn(server.run(async { drop(stopped.await) }));
        Site { port, token, serving, stop, folder }
    }

    /// Ends the server as Ctrl-C does, and waits until it has ended.
    pub(crate) async fn end(self) -> TempDir {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
        self.folder
    }

    /// Ends the server without a word, and gives its folder back.
    pub(crate) fn kill(self) -> TempDir {
        self.serving.abort();
        self.folder
    }

    pub(crate) fn own_host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub(crate) async fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let headers = [self.own_host(), "Content-Type: application/json".to_owned()];
        self.raw(method, &format!("/{}/{path}", self.token), &headers, body).await
    }

    pub(crate) async fn raw(&self, method: &str, target: &str, headers: &[String], body: &[u8]) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\n").into_bytes();
        for header in headers {
            request.extend(format!("{header}\r\n").bytes());
        }
        request.extend(format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).bytes());
        request.extend(body);
        send(self.port, &request).await
    }

    /// Uploads a table that must be taken.
    pub(crate) async fn upload(&self, content: &str) -> String {
        let answer = self.ask("POST", "api/tables?name=t.csv", content.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn run(&self, request: Value) -> Answer {
        self.ask("POST", "api/runs", request.to_string().as_bytes()).await
    }

    /// Waits for a run to be over and returns its last state.
    pub(crate) async fn finish(&self, id: &str) -> Value {
        self.watch().await.until(id, &["done", "failed", "cancelled"]).await
    }

    /// Follows all runs.
    pub(crate) async fn watch(&self) -> Watch {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let target = format!("/{}/api/progress", self.token);
        let request = format!("GET {target} HTTP/1.1\r\n{}\r\n\r\n", self.own_host());
        stream.write_all(request.as_bytes()).await.unwrap();
        Watch { stream, told: Vec::new() }
    }
}

/// The states of all runs as they come.
pub(crate) struct Watch {
    pub(crate) stream: TcpStream,
    pub(crate) told: Vec<u8>,
}

impl Watch {
    /// Waits until the run has come to one of these states.
    pub(crate) async fn until(&mut self, id: &str, statuses: &[&str]) -> Value {
        loop {
            let text = String::from_utf8_lossy(&self.told).into_owned();
            // A line that is not whole yet is no JSON.
            let lines =
                text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
            let mut states = lines.map(|runs| runs[id].clone());
            if let Some(state) = states.find(|state| statuses.iter().any(|status| state["status"] == *status)) {
                return state;
            }
            let read = tokio::time::timeout(PATIENCE, self.stream.read_buf(&mut self.told)).await;
            let read = read.expect("an event in time").unwrap();
            assert!(read > 0, "no {statuses:?} of {id}: {text}");
        }
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        let text = self.text();
        // Answers of unknown length come in chunks; JSON ones do not.
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

pub(crate) async fn send(port: u16, request: &[u8]) -> Answer {
    answer(port, request, false).await
}

pub(crate) async fn answer(port: u16, request: &[u8], close: bool) -> Answer {
    let mut stream = loop {
        match TcpStream::connect(("127.0.0.1", port)).await {
            Ok(stream) => break stream,
            // A thousand clients may be more files than this process may open at once.
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    // A server that refuses early may close before it has read everything.
    let _ = stream.write_all(request).await;
    if close {
        let _ = stream.shutdown().await;
    }
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
    let _ = read.expect("an answer in time");
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(bytes.len());
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Answer { status, head, body: bytes[(end + 4).min(bytes.len())..].to_vec() }
}

/// Columns that depend on each other, without a random generator.
pub(crate) fn table(rows: usize) -> String {
    let mut text = "a,b,c\n".to_owned();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    for _ in 0..rows {
        let a = next() + next();
        let b = (2.0 * a).sin() + next();
        text += &format!("{a},{b},{}\n", b + next());
    }
    text
}
