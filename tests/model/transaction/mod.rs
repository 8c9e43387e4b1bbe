//! What a process does for a request, statement by statement, as `ordering::slice` and its neighbours do it. One step is one
//! statement; what is decided after it, and the ROLLBACK of who leaves nothing behind, belong to it, for nobody can tell them
//! apart.

mod placing;
mod others;

use crate::client::{Answer, Ask, No, Nr, Why};
use crate::database::{Claim, ClaimWrite, Engine, OrderRow, Outcome, Txn};
use crate::fault::Fault;
use crate::process::{Next, Process};
use crate::product;
use crate::world::{Scene, World};

/// As in the product.
const CLAIM_ROUNDS: Nr = 3;

/// One process in one world.
pub(crate) struct Turn<'a> {
    scene: &'a Scene,
    world: &'a mut World,
    me: Nr,
}

impl<'a> Turn<'a> {
    pub(crate) fn of(scene: &'a Scene, world: &'a mut World, me: Nr) -> Self {
        Self { scene, world, me }
    }

    /// The request arrives: a finished outcome needs no transaction.
    pub(crate) fn arrive(&mut self) {
        let standing = self
            .ask()
            .order()
            .and_then(|o| self.world.db.claims[usize::from(o.key)]);
        match standing {
            Some(claim) if claim.outcome.is_some() && !self.world.db.is_expired(&claim) => {
                let answer = self.scene.product.replay(self.request(), self.me, &claim);
                self.end(answer);
            }
            _ => self.run(),
        }
    }

    /// A new transaction, for the first time or after the database asked for another.
    pub(crate) fn run(&mut self) {
        match self.scene.engine {
            Engine::Sqlite => self.go(Next::Begin),
            Engine::Postgres => self.begin(),
        }
    }

    /// Somebody who waits has waited long enough.
    pub(crate) fn time_out(&mut self) {
        let places = matches!(self.ask(), Ask::Place(_));
        match self.next() {
            Next::Begin => self.end(Answer::Unavailable),
            Next::LockTable | Next::FinishLock { .. } | Next::Mark { .. } if places => {
                self.give_up(Answer::Conflict(Why::SessionBusy));
            }
            Next::Claim { .. } | Next::FinishClaim { .. } | Next::DeleteExpired { .. } | Next::MarkAtOnce { .. } => {
                self.give_up(Answer::Conflict(Why::InProgress));
            }
            _ => self.run_again(),
        }
    }

