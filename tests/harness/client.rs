//! Guests, staff and integrators at the wire: plain HTTP, as any client would.

use crate::fixture::Table;
use anyhow::{Context, Result};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use uuid::Uuid;

/// K1 of the acceptance cases.
pub const K1: &str = "550e8400-e29b-41d4-a716-446655440000";
/// K2 of the acceptance cases.
pub const K2: &str = "7d793037-a076-4f4b-9d2b-3c9a1e5c8f10";

/// Everything that an answer to `placeOrder` can say.
pub const PLACE: &str = "mutation Place($input: PlaceOrderInput!) { placeOrder(input: $input) {
    requestId allowed orderId idempotentReplay
    result {
      __typename
      ... on OrderPlaced { replayReason firstPlacedAt receipt {
        orderId requestId number table placedAt total { amountMinor currency } note
        lines { menuItemId name quantity unitPrice { amountMinor } lineTotal { amountMinor } note
          toppings { toppingId name quantity unitPrice { amountMinor } } } } }
      ... on PlacementProblem { code status message retryable retryAfterMs retryWithNewRequestId }
      ... on OrderRejected {
        shortages { kind id name requested left }
        items { kind id name }
        expectedTotal { amountMinor } actualTotal { amountMinor } lines { line menuItemId name unitPrice { amountMinor } lineTotal { amountMinor } } }
      ... on PlacementConflict { order { id } ageMs fields }
    } } }";

/// Who asks.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    headers: HeaderMap,
}

impl Credentials {
    /// A guest's device at a table.
    pub fn guest(table: &Table, device: Uuid) -> Self {
        Self::default()
            .with("x-session-id", &table.id.to_string())
            .with("x-session-pin", &table.pin)
            .with("x-masterorder-client-id", &format!("guest-{device}"))
    }

    /// Whoever holds an API key.
    pub fn key(key: &str) -> Self {
        Self::default().with("authorization", &format!("Bearer {key}"))
    }

    /// With a header more, or another value for one.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
        self.headers
            .insert(name, HeaderValue::from_str(value).expect("a header value"));
        self
    }

    /// As the payload of `connection_init`: a browser can not send headers with a socket.
    pub fn as_json(&self) -> Value {
        let headers = self.headers.iter();
        headers
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().into()))
            .collect::<serde_json::Map<_, _>>()
            .into()
    }

    /// Without a header.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }
}

/// A client at a node.
#[derive(Debug, Clone)]
pub struct Client {
    /// Where the node listens.
    pub address: SocketAddr,
    /// Who asks.
    pub credentials: Credentials,
    http: reqwest::Client,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// HTTP headers.
    pub headers: HeaderMap,
    /// The body as JSON.
    pub body: Value,
}

impl Client {
    /// One at this address.
    pub fn new(address: SocketAddr, credentials: Credentials) -> Self {
        let http = reqwest::Client::builder()
            .timeout(Duration::from_secs(60))
            .build()
            .expect("an HTTP client");
        Self {
            address,
            credentials,
            http,
        }
    }

    /// One that waits no longer than this, and uses every connection once.
    pub fn impatient(address: SocketAddr, credentials: Credentials, patience: Duration) -> Self {
        let http = reqwest::Client::builder()
            .timeout(patience)
            .pool_max_idle_per_host(0)
            .build()
            .expect("an HTTP client");
        Self {
            address,
            credentials,
            http,
        }
    }

    /// The same device at another node.
    pub fn at(&self, address: SocketAddr) -> Self {
        Self {
            address,
            ..self.clone()
        }
    }

    /// The same client with a header more.
    pub fn with(&self, name: &str, value: &str) -> Self {
        Self {
            credentials: self.credentials.clone().with(name, value),
            ..self.clone()
        }
    }

    /// The same client without a header.
    pub fn without(&self, name: &str) -> Self {
        Self {
            credentials: self.credentials.clone().without(name),
            ..self.clone()
        }
    }

    /// Sends a document.
    pub async fn send(&self, query: &str, variables: Value) -> Result<Reply> {
        self.post(json!({ "query": query, "variables": variables }).to_string())
            .await
    }

