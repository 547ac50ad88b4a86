//! Purge: the only verb that removes what could hold work (`spec/lifecycle.md` R5, R6).
//!
//! The rows go first, in one transaction; then files, each journalled, so that recovery removes what
//! a crash or an error left.

pub(super) mod port;
mod remains;
mod retention;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::ids::SessionId;
use crate::domain::operation::{Operation, OperationState, StepResult, Verb};
use crate::domain::plan::{Advice, Plan, PlanItem, SkipReason, Skipped};
use crate::domain::session::Session;
use crate::domain::trash::{Tombstone, trees};

use super::Host;
use super::caller::Reach;
use super::context::{CLOSE, Context};
use super::delete::Admission;
use super::delete::moves::Move;
use super::error::{HostError, HostResult};
use super::journal::result;
use super::ports::{Ports, PurgedRows};
use super::report::{PurgeReport, PurgeRequest, SkippedRow};
use super::row::row;
use remains::Remains;

/// Trees of the trash, each by the ids of its tombstones.
type Trees = Vec<Vec<SessionId>>;

/// What a request comes to now.
struct Chosen {
    trees: Trees,
    skipped: Vec<Skipped>,
}

impl Chosen {
    fn ids(&self) -> Vec<SessionId> {
        let ids: BTreeSet<&SessionId> = self.trees.iter().flatten().collect();
        ids.into_iter().cloned().collect()
    }

    /// Leaves out whole trees that hold one of `ids`.
    fn leave_out(&mut self, ids: &BTreeMap<SessionId, SkipReason>) {
        let (out, stay): (Trees, Trees) = std::mem::take(&mut self.trees)
            .into_iter()
            .partition(|tree| tree.iter().any(|id| ids.contains_key(id)));
        self.trees = stay;
        for tree in out {
            let why = tree.iter().find_map(|id| ids.get(id)).unwrap_or(&SkipReason::Changed);
            let reason = |id: &SessionId| ids.get(id).unwrap_or(why).clone();
            self.skipped
                .extend(tree.iter().map(|id| Skipped { id: id.clone(), reason: reason(id) }));
        }
    }
}

impl<P: Ports> Host<P> {
    /// What a purge would remove now, with what would be lost. Reads only. `looked` is told as by
    /// [`Host::advise`].
    ///
    /// # Errors
    /// The store cannot be read. Unknown advice is none.
    pub async fn plan_purge(
        &self,
        ctx: &Context,
        request: &PurgeRequest,
        looked: &(dyn Fn(usize, usize) + Sync),
    ) -> HostResult<Plan> {
        let chosen = self.choose(request).await?;
        let plan = self.plan_of(request, &chosen).await?;
        Ok(self.advise(ctx, plan, looked).await)
    }

