//! Somebody who watches: graphql-transport-ws.

use anyhow::{Context, Result, bail, ensure};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::{WebSocketStream, client_async};

/// An open socket.
pub struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    /// Opens one with these credentials.
    pub async fn open(address: SocketAddr, credentials: Value) -> Result<Self> {
        let mut request = format!("ws://{address}/graphql/ws").into_client_request()?;
        let protocol = HeaderValue::from_static("graphql-transport-ws");
        request.headers_mut().insert("sec-websocket-protocol", protocol);
        let stream = TcpStream::connect(address).await.context("connect to the server")?;
        let (socket, _) = client_async(request, stream).await.context("open a socket")?;
        let mut socket = Self(socket);
        socket
            .say(json!({ "type": "connection_init", "payload": credentials }))
            .await?;
        let answer = socket.hear_any().await?;
        ensure!(answer["type"] == "connection_ack", "not welcomed: {answer}");
        Ok(socket)
    }

    /// Subscribes.
    pub async fn subscribe(&mut self, document: &str) -> Result<()> {
        self.say(json!({ "id": "1", "type": "subscribe", "payload": { "query": document } }))
            .await
    }

    /// Waits for news.
    ///
    /// *Errors*: something else was said.
    pub async fn hear(&mut self) -> Result<Value> {
        loop {
            let message = self.hear_any().await?;
            match message["type"].as_str() {
                Some("next") if message["payload"]["errors"].is_null() => return Ok(message),
                Some("ping") => self.say(json!({ "type": "pong" })).await?,
                _ => bail!("no news: {message}"),
            }
        }
    }

    async fn say(&mut self, message: Value) -> Result<()> {
        Ok(self.0.send(Message::text(message.to_string())).await?)
    }

    async fn hear_any(&mut self) -> Result<Value> {
        loop {
            match self.0.next().await.context("the socket ended")?? {
                Message::Text(text) => return Ok(serde_json::from_str(&text)?),
                Message::Close(frame) => bail!("the socket was closed: {frame:?}"),
                _ => {}
            }
        }
    }
}