    /// Sends a body as it is.
    pub async fn post(&self, body: String) -> Result<Reply> {
        let request = self.request(reqwest::Method::POST, "/graphql");
        Reply::to(request.header("content-type", "application/json").body(body)).await
    }

    /// Places an order at the REST door.
    pub async fn post_order(&self, key: &str, body: Value) -> Result<Reply> {
        let request = self.request(reqwest::Method::POST, "/v1/orders");
        Reply::to(request.header("idempotency-key", key).json(&body)).await
    }

    /// Asks the REST door what became of a key.
    pub async fn placement(&self, key: &str) -> Result<Reply> {
        let request = self.request(reqwest::Method::GET, &format!("/v1/placements/{key}"));
        Reply::to(request).await
    }

    /// Starts a request of any kind to any path, with the credentials, for the test to complete.
    pub fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        self.http.request(method, url).headers(self.credentials.headers.clone())
    }

    /// Places an order.
    pub async fn place(&self, input: Value) -> Result<Reply> {
        self.send(PLACE, json!({ "input": input })).await
    }

    /// Places an order as the SDK does: the same request again, while the answer says that this may help. `INTERNAL` is
    /// returned, so that no test hides it.
    pub async fn insist(&self, input: Value) -> Result<Reply> {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let reply = self.place(input.clone()).await?;
            if !reply.is_retryable() || reply.code() == "INTERNAL" {
                return Ok(reply);
            }
            anyhow::ensure!(Instant::now() < deadline, "still told to try again: {}", reply.body);
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Withdraws a key.
    pub async fn withdraw(&self, key: &str) -> Result<Reply> {
        let query = "mutation($key: UUID!) { withdrawPlacement(requestId: $key) {
            __typename
            ... on OrderPlaced { replayReason receipt { orderId } }
            ... on PlacementProblem { code status message retryable retryWithNewRequestId } } }";
        self.send(query, json!({ "key": key })).await
    }

    /// The value of a series of the metrics, as in `masterorder_replays_total{reason="KEY"}`.
    ///
    /// *Errors*: there is no such series.
    pub async fn metric(&self, series: &str) -> Result<f64> {
        let answer = self.request(reqwest::Method::GET, "/metrics").send().await?;
        let (status, text) = (answer.status(), answer.text().await?);
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        let value = value.with_context(|| format!("no {series} ({status})"))?;
        Ok(value.parse()?)
    }

    /// Asks what became of a key.
    pub async fn status(&self, key: &str) -> Result<Reply> {
        let query = "query($key: UUID!) { placementStatus(requestId: $key) { state code order { id } } }";
        self.send(query, json!({ "key": key })).await
    }

    /// Cancels an order.
    pub async fn cancel(&self, order: &str) -> Result<Reply> {
        let query = "mutation($id: ID!) { cancelOrder(orderId: $id) { changed order { id status } } }";
        self.send(query, json!({ "id": order })).await
    }

    /// Says how long a body will be, sends the beginning of it, and reads what comes until the server hangs up.
    ///
    /// *Errors*: the server waits for the rest.
    pub async fn begin_to_send(&self, body_bytes: usize, sent_bytes: usize) -> Result<String> {
        let head = format!(
            "POST /graphql HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {body_bytes}\r\n\r\n",
            self.address
        );
        let mut stream = TcpStream::connect(self.address).await?;
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&vec![b' '; sent_bytes]).await?;
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        tokio::time::timeout(Duration::from_secs(9), read)
            .await
            .context("no answer")??;
        Ok(answer)
    }

    /// Sends a placement on a raw socket and hangs up after `stay`, without reading an answer.
    pub async fn place_and_hang_up(&self, input: Value, stay: Duration) -> Result<()> {
        self.place_and_hang_up_when(input, async {
            tokio::time::sleep(stay).await;
            Ok(())
        })
        .await
    }

    /// Sends a placement on a raw socket and hangs up at a moment, without reading an answer.
    pub async fn place_and_hang_up_when(&self, input: Value, moment: impl Future<Output = Result<()>>) -> Result<()> {
        let body = json!({ "query": PLACE, "variables": { "input": input } });
        self.send_and_hang_up_when("/graphql", body, moment).await
    }

    /// Posts a body on a raw socket and hangs up at a moment, without reading an answer.
    pub async fn send_and_hang_up_when(
        &self,
        path: &str,
        body: Value,
        moment: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let body = body.to_string();
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in &self.credentials.headers {
            head.push_str(&format!("{name}: {}\r\n", value.to_str()?));
        }
        let mut stream = TcpStream::connect(self.address).await?;
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await?;
        moment.await?;
        drop(stream);
        Ok(())
    }
}

