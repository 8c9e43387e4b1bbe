//! The use case `placeOrder`: one order, exactly once.
//!
//! parse → finished outcome by key → join a twin, or lead: one transaction in a tracked task, run again inside the answer
//! budget when the database says so.

use super::commit;
use super::inflight::{Lead, Likeness, Published, Seat};
use super::slice::{self, Ending, Step, Stuck};
use crate::app::App;
use crate::audit::Entry;
use crate::idempotency::PLACE_ORDER;
use crate::live::Change;
use crate::ordering::command::{self, Minted, PlaceOrder, RawOrder};
use crate::ordering::outcome::{Conflict, Verdict};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store::idempotency::Stored;
use crate::store::txn::{self, DEFAULT_WAIT_BOUND_MS};
use crate::store::writer_queue::Priority;
use crate::store::{self, Failure};
use masterorder_protocol::request_id::RequestId;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use uuid::Uuid;

/// Longest pause before an inner retry: long enough for a deadlock's winner to finish, short against the answer budget.
const RETRY_PAUSE_MS: u64 = 50;

/// Fifths of the answer budget in which a run may begin: the last one must end while somebody still waits to be told.
const RETRY_FIFTHS: u32 = 4;

/// An answer with the key that it was given under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The key; minted for staff who sent none.
    pub request: RequestId,
    /// What became of it.
    pub verdict: Verdict,
}

/// Places an order, or says what stands in the way.
///
/// *Errors*: bad input, and failures after which nothing is stored; the key stays usable.
pub async fn place(app: &Arc<App>, principal: &Principal, raw: &RawOrder) -> Result<Answer, Refusal> {
    let minted = Minted {
        attempt: app.new_id(),
        request: Uuid::new_v4(),
    };
    let command = Arc::new(command::parse(raw, principal, minted)?);
    let answer = settle(app, &command).await;
    note(app, &command, &answer);
    app.faults.at("answer", None).await?;
    answer.map(|verdict| Answer {
        request: command.request,
        verdict,
    })
}

async fn settle(app: &Arc<App>, command: &Arc<PlaceOrder>) -> Result<Verdict, Refusal> {
    let scope = slice::scope(command);
    // a finished outcome needs no transaction; a miss decides nothing
    if let Some(stored) = store::idempotency::find(&app.db, scope).await?
        && stored.outcome.is_some()
        && !stored.expired
    {
        return slice::from_stored(command, &stored).answer;
    }
    let deadline = Instant::now() + Duration::from_millis(wait_bound_ms(app, command).unsigned_abs());
    loop {
        let mut leader = match app.inflight.seat(scope, command.principal.caller()) {
            Seat::Lead(lead) => return lead_on(app, command, lead).await,
            Seat::Wait(leader) => leader,
        };
        let told = match timeout_at(deadline, leader.wait_for(Option::is_some)).await {
            Err(_) => return Ok(Verdict::Conflict(Conflict::InProgress)),
            Ok(told) => told.ok().and_then(|t| t.clone()).unwrap_or(Published::Nothing),
        };
        match told {
            Published::Finished(stands) => {
                let (claim, outcome) = (*stands).clone();
                let stored = Stored {
                    attempt: Uuid::nil(),
                    claim,
                    outcome: Some(outcome),
                    expired: false,
                };
                return slice::from_stored(command, &stored).answer;
            }
            Published::Conflict(likeness, conflict) if likeness == Likeness::of(command) => {
                return Ok(Verdict::Conflict(conflict));
            }
            Published::Conflict(..) | Published::Nothing => {}
        }
    }
}

