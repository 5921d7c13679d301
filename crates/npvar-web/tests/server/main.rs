//! The server as an attacker, a careless user and a crowd see it: over real connections.
#![cfg(feature = "server")]
#![allow(missing_docs, clippy::unwrap_used)]

mod crowd;
mod runs;
mod site;
mod strangers;
mod tables;
