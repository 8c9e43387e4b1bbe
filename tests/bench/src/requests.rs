//! What is sent, and what must come back. Anything else than what is expected fails the run: a refusal is no throughput.

use crate::http::{Answer, find};
use crate::world::{self, Kind, Order, Purpose, Scatter};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::Write;
use uuid::Uuid;

/// What the SDK sends.
const SDK: &str = concat!(
    include_str!("../../../protocol/operations/place_order.graphql"),
    include_str!("../../../protocol/operations/result.graphql"),
    include_str!("../../../protocol/operations/order.graphql"),
    include_str!("../../../protocol/operations/line.graphql"),
);

/// The receipt and nothing that has to be looked up.
const RECEIPT: &str =
    "mutation($input: PlaceOrderInput!) { placeOrder(input: $input) { idempotentReplay result { __typename
  ... on OrderPlaced { receipt { orderId requestId number table placedAt note total { amountMinor currency }
    lines { menuItemId name quantity note unitPrice { amountMinor currency } lineTotal { amountMinor currency }
      toppings { toppingId name quantity unitPrice { amountMinor currency } } } } }
  ... on PlacementProblem { code status message } } } }";

/// Makes requests and judges answers.
pub trait Work: Send + Sync {
    /// Writes the request with this number.
    fn write(&self, number: u64, into: &mut Vec<u8>) -> Result<()>;

    /// Reads its answer.
    ///
    /// *Errors*: it is not what was asked for.
    fn read(&self, number: u64, answer: Answer<'_>) -> Result<Told>;
}

/// What an answer tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// This order stands.
    Order(Uuid),
    /// Nothing about orders, as was expected.
    Nothing,
    /// That there are too many guests. Only an overload that is meant may be told so.
    Busy,
}

/// Through which door an order is placed, and what is asked back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// GraphQL, the receipt only.
    GraphQl,
    /// GraphQL, the SDK's own document: the receipt, and the order as it is now.
    Sdk,
    /// REST.
    Rest,
}

/// Whether an order is expected to be new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// Placed by this request.
    First,
    /// Placed before.
    Replay,
    /// One or the other.
    Either,
}

/// Places orders.
#[derive(Debug, Clone)]
pub struct Placing {
    /// Of the run.
    ids: Scatter,
    /// Where.
    door: Door,
    /// What must come back.
    expect: Expect,
    /// The key that is sent.
    key: Purpose,
    /// Being turned away is an answer.
    overload: bool,
    window: Option<(u64, u64)>,
    head: Vec<u8>,
}

impl Placing {
    /// Places each order once.
    pub fn new(ids: Scatter, door: Door) -> Result<Self> {
        let document = match door {
            Door::GraphQl => RECEIPT,
            Door::Sdk => SDK,
            Door::Rest => "",
        };
        let head = match door {
            Door::Rest => Vec::new(),
            _ => format!(
                r#"{{"query":{},"variables":{{"input":"#,
                serde_json::to_string(document)?
            )
            .into_bytes(),
        };
        Ok(Self {
            ids,
            door,
            expect: Expect::First,
            key: Purpose::Request,
            overload: false,
            window: None,
            head,
        })
    }

    /// Places these orders again and again: number and count.
    pub fn again(self, first: u64, count: u64) -> Self {
        Self {
            expect: Expect::Replay,
            window: Some((first, count)),
            ..self
        }
    }

    /// Is more than the server can do, and may be told so.
    pub fn overloading(self) -> Self {
        Self { overload: true, ..self }
    }

    /// Does not mind whether an order was placed before, and sends it under this key.
    pub fn under(self, key: Purpose) -> Self {
        Self {
            expect: Expect::Either,
            key,
            ..self
        }
    }

    fn order(&self, number: u64) -> Order {
        Order::number(match self.window {
            Some((first, count)) => first + number % count,
            None => number,
        })
    }
}

