//! Frames as bytes.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ratatui::Frame;

use super::doubt::{Careful, Rows};
use crate::tui::links::Links;

/// Around a frame, so that it is shown whole.
const BEGIN_FRAME: &[u8] = b"\x1b[?2026h";
const END_FRAME: &[u8] = b"\x1b[?2026l";

/// What the terminal shows, beginning with nothing.
pub(in crate::tui) struct Canvas {
    inner: ratatui::Terminal<Careful<FrameBuffer>>,
    rows: Rows,
    links: Arc<Mutex<Links>>,
    /// The terminal knows hyperlinks, or leaves them out at least.
    linking: bool,
    out: FrameBuffer,
}

impl Canvas {
    /// An empty one of the size of the terminal.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(in crate::tui) fn new() -> io::Result<Self> {
        let out = FrameBuffer::default();
        let links = Arc::default();
        let inner = ratatui::Terminal::new(Careful::new(out.clone(), Arc::clone(&links)))?;
        Ok(Self { inner, rows: Rows::default(), links, linking: super::takes_strings(), out })
    }

    /// What has to be written for a frame.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(in crate::tui) fn draw(
        &mut self,
        view: impl FnOnce(&mut Frame<'_>, &mut Links),
    ) -> io::Result<Vec<u8>> {
        self.out.push(BEGIN_FRAME);
        let rows = &mut self.rows;
        self.inner.draw(|frame| {
            let mut links = Links::default();
            view(frame, &mut links);
            let mut shown = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            let before = std::mem::take(&mut *shown);
            if self.linking {
                *shown = links;
            }
            rows.mark(frame.buffer_mut(), |y| !shown.same_row(&before, y));
        })?;
        self.out.push(END_FRAME);
        Ok(self.out.take())
    }

    /// Has bytes written with the next frame.
    pub(in crate::tui) fn push(&self, bytes: &[u8]) {
        self.out.push(bytes);
    }

    /// Bytes that wait for the next frame.
    pub(in crate::tui) fn waiting(&self) -> usize {
        self.out.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Columns and rows of the terminal.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(in crate::tui) fn size(&self) -> io::Result<(u16, u16)> {
        self.inner.size().map(|size| (size.width, size.height))
    }
}

/// Collects a frame. Shared with the backend, which keeps its writer to itself.
#[derive(Clone, Default)]
struct FrameBuffer(Arc<Mutex<Vec<u8>>>);

impl FrameBuffer {
    fn push(&self, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for FrameBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    /// Does nothing: ratatui flushes several times a frame.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
