//! Some threads decode blocks while another uses them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use super::Block;
use super::filler::{Emit, OwnedBlock, RowCounts};
use crate::error::Result;

/// How many decoded blocks may wait to be used.
const BLOCKS_AHEAD: usize = 3;

/// How many files are decoded at once: beyond it the sums over the rows take longer than the decoding.
const FILES_AHEAD: usize = 4;

/// A file being decoded on a thread of its own: its blocks, and at the end its row counts.
struct Decoding<'scope> {
    blocks: Receiver<OwnedBlock>,
    counts: ScopedJoinHandle<'scope, Result<RowCounts>>,
}

impl<'scope> Decoding<'scope> {
    fn begin<'env>(
        scope: &'scope Scope<'scope, 'env>,
        decode: impl FnOnce(&mut Emit<'_>) -> Result<RowCounts> + Send + 'scope,
    ) -> Self {
        let (sender, blocks) = sync_channel::<OwnedBlock>(BLOCKS_AHEAD);
        let counts = scope.spawn(move || {
            decode(&mut |block| match sender.send(block) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()), // the receiver is gone: nobody wants more
            })
        });
        Decoding { blocks, counts }
    }

    fn finish(self) -> Result<RowCounts> {
        self.counts.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

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
        let decoding = Decoding::begin(scope, decode);
        for block in &decoding.blocks {
            if visit(&block.view())?.is_break() {
                return Ok(None);
            }
        }
        decoding.finish().map(Some)
    })
}

/// Decodes files one after the other as `visit` sees them, with up to [`FILES_AHEAD`] being decoded at once. Blocks are
/// those of the files: `visit` must not rely on their sizes and first rows.
///
/// # Errors
/// The first error of `visit` or of a decoder, in the order of the files; the others are told to stop.
pub(super) fn read_all_ahead<D: FnOnce(&mut Emit<'_>) -> Result<RowCounts> + Send>(
    files: impl IntoIterator<Item = D>,
    visit: &mut dyn FnMut(&Block<'_>) -> Result<ControlFlow<()>>,
) -> Result<Option<RowCounts>> {
    let mut files = files.into_iter();
    let at_once = thread::available_parallelism().map_or(1, usize::from).min(FILES_AHEAD);
    let mut all = RowCounts::default();
    thread::scope(|scope| {
        let mut decoding: VecDeque<Decoding<'_>> =
            files.by_ref().take(at_once).map(|decode| Decoding::begin(scope, decode)).collect();
        while let Some(file) = decoding.pop_front() {
            for block in &file.blocks {
                if visit(&block.view())?.is_break() {
                    return Ok(None);
                }
            }
            let RowCounts { kept, dropped } = file.finish()?;
            all.kept += kept;
            all.dropped += dropped;
            decoding.extend(files.next().map(|decode| Decoding::begin(scope, decode)));
        }
        Ok(Some(all))
    })
}
