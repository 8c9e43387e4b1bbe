//! The use case `placeOrder`: one order, exactly once.
//!
//! parse → finished outcome by key → join a twin, or lead: one transaction in a tracked task, shared with others at first, run
//! again inside the answer budget when the database says so.

use super::account::Account;
use super::inflight::{Lead, Likeness, Published, Seat};
use super::slice::{self, Ending};
use super::step::{Step, Stuck};
use super::transaction;
use crate::app::App;
use crate::metrics::waits::WaitOn;
use crate::ordering::command::{self, Minted, PlaceOrder, RawOrder};
use crate::ordering::outcome::{Conflict, Verdict};
use crate::principal::Principal;
use crate::refusal::Refusal;
use crate::store::idempotency::Stored;
use crate::store::txn::DEFAULT_WAIT_BOUND_MS;
use crate::store::{self, Failure};
use masterorder_protocol::request_id::RequestId;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tracing::Instrument;
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
    let account = Account::open(app.clone(), command::parse(raw, principal, minted)?);
    let request = account.command.request;
    let verdict = settle(&account).instrument(account.span.clone()).await?;
    app.faults.at("answer", None).await?;
    Ok(Answer { request, verdict })
}

async fn settle(account: &Arc<Account>) -> Result<Verdict, Refusal> {
    match join(account).await {
        Joined::Told(answer) => account.close(answer),
        Joined::Leads(lead) => lead_on(account, lead).await,
    }
}

enum Joined {
    /// Somebody else's outcome is the answer, or there is none.
    Told(Result<Verdict, Refusal>),
    /// Nobody is at work under this key here.
    Leads(Lead),
}

async fn join(account: &Account) -> Joined {
    let (app, command) = (&account.app, &*account.command);
    let scope = slice::scope(command);
    // a finished outcome needs no transaction; a miss decides nothing
    match store::idempotency::find(&app.db, scope).await {
        Ok(Some(stored)) if stored.outcome.is_some() && !stored.expired => {
            return Joined::Told(slice::from_stored(command, &stored).answer);
        }
        Ok(_) => {}
        Err(failure) => return Joined::Told(Err(failure.into())),
    }
    let deadline = Instant::now() + Duration::from_millis(wait_bound_ms(app, command).unsigned_abs());
    loop {
        let mut leader = match app.inflight.seat(scope, command.principal.caller()) {
            Seat::Lead(lead) => return Joined::Leads(lead),
            Seat::Wait(leader) => leader,
        };
        let since = std::time::Instant::now();
        let told = timeout_at(deadline, leader.wait_for(Option::is_some)).await;
        app.metrics.waits.waited(WaitOn::Twin, since);
        let told = match told {
            Err(_) => {
                app.metrics.waits.timed_out(WaitOn::Twin);
                return Joined::Told(Ok(Verdict::Conflict(Conflict::InProgress)));
            }
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
                return Joined::Told(slice::from_stored(command, &stored).answer);
            }
            Published::Conflict(likeness, conflict) if likeness == Likeness::of(command) => {
                return Joined::Told(Ok(Verdict::Conflict(conflict)));
            }
            Published::Conflict(..) | Published::Nothing => {}
        }
    }
}

/// Runs the placement in a tracked task that nobody can cancel, and waits for it within the answer budget. The task tells what
/// became of it: its guest may have hung up.
async fn lead_on(account: &Arc<Account>, lead: Lead) -> Result<Verdict, Refusal> {
    let app = &account.app;
    let (task_account, at_work) = (account.clone(), app.metrics.placements.at_work());
    let task = async move {
        let _at_work = at_work;
        let ending = execute(&task_account).await;
        lead.publish(match (&ending.stands, &ending.answer) {
            (Some(stands), _) => Published::Finished(Arc::new(stands.clone())),
            (None, Ok(Verdict::Conflict(conflict))) => {
                Published::Conflict(Likeness::of(&task_account.command), conflict.clone())
            }
            (None, _) => Published::Nothing,
        });
        task_account.close(ending.answer)
    };
    let task = app.tasks.spawn(task.instrument(account.span.clone()));
    match timeout(app.settings.answer_budget, task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            tracing::error!(error = %error, "placement ended early");
            account.close(Err(Refusal::Internal))
        }
        // the task goes on; asking again finds what became of it
        Err(_) => account.close(Ok(Verdict::Conflict(Conflict::InProgress))),
    }
}

/// Runs transactions until one ends or the answer budget is nearly spent.
async fn execute(account: &Account) -> Ending {
    let (app, command) = (&account.app, &account.command);
    let deadline = Instant::now() + app.settings.answer_budget * RETRY_FIFTHS / 5;
    let mut attempts = 0;
    loop {
        attempts += 1;
        account.ran(attempts);
        let stuck = match run(app, command, attempts == 1).await {
            Ok(ending) => return ending,
            Err(stuck) => stuck,
        };
        if let (Some(on), Failure::LockTimeout) = (stuck.step.waits_on(), &stuck.failure) {
            app.metrics.waits.timed_out(on);
        }
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
            tracing::warn!(step = stuck.step.as_str(), "placement failed");
            return ended(Err(stuck.failure.into()));
        }
        tracing::debug!(step = stuck.step.as_str(), error = %stuck.failure, "placement is run again");
        app.metrics.placements.retried(stuck.step);
        sleep(pause).await;
    }
}

/// The first run shares its transaction with whoever comes at the same time; later ones are its own.
async fn run(app: &Arc<App>, command: &Arc<PlaceOrder>, first: bool) -> Result<Ending, Stuck> {
    let wait_bound_ms = wait_bound_ms(app, command);
    if first
        && app.settings.group_commit
        && let Some(ended) = app.group_commit.place(app, command, wait_bound_ms).await
    {
        return ended;
    }
    let ended = transaction::run(app, std::slice::from_ref(command), wait_bound_ms).await?;
    let vanished = Stuck::at(Step::Complete)(Failure::ClaimVanished);
    ended.into_iter().next().ok_or(vanished)
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
