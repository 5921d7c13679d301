//! Requests over real connections, without a library.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// An answer may take this long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a server listens.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub(super) port: u16,
    token: String,
}

impl Site {
    /// From the address that the server prints.
    pub(super) fn of(address: &str) -> Result<Self> {
        let rest = address.trim().strip_prefix("http://127.0.0.1:").context("no address")?;
        let (port, token) = rest.trim_end_matches('/').split_once('/').context("no token")?;
        Ok(Site { port: port.parse()?, token: token.to_owned() })
    }

    pub(super) fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// The head of a request with a body of so many bytes.
    pub(super) fn head(&self, method: &str, path: &str, length: usize) -> String {
        let (port, token) = (self.port, &self.token);
        format!(
            "{method} /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n"
        )
    }

    /// Status and body.
    pub(super) fn ask(&self, method: &str, path: &str, body: &[u8]) -> Result<(u16, String)> {
        let mut stream = self.connect()?;
        stream.write_all(self.head(method, path, body.len()).as_bytes())?;
        // The server may refuse before it has read everything.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let read = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let Some((head, body)) = answer.split_once("\r\n\r\n") else {
            read?;
            bail!("no answer to {method} {path}");
        };
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
        Ok((status, body.to_owned()))
    }

    pub(super) fn json(&self, method: &str, path: &str, body: &[u8]) -> Result<(u16, Value)> {
        let (status, body) = self.ask(method, path, body)?;
        let value = serde_json::from_str(&body).with_context(|| format!("{method} {path}: no JSON: {body:.200}"))?;
        Ok((status, value))
    }
}