    /// Takes the next step.
    pub(crate) fn step(&mut self) {
        match self.next() {
            Next::Arrive => self.arrive(),
            Next::Begin => {
                self.begin();
                // nobody else writes now: the first statement may as well follow at once
                self.step();
            }
            Next::Claim { round } if self.has(Fault::MergedClaim) => {
                let saw = self.claim();
                self.go(Next::FinishClaim { round, saw });
            }
            Next::Claim { round } => match self.claim() {
                None => self.insert_claim(),
                Some(_) => self.go(Next::ReadClaim { round }),
            },
            Next::FinishClaim { round, saw } => match self.claim() {
                None => self.insert_claim(),
                Some(_) => self.stands(round, saw),
            },
            Next::ReadClaim { round } => {
                let found = self.claim();
                self.stands(round, found);
            }
            Next::DeleteExpired { round } => self.delete_expired(round),
            Next::MarkAtOnce { round } => {
                self.mark();
                self.claim_again(round);
            }
            Next::CommitClaim => {
                self.world.db.commit(self.me);
                self.go(Next::BeginAgain);
            }
            Next::BeginAgain => {
                self.world.db.begin(self.me);
                self.after_claim();
            }
            Next::LookUpCheckout => {
                let cart = self.scene.product.sharing_cart(self.request());
                let orders: Vec<OrderRow> = self.orders(|o| cart.has(o.request)).collect();
                match self.scene.product.by_checkout(self.request(), &orders) {
                    Some(ruling) => self.follow(ruling),
                    None => self.before_lock(),
                }
            }
            Next::LockStockFirst => {
                self.txn().locked_stock = true;
                self.go(Next::LockTable);
            }
            Next::LockTable => self.lock_table(),
            Next::FinishLock { saw } => {
                let open = self.take_table();
                self.count(open, saw);
            }
            Next::Mark { open } => {
                self.mark();
                self.go(Next::LookUpEarlier { open });
            }
            Next::LookUpEarlier { open } => {
                let saw = self.look_up();
                self.count(open, saw);
            }
            Next::LockStock { open, saw } => {
                self.txn().locked_stock = true;
                self.decide(open, saw);
            }
            Next::InsertOrder => self.insert_order(),
            Next::Complete(outcome) => self.complete(outcome),
            Next::Release(answer) => {
                let key = self.key();
                if self
                    .claim()
                    .is_some_and(|c| c.attempt == self.me && c.outcome.is_none())
                {
                    self.txn().claims[key] = ClaimWrite::Delete;
                }
                self.world.db.commit(self.me);
                self.end(answer);
            }
            Next::Commit(outcome) => {
                self.world.db.commit(self.me);
                match outcome {
                    Some(outcome) => self.go(Next::Tell(product::first(outcome))),
                    None => self.end(Answer::Done),
                }
            }
            Next::Tell(answer) => self.end(answer),
            Next::LookForOrder => self.look_for_order(),
            Next::LockOrder => self.lock_order(),
            Next::ReturnStock => {
                self.txn().locked_stock = true;
                self.cancel();
            }
            Next::DeleteAllExpired => self.purge(),
            Next::MarkPurged => {
                self.mark();
                self.go(Next::Commit(None));
            }
            Next::Ended { .. } => panic!("process {} has ended", self.me),
        }
    }

    fn begin(&mut self) {
        self.world.db.begin(self.me);
        self.go(match self.ask() {
            Ask::Place(_) | Ask::Withdraw { .. } => Next::Claim { round: 0 },
            Ask::Cancel { .. } | Ask::Pay { .. } => Next::LockTable,
            Ask::Purge => Next::DeleteAllExpired,
        });
    }

    fn insert_claim(&mut self) {
        let claim = Claim {
            attempt: self.me,
            request: self.request(),
            outcome: None,
            era: self.world.db.era,
        };
        let key = self.key();
        self.txn().claims[key] = ClaimWrite::Put(claim);
        match self.ask() {
            Ask::Place(_) if self.has(Fault::TwoTransactions) => self.go(Next::CommitClaim),
            _ => self.after_claim(),
        }
    }

    fn after_claim(&mut self) {
        match self.ask() {
            Ask::Withdraw { .. } if self.has(Fault::WithdrawsBlindly) => {
                self.go(Next::Complete(Outcome::Rejected(No::Withdrawn)));
            }
            Ask::Withdraw { .. } => self.go(Next::LookForOrder),
            // a look-up for no cart is not made
            Ask::Place(order) if order.cart.is_some() => self.go(Next::LookUpCheckout),
            _ => self.before_lock(),
        }
    }

    /// What a claim that inserted nothing found.
    fn stands(&mut self, round: Nr, found: Option<Claim>) {
        let Some(claim) = found else {
            return match self.has(Fault::OneClaimRound) {
                true => self.give_up(Answer::Internal),
                false => self.claim_again(round),
            };
        };
        if self.world.db.is_expired(&claim) {
            return self.go(Next::DeleteExpired { round });
        }
        let answer = match self.ask() {
            Ask::Withdraw { table, .. } => self.withdrawn_from(table, &claim),
            _ => self.scene.product.replay(self.request(), self.me, &claim),
        };
        if self.has(Fault::ReleasesForeignClaims) && matches!(answer, Answer::Conflict(_)) {
            let key = self.key();
            self.txn().claims[key] = ClaimWrite::Delete;
            self.world.db.commit(self.me);
            return self.end(answer);
        }
        self.give_up(answer);
    }

    fn claim_again(&mut self, round: Nr) {
        match round + 1 {
            CLAIM_ROUNDS => self.run_again(),
            round => self.go(Next::Claim { round }),
        }
    }