/// Runs the placement in a tracked task that nobody can cancel, and waits for it within the answer budget.
async fn lead_on(app: &Arc<App>, command: &Arc<PlaceOrder>, lead: Lead) -> Result<Verdict, Refusal> {
    let (task_app, task_command) = (app.clone(), command.clone());
    let task = app.tasks.spawn(async move {
        let ending = execute(&task_app, &task_command).await;
        lead.publish(match (&ending.stands, &ending.answer) {
            (Some(stands), _) => Published::Finished(Arc::new(stands.clone())),
            (None, Ok(Verdict::Conflict(conflict))) => {
                Published::Conflict(Likeness::of(&task_command), conflict.clone())
            }
            (None, _) => Published::Nothing,
        });
        ending.answer
    });
    match timeout(app.settings.answer_budget, task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::error!(error = %error, idempotency.key = %command.request, "placement ended early");
            Err(Refusal::Internal)
        }
        // the task goes on; asking again finds what became of it
        Err(_) => Ok(Verdict::Conflict(Conflict::InProgress)),
    }
}

/// Runs transactions until one ends or the answer budget is nearly spent.
async fn execute(app: &App, command: &PlaceOrder) -> Ending {
    let deadline = Instant::now() + app.settings.answer_budget * RETRY_FIFTHS / 5;
    loop {
        let stuck = match attempt(app, command).await {
            Ok(ending) => return ending,
            Err(stuck) => stuck,
        };
        let conflict = match (stuck.step, &stuck.failure) {
            (Step::Claim, Failure::LockTimeout) => Some(Conflict::InProgress),
            (Step::Lock, Failure::LockTimeout) => Some(Conflict::SessionBusy),
            _ => None,
        };
        if let Some(conflict) = conflict {
            return ended(Ok(Verdict::Conflict(conflict)));
        }
        let pause = Duration::from_millis(rand::random_range(1..=RETRY_PAUSE_MS));
        if !stuck.failure.is_retried_inside() || Instant::now() + pause >= deadline {
            tracing::warn!(step = ?stuck.step, idempotency.key = %command.request, "placement failed");
            return ended(Err(stuck.failure.into()));
        }
        tracing::debug!(step = ?stuck.step, error = %stuck.failure, "placement is run again");
        sleep(pause).await;
    }
}

/// One transaction with a slice of one.
async fn attempt(app: &App, command: &PlaceOrder) -> Result<Ending, Stuck> {
    let txn = txn::begin(&app.db, Priority::Request, wait_bound_ms(app, command))
        .await
        .map_err(Stuck::at(Step::Begin))?;
    let slice = match slice::run(app, &txn, std::slice::from_ref(command)).await {
        Ok(slice) => slice,
        Err(stuck) => {
            txn.rollback().await;
            return Err(stuck);
        }
    };
    if slice.keep {
        commit::commit(app, txn).await.map_err(Stuck::at(Step::Commit))?;
        app.live.changed(Change {
            tenant: command.principal.tenant,
            table_session: command.table_session,
        });
    } else {
        txn.rollback().await;
    }
    slice
        .endings
        .into_iter()
        .next()
        .ok_or(Stuck::at(Step::Complete)(Failure::ClaimVanished))
}

/// *Units*: ms.
fn wait_bound_ms(app: &App, command: &PlaceOrder) -> i64 {
    app.menus
        .wait_bound_ms(command.principal.tenant)
        .unwrap_or(DEFAULT_WAIT_BOUND_MS)
}

fn ended(answer: Result<Verdict, Refusal>) -> Ending {
    Ending { answer, stands: None }
}

/// Notes what was not written inside a transaction: replays, joins, conflicts, failures.
fn note(app: &App, command: &PlaceOrder, answer: &Result<Verdict, Refusal>) {
    let (result, order) = match answer {
        Ok(Verdict::Placed { replay: None, .. } | Verdict::Rejected { replay: false, .. }) => return,
        Ok(verdict @ Verdict::Placed { receipt, .. }) => (verdict.word().to_owned(), Some(receipt.order_id)),
        Ok(verdict @ Verdict::Rejected { .. }) => (format!("REPLAYED_{}", verdict.word()), None),
        Ok(verdict) => (verdict.word().to_owned(), None),
        Err(refusal) => (refusal.code().as_str().to_owned(), None),
    };
    let now_ms = app.db.clock().now_ms();
    app.audit.note(Entry {
        request: Some(command.request),
        table_session: Some(command.table_session),
        order,
        ..Entry::by(&command.principal, PLACE_ORDER, &result, now_ms)
    });
}
