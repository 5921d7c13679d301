//! Who may ask, and what every answer says.
//!
//! Other programs' pages in the same browser are the danger: they can send requests to 127.0.0.1 and rename hosts to it.
//! So the token must be in the path, `Host` and any authority in the address must be this server (a renamed host is not),
//! and `Origin` and `Sec-Fetch-Site`, where a browser sends them, must be this page's own. What is there twice is refused.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Response};
use axum::{Extension, Router};

use super::connections::Stranger;
use super::failure::{Cause, Failure};

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
    log: fn(&str),
}

impl Guard {
    pub(super) fn new(token: &str, port: u16, log: fn(&str)) -> Self {
        Guard { prefix: format!("/{token}/"), hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")], log }
    }

    fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let is_own = |host: &str| self.hosts.iter().any(|own| own == host);
        // What a header says, if it is there; it may be there once and in letters.
        let said = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            let first = values.next().map(|value| value.to_str().unwrap_or_default());
            if values.next().is_some() { Some("") } else { first }
        };
        let addressed = uri.authority().is_none_or(|authority| is_own(authority.as_str()));
        if !addressed || !said(header::HOST).is_some_and(is_own) {
            return Err(Failure::new(StatusCode::MISDIRECTED_REQUEST, "this server is only for its own address"));
        }
        let origin = said(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_own));
        let site = said(HeaderName::from_static("sec-fetch-site"));
        if !origin || !matches!(site, None | Some("same-origin" | "none")) {
            return Err(Failure::new(StatusCode::FORBIDDEN, "requests come from the page of this server only"));
        }
        if !begins_with(uri.path().as_bytes(), self.prefix.as_bytes()) {
            return Err(Failure::not_found());
        }
        Ok(())
    }
}

/// What a person sees at an address that this server does not have, as that of a server before it.
const LEFT_BEHIND: &str = include_str!("../../page/dist/left-behind.html");

/// Whether someone opened the address, rather than a page or a program.
fn is_for_a_person(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|accepted| accepted.to_str().ok());
    accepted.is_some_and(|accepted| accepted.contains("text/html"))
}

/// In a time that does not tell how many bytes agree.
fn begins_with(path: &[u8], prefix: &[u8]) -> bool {
    path.len() >= prefix.len() && path.iter().zip(prefix).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
}

/// The routes behind the guard.
pub(super) fn guarded(guard: Guard, routes: Router) -> Router {
    routes.layer(from_fn_with_state(Arc::new(guard), admit))
}

async fn admit(
    State(guard): State<Arc<Guard>>,
    Extension(stranger): Extension<Stranger>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.check(request.uri(), request.headers()) {
        Ok(()) => {
            stranger.is_the_page();
            next.run(request).await
        }
        Err(failure) if failure.is_not_found() && is_for_a_person(request.headers()) => {
            (StatusCode::NOT_FOUND, Html(LEFT_BEHIND)).into_response()
        }
        Err(failure) => failure.into_response(),
    };
    if let Some(Cause(cause)) = response.extensions_mut().remove() {
        (guard.log)(&cause);
    }
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
        Guard::new("secret", 80, |_| ()).check(&path.parse().unwrap(), &map).err().map(|failure| failure.status())
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
        let fetched = ("sec-fetch-site", "same-origin");
        assert_eq!(answer("/secret/", &[own, fetched, fetched]), Some(StatusCode::FORBIDDEN));
        assert_eq!(answer("http://127.0.0.1:80/secret/", &[own]), None);
        for foreign in
            ["http://evil.example/secret/", "http://evil.example:80/secret/", "http://u@127.0.0.1:80/secret/"]
        {
            assert_eq!(answer(foreign, &[own]), Some(StatusCode::MISDIRECTED_REQUEST), "{foreign}");
        }
    }
}
