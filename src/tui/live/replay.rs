//! The last screen of a session that runs no more, from what its keeper wrote down.

use std::io;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::runtime::client::recording::{Piece, Recording};
use crate::runtime::screen::{Screen, Size};

/// Which state of a history a screen was made of: the newest file of it and its length.
pub(super) type Stamp = Option<(PathBuf, u64)>;

/// The state of the history in `folder`, read in the background.
pub(super) async fn stamp(folder: PathBuf) -> Stamp {
    tokio::task::spawn_blocking(move || newest(&folder)).await.ok().flatten()
}

fn newest(folder: &Path) -> Stamp {
    let files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let newest = files.map(|file| file.path()).max()?;
    let length = newest.metadata().ok()?.len();
    Some((newest, length))
}

/// Reads the history in `folder` in the background; none where nothing was written down.
pub(super) async fn last_screen(folder: PathBuf, history: usize) -> Option<Screen> {
    let cancel = CancellationToken::new();
    // Who stops to wait does not look at it any more.
    let _guard = cancel.clone().drop_guard();
    let read = tokio::task::spawn_blocking(move || replay(&folder, history, &cancel));
    let screen = read.await.ok()?;
    screen.unwrap_or_else(|error| {
        tracing::warn!(%error, "a history cannot be read");
        None
    })
}

/// Plays a recording to its end. What an earlier launch showed is not part of the last screen.
fn replay(folder: &Path, history: usize, cancel: &CancellationToken) -> io::Result<Option<Screen>> {
    let mut size = Size { cols: 80, rows: 24 };
    let mut screen: Option<Screen> = None;
    for piece in Recording::open(folder)? {
        if cancel.is_cancelled() {
            return Ok(None);
        }
        match piece?.1 {
            Piece::Size(now) => {
                size = now;
                if let Some(screen) = &mut screen {
                    screen.resize(now);
                }
            }
            Piece::Screen(bytes) => {
                let mut anew = Screen::new(size, history);
                anew.replay(&bytes);
                screen = Some(anew);
            }
            Piece::Output(bytes) => {
                screen.get_or_insert_with(|| Screen::new(size, history)).feed(&bytes);
            }
        }
        if let Some(screen) = &mut screen {
            // Nobody waits for the answers any more.
            screen.take_replies();
        }
    }
    Ok(screen)
}
