//! Giving a key up: turns "unknown" into a fact. From then on whatever its caller sends under the key is `WITHDRAWN`.

use super::commit;
use super::place_order::Answer;
use crate::app::App;
use crate::audit::Entry;
use crate::idempotency::PLACE_ORDER;
use crate::ordering::command;
use crate::ordering::outcome::{Conflict, Outcome, Rejection, ReplayReason, Verdict};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store::idempotency::{NewClaim, Scope, Stored};
use crate::store::txn::{self, DEFAULT_WAIT_BOUND_MS};
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure, Txn, Writes};
use masterorder_protocol::request_id::RequestId;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

/// The action in the audit trail.
const WITHDRAW: &str = "withdrawPlacement";

/// Rounds of claiming before giving up on a row that keeps vanishing.
const CLAIM_ROUNDS: usize = 3;

/// Withdraws a key, or finds the order that it placed. Safe to repeat.
///
/// If the placement won the race, the answer is its order, which the key then stands for even where its retention was over.
/// Somebody else's key answers `IDEMPOTENCY_KEY_REUSED`.
pub async fn withdraw(app: &Arc<App>, principal: &Principal, request_id: &str) -> Result<Answer, Refusal> {
    let request = command::parse_request_id(request_id)?;
    let (task_app, task_principal) = (app.clone(), principal.clone());
    let verdict = app
        .detach(async move {
            let answer = execute(&task_app, &task_principal, request).await;
            note(&task_app, &task_principal, request, &answer);
            answer
        })
        .await??;
    Ok(Answer { request, verdict })
}

/// Notes what left nothing behind: repetitions, a race that was lost, conflicts, failures.
fn note(app: &App, principal: &Principal, request: RequestId, answer: &Result<Verdict, Refusal>) {
    let (result, order) = match answer {
        Ok(Verdict::Rejected { replay: false, .. }) => return,
        Ok(Verdict::Placed { receipt, .. }) => ("ALREADY_PLACED".to_owned(), Some(receipt.order_id)),
        Ok(verdict @ Verdict::Rejected { .. }) => (format!("REPLAYED_{}", verdict.word()), None),
        Ok(verdict @ Verdict::Conflict(_)) => (verdict.word().to_owned(), None),
        Err(refusal) => (refusal.code().as_str().to_owned(), None),
    };
    let now_ms = app.db.clock().now_ms();
    app.audit.note(Entry {
        request: Some(request),
        order,
        ..Entry::by(principal, WITHDRAW, &result, now_ms)
    });
}

async fn execute(app: &App, principal: &Principal, request: RequestId) -> Result<Verdict, Refusal> {
    let deadline = Instant::now() + app.settings.answer_budget;
    let attempt_id = app.new_id();
    loop {
        match attempt(app, principal, request, attempt_id).await {
            Ok(verdict) => return Ok(verdict),
            // whoever holds the key is still at work
            Err(Failure::LockTimeout) => return Ok(Verdict::Conflict(Conflict::InProgress)),
            Err(failure) if failure.is_retried_inside() && Instant::now() < deadline => {
                sleep(Duration::from_millis(rand::random_range(1..=50))).await;
            }
            Err(failure) => return Err(failure.into()),
        }
    }
}

async fn attempt(app: &App, principal: &Principal, request: RequestId, attempt: Uuid) -> Result<Verdict, Failure> {
    let txn = txn::begin(&app.db, Priority::Request, DEFAULT_WAIT_BOUND_MS).await?;
    match claim(app, &txn, principal, request, attempt).await {
        Ok(Claimed::Stands(verdict)) => {
            txn.rollback().await;
            Ok(verdict)
        }
        Ok(Claimed::Stored(outcome)) => {
            commit::commit(app, txn).await?;
            Ok(outcome.first(None))
        }
        Err(failure) => {
            txn.rollback().await;
            Err(failure)
        }
    }
}

enum Claimed {
    /// The key has an answer already, or none for this caller; nothing is to be kept.
    Stands(Verdict),
    /// The key was free, and this is its outcome now.
    Stored(Outcome),
}

async fn claim(
    app: &App,
    txn: &Txn,
    principal: &Principal,
    request: RequestId,
    attempt: Uuid,
) -> Result<Claimed, Failure> {
    let scope = Scope {
        tenant: principal.tenant,
        operation: PLACE_ORDER,
        key: request,
    };
    for _ in 0..CLAIM_ROUNDS {
        let claim = NewClaim {
            scope,
            attempt,
            caller: principal.caller(),
            fingerprint: None,
        };
        let claimed = store::idempotency::claim(txn, &[claim]).await?;
        app.faults.at("withdraw_claim", Some(txn)).await?;
        if let Some(now_ms) = claimed.now_ms {
            let mut writes = Writes::new(txn);
            // retention may be over, or the order may have come under this key all the same
            let outcome = match store::history::by_request_in_txn(txn, principal.tenant, request).await? {
                Some(order) if !principal.may_read(order.receipt.table_session_id) => {
                    return Ok(Claimed::Stands(Verdict::Conflict(Conflict::KeyReused(Vec::new()))));
                }
                // whoever is told of the order must not find the key free after that; it is its caller's as before
                Some(order) => {
                    store::idempotency::hand_over(txn, scope, attempt, order.receipt.order_id).await?;
                    Outcome::Alias {
                        receipt: order.receipt,
                        reason: ReplayReason::Key,
                    }
                }
                None => {
                    let entry = Entry {
                        request: Some(request),
                        ..Entry::by(principal, WITHDRAW, "WITHDRAWN", now_ms)
                    };
                    store::audit::add(&mut writes, &[entry]);
                    Outcome::Rejected {
                        rejection: Rejection::Withdrawn,
                    }
                }
            };
            store::idempotency::complete(&mut writes, &[(scope, attempt, &outcome)], now_ms)?;
            writes.run().await?;
            return Ok(Claimed::Stored(outcome));
        }
        match store::idempotency::find_in_txn(txn, scope).await? {
            None => {}
            Some(stored) if stored.expired => {
                let orders = store::idempotency::delete_expired(txn, scope).await?;
                store::orders::mark_purged(txn, &orders).await?;
            }
            Some(stored) => return Ok(Claimed::Stands(from_stored(principal, stored, attempt))),
        }
    }
    Err(Failure::ClaimVanished)
}

/// What stands under the key, for who may know.
fn from_stored(principal: &Principal, stored: Stored, attempt: Uuid) -> Verdict {
    let own = stored.claim.caller == principal.caller();
    match stored.outcome {
        Some(Outcome::Placed { receipt } | Outcome::Alias { receipt, .. })
            if own || principal.may_read(receipt.table_session_id) =>
        {
            Verdict::Placed {
                receipt,
                replay: Some(ReplayReason::Key),
                order: None,
            }
        }
        Some(Outcome::Rejected { rejection }) if own => Verdict::Rejected {
            rejection,
            replay: stored.attempt != attempt,
        },
        None if own => Verdict::Conflict(Conflict::InProgress),
        _ => Verdict::Conflict(Conflict::KeyReused(Vec::new())),
    }
}
