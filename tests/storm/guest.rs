//! A guest with a bad thumb and a bad network: sends twice, hangs up, forgets keys, and insists.

use crate::client::{Client, Credentials};
use crate::storm::plan::{Guest, Line, Plan};
use crate::storm::weather;
use anyhow::Result;
use futures_util::future::{join, try_join_all};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

/// How long a guest waits for an answer: longer than the server's answer budget.
const PATIENCE: Duration = Duration::from_secs(8);
/// A wish that takes longer than this is not coming true. Far above what a machine that is busy with other things needs.
const DEADLINE: Duration = Duration::from_secs(300);
/// Guests of a hundred who give up at once, answer or not.
const FICKLE: u32 = 3;

/// How a wish is told from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// A cart, under whatever keys.
    Cart,
    /// One key.
    Key,
    /// Nothing but what is in it: every key is new, and the content window has to see it.
    Content,
}

/// Lives through a plan, and prints a line per wish.
pub async fn swarm(plan: Plan) -> Result<()> {
    let nodes = try_join_all(plan.nodes.iter().map(|node| weather::raise(*node))).await?;
    let mut guests = tokio::task::JoinSet::new();
    for guest in plan.guests {
        let nodes = nodes.clone();
        guests.spawn(async move {
            let phone = Phone::of(&guest, nodes);
            for n in 0..plan.intents {
                let line = phone.wish(&guest, guest.first_content + n).await?;
                println!("{}", serde_json::to_string(&line)?);
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = guests.join_next().await {
        ended??;
    }
    Ok(())
}

struct Phone {
    client: Client,
    nodes: Vec<SocketAddr>,
}

impl Phone {
    fn of(guest: &Guest, nodes: Vec<SocketAddr>) -> Self {
        let credentials = Credentials::guest(&guest.seat(), Uuid::new_v4());
        Self {
            client: Client::impatient(nodes[0], credentials, PATIENCE),
            nodes,
        }
    }

    /// One wish, from the first tap to the order.
    async fn wish(&self, guest: &Guest, content: usize) -> Result<Line> {
        let identity = match rand::random_range(0..10) {
            0..5 => Identity::Cart,
            _ if guest.carts_only => Identity::Cart,
            5..8 => Identity::Key,
            _ => Identity::Content,
        };
        let mut line = Line::default();
        line.intent.table = guest.table;
        line.intent.checkout = (identity == Identity::Cart).then(Uuid::new_v4);
        let lines = json!([{
            "menuItemId": guest.dish,
            "quantity": 1 + content % 99,
            "toppings": [{ "toppingId": guest.topping, "quantity": 1 + content / 99 }],
        }]);
        let fickle = chance(FICKLE);
        let begun = Instant::now();
        loop {
            self.tap(&mut line, identity, &lines).await?;
            if line.intent.refused.is_some() || fickle {
                return Ok(line);
            }
            if !line.intent.told.is_empty() {
                break;
            }
            if begun.elapsed() > DEADLINE {
                line.intent.refused = Some(format!("no order for too long: {:?}", line.tally));
                return Ok(line);
            }
            sleep(Duration::from_millis(rand::random_range(10..150))).await;
        }
        line.intent.insisted = true;
        if chance(15) {
            // a packet that was late
            self.tap(&mut line, identity, &lines).await?;
        }
        Ok(line)
    }

    /// One tap: a request or two, or a question.
    async fn tap(&self, line: &mut Line, identity: Identity, lines: &Value) -> Result<()> {
        let mut one = self.input(line, identity, lines);
        match rand::random_range(0..10) {
            0..6 => {
                let reply = self.anywhere().place(one).await;
                self.note(line, reply);
            }
            6..8 => {
                let mut two = one.clone();
                if identity == Identity::Cart && chance(50) {
                    two = self.input(line, identity, lines);
                }
                let (a, b) = join(self.anywhere().place(one.take()), self.anywhere().place(two)).await;
                self.note(line, a);
                self.note(line, b);
            }
            8 => {
                let stay = Duration::from_millis(rand::random_range(1..40));
                match timeout(stay, self.anywhere().place(one)).await {
                    Ok(reply) => self.note(line, reply),
                    Err(_) => line.count("hung up"),
                }
            }
            _ => self.ask(line).await,
        }
        Ok(())
    }

    /// Asks what became of a key that was sent.
    async fn ask(&self, line: &mut Line) {
        let Some(key) = line.intent.requests.last() else { return };
        let answer = self.anywhere().status(&key.to_string()).await;
        line.count("questions");
        let order = answer.ok().and_then(|reply| {
            let status = &reply.body["data"]["placementStatus"];
            status["order"]["id"].as_str().and_then(|id| Uuid::parse_str(id).ok())
        });
        line.intent.told.extend(order);
    }

    /// What is sent: under the key of before, or a new one.
    fn input(&self, line: &mut Line, identity: Identity, lines: &Value) -> Value {
        let new = match (identity, line.intent.requests.last()) {
            (_, None) | (Identity::Content, _) => true,
            (Identity::Cart, Some(_)) => chance(30),
            (Identity::Key, Some(_)) => false,
        };
        if new {
            line.intent.requests.push(Uuid::new_v4());
        }
        let mut input = json!({ "requestId": line.intent.requests.last(), "lines": lines });
        if let Some(checkout) = line.intent.checkout {
            input["checkoutId"] = json!(checkout);
        }
        input
    }

    fn note(&self, line: &mut Line, reply: Result<crate::Reply>) {
        line.count("requests");
        let Ok(reply) = reply else {
            return line.count("no answer");
        };
        let code = reply.code();
        if let Ok(order) = reply.order_id() {
            let result = &reply.body["data"]["placeOrder"]["result"];
            match result["replayReason"].as_str() {
                Some(reason) => line.count(format!("replayed by {reason}")),
                None => line.count("placed"),
            }
            line.intent.told.extend(Uuid::parse_str(&order));
        } else if reply.is_retryable() && code != "INTERNAL" {
            line.count(format!("told {code}"));
        } else {
            line.count(format!("refused {code}"));
            line.intent.refused = Some(reply.body.to_string());
        }
    }

    fn anywhere(&self) -> Client {
        self.client.at(self.nodes[rand::random_range(0..self.nodes.len())])
    }
}

fn chance(percent: u32) -> bool {
    rand::random_range(0..100) < percent
}