    /// Removes sessions from the trash for good. `admission` sees the exact plan before any effect.
    /// Trees are never split, and one that cannot be purged holds up no other.
    ///
    /// # Errors
    /// Not admitted, cancelled before the transaction, or a port failed.
    pub async fn purge(
        &self,
        ctx: &Context,
        request: &PurgeRequest,
        admission: Admission<'_>,
    ) -> HostResult<PurgeReport> {
        self.allow(&request.actor, "purge", Reach::Config).await?;
        let admitted = self.choose(request).await?;
        if admitted.trees.is_empty() {
            return Ok(report(&admitted.skipped));
        }
        if !admission(&self.plan_of(request, &admitted).await?) {
            return Err(HostError::NotAdmitted);
        }
        let operation = self.operation(Verb::Purge, admitted.ids());
        let _own = self.own(&operation).await?;
        let locks = self.hold(ctx, &admitted.ids(), &operation).await?;
        let mut chosen = self.still(request, admitted).await?;
        let sessions = self.ports.sessions(&chosen.ids()).await?;
        let remains = self.remains(request, &sessions).await?;
        let results = remains.iter().map(|(id, remains)| remains.result(id, "intended")).collect();
        let operation = Operation { results, ..operation };
        self.begin(ctx, &operation).await?;
        self.settle_trees(ctx, &operation, &sessions, &mut chosen).await?;
        if let Err(cause) = ctx.check("purging sessions") {
            self.finish(ctx, operation, OperationState::Cancelled, Some(cause.to_string())).await;
            return Err(cause);
        }
        let rows = match ctx.write("purging the rows", self.ports.purge_rows(&chosen.trees)).await {
            Ok(rows) => rows,
            Err(error) => {
                self.recover_held(ctx, &operation.id).await;
                return Err(error);
            }
        };
        let mut report = self.after_rows(ctx, &operation, &chosen, &rows, &remains).await;
        self.audit("purge", &report.purged_session_ids, &request.actor, Some(&operation.id)).await;
        let gone: BTreeSet<&SessionId> = rows.gone.iter().collect();
        let remains: Vec<(SessionId, Remains)> =
            remains.into_iter().filter(|(id, _)| gone.contains(id)).collect();
        report.freed_bytes += self.remove_histories(&remains).await;
        // Removing files holds no one up.
        drop(locks);
        let removed = self.remove_all(ctx, &operation.id, remains).await;
        report.freed_bytes += removed.bytes;
        report.files_left = removed.left;
        let partly = !report.skipped.is_empty();
        let left: Vec<SessionId> = report.files_left.iter().map(|note| note.id.clone()).collect();
        let skipped = report.skipped.iter().filter(|row| operation.session_ids.contains(&row.id));
        let skipped = skipped.map(|row| result(&row.id, "skipped", Some(row.reason.clone())));
        let operation = Operation { results: skipped.collect(), ..operation };
        self.end_moves(ctx, operation, &left, partly).await;
        Ok(report)
    }

