//! A refusal: a status and a sentence, as JSON.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    message: String,
}

impl Failure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    /// What the client sent cannot be used.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Failure::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn not_found() -> Self {
        Failure::new(StatusCode::NOT_FOUND, "there is nothing here")
    }

    /// Something on our side; the client learns no more.
    pub(super) fn internal() -> Self {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the server could not do this; its terminal may say why")
    }

    #[cfg(test)]
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": self.message}))).into_response()
    }
}
