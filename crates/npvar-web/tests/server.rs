//! The server as an attacker, a careless user and a crowd see it: over real connections.
#![cfg(feature = "server")]
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use npvar_web::server::{Limits, ServeOptions, Server};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A test that waits longer than this has failed; on a busy machine an answer may take minutes.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Small limits, so that tests reach them.
const LIMITS: Limits = Limits {
    upload_bytes: 200_000,
    tables: 4,
    values: 100_000,
    columns: 50,
    waiting_runs: 3,
    connections: 50,
    // However busy this machine is, no client of a test is taken for a silent one.
    head_patience: PATIENCE,
};

struct Site {
    port: u16,
    token: String,
    serving: tokio::task::JoinHandle<()>,
    stop: tokio::sync::oneshot::Sender<()>,
    folder: TempDir,
}

impl Site {
    async fn start() -> Site {
        Site::start_in(TempDir::new().unwrap(), LIMITS).await
    }

    async fn start_in(folder: TempDir, limits: Limits) -> Site {
        let temporary = folder.path().join("tmp");
        std::fs::create_dir_all(&temporary).unwrap();
        let log = |_: &str| ();
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
    async fn end(self) -> TempDir {
        self.stop.send(()).unwrap();
        self.serving.await.unwrap();
        self.folder
    }

    /// Ends the server without a word, and gives its folder back.
    fn kill(self) -> TempDir {
        self.serving.abort();
        self.folder
    }

    fn own_host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    async fn ask(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let headers = [self.own_host(), "Content-Type: application/json".to_owned()];
        self.raw(method, &format!("/{}/{path}", self.token), &headers, body).await
    }

    async fn raw(&self, method: &str, target: &str, headers: &[String], body: &[u8]) -> Answer {
        let mut request = format!("{method} {target} HTTP/1.1\r\n").into_bytes();
        for header in headers {
            request.extend(format!("{header}\r\n").bytes());
        }
        request.extend(format!("Content-Length: {}\r\nConnection: close\r\n\r\n", body.len()).bytes());
        request.extend(body);
        send(self.port, &request).await
    }

    /// Uploads a table that must be taken.
    async fn upload(&self, content: &str) -> String {
        let answer = self.ask("POST", "api/tables?name=t.csv", content.as_bytes()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    async fn run(&self, request: Value) -> Answer {
        self.ask("POST", "api/runs", request.to_string().as_bytes()).await
    }

    /// Waits for a run to be over and returns its last state.
    async fn finish(&self, id: &str) -> Value {
        self.watch().await.until(id, &["done", "failed", "cancelled"]).await
    }

    /// Follows all runs.
    async fn watch(&self) -> Watch {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let target = format!("/{}/api/progress", self.token);
        let request = format!("GET {target} HTTP/1.1\r\n{}\r\n\r\n", self.own_host());
        stream.write_all(request.as_bytes()).await.unwrap();
        Watch { stream, told: Vec::new() }
    }
}

/// The states of all runs as they come.
struct Watch {
    stream: TcpStream,
    told: Vec<u8>,
}

impl Watch {
    /// Waits until the run has come to one of these states.
    async fn until(&mut self, id: &str, statuses: &[&str]) -> Value {
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

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    fn json(&self) -> Value {
        let text = self.text();
        // Answers of unknown length come in chunks; JSON ones do not.
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

async fn send(port: u16, request: &[u8]) -> Answer {
    answer(port, request, false).await
}

async fn answer(port: u16, request: &[u8], close: bool) -> Answer {
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
fn table(rows: usize) -> String {
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

#[tokio::test(flavor = "multi_thread")]
async fn a_table_becomes_a_report_that_survives_a_crash() {
    let site = Site::start().await;
    let id = site.upload(&table(300)).await;
    let answer = site
        .run(json!({"table": id, "learner": "npvar", "settings": [{"key": "cutoff", "value": 0.01}], "seed": 3}))
        .await;
    let run = answer.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(site.finish(&run).await["status"], "done");
    let report = site.ask("GET", &format!("api/runs/{run}"), b"").await.json();
    assert_eq!(report["document"]["learner"]["cutoff"], 0.01);
    assert_eq!(report["repeat"]["command"], "npvar learn t.csv --set cutoff=0.01 --missing error --seed 3");
    assert_eq!((&report["samples"], &report["sample"]["rows"]), (&json!(300), &json!(300)));
    let page = site.ask("GET", &format!("api/runs/{run}/report.html"), b"").await;
    assert!(page.head.contains("content-disposition: attachment") && page.text().contains("npvar-report/1"));

    let again = Site::start_in(site.kill(), LIMITS).await;
    let runs = again.ask("GET", "api/runs", b"").await.json();
    assert_eq!(runs["finished"][0]["id"], run);
    assert_eq!(again.ask("GET", &format!("api/runs/{run}"), b"").await.json(), report);
    assert_eq!(again.ask("DELETE", &format!("api/runs/{run}"), b"").await.status, 200);
    assert_eq!(again.ask("GET", &format!("api/runs/{run}"), b"").await.status, 404);
    assert_eq!(std::fs::read_dir(again.folder.path().join("runs")).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_refused_and_every_answer_has_its_headers() {
    let site = Site::start().await;
    let host = site.own_host();
    let home = format!("/{}/", site.token);
    let wrong = format!("/{}/", "0".repeat(site.token.len()));
    for (target, headers, expected) in [
        (home.as_str(), vec![host.clone()], 200),
        ("/", vec![host.clone()], 404),
        (&wrong, vec![host.clone()], 404),
        ("/api/runs", vec![host.clone()], 404),
        (&home, vec![], 421),
        (&home, vec!["Host: evil.example".to_owned()], 421),
        (&home, vec![format!("Host: evil.example:{}", site.port)], 421),
        (&home, vec![host.clone(), "Origin: http://evil.example".to_owned()], 403),
        (&home, vec![host.clone(), "Origin: null".to_owned()], 403),
        (&home, vec![host.clone(), format!("Origin: http://127.0.0.1:{}", site.port)], 200),
        (&home, vec![host.clone(), "Sec-Fetch-Site: cross-site".to_owned()], 403),
        (&home, vec![host.clone(), "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site".to_owned()], 403),
        (&format!("http://127.0.0.1:{}{home}", site.port), vec![host.clone()], 200),
        (&format!("http://evil.example{home}"), vec![host.clone()], 421),
    ] {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let answer = site.raw(method, target, &headers, b"").await;
            let expected = if method != "GET" && expected == 200 { 405 } else { expected };
            // A request without a host is not HTTP/1.1; either refusal will do.
            let refused = headers.is_empty() && [400, 421].contains(&answer.status);
            assert!(answer.status == expected || refused, "{method} {target} {headers:?}: {}", answer.status);
            assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
            if answer.status != 400 {
                for part in
                    ["content-security-policy: default-src 'none'", "nosniff", "no-referrer", "no-store", "deny"]
                {
                    assert!(answer.head.contains(part), "{part}: {}", answer.head);
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_from_a_client_reaches_the_file_system() {
    let site = Site::start().await;
    std::fs::write(site.folder.path().join("secret.run"), "{\"id\": \"secret\"}\n\"secret\"\n").unwrap();
    for name in [
        "..",
        "../secret",
        "..%2fsecret",
        "%2e%2e%2fsecret",
        "..%5csecret",
        "%2fetc%2fpasswd",
        "secret.run",
        "%00",
        "a%0ab",
        "....//secret",
        "C:%5c",
        "~root",
    ] {
        for (method, path) in [
            ("GET", format!("api/runs/{name}")),
            ("GET", format!("api/runs/{name}/report.html")),
            ("GET", format!("api/progress/{name}")),
            ("DELETE", format!("api/runs/{name}")),
            ("POST", format!("api/runs/{name}/cancel")),
            ("GET", format!("api/tables/{name}")),
            ("POST", format!("api/examples/{name}")),
            ("GET", format!("../{name}")),
        ] {
            let answer = site.ask(method, &path, b"").await;
            assert!((400..500).contains(&answer.status), "{method} {path}: {} {}", answer.status, answer.text());
            assert!(!answer.text().contains("root:") && !answer.text().contains("secret\""), "{path}");
        }
        let answer = site.ask("POST", &format!("api/tables?name={name}"), table(20).as_bytes()).await;
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
    }
    assert!(site.folder.path().join("secret.run").exists());
    let names: Vec<_> =
        std::fs::read_dir(site.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_that_are_too_large_or_no_tables_are_refused_in_a_sentence() {
    let site = Site::start().await;
    let large = vec![b'1'; LIMITS.upload_bytes + 1];
    let answer = site.ask("POST", "api/tables?name=big.csv", &large).await;
    assert_eq!(answer.status, 413);
    // The same without saying how long it is.
    let mut request = format!(
        "POST /{}/api/tables HTTP/1.1\r\n{}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        site.token,
        site.own_host()
    )
    .into_bytes();
    for _ in 0..60 {
        request.extend(format!("{:x}\r\n", 4096).bytes());
        request.extend([b'1'; 4096]);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    assert_eq!(send(site.port, &request).await.status, 413);
    let wide: String = (0..60).map(|j| format!("c{j}")).collect::<Vec<_>>().join(",") + "\n" + &["1"; 60].join(",");
    let long = format!("a,b\n{}", "1,2\n".repeat(49_999));
    assert_eq!(site.ask("POST", "api/tables", long.as_bytes()).await.status, 200);
    let too_long = format!("a,b\n{}", "1,\n".repeat(10) + &"1,2\n".repeat(49_980));
    for (content, part) in [
        (&b""[..], "empty"),
        (b"a,b\n", "no data rows"),
        (b"a\n1\n", "at least two columns"),
        (b"\x1f\x8b\x08\x00", ""),
        (b"PK\x03\x04....", "zip archive"),
        (b"PAR1 and then nothing", "table.parquet"),
        (b"ARROW1\0\0 broken", "table.parquet"),
        (b"\xff\xfe\x00\x01\x02,\n\x80\x81,\x82\n", ""),
        (b"a,b\n1,2\n3\n", "row"),
        (wide.as_bytes(), "too large for the page"),
    ] {
        let answer = site.ask("POST", "api/tables?name=table.parquet", content).await;
        assert_eq!(answer.status, 400, "{}", answer.text());
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(part), "{part}: {error}");
        assert!(!error.contains("/tmp"), "{error}");
    }
    assert_eq!(site.ask("POST", "api/tables", too_long.as_bytes()).await.status, 200);
    let answer = site.ask("POST", "api/tables", format!("a,b\n{}", "1,2\n".repeat(50_001)).as_bytes()).await;
    assert_eq!(answer.status, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_long_line_is_refused_where_the_bound_is() {
    let limits = Limits { upload_bytes: 40 << 20, ..LIMITS };
    let site = Site::start_in(TempDir::new().unwrap(), limits).await;
    for (content, problem) in [
        ("1,".repeat(2 << 20), "t.csv: the first line has more than 1,048,576 fields, the most that are read"),
        ("1".repeat(33 << 20), "t.csv: the first line is longer than 32 MiB, the most that is read"),
        (format!("a,b\n1,2\n{}", "1,".repeat(2 << 20)), "t.csv: row 2 has more than 1,048,576 fields"),
    ] {
        let answer = site.ask("POST", "api/tables?name=t.csv", content.as_bytes()).await;
        assert_eq!(answer.status, 400);
        assert!(answer.json()["error"].as_str().unwrap().starts_with(problem), "{}", answer.text());
    }
}

/// A Parquet file whose pages are compressed: few values, again and again.
fn parquet(rows: usize) -> Vec<u8> {
    let column: ArrayRef = Arc::new(Float64Array::from_iter_values((0..rows).map(|row| (row % 7) as f64)));
    let batch = RecordBatch::try_from_iter([("a", column.clone()), ("b", column)]).unwrap();
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_file_that_unfolds_to_a_large_table_is_refused() {
    let site = Site::start().await;
    let bomb = parquet(1_000_000);
    assert!(bomb.len() < LIMITS.upload_bytes, "{}", bomb.len());
    let answer = site.ask("POST", "api/tables?name=bomb.parquet", &bomb).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("too large for the page"), "{}", answer.text());
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &parquet(1000)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_claims_a_gigabyte_is_refused() {
    let site = Site::start().await;
    let mut bomb = parquet(1000);
    // The header of the first page (a dictionary of seven values) begins after the magic; its claim has one byte more to
    // spare than the file's own, so the whole header is written anew: type, claim, packed size, then what was there.
    assert_eq!(bomb[4..7], [0x15, 4, 0x15]);
    bomb.splice(7..8, [0x80, 0x80, 0x80, 0x80, 0x08]);
    let answer = site.ask("POST", "api/tables?name=bomb.parquet", &bomb).await;
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("claims to unpack to 1073741824 bytes"), "{}", answer.text());
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &parquet(1000)).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_files_are_answered_whatever_is_damaged() {
    let site = Site::start().await;
    let whole = parquet(1000);
    for i in 0..150 {
        let mut damaged = whole.clone();
        let at = (i * 7919) % whole.len();
        match i % 3 {
            0 => damaged.truncate(at),
            1 => damaged[at] ^= 0xff,
            _ => damaged[at..(at + 8).min(whole.len())].fill(0x7f),
        }
        let answer = site.ask("POST", "api/tables?name=t.parquet", &damaged).await;
        assert!([200, 400].contains(&answer.status), "{i}: {} {}", answer.status, answer.text());
    }
    assert_eq!(site.ask("POST", "api/tables?name=t.parquet", &whole).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_are_refused_and_the_server_goes_on() {
    let site = Site::start().await;
    let id = site.upload(&table(50)).await;
    for (request, part) in [
        (json!([]), ""),
        (json!({"table": id}), "learner"),
        (json!({"table": "../x", "learner": "npvar"}), "gone"),
        (json!({"table": id, "learner": "magic"}), "unknown learner `magic`"),
        (json!({"table": id, "learner": "npvar", "settings": [{"key": "etta", "value": 1}]}), "unknown field `etta`"),
        (json!({"table": id, "learner": "npvar", "settings": [{"key": "", "value": 1}]}), ""),
        (json!({"table": id, "learner": "npvar", "settings": [{"key": "cutoff", "value": 7}]}), "cutoff"),
        (json!({"table": id, "learner": "npvar", "path": "/etc/passwd"}), "unknown field `path`"),
        (json!({"table": id, "learner": "npvar", "seed": -1}), ""),
    ] {
        let answer = site.run(request.clone()).await;
        assert_eq!(answer.status, 400, "{request}: {}", answer.text());
        assert!(answer.json()["error"].as_str().unwrap().contains(part), "{}", answer.text());
    }
    for body in [&b"{"[..], b"\0\0\0", &vec![b'['; 900_000], "\"".repeat(2_000_000).as_bytes()] {
        assert!((400..500).contains(&site.ask("POST", "api/runs", body).await.status));
    }
    for bytes in
        [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], b"GET\r\n\r\n", b"\r\n\r\n\r\n", &[b'A'; 200_000]]
    {
        // What may be the beginning of a request is waited for, so say that nothing follows.
        let status = answer(site.port, bytes, true).await.status;
        assert!(status == 0 || (400..500).contains(&status), "{status}");
    }
    // What a run comes upon is kept as its failure.
    let run = site.run(json!({"table": id, "learner": "npvar", "columns": ["a", "nobody"]})).await.json();
    let over = site.finish(run["id"].as_str().unwrap()).await;
    assert_eq!(over["status"], "failed");
    assert!(over["words"].as_str().unwrap().contains("there is no column `nobody`"), "{over}");
    assert_eq!(site.ask("GET", "api/runs", b"").await.json()["finished"][0]["status"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_can_be_cancelled_and_the_queue_has_an_end() {
    let site = Site::start().await;
    let id = site.upload(&table(1000)).await;
    // Hours of work on any machine: none of these ends unless it is cancelled.
    let endless = json!({"table": id, "learner": "gsges", "seed": 1, "bootstrap": 100_000});
    let mut runs = Vec::new();
    for place in 0..=LIMITS.waiting_runs {
        let answer = site.run(endless.clone()).await;
        assert_eq!(answer.status, 200, "run {place}: {}", answer.text());
        let run = answer.json()["id"].as_str().unwrap().to_owned();
        // The first leaves the queue; the others stay there.
        site.watch().await.until(&run, &[if place == 0 { "running" } else { "queued" }]).await;
        runs.push(run);
    }
    for _ in 0..2 {
        assert_eq!(site.run(endless.clone()).await.status, 429);
    }
    // One stream tells of all.
    let mut watch = site.watch().await;
    for run in runs.iter().rev() {
        assert_eq!(site.ask("POST", &format!("api/runs/{run}/cancel"), b"").await.status, 200);
        watch.until(run, &["cancelled"]).await;
    }
    let quick = site.run(json!({"table": id, "learner": "eqvar", "seed": 1})).await.json();
    assert_eq!(site.finish(quick["id"].as_str().unwrap()).await["status"], "done");
    let after = site.ask("GET", "api/runs", b"").await.json();
    assert_eq!(after["finished"].as_array().unwrap().len(), 1, "{after}");
    assert!(runs.iter().all(|run| !after.to_string().contains(run)), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_parallel_requests_are_all_answered() {
    let site = Arc::new(Site::start().await);
    let content = table(100);
    let requests = (0..1000).map(|i| {
        let (site, content) = (site.clone(), content.clone());
        tokio::spawn(async move {
            match i % 5 {
                0 => site.ask("GET", "", b"").await.status,
                1 => site.ask("GET", "api/runs", b"").await.status,
                2 => site.ask("POST", "api/tables?name=t.csv", content.as_bytes()).await.status,
                3 => site.raw("GET", "/wrong/", &[site.own_host()], b"").await.status,
                _ => site.ask("POST", "api/runs", b"{\"table\": 1").await.status,
            }
        })
    });
    let mut statuses = std::collections::BTreeMap::new();
    for request in requests.collect::<Vec<_>>() {
        *statuses.entry(request.await.unwrap()).or_insert(0) += 1;
    }
    assert_eq!(statuses, [(200, 600), (400, 200), (404, 200)].into());
    assert_eq!(site.ask("GET", "api/about", b"").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_text_are_left_out_and_missing_values_counted() {
    let site = Site::start().await;
    let answer = site.ask("POST", "api/tables?name=t.csv", b"id,a,b\nx1,1,2\nx2,,3\nx3,4,5\nx4,6,8\n").await.json();
    let preview = &answer["preview"];
    assert_eq!((&preview["rows"], &preview["dropped"]), (&json!(3), &json!(1)));
    assert_eq!(preview["left_out"][0]["name"], "id");
    assert_eq!(preview["columns"][1]["mean"], 5.0);
    assert_eq!(preview["columns"][1]["standard_deviation"], 3.0);
    assert_eq!(preview["columns"][0]["first"], json!([1.0, 4.0, 6.0]));
    let id = answer["id"].as_str().unwrap();
    let headless = site.ask("GET", &format!("api/tables/{id}?header=false"), b"").await;
    assert_eq!(headless.status, 400, "{}", headless.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_comes_with_its_truth_and_the_command_that_makes_it() {
    let site = Site::start().await;
    let about = site.ask("GET", "api/about", b"").await.json();
    assert!(about["learners"].as_array().unwrap().len() >= 13);
    let example = site.ask("POST", "api/examples/ER-SIN-1", b"").await.json();
    assert_eq!(example["truth"], "the truth");
    let run = site.run(json!({"table": example["id"], "learner": "pc", "seed": 1})).await.json();
    let run = run["id"].as_str().unwrap();
    assert_eq!(site.finish(run).await["status"], "done");
    let report = site.ask("GET", &format!("api/runs/{run}"), b"").await.json();
    assert_eq!(report["truth"]["edges"].as_array().unwrap().len(), 10);
    assert!(report["repeat"]["command"].as_str().unwrap().starts_with("npvar simulate ER-SIN-1"));
    assert!(Path::new(site.folder.path()).join("runs").join(format!("{run}.run")).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_leaves_no_upload_whoever_holds_a_connection() {
    let site = Site::start().await;
    let table = site.upload(&table(1000)).await;
    let tables = || std::fs::read_dir(site.folder.path().join("tmp")).unwrap().count();
    assert_eq!(tables(), 1);
    // A run that goes on, a stream of progress, a connection that is kept, and an upload on its way.
    let run = site.run(json!({"table": table, "learner": "gsges", "seed": 1, "bootstrap": 100_000})).await.json();
    let mut watch = site.watch().await;
    watch.until(run["id"].as_str().unwrap(), &["running"]).await;
    let mut held = Vec::new();
    for (line, rest) in [("GET", "api/about HTTP/1.1"), ("POST", "api/tables HTTP/1.1\r\nContent-Length: 100000")] {
        let mut stream = TcpStream::connect(("127.0.0.1", site.port)).await.unwrap();
        let request = format!("{line} /{}/{rest}\r\n{}\r\n\r\n", site.token, site.own_host());
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.write_all(if line == "POST" { &b"a,b\n"[..] } else { b"" }).await.unwrap();
        held.push(stream);
    }
    let folder = site.end().await;
    assert_eq!(std::fs::read_dir(folder.path().join("tmp")).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(folder.path().join("runs")).unwrap().count(), 0, "no half-written run");
    assert_eq!(held.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_silent_keep_nobody_out_and_the_page_keeps_its_connection() {
    let limits = Limits { head_patience: Duration::from_secs(2), ..LIMITS };
    let site = Site::start_in(TempDir::new().unwrap(), limits).await;
    let mut watch = site.watch().await;
    // Its head has come, so this one is the page's.
    watch.stream.readable().await.unwrap();
    let mut silent = Vec::new();
    for _ in 0..3 * limits.connections {
        silent.push(TcpStream::connect(("127.0.0.1", site.port)).await.unwrap());
    }
    // On a busy machine a request may itself come too late once or twice.
    while site.ask("GET", "api/about", b"").await.status != 200 {}
    for mut stream in silent {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut [0])).await.expect("closed in time");
        assert!(matches!(read, Ok(0) | Err(_)));
    }
    let id = loop {
        let answer = site.ask("POST", "api/tables?name=t.csv", table(100).as_bytes()).await;
        if answer.status == 200 {
            break answer.json()["id"].clone();
        }
    };
    let run = site.run(json!({"table": id, "learner": "eqvar", "seed": 1})).await.json();
    watch.until(run["id"].as_str().unwrap(), &["done"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_cannot_be_written_is_shown_all_the_same() {
    let site = Site::start().await;
    let id = site.upload(&table(100)).await;
    // Nothing can be written into a folder that is gone, as on a disk that is full.
    std::fs::remove_dir(site.folder.path().join("runs")).unwrap();
    let run = site.run(json!({"table": id, "learner": "eqvar", "seed": 1})).await.json();
    let run = run["id"].as_str().unwrap();
    let over = site.finish(run).await;
    assert_eq!(over["status"], "done");
    assert!(over["words"].as_str().unwrap().contains("until the server ends"), "{over}");
    assert_eq!(site.ask("GET", &format!("api/runs/{run}"), b"").await.json()["samples"], 100);
    assert!(site.ask("GET", "api/runs", b"").await.json()["finished"][0]["not_kept"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_cannot_be_read_is_answered_as_all_others() {
    let site = Site::start().await;
    let id = site.upload(&table(20)).await;
    for path in [format!("api/tables/{id}?header=perhaps"), format!("api/tables/{id}?header=true&header=false")] {
        let answer = site.ask("GET", &path, b"").await;
        assert_eq!(answer.status, 400);
        assert!(answer.json()["error"].is_string(), "{}", answer.text());
    }
}
