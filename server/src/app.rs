//! What every use case needs, put together once.

use crate::audit::Audit;
use crate::catalog::cache::Cache;
use crate::faults::Faults;
use crate::idempotency::retention;
use crate::live::{Live, nodes};
use crate::metrics::Metrics;
use crate::ordering::group_commit::GroupCommit;
use crate::ordering::inflight::Inflight;
use crate::refusal::Refusal;
use crate::store::{Db, checkpoint, statistics};
use crate::tables::seats::Seats;
use ipnet::IpNet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// Requests per second of one caller; ten seconds' worth may come at once. 0 is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub struct RateLimits {
    /// Requests per second of a guest's device; 0 is no limit.
    #[arg(
        long = "rate-limit-guest",
        env = "MASTERORDER_RATE_LIMIT_GUEST",
        value_name = "N",
        default_value_t = 50
    )]
    pub per_guest: u32,
    /// Requests per second of an API key; 0 is no limit.
    #[arg(
        long = "rate-limit-key",
        env = "MASTERORDER_RATE_LIMIT_KEY",
        value_name = "N",
        default_value_t = 2_000
    )]
    pub per_key: u32,
    /// Requests per second of an address without valid credentials; 0 is no limit.
    #[arg(
        long = "rate-limit-address",
        env = "MASTERORDER_RATE_LIMIT_ADDRESS",
        value_name = "N",
        default_value_t = 50
    )]
    pub per_address: u32,
}

impl RateLimits {
    /// None.
    pub const NONE: Self = Self {
        per_guest: 0,
        per_key: 0,
        per_address: 0,
    };
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            per_guest: 50,
            per_key: 2_000,
            per_address: 50,
        }
    }
}

/// Bounds that an operator may change.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a request waits for its own placement before it is told `IDEMPOTENCY_IN_PROGRESS`. Below the SDK's attempt
    /// timeout of 10 s, above every wait bound.
    pub answer_budget: Duration,
    /// Requests per second of one caller.
    pub rate_limits: RateLimits,
    /// Proxies whose word about where a request comes from is taken.
    pub trusted_proxies: Vec<IpNet>,
    /// How long a node that is asked to end still accepts connections while `/readyz` turns them away, so that whoever balances
    /// the load sees it first.
    pub shutdown_grace: Duration,
    /// How long a node may take to end, the grace included.
    pub shutdown_deadline: Duration,
    /// Placements that arrive together share a transaction.
    pub group_commit: bool,
    /// `/metrics` answers at the public address too, to the machine itself.
    pub metrics_at_home: bool,
    /// Between two rounds of purging, give or take a third, so that nodes do not purge in step.
    pub purge_every: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            answer_budget: Duration::from_secs(5),
            rate_limits: RateLimits::default(),
            trusted_proxies: Vec::new(),
            shutdown_grace: Duration::ZERO,
            shutdown_deadline: Duration::from_secs(15),
            group_commit: true,
            metrics_at_home: true,
            purge_every: Duration::from_secs(60),
        }
    }
}

/// The running application: one per process (or several in a test).
pub struct App {
    /// The database.
    pub db: Db,
    /// Menus in memory.
    pub menus: Cache,
    /// Placements at work in this process.
    pub inflight: Arc<Inflight>,
    /// Placements that wait for their turn to be written.
    pub group_commit: GroupCommit,
    /// Tasks that a hung-up guest can not cancel; a shutdown waits for them.
    pub tasks: TaskTracker,
    /// The queue of audit entries.
    pub audit: Audit,
    /// Who has just sat down.
    pub seats: Seats,
    /// What people watch.
    pub live: Live,
    /// What an operator can measure.
    pub metrics: Metrics,
    /// Cancelled when the process is asked to end: it is not ready from then on.
    pub draining: CancellationToken,
    /// Cancelled when the process ends; no connection is accepted then, and sockets close.
    pub stopping: CancellationToken,
    /// Bounds.
    pub settings: Settings,
    /// Faults that tests inject; nothing in a release build.
    pub faults: Faults,
}

impl App {
    /// Puts an application together and starts its background work.
    pub fn start(db: Db, settings: Settings, faults: Faults) -> Arc<Self> {
        let tasks = TaskTracker::new();
        let (live, news) = Live::new();
        let stopping = CancellationToken::new();
        let metrics = Metrics::new(db.waits().clone());
        let app = Arc::new(Self {
            audit: Audit::start(db.clone(), metrics.audit.clone()),
            seats: Seats::start(db.clone(), &tasks, stopping.clone()),
            metrics,
            live,
            draining: CancellationToken::new(),
            stopping,
            menus: Cache::default(),
            inflight: Arc::default(),
            group_commit: GroupCommit::default(),
            tasks,
            settings,
            faults,
            db,
        });
        tokio::spawn(nodes::run(Arc::downgrade(&app), news, app.stopping.clone()));
        let every = app.settings.purge_every;
        tokio::spawn(retention::run(Arc::downgrade(&app), every, app.stopping.clone()));
        tokio::spawn(checkpoint::run(app.db.clone(), app.stopping.clone()));
        tokio::spawn(statistics::run(app.db.clone(), app.stopping.clone()));
        app
    }

    /// Runs work in a tracked task: a caller that goes away does not cancel it.
    ///
    /// *Errors*: `Internal` when the work panicked; its transaction was rolled back.
    pub async fn detach<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.tasks.spawn(work).await.map_err(|error| {
            tracing::error!(error = %error, "a task ended early");
            Refusal::Internal
        })
    }

    /// A fresh id for a row: UUID v7, which keeps indexes dense.
    pub fn new_id(&self) -> Uuid {
        Uuid::now_v7()
    }

    /// Waits for tasks in flight, then flushes the audit queue, and closes the database last.
    pub async fn shut_down(&self) {
        self.draining.cancel();
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.audit.stop().await;
        self.db.clone().close().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ordering::MAX_WAIT_BOUND_MS;
    use crate::store::dialect::{QUEUE_BOUND, SILENCE_BOUND};
    use masterorder_sdk_core::policy::ATTEMPT_TIMEOUT_MS;

    /// Whoever hangs up first is told nothing, and sends the same to a server that is slow already.
    #[test]
    fn every_answer_comes_before_the_sdk_stops_waiting_for_it() {
        let budget = Settings::default().answer_budget;
        let wait_bound = Duration::from_millis(MAX_WAIT_BOUND_MS.unsigned_abs());
        let patience = Duration::from_millis(ATTEMPT_TIMEOUT_MS.into());
        assert!(wait_bound < budget);
        for (what, longest) in [
            (
                "a placement whose key was looked up when a connection was free",
                QUEUE_BOUND + budget,
            ),
            (
                "a twin that places itself, because the one it waited for failed",
                wait_bound + budget,
            ),
            ("a database that has gone silent", SILENCE_BOUND),
        ] {
            assert!(longest < patience, "{what}: {longest:?}");
        }
    }
}
