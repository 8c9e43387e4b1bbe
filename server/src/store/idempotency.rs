//! Claims and stored outcomes. The primary key `(tenant, operation, key)` picks the owner; nothing else ever does.

use super::bulk::{self, Bulk, Kind};
use super::db::Db;
use super::entity::idempotency_request::{Column, Entity, Model};
use super::entity::order;
use super::failure::{Failure, Result};
use super::txn::Txn;
use super::writes::Writes;
use crate::idempotency::decision::Claim;
use crate::idempotency::fingerprint::Fingerprint;
use crate::ordering::outcome::Outcome;
use masterorder_protocol::ids::{OrderId, TenantId};
use masterorder_protocol::request_id::RequestId;
use sea_orm::sea_query::{Expr, ExprTrait, LockBehavior, LockType, Order, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, FromQueryResult};
use std::collections::HashSet;
use uuid::Uuid;

/// What a key is scoped to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scope {
    /// The account.
    pub tenant: TenantId,
    /// The use case.
    pub operation: &'static str,
    /// The key.
    pub key: RequestId,
}

/// A claim to be made.
#[derive(Debug, Clone)]
pub struct NewClaim<'a> {
    /// What it claims.
    pub scope: Scope,
    /// Whose attempt it is, over all inner retries.
    pub attempt: Uuid,
    /// Who asks.
    pub caller: String,
    /// Of the command; `None` for a withdrawal.
    pub fingerprint: Option<&'a Fingerprint>,
}

/// A claim as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Whose attempt made it.
    pub attempt: Uuid,
    /// What it is compared by.
    pub claim: Claim,
    /// `None` while its owner is at work.
    pub outcome: Option<Outcome>,
    /// Retention is over.
    pub expired: bool,
}

/// Which of a slice's claims this transaction owns, and the clock of the transaction.
#[derive(Debug)]
pub struct Claimed {
    /// Keys that were inserted.
    pub owned: HashSet<(Uuid, Uuid)>,
    /// *Units*: ms since the Unix epoch, read after any wait.
    pub now_ms: Option<i64>,
}

