//! Runs: made, kept, cancelled, shown.

use std::path::Path;

use serde_json::json;

use crate::site::{LIMITS, LOGGED, Site, table};

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
    assert_eq!(report["repeat"]["command"], "npvar learn t.csv --set cutoff=0.01 --seed 3");
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
async fn what_goes_wrong_inside_is_told_on_the_terminal_and_not_to_the_client() {
    let site = Site::start().await;
    let temporary = site.folder.path().join("tmp");
    std::fs::remove_dir_all(&temporary).unwrap();
    let answer = site.ask("POST", "api/tables?name=t.csv", b"a,b\n1,2\n").await;
    assert_eq!(answer.status, 507);
    assert!(answer.text().contains("its terminal says why") && !answer.text().contains("No such file"));
    let logged = LOGGED.lock().unwrap().clone();
    assert!(logged.iter().any(|line| line.starts_with("an upload cannot be written: No such file")), "{logged:?}");
    std::fs::create_dir(&temporary).unwrap();
}
