//! What can be asked for. All answers but the page are JSON.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use npvar::Seed;
use npvar::data::Missing;
use npvar::graph::WrittenKnowledge;
use npvar::judge::{Bootstrap, Resampling};
use npvar::learner::{Assignment, LearnerConfig, LearnerDescription};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::failure::Failure;
use super::preview::preview;
use super::uploads::Upload;
use super::worker::Request;
use super::{Shared, examples};
use crate::places::places;
use crate::report;

const PAGE: &str = include_str!("../../page/dist/app.html");
const SCRIPT: &str = include_str!("../../page/dist/app.js");
const STYLE: &str = include_str!("../../page/dist/app.css");

/// Bytes of a request other than an upload.
const REQUEST_BYTES: usize = 1 << 20;

type Answer = Result<Json<Value>, Failure>;
type Server = State<Arc<Shared>>;
type Asked<T> = Result<Query<T>, QueryRejection>;

/// All addresses, each beginning with the token.
pub(super) fn routes(token: &str, shared: Arc<Shared>) -> Router {
    let at = |path: &str| format!("/{token}{path}");
    let text = |kind: &'static str, content: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], content).into_response() })
    };
    Router::new()
        .route(&at("/"), text("text/html; charset=utf-8", PAGE))
        .route(&at("/app.js"), text("text/javascript; charset=utf-8", SCRIPT))
        .route(&at("/app.css"), text("text/css; charset=utf-8", STYLE))
        .route(&at("/api/about"), get(about))
        .route(&at("/api/tables"), post(upload).layer(DefaultBodyLimit::disable()))
        .route(&at("/api/examples/{name}"), post(example))
        .route(&at("/api/tables/{id}"), get(look))
        .route(&at("/api/runs"), get(runs).post(run))
        .route(&at("/api/runs/{id}"), get(run_report).delete(remove))
        .route(&at("/api/runs/{id}/cancel"), post(cancel))
        .route(&at("/api/progress"), get(progress))
        .route(&at("/api/runs/{id}/report.html"), get(report_file))
        .fallback(|| async { Failure::not_found() })
        .layer(DefaultBodyLimit::max(REQUEST_BYTES))
        .with_state(shared)
}

/// Everything the page needs to begin.
async fn about(State(shared): Server) -> Json<Value> {
    Json(json!({
        "learners": LearnerDescription::all(),
        "missing": Missing::ALL.map(|missing| json!({"name": missing.name(), "does": missing.summary()})),
        "examples": examples::list(),
        "version": env!("CARGO_PKG_VERSION"),
        "upload_bytes": shared.limits.upload_bytes,
    }))
}

#[derive(Deserialize)]
struct UploadQuery {
    #[serde(default)]
    name: String,
}

async fn upload(State(shared): Server, query: Asked<UploadQuery>, body: Body) -> Answer {
    let query = asked(query)?;
    let table = shared.uploads.take(&query.name, body).await?;
    described(&shared, table, true).await
}

async fn example(State(shared): Server, Path(name): Path<String>) -> Answer {
    let making = shared.clone();
    let table =
        blocking(move || examples::table(&name, &making.uploads).map(|table| making.uploads.add(table))).await??;
    described(&shared, table, true).await
}

#[derive(Deserialize)]
struct LookQuery {
    #[serde(default = "yes")]
    header: bool,
}

fn yes() -> bool {
    true
}

/// What stands after the question mark.
fn asked<T>(query: Asked<T>) -> Result<T, Failure> {
    query.map(|Query(query)| query).map_err(|rejection| Failure::bad(rejection.body_text()))
}

/// The table read in another way.
async fn look(State(shared): Server, Path(id): Path<String>, query: Asked<LookQuery>) -> Answer {
    let query = asked(query)?;
    let table = shared.uploads.get(&id).ok_or_else(Failure::not_found)?;
    described(&shared, table, query.header).await
}

