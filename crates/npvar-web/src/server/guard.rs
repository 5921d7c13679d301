//! Who may ask, and what every answer says.
//!
//! Other programs' pages in the same browser are the danger: they can send requests to 127.0.0.1 and rename hosts to it.
//! So the token must be in the path, `Host` must be this server (a renamed host is not), and `Origin` and
//! `Sec-Fetch-Site`, where a browser sends them, must be this page's own.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

use super::failure::Failure;

/// The page runs its own script and style, talks to its own server, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// On every answer, refusals too.
const HEADERS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // The address holds the token: it goes nowhere else, and no cache keeps it.
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

pub(super) struct Guard {
    prefix: String,
    hosts: [String; 2],
}

impl Guard {
    pub(super) fn new(token: &str, port: u16) -> Self {
        Guard { prefix: format!("/{token}/"), hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    fn check(&self, path: &str, headers: &HeaderMap) -> Result<(), Failure> {
        let one = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            let first = values.next();
            if values.next().is_some() { None } else { first }
        };
        let host = one(header::HOST).and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.hosts.iter().any(|own| own == host)) {
            return Err(Failure::new(StatusCode::MISDIRECTED_REQUEST, "this server is only for its own address"));
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = one(header::ORIGIN).and_then(|origin| origin.to_str().ok());
            let own = |origin: &str| self.hosts.iter().any(|host| origin.strip_prefix("http://") == Some(host));
            if !origin.is_some_and(own) {
                return Err(Failure::new(StatusCode::FORBIDDEN, "requests come from the page of this server only"));
            }
        }
        let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        if !matches!(site, None | Some(b"same-origin" | b"none")) {
            return Err(Failure::new(StatusCode::FORBIDDEN, "requests come from the page of this server only"));
        }
        if !begins_with(path.as_bytes(), self.prefix.as_bytes()) {
            return Err(Failure::not_found());
        }
        Ok(())
    }
}

/// In a time that does not tell how many bytes agree.
fn begins_with(path: &[u8], prefix: &[u8]) -> bool {
    path.len() >= prefix.len() && path.iter().zip(prefix).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// The routes behind the guard.
pub(super) fn guarded(guard: Guard, routes: Router) -> Router {
    routes.layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn admit(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(request.uri().path(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(path: &str, headers: &[(&str, &str)]) -> Option<StatusCode> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), HeaderValue::from_str(value).unwrap());
        }
        Guard::new("secret", 80).check(path, &map).err().map(|failure| failure.status())
    }

    #[test]
    fn only_the_own_page_is_let_in() {
        let own = ("host", "127.0.0.1:80");
        assert_eq!(answer("/secret/", &[own]), None);
        assert_eq!(answer("/secret/api/runs", &[("host", "localhost:80"), ("origin", "http://localhost:80")]), None);
        assert_eq!(answer("/secret/", &[own, ("sec-fetch-site", "none")]), None);
        for path in ["/", "/secret", "/secre/", "/secrex/", "/Secret/", "//secret/"] {
            assert_eq!(answer(path, &[own]), Some(StatusCode::NOT_FOUND), "{path}");
        }
        for hosts in [&[][..], &[("host", "evil.example:80")], &[("host", "127.0.0.1")], &[own, own], &[("host", "")]] {
            assert_eq!(answer("/secret/", hosts), Some(StatusCode::MISDIRECTED_REQUEST), "{hosts:?}");
        }
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1:80", "http://127.0.0.1:81", "http://127.0.0.1:80.evil"]
        {
            assert_eq!(answer("/secret/", &[own, ("origin", origin)]), Some(StatusCode::FORBIDDEN), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(answer("/secret/", &[own, ("sec-fetch-site", site)]), Some(StatusCode::FORBIDDEN), "{site}");
        }
    }
}
