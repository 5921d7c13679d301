//! Many clients at once, those that say nothing, and those that hold on at the end.

use std::sync::Arc;
use std::time::Duration;

use npvar_web::server::Limits;
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::site::{LIMITS, PATIENCE, Site, table};

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