impl Reply {
    /// Sends a request and reads its answer.
    ///
    /// *Errors*: there is a body, and it is no JSON.
    pub async fn to(request: reqwest::RequestBuilder) -> Result<Self> {
        let answer = request.send().await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let text = answer.text().await?;
        let body = match text.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text).with_context(|| format!("no JSON ({status}): {text:?}"))?,
        };
        Ok(Self { status, headers, body })
    }

    /// A header's text; empty if it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
    }

    /// The payload of `placeOrder`.
    ///
    /// *Errors*: there is none; the text shows what came instead.
    pub fn payload(&self) -> Result<&Value> {
        let payload = &self.body["data"]["placeOrder"];
        anyhow::ensure!(payload.is_object(), "no payload ({}): {}", self.status, self.body);
        Ok(payload)
    }

    /// The result of `placeOrder`.
    pub fn result(&self) -> Result<&Value> {
        Ok(&self.payload()?["result"])
    }

    /// The order's id; the order must be placed.
    pub fn order_id(&self) -> Result<String> {
        let payload = self.payload()?;
        anyhow::ensure!(payload["allowed"] == true, "not placed: {payload}");
        Ok(payload["orderId"].as_str().context("no order id")?.to_owned())
    }

    /// It was a replay.
    pub fn is_replay(&self) -> Result<bool> {
        self.payload()?["idempotentReplay"]
            .as_bool()
            .context("no idempotentReplay")
    }

    /// The header says that it was a replay.
    pub fn has_replay_header(&self) -> bool {
        self.headers
            .get("x-masterorder-idempotent-replay")
            .is_some_and(|value| value == "true")
    }

    /// The code: of the result, or of the first top-level error; `PLACED` when placed.
    pub fn code(&self) -> String {
        let result = &self.body["data"]["placeOrder"]["result"];
        let code = [&result["code"], &self.body["errors"][0]["extensions"]["code"]]
            .into_iter()
            .find_map(|c| c.as_str());
        match code {
            Some(code) => code.to_owned(),
            None if result["__typename"] == "OrderPlaced" => "PLACED".into(),
            None => format!("no code: {}", self.body),
        }
    }

    /// The same request may succeed later by itself.
    pub fn is_retryable(&self) -> bool {
        let result = &self.body["data"]["placeOrder"]["result"];
        [&result["retryable"], &self.body["errors"][0]["extensions"]["retryable"]]
            .into_iter()
            .any(|r| *r == true)
    }

    /// When to try again. *Units*: ms.
    pub fn retry_after_ms(&self) -> Option<i64> {
        let result = &self.body["data"]["placeOrder"]["result"];
        [
            &result["retryAfterMs"],
            &self.body["errors"][0]["extensions"]["retryAfterMs"],
        ]
        .into_iter()
        .find_map(Value::as_i64)
    }

    /// The message of the first top-level error.
    pub fn error(&self) -> String {
        self.body["errors"][0]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

/// A fresh key.
pub fn key() -> String {
    Uuid::new_v4().to_string()
}

/// An order of lines under a key.
pub fn order(key: &str, lines: Value) -> Value {
    json!({ "requestId": key, "lines": lines })
}

/// A line without toppings.
pub fn line(item: Uuid, quantity: i64) -> Value {
    json!({ "menuItemId": item, "quantity": quantity })
}

/// A line with one portion of each topping on each piece.
pub fn line_with(item: Uuid, quantity: i64, toppings: &[Uuid]) -> Value {
    let toppings: Vec<Value> = toppings.iter().map(|t| json!({ "toppingId": t })).collect();
    json!({ "menuItemId": item, "quantity": quantity, "toppings": toppings })
}
