//! A refusal: a status and a sentence, as JSON.

use std::fmt::Display;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    message: String,
    cause: Option<String>,
}

/// Why the server could not do something: for its log, not for the client.
#[derive(Debug, Clone)]
pub(super) struct Cause(pub(super) String);

impl Failure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Failure { status, message: message.into(), cause: None }
    }

    /// What the client sent cannot be used.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Failure::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn not_found() -> Self {
        Failure::new(StatusCode::NOT_FOUND, "there is nothing here")
    }

    /// Something on our side: the client learns no more, the log learns why.
    pub(super) fn internal(cause: impl Display) -> Self {
        let failure =
            Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "the server could not do this; its terminal says why");
        failure.because(cause)
    }

    /// The same, with a line for the log.
    pub(super) fn because(self, cause: impl Display) -> Self {
        Failure { cause: Some(cause.to_string()), ..self }
    }

    pub(super) fn is_not_found(&self) -> bool {
        self.status == StatusCode::NOT_FOUND
    }

    #[cfg(test)]
    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({"error": self.message}))).into_response();
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause));
        }
        response
    }
}