async fn described(shared: &Arc<Shared>, table: Arc<Upload>, header: bool) -> Answer {
    let (limits, read) = (shared.limits, table.clone());
    let _place = shared.readers.acquire().await.map_err(Failure::internal)?;
    match blocking(move || preview(&read, header, limits)).await? {
        Ok(preview) => Ok(Json(json!({
            "id": table.id, "name": table.name, "header": header, "preview": preview,
            "truth": table.truth.as_ref().map(|(name, _)| name), "note": table.note,
        }))),
        Err(problem) => {
            shared.uploads.forget(&table.id);
            Err(Failure::bad(problem))
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunRequest {
    table: String,
    learner: String,
    #[serde(default)]
    settings: Vec<SettingRequest>,
    /// All when empty.
    #[serde(default)]
    columns: Vec<String>,
    #[serde(default = "yes")]
    header: bool,
    /// What to do where values are missing, as `--missing` says it; what serves the learner unless it is said.
    missing: Option<String>,
    /// What older pages say, and runs that were kept from them: whether rows may go. What serves the learner says more.
    #[serde(default, skip_serializing)]
    #[expect(dead_code, reason = "accepted, so that runs of older pages can be made again")]
    drop_missing: bool,
    seed: Option<u64>,
    /// How many bootstrap samples, if any.
    bootstrap: Option<usize>,
    #[serde(default)]
    resampling: Resampling,
    /// What is known of the graph.
    knowledge: Option<WrittenKnowledge>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingRequest {
    key: String,
    value: Value,
}

async fn run(State(shared): Server, request: Result<Json<RunRequest>, JsonRejection>) -> Answer {
    let Json(request) = request.map_err(|rejection| Failure::bad(rejection.body_text()))?;
    let table = shared.uploads.get(&request.table).ok_or_else(|| Failure::bad("the table is gone; upload it again"))?;
    // Kept with the run, so that it can be made again with changes.
    let asked = json!(request);
    let assignments = request.settings.into_iter().map(|SettingRequest { key, value }| Assignment::new(&key, value));
    let config = LearnerConfig::resolve(&request.learner, &Assignment::in_any_order(assignments))
        .map_err(|error| Failure::bad(error.to_string()))?;
    config.build().map_err(|error| Failure::bad(error.to_string()))?;
    let seed = request.seed.map_or_else(Seed::random, Seed);
    let missing = Missing::named(request.missing.as_deref().unwrap_or("auto"));
    let missing = missing.map_err(|expected| Failure::bad(format!("`missing`: {expected}")))?;
    let resampling = request.resampling;
    let bootstrap = request.bootstrap.map(|replicates| Bootstrap { replicates, resampling });
    bootstrap.map_or(Ok(()), |asked| asked.check()).map_err(|error| Failure::bad(error.to_string()))?;
    let RunRequest { header, columns, knowledge, .. } = request;
    let request = Request { table, config, header, columns, missing, seed, bootstrap, knowledge, asked };
    let job = shared.worker.submit(request)?;
    Ok(Json(json!({"id": job.id})))
}

async fn runs(State(shared): Server) -> Json<Value> {
    let board = shared.worker.board();
    let going: Vec<Value> = (shared.worker.jobs().iter())
        .map(|job| {
            let (title, learner) = job.title();
            json!({"id": job.id, "title": title, "learner": learner, "progress": board.get(&job.id)})
        })
        .collect();
    Json(json!({"going": going, "finished": shared.history.list()}))
}

async fn run_report(State(shared): Server, Path(id): Path<String>) -> Answer {
    stored_report(shared, id).await.map(Json)
}

/// The report of a finished run. A version that did not place nodes itself may have kept it.
async fn stored_report(shared: Arc<Shared>, id: String) -> Result<Value, Failure> {
    let found = blocking(move || shared.history.report(&id)).await?.map_err(Failure::internal)?;
    let mut report = found.ok_or_else(Failure::not_found)?;
    if report["places"].is_null() {
        report["places"] = places(&report["document"]).map_err(Failure::internal)?;
    }
    Ok(report)
}

/// The report as a file to keep or send.
async fn report_file(State(shared): Server, Path(id): Path<String>) -> Result<Response, Failure> {
    let page = report::html(&stored_report(shared, id).await?).map_err(Failure::internal)?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"report.html\""),
    ];
    Ok((headers, page).into_response())
}

async fn remove(State(shared): Server, Path(id): Path<String>) -> Answer {
    match blocking(move || shared.history.remove(&id)).await? {
        Ok(true) => Ok(Json(json!({}))),
        Ok(false) => Err(Failure::not_found()),
        Err(error) => Err(Failure::internal(error)),
    }
}

async fn cancel(State(shared): Server, Path(id): Path<String>) -> Answer {
    if shared.worker.cancel(&id) { Ok(Json(json!({}))) } else { Err(Failure::not_found()) }
}

/// Server-sent events: the state of all runs now, then after every change, until the client has heard enough.
async fn progress(State(shared): Server) -> Response {
    let board = shared.worker.board().clone();
    let events =
        futures_util::stream::unfold((board.changes(), board, true), |(mut changes, board, first)| async move {
            if !first {
                changes.changed().await.ok()?;
                // At most twenty a second; the last is never lost.
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
            changes.mark_unchanged();
            let event = Event::default().data(board.shown().to_string());
            Some((Ok::<_, Infallible>(event), (changes, board, false)))
        });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// Work that would hold up other requests.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(Failure::internal)
}
