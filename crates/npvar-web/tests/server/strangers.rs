//! Who is refused, and what: other sites, paths, requests that are none.

use serde_json::json;

use crate::site::{Site, answer, table};

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
async fn the_address_of_an_earlier_start_shows_a_person_a_page_and_a_program_json() {
    let site = Site::start().await;
    let old = format!("/{}/", "0".repeat(site.token.len()));
    let person = [site.own_host(), "Accept: text/html,application/xhtml+xml".to_owned()];
    let answer = site.raw("GET", &old, &person, b"").await;
    assert_eq!(answer.status, 404);
    assert!(answer.head.contains("content-type: text/html") && answer.text().contains("no longer served"));
    assert!(!answer.text().contains(&site.token));
    let answer = site.raw("GET", &old, &[site.own_host(), "Accept: application/json".to_owned()], b"").await;
    assert_eq!((answer.status, answer.json()["error"].is_string()), (404, true));
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
async fn a_question_that_cannot_be_read_is_answered_as_all_others() {
    let site = Site::start().await;
    let id = site.upload(&table(20)).await;
    for path in [format!("api/tables/{id}?header=perhaps"), format!("api/tables/{id}?header=true&header=false")] {
        let answer = site.ask("GET", &path, b"").await;
        assert_eq!(answer.status, 400);
        assert!(answer.json()["error"].is_string(), "{}", answer.text());
    }
}
