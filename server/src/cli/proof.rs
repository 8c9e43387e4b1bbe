//! The proof: one cart, confirmed in every way that goes wrong, over real HTTP; counted by the database.

use crate::app::App;
use crate::catalog::demo::{self, Seeded};
use crate::kitchen::MAX_TICKETS;
use crate::kitchen::ticket::State;
use crate::store;
use crate::store::writer_queue::Priority;
use crate::tables::TableSession;
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use uuid::Uuid;

/// Taps of an impatient thumb.
const TAPS: usize = 10;
/// An answer that takes longer is a failed proof.
const DEADLINE: Duration = Duration::from_secs(10);

const PLACE_ORDER: &str = "mutation Proof($input: PlaceOrderInput!) { \
    placeOrder(input: $input) { allowed orderId idempotentReplay } }";

/// Places one cart with thirteen requests, and prints what the database counts.
///
/// *Errors*: the proof did not come out; the text says how.
pub(super) async fn play(app: &Arc<App>, address: SocketAddr, seeded: &Seeded) -> anyhow::Result<()> {
    let tenant = seeded.shop.tenant;
    // one of its own each time: an earlier proof may have been stopped halfway
    let table = format!("proof-{:.8}", Uuid::new_v4().simple().to_string());
    let session = demo::open_table(app, tenant, table).await?;
    let item = seeded
        .menu
        .sections
        .first()
        .and_then(|s| s.items.first())
        .context("the demo menu is empty")?;
    let guest = Guest {
        address,
        headers: vec![
            ("X-Session-Id", session.id.to_string()),
            ("X-Session-PIN", session.pin.clone()),
            ("X-MasterOrder-Client-Id", format!("guest-{}", Uuid::new_v4())),
        ],
        client: reqwest::Client::new(),
    };
    let order = |key: Uuid| {
        let input = json!({ "requestId": key, "lines": [{ "menuItemId": item, "quantity": 1 }] });
        json!({ "query": PLACE_ORDER, "variables": { "input": input } })
    };
    let (first, second) = (Uuid::new_v4(), Uuid::new_v4());
    println!("The proof: one cart, confirmed the way phones and networks do it.");

    guest.send_and_hang_up(&order(first)).await?;
    println!("   1 request   whose answer is dropped on the way");
    let placed = guest.send(&order(first)).await?;
    ensure!(
        placed["idempotentReplay"] == true,
        "the retry was not recognised: {placed}"
    );
    println!("   1 request   the retry, same key: answered with the order that stands");
    let tap = order(first);
    let taps = (0..TAPS).map(|_| guest.send(&tap));
    for tap in futures_util::future::join_all(taps).await {
        ensure!(tap?["orderId"] == placed["orderId"], "a tap got another order");
    }
    println!("  {TAPS} requests  ten taps at once");
    let other_key = guest.send(&order(second)).await?;
    ensure!(
        other_key["orderId"] == placed["orderId"],
        "the second key got another order"
    );
    println!("   1 request   the same cart under another key");

    let counts = store::ledger::count(&app.db, session.id).await?;
    clear_away(app, &session, &placed).await?;
    let requests = TAPS + 3;
    if (counts.orders, counts.tickets, counts.events) != (1, 1, 1) {
        bail!(
            "{requests} requests became {} orders, {} tickets and {} events",
            counts.orders,
            counts.tickets,
            counts.events
        );
    }
    let report = store::ledger::check(&app.db).await?;
    ensure!(
        report.findings.is_empty(),
        "the ledger does not hold: {:?}",
        report.findings
    );
    println!(
        "{requests} requests → {} order → {} ticket ✓",
        counts.orders, counts.tickets
    );
    Ok(())
}

/// Closes the table and takes the ticket off the board: nobody waits for this dish when the kitchen's screen is opened.
async fn clear_away(app: &App, session: &TableSession, placed: &Value) -> anyhow::Result<()> {
    let tenant = session.tenant;
    let waiting = store::tickets::board(&app.db, tenant, &[State::Received], MAX_TICKETS).await?;
    let own = waiting.iter().find(|t| placed["orderId"] == t.ticket.order.to_string());
    let steps = [
        (State::Received, State::Cooking),
        (State::Cooking, State::Ready),
        (State::Ready, State::Served),
    ];
    store::txn::write(&app.db, Priority::Request, async |txn| {
        let now_ms = txn.now_ms().await?;
        if let Some(own) = own {
            for (from, to) in steps {
                store::tickets::advance(txn, tenant, own.ticket.id, (from, to), now_ms).await?;
            }
        }
        store::tables::close(txn, session.id, now_ms).await
    })
    .await?;
    Ok(())
}

struct Guest {
    address: SocketAddr,
    headers: Vec<(&'static str, String)>,
    client: reqwest::Client,
}

impl Guest {
    /// Sends a document and reads the payload of `placeOrder`.
    async fn send(&self, document: &Value) -> anyhow::Result<Value> {
        let mut request = self
            .client
            .post(format!("http://{}/graphql", self.address))
            .timeout(DEADLINE)
            .json(document);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let answer: Value = request.send().await?.json().await?;
        match answer["data"]["placeOrder"].clone() {
            Value::Null => bail!("no order: {answer}"),
            payload => Ok(payload),
        }
    }

    /// Sends a document on a raw socket, waits until its answer is on the wire, and hangs up without reading it.
    async fn send_and_hang_up(&self, document: &Value) -> anyhow::Result<()> {
        let body = document.to_string();
        let mut head = format!(
            "POST /graphql HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(self.address).await?;
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await?;
        timeout(DEADLINE, stream.readable())
            .await
            .context("the first request got no answer")??;
        Ok(())
    }
}
