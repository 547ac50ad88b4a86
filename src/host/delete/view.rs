//! What a delete sees at one moment: plan, rows, and runtimes without a row (`spec/lifecycle.md` D2,
//! D4, D5, D7).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::domain::ids::SessionId;
use crate::domain::operation::Asked;
use crate::domain::plan::{self, Plan, PlanItem, PlanRow, SkipReason, Skipped};
use crate::domain::rail::SectionKey;
use crate::domain::session::Session;
use crate::domain::status::Status;
use crate::domain::time::Timestamp;

use super::super::Host;
use super::super::context::{ADVICE, Context};
use super::super::error::HostResult;
use super::super::parallel;
use super::super::ports::Ports;
use super::super::report::DeleteRequest;
use super::run::Run;

/// How many worktrees are looked at at once.
const LOOKING: usize = 8;

/// One look.
#[derive(Default)]
pub(super) struct View {
    pub(super) plan: Plan,
    /// Rows of requested sessions and all their descendants.
    rows: Vec<PlanRow>,
    /// Requested runtimes that have no row (D7).
    rowless: Vec<SessionId>,
}

impl View {
    /// Nothing to delete or close.
    pub(super) fn is_empty(&self) -> bool {
        self.plan.is_empty() && self.rowless.is_empty()
    }

    /// The plan for people: runtimes without a row are shown as what they are (D7).
    pub(super) fn shown(&self, now: Timestamp) -> Plan {
        let Self { plan, rowless, .. } = self;
        let mut plan = plan.clone();
        plan.skipped.retain(|skip| !rowless.contains(&skip.id));
        plan.items.extend(rowless.iter().cloned().map(|id| PlanItem {
            row: PlanRow {
                id,
                parent: None,
                title: "a running program without a session".to_owned(),
                agent: String::new(),
                status: Status::Working,
                section: SectionKey::conversations(),
                pinned: false,
                live: true,
                last_activity_at: now,
                open_pr: None,
            },
            pulled_in_by: None,
            advice: plan::Advice::default(),
        }));
        plan.items.sort_by(|a, b| a.row.id.cmp(&b.row.id));
        plan
    }

    /// Every session that is deleted or closed, ascending: the identity of what is admitted.
    pub(super) fn touched(&self) -> Vec<SessionId> {
        let ids: BTreeSet<SessionId> =
            self.plan.ids().into_iter().chain(self.rowless.iter().cloned()).collect();
        ids.into_iter().collect()
    }

    /// Sessions whose runtimes are to be closed, ascending.
    pub(super) fn runtimes(&self) -> BTreeSet<SessionId> {
        let rows = self.plan.items.iter().map(|item| &item.row);
        let live = rows.filter(|row| row.live).map(|row| row.id.clone());
        live.chain(self.rowless.iter().cloned()).collect()
    }

    /// Closed runtimes that have no row.
    pub(super) fn rowless_of(&self, closed: &BTreeSet<SessionId>) -> Vec<SessionId> {
        self.rowless.iter().filter(|id| closed.contains(*id)).cloned().collect()
    }

    /// What is written down with the operation, so that another process can go on with it.
    pub(super) fn asked(&self, request: &DeleteRequest) -> Asked {
        let pulled_in = self.plan.items.iter().filter(|item| item.pulled_in_by.is_some());
        Asked {
            by: request.actor.to_string(),
            pulled_in: pulled_in.map(|item| item.row.id.clone()).collect(),
            conditions: request.conditions.clone(),
            with_rowless: request.with_rowless,
            ..Asked::default()
        }
    }

    /// Those that were requested themselves: what the transaction computes the closure of.
    pub(super) fn requested(&self) -> BTreeSet<SessionId> {
        let items = self.plan.items.iter().filter(|item| item.pulled_in_by.is_none());
        items.map(|item| item.row.id.clone()).collect()
    }

    /// Whether something of the plan did not end.
    pub(super) fn has_stubborn(&self) -> bool {
        self.plan.skipped.iter().any(|skip| skip.reason == SkipReason::DidNotEnd)
    }