/// Inserts claims where none stands, in one sorted statement.
///
/// *Transaction*: waits for the owner of a key that is being claimed elsewhere, up to the wait bound (`LockTimeout`); if that
/// owner rolls back, this transaction becomes owner.
pub async fn claim(txn: &Txn, claims: &[NewClaim<'_>]) -> Result<Claimed> {
    let mut sorted: Vec<&NewClaim<'_>> = claims.iter().collect();
    sorted.sort_by_key(|c| (c.scope.tenant, c.scope.operation, c.scope.key));
    let rows = sorted.into_iter().map(|claim| {
        let (version, digest, fields) = match claim.fingerprint {
            Some(f) => (f.version, f.digest.to_vec(), f.field_digests.clone()),
            None => (crate::idempotency::fingerprint::NO_VERSION, Vec::new(), String::new()),
        };
        [
            claim.scope.tenant.0.into(),
            claim.scope.operation.into(),
            claim.scope.key.as_uuid().into(),
            claim.attempt.into(),
            claim.caller.clone().into(),
            version.into(),
            digest.into(),
            fields.into(),
        ]
    });
    let columns = [
        ("tenant_id", Kind::Uuid),
        ("operation", Kind::Text),
        ("idempotency_key", Kind::Uuid),
        ("attempt_id", Kind::Uuid),
        ("caller", Kind::Text),
        ("fingerprint_version", Kind::Int),
        ("fingerprint", Kind::Bytes),
        ("field_digests", Kind::Text),
    ];
    let mut bulk = Bulk::new(txn);
    bulk.rows("r", columns, rows);
    let now = bulk.now();
    let names = columns.map(|(name, _)| name).join(", ");
    // WHERE: without it SQLite takes ON for the beginning of a join
    let inserted = bulk
        .query(&format!(
            "INSERT INTO idempotency_requests ({names}, attempt_token, created_at_ms, expires_at_ms)
             SELECT {names}, 1, {now}, {now} + (SELECT retention_ms FROM shops WHERE shops.tenant_id = r.tenant_id)
             FROM r WHERE TRUE
             ON CONFLICT (tenant_id, operation, idempotency_key) DO NOTHING
             RETURNING tenant_id, idempotency_key, {now}"
        ))
        .await?;
    let mut claimed = Claimed {
        owned: HashSet::new(),
        now_ms: None,
    };
    for row in inserted {
        claimed
            .owned
            .insert((row.try_get_by_index(0)?, row.try_get_by_index(1)?));
        claimed.now_ms = Some(row.try_get_by_index(2)?);
    }
    Ok(claimed)
}

/// Reads the claim that stands under a key, in a statement of its own after the claim returned: on READ COMMITTED a merged
/// one would read the snapshot from before the wait.
pub async fn find_in_txn(txn: &Txn, scope: Scope) -> Result<Option<Stored>> {
    let query = select(scope, txn.now_sql());
    match txn.conn().query_one(&query).await? {
        Some(row) => stored(&row).map(Some),
        None => Ok(None),
    }
}

/// Reads the claim that stands under a key, on a reader. A miss decides nothing.
pub async fn find(db: &Db, scope: Scope) -> Result<Option<Stored>> {
    let reader = db.clone();
    let load = move |scopes| find_all(reader.clone(), scopes);
    db.shared_reads.outcomes.get(scope, load).await
}

async fn find_all(db: Db, scopes: Vec<Scope>) -> Result<Vec<Option<Stored>>> {
    let mut bulk = Bulk::reading(&db);
    let columns = [
        ("position", Kind::Int),
        ("tenant", Kind::Uuid),
        ("op", Kind::Text),
        ("claimed", Kind::Uuid),
    ];
    let rows = (0_i64..).zip(&scopes).map(|(i, scope)| {
        [
            i.into(),
            scope.tenant.0.into(),
            scope.operation.into(),
            scope.key.as_uuid().into(),
        ]
    });
    bulk.rows("r", columns, rows);
    let now = bulk.now();
    let rows = bulk
        .query(&format!(
            "SELECT r.position, q.*, q.expires_at_ms <= {now} AS expired FROM r JOIN idempotency_requests q
             ON q.tenant_id = r.tenant AND q.operation = r.op AND q.idempotency_key = r.claimed"
        ))
        .await?;
    bulk::in_order(scopes.len(), rows, stored)
}

/// Deletes a finished claim whose retention is over, so that the key is free. Returns its order, which must remember that (see
/// `orders::mark_purged`); *Transaction*: after the table session's lock, if there is one.
pub async fn delete_expired(txn: &Txn, scope: Scope) -> Result<Vec<OrderId>> {
    Ok(delete(txn, is(scope)).await?.orders)
}

/// Deletes up to `limit` finished claims whose retention is over, oldest first, and tells how many. Rows that somebody else
/// holds are left for the next time.
pub async fn purge(txn: &Txn, limit: u64) -> Result<u64> {
    let key = [Column::TenantId, Column::Operation, Column::IdempotencyKey];
    let oldest = Query::select()
        .columns(key)
        .from(Entity)
        .cond_where(expired(txn))
        .order_by(Column::ExpiresAtMs, Order::Asc)
        .limit(limit)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .to_owned();
    let these = Expr::tuple(key.map(Expr::col)).in_subquery(oldest);
    let deleted = delete(txn, Condition::all().add(these)).await?;
    super::orders::mark_purged(txn, &deleted.orders).await?;
    Ok(deleted.claims)
}

struct Deleted {
    claims: u64,
    /// Those that the claims placed; an alias is another key's order.
    orders: Vec<OrderId>,
}

/// Deletes finished claims whose retention is over.
async fn delete(txn: &Txn, which: Condition) -> Result<Deleted> {
    let mut delete = Query::delete();
    delete
        .from_table(Entity)
        .cond_where(which.add(expired(txn)))
        .returning(Query::returning().columns([Column::OutcomeKind, Column::OrderId]));
    let rows = txn.conn().query_all(&delete).await?;
    let mut orders = Vec::new();
    for row in &rows {
        if row.try_get_by_index::<String>(0)? == "PLACED" {
            orders.extend(row.try_get_by_index::<Option<Uuid>>(1)?.map(OrderId));
        }
    }
    Ok(Deleted {
        claims: rows.len() as u64,
        orders,
    })
}

/// Finished, and retention is over. A claim at work never is.
fn expired(txn: &Txn) -> Condition {
    Condition::all()
        .add(Column::Outcome.is_not_null())
        .add(Expr::col(Column::ExpiresAtMs).lte(txn.now_sql()))
}

/// Makes a claim that this transaction owns the claim of whoever placed the order.
pub async fn hand_over(txn: &Txn, scope: Scope, attempt: Uuid, order: OrderId) -> Result<()> {
    let placed_by = Query::select()
        .column(order::Column::Caller)
        .from(order::Entity)
        .and_where(order::Column::Id.eq(order.0))
        .to_owned();
    let mut update = Query::update();
    update
        .table(Entity)
        .value(Column::Caller, placed_by)
        .cond_where(mine([(scope, attempt)].into_iter()));
    txn.conn().execute(&update).await?;
    Ok(())
}

/// Stores the outcomes of claims that this transaction owns. A row that is not there in the state that we left it in is
/// `Inconsistent`.
pub fn complete(writes: &mut Writes<'_>, outcomes: &[(Scope, Uuid, &Outcome)], now_ms: i64) -> Result<()> {
    let Some((first, ..)) = outcomes.first() else {
        return Ok(());
    };
    let mut rows = Vec::with_capacity(outcomes.len());
    for (scope, attempt, outcome) in outcomes {
        let json = serde_json::to_string(outcome).map_err(|_| inconsistent(*scope))?;
        rows.push([
            scope.tenant.0.into(),
            scope.operation.into(),
            scope.key.as_uuid().into(),
            (*attempt).into(),
            json.into(),
            outcome.kind().into(),
            outcome.order().map(|o| o.0).unwrap_or_default().into(),
        ]);
    }
    let columns = [
        ("tenant", Kind::Uuid),
        ("op", Kind::Text),
        ("claimed", Kind::Uuid),
        ("attempt", Kind::Uuid),
        ("text", Kind::Text),
        ("kind", Kind::Text),
        ("placed", Kind::UuidOrNull),
    ];
    let mut bulk = writes.bulk();
    bulk.rows("r", columns, rows);
    let now = bulk.value(now_ms);
    let store = format!(
        "UPDATE idempotency_requests
         SET outcome = r.text, outcome_kind = r.kind, order_id = r.placed, finished_at_ms = {now}
         FROM r
         WHERE tenant_id = r.tenant AND operation = r.op AND idempotency_key = r.claimed
           AND attempt_id = r.attempt AND outcome IS NULL"
    );
    writes.add_exactly(bulk, &store, outcomes.len(), inconsistent(*first));
    Ok(())
}

/// Gives claims up that this transaction inserted; rows that others made are never touched.
pub async fn release(txn: &Txn, claims: &[(Scope, Uuid)]) -> Result<()> {
    let mut delete = Query::delete();
    delete.from_table(Entity).cond_where(mine(claims.iter().copied()));
    txn.conn().execute(&delete).await?;
    Ok(())
}

/// Unfinished claims of these attempts.
fn mine(claims: impl Iterator<Item = (Scope, Uuid)>) -> Condition {
    let any = claims.fold(Condition::any(), |any, (scope, attempt)| {
        any.add(is(scope).add(Column::AttemptId.eq(attempt)))
    });
    Condition::all().add(any).add(Column::Outcome.is_null())
}

fn is(scope: Scope) -> Condition {
    Condition::all()
        .add(Column::TenantId.eq(scope.tenant.0))
        .add(Column::Operation.eq(scope.operation))
        .add(Column::IdempotencyKey.eq(scope.key.as_uuid()))
}

fn select(scope: Scope, now: sea_orm::sea_query::SimpleExpr) -> SelectStatement {
    Query::select()
        .column(sea_orm::sea_query::Asterisk)
        .expr_as(Expr::col(Column::ExpiresAtMs).lte(now), "expired")
        .from(Entity)
        .cond_where(is(scope))
        .to_owned()
}

fn stored(row: &sea_orm::QueryResult) -> Result<Stored> {
    let model = Model::from_query_result(row, "")?;
    let outcome = model
        .outcome
        .as_deref()
        .map(serde_json::from_str)
        .transpose()
        .map_err(|_| Failure::Inconsistent {
            table: "idempotency_requests",
            column: "outcome",
            row: model.idempotency_key.to_string(),
        })?;
    Ok(Stored {
        attempt: model.attempt_id,
        claim: Claim {
            fingerprint_version: model.fingerprint_version,
            fingerprint: model.fingerprint,
            field_digests: model.field_digests,
            caller: model.caller,
        },
        expired: outcome.is_some() && row.try_get::<bool>("", "expired")?,
        outcome,
    })
}

fn inconsistent(scope: Scope) -> Failure {
    Failure::Inconsistent {
        table: "idempotency_requests",
        column: "outcome",
        row: scope.key.to_string(),
    }
}
