//! A page that watches: graphql-transport-ws, as any client would speak it.

use crate::client::Credentials;
use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// News that takes longer fails the test.
const DEADLINE: Duration = Duration::from_secs(15);

/// The kitchen's board.
pub const KITCHEN: &str = "subscription { kitchen { snapshot removed tickets { id orderId state version } } }";
/// A table's orders.
pub const TABLE: &str =
    "subscription { tableSessionOrders { snapshot removed orders { id requestId status version ticket { state } } } }";

/// An open socket.
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Opens one and says nothing; `origin` is what a browser would send.
    ///
    /// *Errors*: the HTTP status with which it was refused.
    pub async fn open(address: SocketAddr, origin: Option<&str>) -> Result<Result<Self, u16>> {
        let mut request = format!("ws://{address}/graphql/ws").into_client_request()?;
        let headers = request.headers_mut();
        headers.insert(
            "sec-websocket-protocol",
            HeaderValue::from_static("graphql-transport-ws"),
        );
        if let Some(origin) = origin {
            headers.insert("origin", HeaderValue::from_str(origin)?);
        }
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Ok(Self(socket))),
            Err(Error::Http(response)) => Ok(Err(response.status().as_u16())),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens one and is welcomed.
    pub async fn welcome(address: SocketAddr, credentials: &Credentials) -> Result<Self> {
        let mut socket = match Self::open(address, None).await? {
            Ok(socket) => socket,
            Err(status) => bail!("refused with {status}"),
        };
        socket
            .send(json!({ "type": "connection_init", "payload": credentials.as_json() }))
            .await?;
        let answer = socket.hear().await?;
        anyhow::ensure!(answer["type"] == "connection_ack", "not welcomed: {answer}");
        Ok(socket)
    }

    /// Opens one and subscribes.
    pub async fn watch(address: SocketAddr, credentials: &Credentials, query: &str) -> Result<Self> {
        let mut socket = Self::welcome(address, credentials).await?;
        socket.subscribe("1", query).await?;
        Ok(socket)
    }

    /// Subscribes.
    pub async fn subscribe(&mut self, id: &str, query: &str) -> Result<()> {
        self.send(json!({ "id": id, "type": "subscribe", "payload": { "query": query } }))
            .await
    }

    /// Sends a message.
    pub async fn send(&mut self, message: Value) -> Result<()> {
        Ok(self.0.send(Message::text(message.to_string())).await?)
    }

    /// Waits for a message.
    ///
    /// *Errors*: none came in time, or the socket was closed; the text has the code.
    pub async fn hear(&mut self) -> Result<Value> {
        loop {
            let message = timeout(DEADLINE, self.0.next())
                .await
                .context("nothing was said in time")?;
            match message.context("the socket ended")?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text)?),
                Message::Close(Some(frame)) => bail!("closed with {}: {}", u16::from(frame.code), frame.reason),
                Message::Close(None) => bail!("closed"),
                _ => {}
            }
        }
    }

    /// Waits for news of a field.
    pub async fn news(&mut self, field: &str) -> Result<Value> {
        let message = self.hear().await?;
        let news = &message["payload"]["data"][field];
        anyhow::ensure!(message["type"] == "next" && news.is_object(), "no news: {message}");
        Ok(news.clone())
    }

    /// Waits until the server closes it; returns the code.
    pub async fn closed(&mut self) -> Result<u16> {
        loop {
            let message = timeout(DEADLINE, self.0.next())
                .await
                .context("it was not closed in time")?;
            match message.context("it ended without a word")?? {
                Message::Close(Some(frame)) => return Ok(frame.code.into()),
                Message::Close(None) => bail!("closed without a code"),
                _ => {}
            }
        }
    }
}
