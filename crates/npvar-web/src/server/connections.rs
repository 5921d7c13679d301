//! A listener with a limit: further connections wait until one is closed, so that no crowd uses up the process's files; and
//! one that neither sends nor takes a byte for long is closed, so that the silent do not keep the others out.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Longer than the preview of any table takes. A page that follows a run hears from the server every 15 seconds.
const SILENCE: Duration = Duration::from_secs(120);

pub(super) struct Limited {
    listener: TcpListener,
    places: Arc<Semaphore>,
    silence: Duration,
}

impl Limited {
    pub(super) fn new(listener: TcpListener, connections: usize) -> Self {
        Limited { listener, places: Arc::new(Semaphore::new(connections)), silence: SILENCE }
    }
}

impl Listener for Limited {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = self.places.clone().acquire_owned().await.expect("the semaphore is never closed");
        let (stream, address) = Listener::accept(&mut self.listener).await;
        let patience = Box::pin(sleep(self.silence));
        (Connection { stream, _place: place, patience, silence: self.silence }, address)
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that gives its place back when it is closed.
pub(super) struct Connection {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
    patience: Pin<Box<Sleep>>,
    silence: Duration,
}

impl Connection {
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test]
    async fn the_silent_are_closed_and_give_their_place_to_others() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut limited = Limited { silence: Duration::from_millis(1), ..Limited::new(listener, 1) };
        let mut silent = TcpStream::connect(address).await.unwrap();
        let (mut kept, _) = limited.accept().await;
        // However slow this machine is, the next is never silent for so long.
        limited.silence = Duration::from_secs(3600);
        let mut talker = TcpStream::connect(address).await.unwrap();
        tokio::spawn(async move {
            // Reading is what meets the end of patience, and closing gives the place back.
            assert!(kept.read_u8().await.is_err());
            drop(kept);
        });
        // There is one place: this waits for it.
        let (mut second, _) = limited.accept().await;
        assert_eq!(silent.read(&mut [0]).await.unwrap(), 0, "closed");
        for _ in 0..3 {
            talker.write_all(b"x").await.unwrap();
            assert_eq!(second.read_u8().await.unwrap(), b'x');
        }
    }
}
