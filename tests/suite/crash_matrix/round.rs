//! One round of one cell: a database, a server, a phone that is struck, neighbours that are not meant, and what a second
//! phone of the table sees. At its end the books are read by SQL.

use super::cells::{Action, Cell, Kind};
use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use harness::client::{Client, key, line, line_with, order};
use harness::{Database, Process, Reply, Table, Wire};
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

/// How rough a round is.
#[derive(Debug, Clone, Copy)]
pub struct Roughness {
    /// Other tables that order at the same time.
    pub neighbours: usize,
    /// Up to this long between the step and the stroke. *Units*: ms.
    pub jitter_ms: u64,
}

/// What rounds came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rounds.
    pub rounds: u64,
    /// Struck requests that the server answered all the same.
    pub answered: u64,
    /// Retries that did what the struck request had not done.
    pub first: u64,
    /// Retries that found it done.
    pub replayed: u64,
    /// Orders of the struck table.
    pub orders: u64,
    /// Their kitchen tickets.
    pub tickets: u64,
    /// Their `order.placed` events.
    pub events: u64,
    /// Orders of the neighbours.
    pub neighbours: u64,
}

impl Figures {
    /// Adds those of another round.
    pub fn add(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.answered += other.answered;
        self.first += other.first;
        self.replayed += other.replayed;
        self.orders += other.orders;
        self.tickets += other.tickets;
        self.events += other.events;
        self.neighbours += other.neighbours;
    }
}

/// Lives through one round.
///
/// *Errors*: the promise that was broken; the text names the cell.
pub async fn live(cell: &Cell, roughness: Roughness) -> Result<Figures> {
    let db = Database::create(cell.backend).await.context("creating a database")?;
    let lived = match strike_and_retry(&db, cell, roughness).await {
        Ok(figures) => db.ledger_holds().await.map(|()| figures),
        Err(error) => Err(error),
    };
    db.drop_it().await;
    lived.with_context(|| cell.to_string())
}

async fn strike_and_retry(db: &Database, cell: &Cell, roughness: Roughness) -> Result<Figures> {
    let f = &db.fixture;
    let (wire, url) = match cell.kind {
        Kind::Killed => (None, db.url.clone()),
        Kind::Cut | Kind::AnswerLost => {
            let (wire, url) = Wire::to_database(&db.url).await?;
            (Some(wire), url)
        }
    };
    let mut process = Process::start_at(&url, &[("MASTERORDER_DEBUG_FAULTS", &cell.faults())]).await?;
    let phone = process.guest(f.s1());
    let wish = Wish::of(db, cell.action(), &phone).await?;

    let struck = tokio::spawn({
        let (phone, wish) = (phone.clone(), wish.clone());
        async move { phone.carry_out(&wish).await }
    });
    process.paused_at(cell.step()).await?;
    let neighbours = Neighbours::sit_down(db, &process, roughness.neighbours);
    tokio::time::sleep(Duration::from_millis(random_below(roughness.jitter_ms + 1))).await;
    let answer = match (cell.kind, &wire) {
        (Kind::AnswerLost, Some(wire)) => {
            wire.deafen();
            Some(struck.await??)
        }
        (Kind::Cut, Some(wire)) => {
            wire.cut();
            Some(struck.await??)
        }
        _ => {
            process.kill().await?;
            ensure!(struck.await?.is_err(), "somebody answered for a dead process");
            process = Process::start(db, &[]).await?;
            None
        }
    };
    let (phone, second) = (phone.at(process.address), process.guest(f.s1()));
    let mut figures = Figures {
        rounds: 1,
        ..Figures::default()
    };

    // what a server that lives on answers by itself is the first answer: it is the one who did it
    let told = answer.filter(|reply| !reply.is_retryable());
    if let Some(reply) = &told {
        wish.is_answered(reply, true)?;
        figures.answered = 1;
    }
    let stands = match (cell.kind, &told) {
        (Kind::Killed, _) => Some(cell.stands()),
        (_, Some(_)) => Some(true),
        // it was told to come back, and the server may be at work
        (_, None) => None,
    };
    if let Some(stands) = stands {
        ensure!(
            wish.stands(db).await? == stands,
            "it should stand after the stroke: {stands}"
        );
        wish.is_seen(&phone, &second, stands).await?;
    }

    let retry = wish.insist(&phone).await?;
    let first = match stands {
        Some(stands) => !stands,
        None => wish.is_answered(&retry, true).is_ok(),
    };
    wish.is_answered(&retry, first)?;
    figures.first = u64::from(first);
    figures.replayed = u64::from(!first);
    if let (Some(told), Action::Place) = (&told, cell.action()) {
        ensure!(told.order_id()? == retry.order_id()?, "the retry found another order");
    }
    wish.is_seen(&phone, &second, true).await?;
    wish.is_answered(&wish.insist(&phone).await?, false)?;
    neighbours.are_served(&process, &mut figures).await?;
    process.kill().await?;
    wish.books_are_right(db, &mut figures).await?;
    Ok(figures)
}

