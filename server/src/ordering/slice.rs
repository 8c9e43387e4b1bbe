//! One transaction for a slice of commands: claim → replay → lock → decide → write. It does not commit.
//!
//! A single order is a slice of one. Members that replay, conflict or do not fit end early and leave nothing behind; the
//! claim that this transaction inserted for them is released.

use super::step::{Step, Stuck};
use super::write::{self, Placement};
use crate::app::App;
use crate::audit::Entry;
use crate::catalog::Shop;
use crate::idempotency::PLACE_ORDER;
use crate::idempotency::decision::{self, Claim, Decision};
use crate::metrics::waits::WaitOn;
use crate::ordering::command::PlaceOrder;
use crate::ordering::decide::{self, Counter, Ruling, Situation};
use crate::ordering::duplicates::{self, Duplicate};
use crate::ordering::history::Order;
use crate::ordering::outcome::{Conflict, Outcome, Rejection, ReplayReason, Verdict};
use crate::principal::Role;
use crate::refusal::Refusal;
use crate::store::idempotency::{NewClaim, Scope, Stored};
use crate::store::orders::Lookup;
use crate::store::{self, Failure, Txn, Writes};
use masterorder_protocol::ids::{OrderId, TenantId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;
use uuid::Uuid;

/// Rounds of claiming before giving up on a row that keeps vanishing.
const CLAIM_ROUNDS: usize = 3;

/// How one member ended.
pub struct Ending {
    /// Its answer.
    pub answer: Result<Verdict, Refusal>,
    /// The outcome that stands under its key, for twins that wait.
    pub stands: Option<(Claim, Outcome)>,
}

/// How the slice ended.
pub struct Slice {
    /// One per command.
    pub endings: Vec<Ending>,
    /// Which of them wrote an outcome. None: roll back, and nothing remains.
    pub written: Vec<usize>,
}

/// The scope of a command's key.
pub fn scope(command: &PlaceOrder) -> Scope {
    Scope {
        tenant: command.principal.tenant,
        operation: PLACE_ORDER,
        key: command.request,
    }
}

/// Answers a request from the claim that stands under its key.
pub fn from_stored(command: &PlaceOrder, stored: &Stored) -> Ending {
    let caller = command.principal.caller();
    let own_attempt = stored.attempt == command.attempt;
    let decision = decision::decide(&stored.claim, &caller, |v| command.fingerprint_in(v));
    let answer = match (decision, &stored.outcome) {
        (Decision::NewerVersion, _) => Err(Refusal::Unavailable),
        (Decision::Reused(fields), _) => Ok(Verdict::Conflict(Conflict::KeyReused(fields))),
        (Decision::Same, None) => Ok(Verdict::Conflict(Conflict::InProgress)),
        // a "no" is nobody else's business
        (Decision::Same, Some(Outcome::Rejected { .. })) if stored.claim.caller != caller => {
            Ok(Verdict::Conflict(Conflict::KeyReused(Vec::new())))
        }
        // the COMMIT of this very attempt got no answer, and here is its outcome
        (Decision::Same, Some(outcome)) if own_attempt => Ok(outcome.clone().first(None)),
        (Decision::Same, Some(outcome)) => Ok(outcome.clone().replayed()),
    };
    Ending {
        answer,
        stands: stored.outcome.clone().map(|o| (stored.claim.clone(), o)),
    }
}

/// Runs a slice inside a transaction.
///
/// *Errors*: the step and the failure; the caller rolls back.
pub async fn run(app: &App, txn: &Txn, commands: &[Arc<PlaceOrder>]) -> Result<Slice, Stuck> {
    let mut work = Work {
        app,
        txn,
        commands,
        endings: commands.iter().map(|_| None).collect(),
        owned: vec![false; commands.len()],
        now_ms: 0,
        written: Vec::new(),
        placed: HashMap::new(),
        writes: Writes::new(txn),
        purged: Vec::new(),
    };
    work.claim().await?;
    work.replay_by_checkout().await?;
    work.place().await?;
    work.finish().await
}

struct Work<'a> {
    app: &'a App,
    txn: &'a Txn,
    commands: &'a [Arc<PlaceOrder>],
    endings: Vec<Option<Ending>>,
    owned: Vec<bool>,
    now_ms: i64,
    written: Vec<(usize, Outcome)>,
    /// The orders among them.
    placed: HashMap<usize, Arc<Order>>,
    /// What is still to be written, together.
    writes: Writes<'a>,
    /// Orders whose claims were purged on the way.
    purged: Vec<OrderId>,
}

