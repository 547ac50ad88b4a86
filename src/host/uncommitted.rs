//! How many uncommitted files the folders of sessions hold, counted before somebody asks by it
//! (`spec/store.md` P5).

use crate::domain::ids::SessionId;
use crate::domain::query::{Filter, PageQuery};
use crate::domain::session::{FolderKind, Session};

use super::Host;
use super::context::{ADVICE, Context};
use super::error::HostResult;
use super::parallel;
use super::ports::Ports;

/// Folders looked at side by side.
const LOOKING: usize = 8;
/// Sessions read at a time.
const PAGE: usize = 1_000;

impl<P: Ports> Host<P> {
    /// Counts anew in the folder of every session, deleted or not, that the other words of `filter`
    /// let through.
    ///
    /// # Errors
    /// Cancelled, or the store cannot be read or written. A folder that cannot be looked at has no
    /// number.
    pub async fn count_uncommitted(
        &self,
        ctx: &Context,
        filter: &Filter,
        deleted: bool,
    ) -> HostResult<()> {
        let filter = Filter { dirty: None, ..filter.clone() };
        let mut query = PageQuery { filter, deleted, limit: PAGE, ..PageQuery::default() };
        loop {
            ctx.check("counting uncommitted files")?;
            let page = self.ports.page(&query).await?;
            self.count_uncommitted_of(ctx, page.sessions).await?;
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                return Ok(());
            }
        }
    }

    /// Counts anew in the folders of `sessions`.
    ///
    /// # Errors
    /// As [`Host::count_uncommitted`].
    pub async fn count_uncommitted_of(
        &self,
        ctx: &Context,
        sessions: Vec<Session>,
    ) -> HostResult<()> {
        let counted = parallel::ordered(LOOKING, sessions, |session| {
            let (host, ctx) = (self.clone(), ctx.within(ADVICE));
            async move {
                let now = host.uncommitted(&ctx, &session).await;
                (now != session.dirty).then_some((session.id, now))
            }
        });
        let changed: Vec<(SessionId, Option<u32>)> = counted.await.into_iter().flatten().collect();
        if !changed.is_empty() {
            self.ports.set_dirty(&changed).await?;
        }
        Ok(())
    }

    async fn uncommitted(&self, ctx: &Context, session: &Session) -> Option<u32> {
        let folder = match &session.deletion {
            Some(deletion) => deletion.trash_path.as_deref()?,
            None if session.folder_kind == FolderKind::None => return None,
            None => session.folder.as_path(),
        };
        if folder.as_os_str().is_empty() {
            return None;
        }
        let advice = self.ports.advice(ctx, folder);
        ctx.step("counting uncommitted files", advice).await.ok()?.dirty_files
    }
}