    /// The plan without those that did not end, and without the requested sessions above them, which
    /// cannot go before them (D6).
    pub(super) fn without(mut self, stubborn: &BTreeSet<SessionId>, now: Timestamp) -> Self {
        if stubborn.is_empty() {
            return self;
        }
        let parents: BTreeMap<&SessionId, &SessionId> =
            self.rows.iter().filter_map(|row| Some((&row.id, row.parent.as_ref()?))).collect();
        let mut left: BTreeMap<SessionId, SkipReason> = BTreeMap::new();
        let mut requested = self.requested();
        for id in stubborn {
            left.insert(id.clone(), SkipReason::DidNotEnd);
            requested.remove(id);
            let mut above = id;
            while let Some(parent) = parents.get(above) {
                above = parent;
                if requested.remove(above) {
                    left.entry(above.clone())
                        .or_insert_with(|| SkipReason::DescendantDidNotEnd(id.clone()));
                }
            }
        }
        let mut skipped = std::mem::take(&mut self.plan.skipped);
        // That a runtime has no row is not why it stays.
        skipped.retain(|skip| !left.contains_key(&skip.id));
        skipped.extend(left.into_iter().map(|(id, reason)| Skipped { id, reason }));
        // The conditions were tested already; those that remain satisfy them.
        let (conditions, none) = (plan::Conditions::default(), BTreeSet::new());
        self.plan = plan::plan(&requested, self.rows.clone(), skipped, &conditions, &none, now);
        self
    }
}

impl<P: Ports> Host<P> {
    /// Computes the plan of a request now.
    pub(super) async fn view(&self, request: &DeleteRequest, run: &Run) -> HostResult<View> {
        let found = self.ports.plan_rows(&request.ids).await?;
        let rows = found.rows;
        let rowless = self.rowless(request, &found.missing).await?;
        let (now, conditions) = (self.ports.now(), &request.conditions);
        let missing = found.missing;
        let plan = plan::plan(&request.ids, rows.clone(), missing, conditions, &run.closed, now);
        Ok(View { plan, rows, rowless })
    }

    /// Runtimes without a row that the request names (D7).
    async fn rowless(
        &self,
        request: &DeleteRequest,
        missing: &[Skipped],
    ) -> HostResult<Vec<SessionId>> {
        let unknown = missing.iter().filter(|skip| skip.reason == SkipReason::NotFound);
        let unknown: BTreeSet<&SessionId> = unknown.map(|skip| &skip.id).collect();
        // Asking every keeper takes time, and only these need the answer.
        if unknown.is_empty() || !request.with_rowless || !request.conditions.is_empty() {
            return Ok(Vec::new());
        }
        let mut keepers = self.ports.keepers().await?;
        keepers.retain(|id| unknown.contains(id));
        keepers.sort_unstable();
        Ok(keepers)
    }

    /// What a verb that takes sessions one by one would touch: themselves, not their children (K1).
    ///
    /// # Errors
    /// The store cannot be read. Unknown advice is none.
    pub async fn plan_each(&self, ctx: &Context, ids: &BTreeSet<SessionId>) -> HostResult<Plan> {
        let found = self.ports.plan_rows(ids).await?;
        let own = found.rows.into_iter().filter(|row| ids.contains(&row.id));
        let item =
            |row| plan::PlanItem { row, pulled_in_by: None, advice: plan::Advice::default() };
        let plan = Plan { items: own.map(item).collect(), skipped: found.missing };
        Ok(self.advise(ctx, plan, &|_, _| {}).await)
    }

    /// Adds what git knows of each worktree, in its place or in the trash: in parallel, under one deadline, none where unknown (D2).
    /// `looked` hears how many of how many were looked at.
    pub async fn advise(
        &self,
        ctx: &Context,
        mut plan: Plan,
        looked: &(dyn Fn(usize, usize) + Sync),
    ) -> Plan {
        let ctx = ctx.within(ADVICE);
        let ids = plan.ids();
        let sessions =
            ctx.step("reading sessions", self.ports.sessions(&ids)).await.unwrap_or_default();
        let worktrees: Vec<(SessionId, PathBuf)> = sessions
            .into_iter()
            .filter_map(|session| Some((session.id.clone(), folder_of(&session)?)))
            .collect();
        let asked: BTreeSet<SessionId> = worktrees.iter().map(|(id, _)| id.clone()).collect();
        let (done, total) = (&AtomicUsize::new(0), worktrees.len());
        let advised = parallel::ordered(LOOKING, worktrees, |(id, worktree)| {
            let (host, ctx) = (self.clone(), ctx.clone());
            async move {
                let advice = host.ports.advice(&ctx, &worktree);
                let advice = ctx.step("looking at a worktree", advice).await.ok();
                looked(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                advice.map(|advice| (id, advice))
            }
        });
        let mut advised: BTreeMap<SessionId, plan::Advice> =
            advised.await.into_iter().flatten().collect();
        for item in &mut plan.items {
            let unanswered = asked.contains(&item.row.id);
            item.advice = advised
                .remove(&item.row.id)
                .unwrap_or(plan::Advice { unanswered, ..plan::Advice::default() });
        }
        plan
    }
}

/// Where the worktree of a session is.
fn folder_of(session: &Session) -> Option<PathBuf> {
    let place = session.worktree()?;
    match &session.deletion {
        Some(deletion) => deletion.trash_path.clone(),
        None => Some(place.to_owned()),
    }
}