impl Work<'_> {
    /// Claims every key, or ends the member with what stands there. A second member with the key of a first one finds its claim.
    async fn claim(&mut self) -> Result<(), Stuck> {
        let stuck = Stuck::at(Step::Claim);
        for _ in 0..CLAIM_ROUNDS {
            let mut seen = HashSet::new();
            let open: Vec<usize> = self
                .open()
                .filter(|i| !self.owned[*i])
                .filter(|i| seen.insert(scope(&self.commands[*i])))
                .collect();
            if open.is_empty() {
                break;
            }
            let claims: Vec<NewClaim<'_>> = open
                .iter()
                .map(|i| NewClaim {
                    scope: scope(&self.commands[*i]),
                    attempt: self.commands[*i].attempt,
                    caller: self.commands[*i].principal.caller(),
                    fingerprint: Some(&self.commands[*i].fingerprint),
                })
                .collect();
            let since = Instant::now();
            let claimed = store::idempotency::claim(self.txn, &claims).await;
            self.app.metrics.waits.waited(WaitOn::Claim, since);
            let claimed = claimed.map_err(&stuck)?;
            self.app.metrics.placements.claimed(claimed.owned.len());
            self.app.faults.at("claim", Some(self.txn)).await.map_err(&stuck)?;
            self.now_ms = claimed.now_ms.unwrap_or(self.now_ms);
            for i in open {
                let scope = scope(&self.commands[i]);
                if claimed.owned.contains(&(scope.tenant.0, scope.key.as_uuid())) {
                    self.owned[i] = true;
                    continue;
                }
                let stands = store::idempotency::find_in_txn(self.txn, scope).await.map_err(&stuck)?;
                self.app.faults.at("replay", Some(self.txn)).await.map_err(&stuck)?;
                match stands {
                    // its owner rolled back, or purge took it: claim again
                    None => {}
                    Some(stored) if stored.expired => {
                        let orders = store::idempotency::delete_expired(self.txn, scope)
                            .await
                            .map_err(&stuck)?;
                        self.purged.extend(orders);
                    }
                    Some(stored) => self.endings[i] = Some(from_stored(&self.commands[i], &stored)),
                }
            }
        }
        match self.open().all(|i| self.owned[i]) {
            true => Ok(()),
            false => Err(stuck(Failure::ClaimVanished)),
        }
    }

    /// The checkout rule before any lock: the retry of a finished order waits for nobody and is never told "closed".
    async fn replay_by_checkout(&mut self) -> Result<(), Stuck> {
        let stuck = Stuck::at(Step::Checkout);
        let lookup = Lookup {
            checkouts: self.checkouts(),
            ..Lookup::default()
        };
        let earlier = store::orders::earlier(self.txn, &lookup).await.map_err(&stuck)?;
        self.app.faults.at("checkout", Some(self.txn)).await.map_err(&stuck)?;
        for i in self.open().collect::<Vec<_>>() {
            match duplicates::by_checkout(&self.commands[i], &earlier) {
                Some(Duplicate::Alias(order, reason)) => self.alias(i, order, reason).await.map_err(&stuck)?,
                Some(Duplicate::Conflict(conflict)) => self.end(i, Ok(Verdict::Conflict(conflict))),
                None => {}
            }
        }
        Ok(())
    }

    /// Locks, decides and writes what is still open.
    async fn place(&mut self) -> Result<(), Stuck> {
        let open: Vec<usize> = self.open().collect();
        if open.is_empty() {
            return Ok(());
        }
        let parties: BTreeSet<_> = open.iter().map(|i| self.commands[*i].table_session).collect();
        let parties: Vec<_> = parties.into_iter().collect();
        let stuck = Stuck::at(Step::Lock);
        let since = Instant::now();
        let parties = store::tables::lock(self.txn, &parties).await;
        self.app.metrics.waits.waited(WaitOn::TableSession, since);
        let parties = parties.map_err(&stuck)?;
        self.app.faults.at("lock", Some(self.txn)).await.map_err(&stuck)?;
        self.mark_purged().await.map_err(&stuck)?;

        // every read from here on is a statement of its own that starts after the lock was granted
        let stuck = Stuck::at(Step::Read);
        let counters = self.counters(&open).await.map_err(&stuck)?;
        let lookup = self.lookup(&open, &counters);
        let earlier = store::orders::earlier(self.txn, &lookup).await.map_err(&stuck)?;
        self.app.faults.at("read", Some(self.txn)).await.map_err(&stuck)?;

        let stuck = Stuck::at(Step::Stock);
        let tracked = self.tracked(&open, &counters);
        let stock = match tracked.is_empty() {
            true => Default::default(),
            false => {
                let since = Instant::now();
                let stock = store::stock::lock(self.txn, tracked).await;
                self.app.metrics.waits.waited(WaitOn::Stock, since);
                stock.map_err(&stuck)?
            }
        };
        self.app.faults.at("stock", Some(self.txn)).await.map_err(&stuck)?;

        let commands: Vec<&PlaceOrder> = open.iter().map(|i| &*self.commands[*i]).collect();
        let ids: Vec<OrderId> = open.iter().map(|_| OrderId(self.app.new_id())).collect();
        let shops: HashMap<TenantId, Shop> = counters.iter().map(|(t, c)| (*t, c.shop.clone())).collect();
        let situation = Situation {
            now_ms: self.now_ms,
            counters,
            parties,
            earlier,
            stock,
        };
        let rulings = decide::decide(&commands, &ids, situation);
        self.write(&open, rulings, &shops).await
    }

    async fn write(
        &mut self,
        open: &[usize],
        rulings: Vec<Ruling>,
        shops: &HashMap<TenantId, Shop>,
    ) -> Result<(), Stuck> {
        let mut placements = Vec::new();
        let mut placed = Vec::new();
        let mut aliases = Vec::new();
        for (i, ruling) in open.iter().copied().zip(rulings) {
            let command = &self.commands[i];
            match ruling {
                Ruling::Place(draft) => {
                    if let Some(shop) = shops.get(&command.principal.tenant) {
                        placements.push(Placement { command, draft, shop });
                        placed.push(i);
                    }
                }
                Ruling::Alias(order, reason) => aliases.push((i, order, reason)),
                Ruling::Reject(rejection) => self.reject(i, rejection),
                Ruling::Conflict(conflict) => self.end(i, Ok(Verdict::Conflict(conflict))),
                Ruling::Input(error) => self.end(i, Err(error.into())),
            }
        }
        let orders = write::placements(self.app, self.txn, &mut self.writes, placements, self.now_ms)
            .await
            .map_err(Stuck::at(Step::WriteOrders))?;
        for (i, order) in placed.into_iter().zip(orders) {
            let receipt = order.receipt.clone();
            self.outcome(i, Outcome::Placed { receipt });
            self.placed.insert(i, Arc::new(order));
        }
        for (i, order, reason) in aliases {
            self.alias(i, order, reason).await.map_err(Stuck::at(Step::Read))?;
        }
        Ok(())
    }

    /// Orders come after table sessions in the lock order: this waits for that lock, where one is taken.
    async fn mark_purged(&mut self) -> Result<(), Failure> {
        let purged = std::mem::take(&mut self.purged);
        store::orders::mark_purged(self.txn, &purged).await
    }

    /// Writes all that belongs to the orders, audit entries and outcomes, and releases the claims of members that leave nothing
    /// behind.
    async fn finish(mut self) -> Result<Slice, Stuck> {
        if !self.written.is_empty() {
            self.mark_purged().await.map_err(Stuck::at(Step::Complete))?;
            self.complete().await.map_err(Stuck::at(Step::Complete))?;
        }
        let mut written = Vec::with_capacity(self.written.len());
        for (i, outcome) in std::mem::take(&mut self.written) {
            written.push(i);
            let command = &self.commands[i];
            let claim = Claim {
                fingerprint_version: command.fingerprint.version,
                fingerprint: command.fingerprint.digest.to_vec(),
                field_digests: command.fingerprint.field_digests.clone(),
                caller: command.principal.caller(),
            };
            self.endings[i] = Some(Ending {
                answer: Ok(outcome.clone().first(self.placed.remove(&i))),
                stands: Some((claim, outcome)),
            });
        }
        let endings = self.endings.into_iter().collect::<Option<Vec<_>>>();
        match endings {
            Some(endings) => Ok(Slice { endings, written }),
            None => Err(Stuck::at(Step::Complete)(Failure::ClaimVanished)),
        }
    }

    fn audit_entries(&self) -> Vec<Entry> {
        self.written
            .iter()
            .filter_map(|(i, outcome)| {
                let command = &self.commands[*i];
                match outcome {
                    Outcome::Placed { receipt } => {
                        Some(write::audit_entry(command, "PLACED", Some(receipt), self.now_ms))
                    }
                    Outcome::Rejected { rejection } => {
                        let code = rejection.code().as_str();
                        Some(write::audit_entry(command, code, None, self.now_ms))
                    }
                    // replays of every kind go through the queue
                    Outcome::Alias { .. } => None,
                }
            })
            .collect()
    }

    async fn complete(&mut self) -> Result<(), Failure> {
        let mut writes = std::mem::replace(&mut self.writes, Writes::new(self.txn));
        store::audit::add(&mut writes, &self.audit_entries());
        let outcomes: Vec<_> = self
            .written
            .iter()
            .map(|(i, outcome)| (scope(&self.commands[*i]), self.commands[*i].attempt, outcome))
            .collect();
        store::idempotency::complete(&mut writes, &outcomes, self.now_ms)?;
        writes.run().await?;
        let kept: HashSet<usize> = self.written.iter().map(|(i, _)| *i).collect();
        let lost: Vec<_> = (0..self.commands.len())
            .filter(|i| self.owned[*i] && !kept.contains(i))
            .map(|i| (scope(&self.commands[i]), self.commands[i].attempt))
            .collect();
        if !lost.is_empty() {
            store::idempotency::release(self.txn, &lost).await?;
        }
        self.app.faults.at("complete", Some(self.txn)).await
    }

    /// Stores a replay by content or checkout under the new key, so that its own retry replays too.
    async fn alias(&mut self, i: usize, order: OrderId, reason: ReplayReason) -> Result<(), Failure> {
        let tenant = self.commands[i].principal.tenant;
        // of this very slice, whose lines are not written yet
        let own = self.placed.values().find(|o| o.receipt.order_id == order).cloned();
        let found = match own {
            Some(own) => Some(own.receipt.clone()),
            None => {
                let read = store::history::find_in_txn(self.txn, tenant, &[order]).await?;
                read.into_iter().next().map(|found| found.receipt)
            }
        };
        match found {
            Some(receipt) => {
                self.outcome(i, Outcome::Alias { receipt, reason });
                Ok(())
            }
            None => Err(Failure::Inconsistent {
                table: "orders",
                column: "id",
                row: order.to_string(),
            }),
        }
    }

    /// The shops of members with the menu that is valid now.
    async fn counters(&self, open: &[usize]) -> Result<HashMap<TenantId, Counter>, Failure> {
        let tenants: BTreeSet<TenantId> = open.iter().map(|i| self.commands[*i].principal.tenant).collect();
        let tenants: Vec<TenantId> = tenants.into_iter().collect();
        let mut counters = HashMap::new();
        for (tenant, shop) in store::catalog::shops(self.txn, &tenants).await? {
            self.app.menus.note_wait_bound(tenant, shop.policy.wait_bound_ms);
            let menu = match self.app.menus.get(tenant, shop.catalogue_version) {
                Some(menu) => menu,
                None => {
                    let menu = Arc::new(store::catalog::menu_in_txn(self.txn, tenant).await?);
                    self.app.menus.put(tenant, menu.clone());
                    menu
                }
            };
            counters.insert(tenant, Counter { shop, menu });
        }
        Ok(counters)
    }

    fn lookup(&self, open: &[usize], counters: &HashMap<TenantId, Counter>) -> Lookup {
        let commands = || open.iter().map(|i| &self.commands[*i]);
        Lookup {
            checkouts: self.checkouts(),
            contents: commands()
                .filter(|c| c.window_applies)
                .filter_map(|c| {
                    let policy = counters.get(&c.principal.tenant)?.shop.policy;
                    Some((c.table_session, c.content_hash, self.now_ms - policy.content_window_ms))
                })
                .collect(),
            devices: commands()
                .filter_map(|c| {
                    let policy = counters.get(&c.principal.tenant)?.shop.policy;
                    let since_ms = self.now_ms - policy.cooldown_ms;
                    let counts = policy.cooldown_ms > 0 && matches!(c.principal.role, Role::Guest(_));
                    counts.then(|| (c.table_session, c.principal.device.clone(), since_ms))
                })
                .collect(),
            confirmed: commands().filter_map(|c| c.confirm_duplicate_of).collect(),
        }
    }

    fn tracked(&self, open: &[usize], counters: &HashMap<TenantId, Counter>) -> BTreeSet<Uuid> {
        let mut tracked = BTreeSet::new();
        for command in open.iter().map(|i| &self.commands[*i]) {
            let Some(counter) = counters.get(&command.principal.tenant) else {
                continue;
            };
            for line in &command.lines {
                let toppings = line.toppings.iter().map(|t| t.topping.0);
                tracked.extend(
                    std::iter::once(line.item.0)
                        .chain(toppings)
                        .filter(|id| counter.menu.tracked.contains(id)),
                );
            }
        }
        tracked
    }

    fn checkouts(&self) -> Vec<(TenantId, masterorder_protocol::ids::CheckoutId)> {
        self.open()
            .filter_map(|i| {
                self.commands[i]
                    .checkout
                    .map(|c| (self.commands[i].principal.tenant, c))
            })
            .collect()
    }

    fn reject(&mut self, i: usize, rejection: Rejection) {
        self.outcome(i, Outcome::Rejected { rejection });
    }

    fn outcome(&mut self, i: usize, outcome: Outcome) {
        self.written.push((i, outcome));
    }

    fn end(&mut self, i: usize, answer: Result<Verdict, Refusal>) {
        self.endings[i] = Some(Ending { answer, stands: None });
    }

    /// Members that neither ended nor have an outcome yet.
    fn open(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.commands.len()).filter(|i| self.endings[*i].is_none() && !self.written.iter().any(|(w, _)| w == i))
    }
}