    /// The trees that a request means, and what it names besides.
    async fn choose(&self, request: &PurgeRequest) -> HostResult<Chosen> {
        let choice = &request.choice;
        let now = self.ports.now();
        let (mut chosen, mut known) = (Trees::new(), BTreeSet::new());
        let mut skipped = Vec::new();
        for tree in trees(self.ports.tombstones().await?) {
            let ids = || tree.iter().map(|row: &Tombstone| row.id.clone());
            known.extend(ids());
            if !choice.names(&tree) {
                continue;
            }
            match choice.refuse(&tree, now) {
                None => chosen.push(ids().collect()),
                // What is not named one by one is passed over in silence.
                Some(reason) => {
                    let named =
                        |id: &SessionId| choice.ids.as_ref().is_some_and(|n| n.contains(id));
                    let named = ids().filter(named);
                    skipped.extend(named.map(|id| Skipped { id, reason: reason.clone() }));
                }
            }
        }
        let named = choice.ids.iter().flatten();
        let unknown: Vec<SessionId> = named.filter(|id| !known.contains(*id)).cloned().collect();
        if !unknown.is_empty() {
            let present = self.ports.sessions(&unknown).await?;
            let present: BTreeSet<SessionId> = present.into_iter().map(|one| one.id).collect();
            skipped.extend(unknown.into_iter().map(|id| {
                let here = present.contains(&id);
                let reason = if here { SkipReason::NotInTrash } else { SkipReason::NotFound };
                Skipped { id, reason }
            }));
        }
        skipped.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Chosen { trees: chosen, skipped })
    }

    async fn plan_of(&self, request: &PurgeRequest, chosen: &Chosen) -> HostResult<Plan> {
        let sessions = self.ports.sessions(&chosen.ids()).await?;
        let named = |id: &SessionId| request.choice.ids.as_ref().is_none_or(|ids| ids.contains(id));
        let mut pulled: BTreeMap<&SessionId, &SessionId> = BTreeMap::new();
        for tree in &chosen.trees {
            let by = tree.iter().find(|id| named(id));
            let others = tree.iter().filter(|id| !named(id));
            pulled.extend(others.filter_map(|id| Some((id, by?))));
        }
        let item = |session: &Session| PlanItem {
            pulled_in_by: pulled.get(&session.id).map(|id| (*id).clone()),
            row: row(session, false),
            advice: Advice::default(),
        };
        Ok(Plan { items: sessions.iter().map(item).collect(), skipped: chosen.skipped.clone() })
    }

    /// What of the admitted trees is as it was, now that nobody else can change it.
    async fn still(&self, request: &PurgeRequest, admitted: Chosen) -> HostResult<Chosen> {
        let now = self.choose(request).await?;
        let now: BTreeSet<&Vec<SessionId>> = now.trees.iter().collect();
        let changed = admitted.trees.iter().filter(|tree| !now.contains(tree)).flatten();
        let changed = changed.map(|id| (id.clone(), SkipReason::Changed)).collect();
        let mut chosen = admitted;
        chosen.leave_out(&changed);
        Ok(chosen)
    }

    /// Ends what a delete left behind: a runtime that runs on, a folder not yet in the trash. A tree
    /// where that fails stays whole.
    async fn settle_trees(
        &self,
        ctx: &Context,
        operation: &Operation,
        sessions: &[Session],
        chosen: &mut Chosen,
    ) -> HostResult<()> {
        let ids: BTreeSet<SessionId> = chosen.ids().into_iter().collect();
        let mut stay: BTreeMap<SessionId, SkipReason> = BTreeMap::new();
        for id in self.ports.keepers().await?.into_iter().filter(|id| ids.contains(id)) {
            let close = ctx.detached(CLOSE);
            if close.step("closing the runtime", self.close_runtime(&close, &id)).await.is_err() {
                stay.insert(id, SkipReason::DidNotEnd);
            }
        }
        let there = self.ports.trashed(&ids).await?;
        let there: BTreeSet<&SessionId> = there.iter().map(|(id, _)| id).collect();
        let moves: Vec<Move> = sessions
            .iter()
            .filter(|session| !there.contains(&session.id) && !stay.contains_key(&session.id))
            .filter_map(|one| Move::of(one, one.deletion.as_ref()?.trash_path.clone()?))
            .collect();
        for step in moves {
            if let Err(error) = self.move_one(ctx, &step).await {
                tracing::warn!(operation = %operation.id, session = %step.id, %error, "not purged");
                stay.insert(step.id, SkipReason::NotMoved);
            }
        }
        chosen.leave_out(&stay);
        Ok(())
    }

    /// Writes what the transaction did, and tells it.
    async fn after_rows(
        &self,
        ctx: &Context,
        operation: &Operation,
        chosen: &Chosen,
        rows: &PurgedRows,
        remains: &[(SessionId, Remains)],
    ) -> PurgeReport {
        let gone: BTreeSet<&SessionId> = rows.gone.iter().collect();
        let results: Vec<StepResult> = remains
            .iter()
            .map(|(id, remains)| {
                if gone.contains(id) {
                    remains.result(id, "deleted")
                } else {
                    result(id, "skipped", None)
                }
            })
            .collect();
        if let Err(error) = self.step(ctx, &operation.id, "files", &results).await {
            tracing::warn!(operation = %operation.id, %error, "a purge could not be journalled");
        }
        for one in &results {
            let state = if one.state == "deleted" { "deleted" } else { "skipped" };
            self.tell(&operation.id, &one.id, state);
        }
        let changed = |id: &SessionId| Skipped { id: id.clone(), reason: SkipReason::Changed };
        let mut skipped = chosen.skipped.clone();
        skipped.extend(rows.changed.iter().map(changed));
        skipped.sort_by(|a, b| a.id.cmp(&b.id));
        PurgeReport {
            purged_session_ids: gone.into_iter().cloned().collect(),
            removed_messages: rows.messages,
            ..report(&skipped)
        }
    }
}

fn report(skipped: &[Skipped]) -> PurgeReport {
    PurgeReport {
        skipped: skipped.iter().map(SkippedRow::from).collect(),
        ..PurgeReport::default()
    }
}
