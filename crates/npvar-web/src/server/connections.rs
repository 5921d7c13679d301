//! Who may hold a connection, and how long.
//!
//! Anybody on this machine can connect; only the page knows the token. So a connection must send the head of a request
//! within [`Limits::head_patience`], one that neither sends nor takes a byte for [`SILENCE`] is closed, and when all
//! [`Limits::connections`] are taken the oldest that has sent no request of the page makes room for the next.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::Limits;

/// Longer than the preview of any table takes. A page that follows runs hears from the server every 15 seconds.
const SILENCE: Duration = Duration::from_secs(120);
/// How long to wait when the system gives no further connection, as when it has no more files.
const TROUBLE: Duration = Duration::from_millis(200);

/// Serves until it is dropped, which closes every connection.
pub(super) async fn serve(listener: TcpListener, app: Router, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let strangers = Arc::new(Strangers::default());
    let mut connections = JoinSet::new();
    for number in 0.. {
        let stream = loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => break stream,
                    Err(_) => sleep(TROUBLE).await,
                },
                Some(_) = connections.join_next() => {}
            }
        };
        let place = strangers.place(&places, limits.head_patience / 10).await;
        let stranger = strangers.add(number);
        let closed = stranger.close.clone();
        let service = TowerToHyperService::new(app.clone().layer(Extension(stranger)));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(limits.head_patience);
        let serving = http.serve_connection(TokioIo::new(Connection::new(stream, place, SILENCE)), service);
        connections.spawn(async move {
            tokio::select! {
                _ = serving => {}
                () = closed.notified() => {}
            }
        });
    }
}

/// Connections that have sent no request of the page yet, by age.
#[derive(Default)]
struct Strangers(Mutex<BTreeMap<u64, (Instant, Arc<Notify>)>>);

impl Strangers {
    fn waiting(&self) -> MutexGuard<'_, BTreeMap<u64, (Instant, Arc<Notify>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(self: &Arc<Self>, number: u64) -> Stranger {
        let close = Arc::new(Notify::new());
        self.waiting().insert(number, (Instant::now(), close.clone()));
        Stranger { known: Arc::new(Known { number, strangers: self.clone() }), close }
    }

    /// A place, made if need be: a stranger that has waited for `grace` is closed.
    async fn place(&self, places: &Arc<Semaphore>, grace: Duration) -> OwnedSemaphorePermit {
        loop {
            let oldest = self.waiting().first_key_value().map(|(&number, (since, _))| (number, *since + grace));
            tokio::select! {
                biased;
                place = places.clone().acquire_owned() => return place.expect("the semaphore is never closed"),
                () = sleep_until(oldest.map_or_else(|| Instant::now() + TROUBLE, |(_, end)| end)) => {
                    if let Some((number, _)) = oldest
                        && let Some((_, close)) = self.waiting().remove(&number)
                    {
                        close.notify_one();
                    }
                }
            }
        }
    }
}

/// A connection, as its requests know it: a stranger until one of them is let in.
#[derive(Clone)]
pub(super) struct Stranger {
    known: Arc<Known>,
    close: Arc<Notify>,
}

impl Stranger {
    /// From now on it is not closed in favour of others.
    pub(super) fn is_the_page(&self) {
        self.known.strangers.waiting().remove(&self.known.number);
    }
}

/// Is dropped with its connection.
struct Known {
    number: u64,
    strangers: Arc<Strangers>,
}

impl Drop for Known {
    fn drop(&mut self) {
        self.strangers.waiting().remove(&self.number);
    }
}

/// A connection that gives its place back when it is closed, which it is after a long silence.
struct Connection {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
    patience: Pin<Box<Sleep>>,
    silence: Duration,
}

impl Connection {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, silence: Duration) -> Self {
        Connection { stream, _place: place, patience: Box::pin(sleep(silence)), silence }
    }

    /// Bytes went one way or the other.
    fn heard(&mut self) {
        let silence = self.silence;
        self.patience.as_mut().reset(Instant::now() + silence);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => self.patience.as_mut().poll(context).map(|()| Err(std::io::ErrorKind::TimedOut.into())),
            ready => {
                self.heard();
                ready
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.heard();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn a_connection_that_is_silent_for_too_long_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut silent = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let mut kept = Connection::new(stream, place, Duration::from_millis(1));
        assert!(kept.read_u8().await.is_err());
        drop(kept);
        assert_eq!(silent.read(&mut [0]).await.unwrap(), 0, "closed");
    }
}