    /// Guarded by the outcome and `expires_at`.
    fn delete_expired(&mut self, round: Nr) {
        if let Some(claim) = self.claim().filter(|c| self.world.db.is_expired(c)) {
            let key = self.key();
            delete(self.txn(), key, &claim);
        }
        let withdraws = matches!(self.ask(), Ask::Withdraw { .. });
        match withdraws && !self.txn().to_mark.is_empty() {
            true => self.go(Next::MarkAtOnce { round }),
            false => self.claim_again(round),
        }
    }

    fn mark(&mut self) {
        let txn = self.txn();
        let orders = std::mem::take(&mut txn.to_mark);
        for order in orders.iter() {
            txn.locked_orders.add(order);
        }
    }

    fn complete(&mut self, outcome: Outcome) {
        self.mark();
        let key = self.key();
        match self.claim() {
            Some(claim) if claim.attempt == self.me && claim.outcome.is_none() => {
                let outcome = Some(outcome);
                self.txn().claims[key] = ClaimWrite::Put(Claim { outcome, ..claim });
            }
            // `Inconsistent`: the row is not there in the state that it was left in
            _ => return self.give_up(Answer::Internal),
        }
        if self.has(Fault::AnswersBeforeCommit) {
            self.process_mut().told = Some(product::first(outcome));
        }
        self.go(Next::Commit(Some(outcome)));
    }

    /// Rolls back; what the sender is told is stored nowhere.
    fn give_up(&mut self, answer: Answer) {
        let owns = self.has(Fault::TwoTransactions)
            && matches!(self.ask(), Ask::Place(_))
            && self.world.db.claims[self.key()].is_some_and(|c| c.attempt == self.me && c.outcome.is_none());
        self.world.db.roll_back(self.me);
        match owns {
            true => {
                self.world.db.begin(self.me);
                self.go(Next::Release(answer));
            }
            false => self.end(answer),
        }
    }

    fn run_again(&mut self) {
        self.world.db.roll_back(self.me);
        self.run();
    }

    pub(crate) fn end(&mut self, answer: Answer) {
        let era = self.world.db.era;
        self.go(Next::Ended { answer, era });
    }

    fn go(&mut self, next: Next) {
        self.process_mut().next = next;
    }

    fn next(&self) -> Next {
        self.process().next
    }

    fn process(&self) -> &Process {
        &self.world.processes[usize::from(self.me)]
    }

    fn process_mut(&mut self) -> &mut Process {
        &mut self.world.processes[usize::from(self.me)]
    }

    fn txn(&mut self) -> &mut Txn {
        self.world.db.txn_mut(self.me)
    }

    fn claim(&self) -> Option<Claim> {
        self.ask().key().and_then(|key| self.world.db.claim(self.me, key))
    }

    /// Committed orders; a process looks for orders before it inserts its own.
    fn orders(&self, which: impl Fn(&OrderRow) -> bool) -> impl Iterator<Item = OrderRow> {
        self.world.db.orders.iter().copied().filter(move |o| which(o))
    }

    fn request(&self) -> Nr {
        self.process().request
    }

    fn ask(&self) -> Ask {
        self.scene.ask(self.request())
    }

    fn key(&self) -> usize {
        usize::from(
            self.ask()
                .key()
                .unwrap_or_else(|| panic!("{:?} has no key", self.ask())),
        )
    }

    fn table(&self) -> Nr {
        self.scene.table_of(self.request())
    }

    fn about(&self) -> Nr {
        self.process()
            .about
            .unwrap_or_else(|| panic!("process {} is about no order", self.me))
    }

    fn has(&self, fault: Fault) -> bool {
        self.scene.has(fault)
    }
}

fn delete(txn: &mut Txn, key: usize, claim: &Claim) {
    txn.claims[key] = ClaimWrite::Delete;
    if let Some(Outcome::Placed(order)) = claim.outcome {
        txn.to_mark.add(order);
    }
}