impl Work for Placing {
    fn write(&self, number: u64, into: &mut Vec<u8>) -> Result<()> {
        let order = self.order(number);
        let key = self.ids.id(self.key, order.number);
        let checkout = self.ids.id(Purpose::Checkout, order.number);
        let mut body = Vec::with_capacity(2_560);
        body.extend_from_slice(&self.head);
        body.push(b'{');
        if self.door != Door::Rest {
            write!(body, r#""requestId":"{key}","#)?;
        }
        write!(
            body,
            r#""checkoutId":"{checkout}","lines":[{{"menuItemId":"{}","quantity":1,"toppings":[{{"toppingId":"{}","quantity":1}}]}},{{"menuItemId":"{}","quantity":2}}],"expectedTotal":{{"amountMinor":{},"currency":"JPY"}}}}"#,
            world::id(Kind::Item, order.with_topping),
            world::id(Kind::Topping, order.topping),
            world::id(Kind::Item, order.plain),
            order.total(),
        )?;
        let path = match self.door {
            Door::Rest => "/v1/orders",
            _ => {
                body.extend_from_slice(b"}}");
                "/graphql"
            }
        };
        begin(into, path, Some(&self.guest(&order)))?;
        if self.door == Door::Rest {
            write!(into, "Idempotency-Key: {key}\r\n")?;
        }
        end(into, &body)
    }

    fn read(&self, number: u64, answer: Answer<'_>) -> Result<Told> {
        if self.overload && find(answer.body, br#""code":"UNAVAILABLE""#).is_some() {
            return Ok(Told::Busy);
        }
        let placed = || -> Result<(bool, Uuid)> {
            let (status, mark): (u16, &[u8]) = match self.door {
                Door::Rest => (201, br#""orderId":""#),
                Door::GraphQl => (200, br#""receipt":{"orderId":""#),
                Door::Sdk => (200, br#""receipt":{"id":""#),
            };
            ensure!(answer.status == status, "status {}", answer.status);
            let at = find(answer.body, mark).context("no order")? + mark.len();
            let id = answer.body.get(at..at + 36).context("half an order")?;
            let flag = br#""idempotentReplay":"#;
            let at = find(answer.body, flag).context("no word about a replay")? + flag.len();
            let replay = answer.body[at..].starts_with(b"true");
            Ok((replay, Uuid::try_parse_ascii(id)?))
        };
        let (replay, id) = placed().with_context(|| refused(number, answer))?;
        match (self.expect, replay) {
            (Expect::First, true) => bail!("order {number} was placed before: {}", refused(number, answer)),
            (Expect::Replay, false) => bail!("order {number} was placed again: {}", refused(number, answer)),
            _ => Ok(Told::Order(id)),
        }
    }
}

impl Placing {
    /// Who places an order.
    pub fn guest(&self, order: &Order) -> Guest {
        Guest {
            session: order.session,
            device: self.ids.id(Purpose::Device, order.number),
        }
    }
}

/// Asks for nothing: what HTTP, GraphQL and this client cost.
pub struct Floor;

impl Work for Floor {
    fn write(&self, _: u64, into: &mut Vec<u8>) -> Result<()> {
        begin(into, "/graphql", None)?;
        end(into, br#"{"query":"{ __typename }"}"#)
    }

    fn read(&self, number: u64, answer: Answer<'_>) -> Result<Told> {
        let good = answer.status == 200 && find(answer.body, br#"{"__typename":"#).is_some();
        ensure!(good, "{}", refused(number, answer));
        Ok(Told::Nothing)
    }
}

/// Who sits at a table.
#[derive(Debug, Clone, Copy)]
pub struct Guest {
    /// Where.
    pub session: u64,
    /// With which phone.
    pub device: Uuid,
}

impl Guest {
    /// As a browser sends them with a socket.
    pub fn credentials(&self) -> Value {
        json!({
            "X-Session-Id": world::id(Kind::Session, self.session),
            "X-Session-PIN": world::pin(self.session).to_string(),
            "X-MasterOrder-Client-Id": format!("guest-{}", self.device),
        })
    }

    /// A query by GraphQL.
    pub fn query(&self, document: &str) -> Result<Vec<u8>> {
        let mut request = Vec::new();
        begin(&mut request, "/graphql", Some(self))?;
        end(&mut request, json!({ "query": document }).to_string().as_bytes())?;
        Ok(request)
    }
}

/// Asks for the metrics.
pub const METRICS: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn begin(into: &mut Vec<u8>, path: &str, guest: Option<&Guest>) -> Result<()> {
    into.clear();
    write!(
        into,
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    )?;
    if let Some(Guest { session, device }) = guest {
        write!(
            into,
            "X-Session-Id: {}\r\nX-Session-PIN: {}\r\nX-MasterOrder-Client-Id: guest-{device}\r\n",
            world::id(Kind::Session, *session),
            world::pin(*session),
        )?;
    }
    Ok(())
}

fn end(into: &mut Vec<u8>, body: &[u8]) -> Result<()> {
    write!(into, "Content-Length: {}\r\n\r\n", body.len())?;
    into.extend_from_slice(body);
    Ok(())
}

fn refused(number: u64, answer: Answer<'_>) -> String {
    let body = String::from_utf8_lossy(answer.body);
    format!("request {number} was answered {} {body}", answer.status)
}