/// What the phone wants, with all that makes a retry the same request.
#[derive(Debug, Clone)]
struct Wish {
    action: Action,
    request: String,
    input: Value,
    /// To be cancelled.
    order: Option<String>,
}

impl Wish {
    /// The cart takes two items and a topping from stock. What is to be cancelled is placed first.
    async fn of(db: &Database, action: Action, phone: &Client) -> Result<Self> {
        let request = key();
        let mut input = cart(db, &request);
        input["expectedTotal"] = json!({ "amountMinor": 1_570, "currency": "JPY" });
        let order = match action {
            Action::Cancel => Some(phone.insist(input.clone()).await?.order_id()?),
            Action::Place | Action::Withdraw => None,
        };
        Ok(Self {
            action,
            request,
            input,
            order,
        })
    }

    /// Repeats it while the answer says that this may help, as the SDK does.
    async fn insist(&self, phone: &Client) -> Result<Reply> {
        for _ in 0..100 {
            let reply = phone.carry_out(self).await?;
            if !reply.is_retryable() || reply.code() == "INTERNAL" {
                return Ok(reply);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        anyhow::bail!("still told to try again")
    }

    /// The answer says that it was done, `now` or before.
    fn is_answered(&self, reply: &Reply, now: bool) -> Result<()> {
        let data = &reply.body["data"];
        let holds = match self.action {
            Action::Place => {
                reply.order_id()?;
                reply.is_replay()? != now
            }
            // a withdrawal says the same again
            Action::Withdraw => data["withdrawPlacement"]["code"] == "WITHDRAWN",
            Action::Cancel => {
                let cancelled = &data["cancelOrder"];
                cancelled["order"]["status"] == "CANCELLED" && cancelled["changed"] == now
            }
        };
        ensure!(
            holds,
            "answered with {}, though it should be done now: {now}",
            reply.body
        );
        Ok(())
    }

    /// It is written in the books.
    async fn stands(&self, db: &Database) -> Result<bool> {
        Ok(match self.action {
            Action::Place => db.orders(db.fixture.s1()).await? == 1,
            Action::Withdraw => db.claims(&self.request).await? == 1,
            Action::Cancel => count(db, "orders WHERE status = 'CANCELLED' AND table_session_id = ?").await? == 1,
        })
    }

    /// The phone itself and a second one of the table ask what became of the key.
    async fn is_seen(&self, phone: &Client, second: &Client, stands: bool) -> Result<()> {
        let state = match (self.action, stands) {
            (Action::Place | Action::Withdraw, false) => "UNKNOWN",
            (Action::Withdraw, true) => "REJECTED",
            (Action::Place, true) | (Action::Cancel, _) => "PLACED",
        };
        for device in [phone, second] {
            let seen = device.status(&self.request).await?;
            let status = &seen.body["data"]["placementStatus"];
            ensure!(status["state"] == state, "not {state}: {}", seen.body);
            ensure!(
                status["order"]["id"].is_string() == (state == "PLACED"),
                "{}",
                seen.body
            );
        }
        Ok(())
    }

    /// One order, one ticket, one event, the right stock, nothing in progress; none of them when the key was withdrawn.
    async fn books_are_right(&self, db: &Database, figures: &mut Figures) -> Result<()> {
        let f = &db.fixture;
        let of_the_table = "o.table_session_id = ? AND";
        figures.orders = count(db, "orders WHERE table_session_id = ?").await?;
        let tickets = format!("kitchen_tickets t, orders o WHERE {of_the_table} t.order_id = o.id");
        figures.tickets = count(db, &tickets).await?;
        let events = |kind: &str| {
            format!("outbox_events e, orders o WHERE {of_the_table} e.order_id = o.id AND e.kind = '{kind}'")
        };
        figures.events = count(db, &events("order.placed")).await?;
        let placed = u64::from(self.action != Action::Withdraw);
        ensure!(
            [figures.orders, figures.tickets, figures.events] == [placed; 3],
            "not {placed} of each: {figures:?}"
        );
        let cancelled = u64::from(self.action == Action::Cancel);
        let cancellations = count(db, &events("order.cancelled")).await?;
        ensure!(cancellations == cancelled, "{cancellations} cancellations");
        let taken = i64::try_from(placed - cancelled + figures.neighbours)?;
        for (subject, supplied) in [(f.ramen, 10), (f.beer, 10), (f.egg, 100)] {
            let left = db.stock(subject).await?;
            ensure!(
                left == supplied - taken,
                "{left} of {supplied} are left, {taken} were taken"
            );
        }
        let working = db
            .int("SELECT count(*) FROM idempotency_requests WHERE outcome IS NULL", [])
            .await?;
        ensure!(working == 0, "{working} keys are still in progress");
        Ok(())
    }
}

/// What a phone does with a wish.
trait CarryOut {
    async fn carry_out(&self, wish: &Wish) -> Result<Reply>;
}

impl CarryOut for Client {
    async fn carry_out(&self, wish: &Wish) -> Result<Reply> {
        match (wish.action, &wish.order) {
            (Action::Cancel, Some(order)) => self.cancel(order).await,
            (Action::Withdraw, _) => self.withdraw(&wish.request).await,
            _ => self.place(wish.input.clone()).await,
        }
    }
}

/// Phones of other tables that want the same dishes.
struct Neighbours(Vec<(Client, Value, tokio::task::JoinHandle<Result<Reply>>)>);

impl Neighbours {
    fn sit_down(db: &Database, process: &Process, how_many: usize) -> Self {
        let tables: &[Table] = &db.fixture.tables[1..];
        let seated = tables.iter().take(how_many).map(|table| {
            let (phone, input) = (process.guest(table), cart(db, &key()));
            let sent = tokio::spawn({
                let (phone, input) = (phone.clone(), input.clone());
                async move { phone.place(input).await }
            });
            (phone, input, sent)
        });
        Self(seated.collect())
    }

    /// Each retries. What one was told before stays true.
    async fn are_served(self, process: &Process, figures: &mut Figures) -> Result<()> {
        figures.neighbours = self.0.len() as u64;
        let served = self.0.into_iter().map(|(phone, input, sent)| async move {
            let told = sent.await?;
            let retry = phone.at(process.address).insist(input).await?;
            let placed = retry.order_id().context("a neighbour")?;
            if let Ok(told) = told
                && !told.is_retryable()
            {
                ensure!(
                    told.order_id()? == placed && retry.is_replay()?,
                    "a neighbour's order was lost"
                );
            }
            Ok(())
        });
        try_join_all(served).await?;
        Ok(())
    }
}

/// A cart with an identity, as the SDK sends it.
fn cart(db: &Database, request: &str) -> Value {
    let f = &db.fixture;
    let mut input = order(request, json!([line_with(f.ramen, 1, &[f.egg]), line(f.beer, 1)]));
    input["checkoutId"] = json!(key());
    input
}

/// Counts rows of the struck table.
async fn count(db: &Database, rows: &str) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM {rows}");
    Ok(db.int(&sql, [db.fixture.s1().id.into()]).await?.unsigned_abs())
}

fn random_below(end: u64) -> u64 {
    Uuid::new_v4().as_u64_pair().1 % end
}
