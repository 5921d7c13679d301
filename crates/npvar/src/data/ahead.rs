//! One thread decodes blocks while another uses them.

use std::ops::ControlFlow;
use std::sync::mpsc::sync_channel;
use std::thread;

use super::Block;
use super::filler::{Emit, OwnedBlock, RowCounts};
use crate::error::Result;

/// How many decoded blocks may wait to be used.
const BLOCKS_AHEAD: usize = 3;

/// Runs `decode` on a thread of its own, [`BLOCKS_AHEAD`] blocks ahead of `visit`, which sees the blocks in order on the
/// calling thread. The row counts, unless `visit` broke the reading off.
///
/// # Errors
/// The first error of `visit` or of `decode`; the other is told to stop.
pub(super) fn read_ahead(
    decode: impl FnOnce(&mut Emit<'_>) -> Result<RowCounts> + Send,
    visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>,
) -> Result<Option<RowCounts>> {
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel::<OwnedBlock>(BLOCKS_AHEAD);
        let decoder = scope.spawn(move || {
            decode(&mut |block| match sender.send(block) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()), // the receiver is gone: nobody wants more
            })
        });
        for block in receiver {
            if visit(&block.view())?.is_break() {
                return Ok(None);
            }
        }
        match decoder.join() {
            Ok(counts) => counts.map(Some),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
